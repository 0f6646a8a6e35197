"""One request to a model server, from the client that sends it to the pieces that come back."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from ipaddress import ip_address
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from assistant.answering.flooding import bound_reply
from assistant.answering.model_events import Reason
from assistant.answering.model_servers import ModelSpec, Quirks
from assistant.answering.openai_stream import (
    SIDECAR,
    NotAChatApiError,
    Sidecar,
    TolerantCompletions,
)
from assistant.endpoints import basic_auth, without_credentials
from assistant.errors import ModelError, SettingsError
from assistant.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessageChunk
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

__all__ = [
    "Call",
    "build_client",
    "call_options",
    "ended_without_text",
    "prepared",
    "served_models",
]

_PLACEHOLDER_KEY = "none-needed"
_HALF = re.compile("[\ud800-\udfff]")
_CHARS_A_TOKEN = 10
"""No text has tokens as long as this on average; half of it is what English takes."""
_LIMIT_NAMES = {"ollama": "num_predict", "google_genai": "max_output_tokens"}
_LENGTH = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
_FILTERED = frozenset({"content_filter", "safety", "recitation", "prohibited_content", "blocklist"})
_NO_CHAT = ("embed", "rerank", "whisper", "tts", "moderation", "dall-e")


class Call:
    """One streamed request; lives on the background loop.

    Args:
        client: langchain's chat model.
        messages: roles and contents, as `prepared` gives them.
        options: what `call_options` gives.
        max_tokens: the limit of the reply, which not every server keeps.
    """

    def __init__(
        self,
        client: BaseChatModel,
        messages: list[dict[str, str]],
        options: dict[str, Any],
        max_tokens: int,
    ) -> None:
        self.sidecar = Sidecar()
        self._chunks = client.astream(messages, **options)
        self._room = max_tokens * _CHARS_A_TOKEN
        self._first = ""
        self._half = ""
        self._reason: str | None = None
        self._usage: tuple[int, int] = (0, 0)

    async def open(self, patience: Callable[[], float]) -> bool:
        """Wait for the first text.

        Args:
            patience: tells how many seconds to wait for the next chunk.

        Returns:
            False where the stream ended without any.

        Raises:
            TimeoutError: nothing came in time.
        """
        SIDECAR.set(self.sidecar)
        async for text in self.pieces(patience):
            self._first = text
            return True
        return False

    async def pieces(self, patience: Callable[[], float]) -> AsyncIterator[str]:
        """Give the text as it comes.

        Args:
            patience: tells how many seconds to wait for the next chunk.

        Raises:
            TimeoutError: the stream fell silent.
        """
        if self._first:
            first, self._first = self._first, ""
            yield first
        while True:
            try:
                async with asyncio.timeout(patience()):
                    chunk = await anext(self._chunks)
            except StopAsyncIteration:
                return
            self._note(chunk)
            if text := self._whole_characters(str(chunk.text)):
                self._room -= len(text)
                if self._room < 0:
                    # A server that keeps to no limit would never end.
                    self.sidecar.finish_reason = "length"
                    return
                yield text

    def _whole_characters(self, text: str) -> str:
        """Join halves of a character that came in two chunks; a half alone is none."""
        text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        if not _HALF.search(text):
            return text
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _note(self, chunk: BaseMessageChunk) -> None:
        told = chunk.response_metadata
        for name in ("finish_reason", "stop_reason", "done_reason"):
            self._reason = told.get(name) or self._reason
        usage = getattr(chunk, "usage_metadata", None)
        if usage:
            sent, got = self._usage
            self._usage = (sent + usage["input_tokens"], got + usage["output_tokens"])

    async def close(self) -> None:
        """End the request; the connection is closed with it."""
        aclose = getattr(self._chunks, "aclose", None)
        if aclose is not None:
            await aclose()

    @property
    def reason(self) -> Reason:
        """How the reply ended; `cut` where the server never said that it was complete."""
        if self.sidecar.refusal:
            return "refused"
        said = (self.sidecar.finish_reason or self._reason or "").lower()
        if said in _LENGTH:
            return "length"
        if said in _FILTERED:
            return "filtered"
        if said == "refusal":
            return "refused"
        return "stop" if said else "cut"

    @property
    def usage(self) -> tuple[int, int] | None:
        """Tokens of the prompt and of the reply; None where the server did not count them."""
        told = self.sidecar.usage
        counts = self._usage
        if told is not None:
            given = (told.get("prompt_tokens"), told.get("completion_tokens"))
            sent, got = (count if isinstance(count, int) else 0 for count in given)
            counts = (sent, got)
        # No prompt has 0 tokens: it was not counted.
        return counts if all(counts) else None


def build_client(spec: ModelSpec, settings: Settings, quirks: Quirks) -> BaseChatModel:
    """Make langchain's chat model for a spec.

    Args:
        spec: with its model's name.
        settings: timeouts, temperature and the reply's limit.
        quirks: which address is in use, and whether a temperature is taken.

    Raises:
        SettingsError: the provider's package or key is missing.
    """
    from langchain.chat_models import init_chat_model

    options: dict[str, Any] = {"max_retries": 0}
    if spec.key is not None or spec.provider == "openai":
        options["api_key"] = spec.key or _PLACEHOLDER_KEY
    if spec.provider == "openai":
        options |= _openai_options(spec.addresses[quirks.address], settings)
    else:
        options[_LIMIT_NAMES.get(spec.provider, "max_tokens")] = settings.answer_tokens
        if settings.temperature is not None and quirks.temperature:
            options["temperature"] = settings.temperature
    try:
        client: Any = init_chat_model(str(spec.model), model_provider=spec.provider, **options)
    except (ImportError, ValueError, TypeError) as error:
        wanted = f"ASSISTANT_MODEL={spec.provider}:{spec.model}"
        hint = f"set {spec.key_variable}" if spec.key_variable and not spec.key else str(error)
        raise SettingsError(f"{wanted} cannot be used: {hint}") from error
    if spec.provider == "openai":
        client.async_client = TolerantCompletions(client.async_client)
    return cast("BaseChatModel", client)


def _openai_options(address: str, settings: Settings) -> dict[str, Any]:
    import openai

    return {
        "base_url": without_credentials(address),
        "default_headers": basic_auth(address),
        "use_responses_api": False,
        # How long to wait is decided here, chunk by chunk; only connecting is the client's.
        "timeout": openai.Timeout(None, connect=settings.connect_timeout),
        "stream_chunk_timeout": None,
        "http_async_client": _http_client(address),
        # Never used; without it langchain makes one that costs more.
        "http_client": openai.DefaultHttpxClient(
            verify=SSLContext(PROTOCOL_TLS_CLIENT), trust_env=False
        ),
    }


def call_options(
    spec: ModelSpec, settings: Settings, quirks: Quirks, max_tokens: int
) -> dict[str, Any]:
    """Give the options of one request.

    Args:
        spec: the model.
        settings: the temperature.
        quirks: what the server does not take.
        max_tokens: limit of the reply.
    """
    if spec.provider != "openai":
        return {}
    options: dict[str, Any] = {"stream_usage": quirks.stream_options}
    if settings.temperature is not None and quirks.temperature:
        options["temperature"] = settings.temperature
    if quirks.limit_field == "max_completion_tokens":
        options["max_completion_tokens"] = max_tokens
    elif quirks.limit_field is not None:
        # langchain renames this field; what stands in `extra_body` is sent as it is.
        options["extra_body"] = {quirks.limit_field: max_tokens}
    return options


def prepared(
    messages: Sequence[Mapping[str, str]], *, system_role: bool = True
) -> list[dict[str, str]]:
    """Bring messages to a form that strict servers take.

    Empty turns are left out, neighbours of one role joined, and an answer never comes first.

    Args:
        messages: `role` and `content` each.
        system_role: whether the server takes a system message; else its text opens the first
            question.
    """
    ready: list[dict[str, str]] = []
    for message in messages:
        role, content = message["role"], message["content"]
        if not content.strip() or (role == "assistant" and not _has_user(ready)):
            continue
        if not system_role and role == "system":
            role = "user"
        if ready and ready[-1]["role"] == role:
            ready[-1]["content"] += f"\n\n{content}"
        else:
            ready.append({"role": role, "content": content})
    return ready


def _has_user(messages: list[dict[str, str]]) -> bool:
    return any(message["role"] == "user" for message in messages)


def served_models(
    spec: ModelSpec, quirks: Quirks, settings: Settings
) -> Coroutine[Any, Any, list[str]]:
    """Ask an OpenAI-compatible server which models it serves.

    Args:
        spec: the server.
        quirks: which of its addresses is in use.
        settings: timeouts.

    Returns:
        What gives the names in the server's order, without those that cannot chat.
    """
    # Imported by the caller's thread: on the loop it would hold up every other call.
    import openai

    address = spec.addresses[quirks.address]
    return _listed(
        openai.AsyncOpenAI(
            api_key=spec.key or _PLACEHOLDER_KEY,
            base_url=without_credentials(address),
            default_headers=basic_auth(address),
            max_retries=0,
            timeout=openai.Timeout(settings.first_token_timeout, connect=settings.connect_timeout),
            http_client=_http_client(address),
        )
    )


async def _listed(client: AsyncOpenAI) -> list[str]:
    async with client:
        page: Any = await client.models.list()
    served = getattr(page, "data", None)
    if not isinstance(served, list):
        raise NotAChatApiError("something that lists no models")
    names = [str(model.id) for model in served if getattr(model, "id", None)]
    return [name for name in names if not any(mark in name.lower() for mark in _NO_CHAT)]


def _http_client(address: str) -> DefaultAsyncHttpxClient:
    import openai

    parts = urlsplit(address)
    return openai.DefaultAsyncHttpxClient(
        # Reading the root certificates takes 70 ms; without them TLS fails, it is not left out.
        verify=True if parts.scheme == "https" else SSLContext(PROTOCOL_TLS_CLIENT),
        # A proxy meant for the internet must not stand before a server on this machine.
        trust_env=not _is_loopback(parts.hostname or ""),
        event_hooks={"response": [bound_reply]},
    )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def ended_without_text(call: Call, spec: ModelSpec, max_tokens: int) -> ModelError:
    """Say why a reply holds no word.

    Args:
        call: the call, at its end.
        spec: whom it went to.
        max_tokens: the limit it had.
    """
    host = spec.server_name().host
    if call.reason == "length":
        return ModelError(
            f"{spec.model} used up all {max_tokens} tokens before the first word of its answer: "
            "raise ASSISTANT_ANSWER_TOKENS"
        )
    if call.reason == "cut":
        return ModelError(
            f"{host} ended the reply before its first word: ask again", retryable=True
        )
    if call.sidecar.thought:
        return ModelError(
            f"{spec.model} sent its thoughts and no answer: ask again, turn its thinking off at "
            "the server, or set another model"
        )
    return ModelError(f"{spec.model} sent an empty reply: ask again, or set another model")
