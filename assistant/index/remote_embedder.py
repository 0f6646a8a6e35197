"""An embedder behind an API: requests within its limits, retried when that can help."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from assistant.endpoints import without_secrets
from assistant.errors import ModelError
from assistant.wording import counted

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from tenacity import RetryCallState

__all__ = ["RemoteEmbedder", "Transport"]

_MAX_TEXTS = 2_048
_MAX_TOKENS = 200_000
"""Estimated tokens a request may have; the API takes 300,000 true ones."""

_BYTES_PER_TOKEN = 3
_LONGEST_WAIT = 60.0
_FIRST_WAIT = 0.5
_SAID_CHARS = 300
_OUT_OF_CREDIT = ("insufficient_quota", "billing", "credit")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Transport:
    """How a server is reached, and what messages call it.

    Args:
        retries: how often a failed call is tried again.
        server: its address or its provider's name.
        key: what holds its key.
    """

    retries: int
    server: str
    key: str


class RemoteEmbedder:
    """Any langchain embedder behind an API; safe to share between threads.

    Args:
        make: makes the client, on first use: importing it takes longer than all the rest.
        name: as settings and messages call it.
        revision: tells servers apart that use the same name.
        max_tokens: tokens a text may have.
        transport: retries, and the names messages use.
    """

    batch = 256

    def __init__(
        self,
        make: Callable[[], Embeddings],
        *,
        name: str,
        revision: str,
        max_tokens: int,
        transport: Transport,
    ) -> None:
        self.name = name
        self.revision = revision
        self.max_tokens = max_tokens
        self.dimension: int | None = None
        self._make = make
        self._transport = transport
        self._model: Embeddings | None = None
        self._lock = Lock()
        self._at_once = _MAX_TEXTS

    def count_tokens(self, text: str) -> int:
        """Estimate a text's tokens from above, without the model's tokenizer.

        Args:
            text: any text.
        """
        return math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed documents in as many requests as the limits need.

        Args:
            texts: none of them blank.

        Returns:
            float32 `[len(texts), dimension]`, rows of length 1.

        Raises:
            ModelError: the server failed, refused, or did not give what was asked for.
        """
        parts = [self._request(part) for part in self._parts(texts)]
        if not parts:
            return np.zeros((0, self.dimension or 0), dtype=np.float32)
        return np.concatenate(parts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed a question; of one that is too long the end counts.

        Args:
            text: the question, not blank.

        Returns:
            float32 `[dimension]`, of length 1.

        Raises:
            ModelError: the server failed or refused.
        """
        if self.count_tokens(text) > self.max_tokens:
            kept = text.encode("utf-8", "replace")[-self.max_tokens * _BYTES_PER_TOKEN :]
            text = kept.decode("utf-8", "ignore").lstrip()
        rows = self._retried(lambda: [self._client.embed_query(text)])
        row: NDArray[np.float32] = self._checked(rows, 1)[0]
        return row

    @property
    def _client(self) -> Embeddings:
        with self._lock:
            if self._model is None:
                self._model = self._make()
            return self._model

    def _parts(self, texts: Sequence[str]) -> Iterator[list[str]]:
        part: list[str] = []
        tokens = 0
        for text in texts:
            more = self.count_tokens(text)
            if part and (len(part) >= self._at_once or tokens + more > _MAX_TOKENS):
                yield part
                part, tokens = [], 0
            part.append(text)
            tokens += more
        if part:
            yield part

    def _request(self, texts: list[str]) -> NDArray[np.float32]:
        try:
            rows = self._retried(lambda: self._client.embed_documents(texts))
        except _RefusedError:
            if len(texts) == 1:
                raise
            # Servers of one's own often take fewer texts than the API they copy, and say 400.
            half = (len(texts) + 1) // 2
            found = np.concatenate([self._request(texts[:half]), self._request(texts[half:])])
            self._at_once = min(self._at_once, half)
            return found
        return self._checked(rows, len(texts))

    def _retried(self, call: Callable[[], T]) -> T:
        from tenacity import Retrying, retry_if_exception, stop_after_attempt

        def plain() -> T:
            try:
                return call()
            except Exception as error:
                # Every provider's client has exceptions of its own; all end as one kind here.
                raise _described(error, self.name, self._transport) from error

        retrying = Retrying(
            stop=stop_after_attempt(self._transport.retries + 1),
            retry=retry_if_exception(lambda e: isinstance(e, ModelError) and e.retryable),
            wait=_wait,
            reraise=True,
        )
        return retrying(plain)

    def _checked(self, rows: list[list[float]], wanted: int) -> NDArray[np.float32]:
        try:
            found = np.array(rows, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise ModelError(f"{self.name} gave vectors of unlike lengths") from error
        if found.ndim != 2 or len(found) != wanted or not found.shape[1]:
            raise ModelError(
                f"{self.name} gave {counted(len(found), 'vector')} for {counted(wanted, 'text')}"
            )
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise ModelError(f"{self.name} gave a vector that is empty or not a number")
        self.dimension = int(found.shape[1])
        unit: NDArray[np.float32] = found / lengths
        return unit


class _RefusedError(ModelError):
    """The server calls the request itself wrong; fewer texts may be right."""


class _AskedToWaitError(ModelError):
    """The server names the seconds to wait."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message, retryable=seconds <= _LONGEST_WAIT)
        self.seconds = seconds


def _described(error: Exception, name: str, transport: Transport) -> ModelError:
    if isinstance(error, ModelError):
        return error
    status = getattr(error, "status_code", None)
    said = without_secrets(" ".join(str(error).split()))[:_SAID_CHARS]
    server = f"the embedder {name} at {transport.server}"
    if status in (401, 403):
        return ModelError(f"{server} refuses the key: check {transport.key}")
    if status == 404:
        return ModelError(f"{server} is not there: check the address and the model's name ({said})")
    if status == 402 or (status == 429 and _out_of_credit(error)):
        return ModelError(f"{server} has no credit left: add credit, then run the same again")
    if status == 429:
        return _AskedToWaitError(f"{server} gets too many requests: try later", _seconds(error))
    if status in (400, 413, 422):
        return _RefusedError(f"{server} refuses the request: {said}")
    if status is not None:
        return ModelError(f"{server} failed with {status}: {said}", retryable=status >= 500)
    if "connect" in type(error).__name__.lower() or "timeout" in type(error).__name__.lower():
        return ModelError(
            f"{server} cannot be reached ({said}): check that it runs and the address is right",
            retryable=True,
        )
    return ModelError(f"{server} gave no usable reply: {said or type(error).__name__}")


def _out_of_credit(error: Exception) -> bool:
    # What the server answered stands in the body; the client's own text may leave the code out.
    said = f"{error} {getattr(error, 'body', '')} {getattr(error, 'code', '')}".lower()
    return any(word in said for word in _OUT_OF_CREDIT)


def _seconds(error: Exception) -> float:
    """Read how long the server asks to wait; 0 where it does not say."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    raw = headers.get("retry-after", "")
    try:
        return max(0.0, float(raw))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(raw)
    except ValueError:
        return 0.0
    return max(0.0, (until - datetime.now(UTC)).total_seconds())


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.seconds if isinstance(error, _AskedToWaitError) else 0.0
    return max(asked, _FIRST_WAIT * 2.0 ** (state.attempt_number - 1))
