"""What a model call can fail with, each as one line that says what to do."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from assistant.answering.openai_stream import NotAChatApiError, ServerSaidError
from assistant.endpoints import without_secrets
from assistant.errors import ModelError

__all__ = [
    "ContextTooLongError",
    "ModelRefusedError",
    "ServerName",
    "describe",
    "error_text",
    "names_a_model",
    "retry_after",
    "status_of",
]

_DETAIL_CHARS = 200
_CONTEXT = re.compile(
    r"context[ _](?:length|window|size)|maximum context|too many (?:input )?tokens|"
    r"prompt is too long|exceeds? the (?:available )?context|input tokens exceed|"
    r"(?:prompt|input|request)[^.]{0,40} (?:is )?(?:too long|too large|exceeds)[^.]{0,40}tokens",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?:maximum context length (?:is|of)|context (?:length|window|size)(?: (?:is|of)| \()?|"
    r"n_ctx\W+)\s*(?:only )?(\d{3,7})",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|balance|funds|credit)|exceeded your current quota|billing|"
    r"credit balance|out of credit|payment required",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model[_ ]not[_ ](?:found|exist)|\bmodel\b.{0,80}(?:not (?:found|exist|available|supported)|"
    r"no such|unknown)|(?:no such|unknown|invalid) model|not a valid model",
    re.IGNORECASE | re.DOTALL,
)


class ContextTooLongError(ModelError):
    """The request does not fit into the model's context.

    Args:
        message: what happened and the step that mends it, in one line.
        limit: the window the server named, in tokens.
    """

    def __init__(self, message: str, *, limit: int | None = None) -> None:
        super().__init__(message)
        self.limit = limit


class ModelRefusedError(ModelError):
    """The model declined to answer, or a filter withheld what it wrote."""


@dataclass(frozen=True, slots=True)
class ServerName:
    """A model server as messages name it.

    Args:
        host: host and port, without credentials.
        address: where calls go, without credentials.
        model: the model asked for.
        key_variable: the environment variable that holds the key.
        address_variable: the one that holds the address, None where there is none to set.
        key: the key, never shown: it is what messages are cleared of.
        password: the one in the address, likewise.
    """

    host: str
    address: str
    model: str
    key_variable: str | None
    address_variable: str | None
    key: str | None
    password: str | None = None

    def __repr__(self) -> str:
        return f"ServerName({self.host!r}, {self.model!r})"


def describe(error: Exception, server: ServerName) -> ModelError:
    """Turn what a client raised into what a person can act on.

    Args:
        error: from the openai client, langchain, another provider's client or this package.
        server: the server that was asked.
    """
    if isinstance(error, ModelError):
        return error
    described = _described(error, server)
    _silence(error, server)
    return described


def _silence(error: BaseException | None, server: ServerName) -> None:
    """Cut secrets that the server repeated out of what a traceback would print."""
    while error is not None:
        error.args = tuple(
            without_secrets(arg, server.key, server.password) if isinstance(arg, str) else arg
            for arg in error.args
        )
        error = error.__cause__ or error.__context__


def _described(error: Exception, server: ServerName) -> ModelError:
    if isinstance(error, NotAChatApiError):
        return ModelError(
            f"{server.address} answered with {_clear(str(error), server)}, not with the chat API: "
            f"{_check_address(server)}"
        )
    status, text = status_of(error), error_text(error)
    if status is None and not isinstance(error, ServerSaidError):
        dropped = _connection(error, server)
        if dropped is not None:
            return dropped
    if _CONTEXT.search(text) and status in (None, 400, 413, 422, 500):
        return _too_long(text, server)
    if status == 402 or (status in (None, 400, 403, 429) and _NO_CREDIT.search(text)):
        return ModelError(
            f"no credit left at {server.host} for this key: add credit there, or set another "
            "model with ASSISTANT_MODEL"
        )
    return _by_status(status, text, _said(error), server)


def _by_status(status: int | None, text: str, detail: str, server: ServerName) -> ModelError:
    detail = _clear(detail, server)
    if status == 401:
        return ModelError(_key_refused(server))
    if status == 403:
        return ModelError(f"{server.host} does not let this key use {server.model}: {detail}")
    # Other providers' clients know their own address: what they do not find is the model.
    own_address = "://" in server.address
    if (status in (400, 404, 422) and names_a_model(text)) or (status == 404 and not own_address):
        return ModelError(
            f"{server.host} has no model {server.model}: set ASSISTANT_MODEL to one it serves"
        )
    if status in (404, 405):
        return ModelError(
            f"no chat API at {server.address}/chat/completions ({status}): {_check_address(server)}"
        )
    if status == 429:
        return ModelError(
            f"{server.host} asks to slow down: wait a moment and ask again", retryable=True
        )
    if status in (408, 409, 425) or (status is not None and status >= 500):
        return ModelError(
            f"{server.host} failed ({status}: {detail}): ask again later", retryable=True
        )
    if status is None:
        return ModelError(f"{server.host} sent no usable reply: {detail}", retryable=False)
    return ModelError(f"{server.host} refused the request ({status}): {detail}")


def status_of(error: BaseException) -> int | None:
    """Give the HTTP status an error carries, under whatever name its client keeps it."""
    for name in ("status_code", "http_status", "code"):
        value = str(getattr(error, name, None))
        if re.fullmatch("[1-5][0-9][0-9]", value):
            return int(value)
    response = getattr(error, "response", None)
    return None if response is None else status_of(response)


def error_text(error: BaseException) -> str:
    """Give all that a server said about a failure, as one text to search in."""
    body = getattr(error, "body", None)
    return f"{error} {body}" if body is not None and str(body) not in str(error) else str(error)


def names_a_model(text: str) -> bool:
    """Tell whether a failure speaks of a missing model, not of a wrong address."""
    return bool(_NO_MODEL.search(text))


def retry_after(error: BaseException) -> float | None:
    """Give the seconds a server asks to wait before the next try.

    Args:
        error: any failure; only one that carries a response can say so.
    """
    headers = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    told = headers.get("retry-after-ms")
    if told is not None and _is_number(told):
        return max(0.0, float(told) / 1000)
    told = headers.get("retry-after")
    if told is None:
        return None
    if _is_number(told):
        return max(0.0, float(told))
    try:
        return max(0.0, parsedate_to_datetime(told).timestamp() - time.time())
    except ValueError:
        return None


def _said(error: BaseException) -> str:
    body = getattr(error, "body", None)
    for said in (body, body.get("error") if isinstance(body, dict) else None):
        if isinstance(said, str) and said.strip():
            return said
        if isinstance(said, dict) and isinstance(said.get("message"), str):
            return str(said["message"])
    return str(error)


def _connection(error: Exception, server: ServerName) -> ModelError | None:
    chain = [error]
    while chain[-1].__cause__ is not None and isinstance(chain[-1].__cause__, Exception):
        chain.append(chain[-1].__cause__)
    names = {kind.__name__ for link in chain for kind in type(link).__mro__}
    if "ConnectTimeout" in names or "PoolTimeout" in names or "ConnectError" in names:
        return ModelError(
            f"{server.host} cannot be reached: check that the model server runs"
            + (f" and that {server.address_variable} is right" if server.address_variable else "")
            + ", or that this machine is online",
            retryable=True,
        )
    if "TimeoutException" in names or "APITimeoutError" in names:
        return ModelError(f"{server.host} did not answer in time: ask again", retryable=True)
    if names & {"APIConnectionError", "NetworkError", "ProtocolError", "ConnectionError"}:
        return ModelError(f"{server.host} dropped the connection: ask again", retryable=True)
    return None


def _too_long(text: str, server: ServerName) -> ContextTooLongError:
    found = _LIMIT.search(text)
    limit = int(found[1]) if found else None
    lower = f"to {limit}" if limit else "lower"
    return ContextTooLongError(
        f"the request is longer than the context of {server.model}: set ASSISTANT_CONTEXT_TOKENS "
        f"{lower}, or ask a shorter question",
        limit=limit,
    )


def _key_refused(server: ServerName) -> str:
    if server.key_variable is None:
        return f"{server.host} refused access: check the model server's settings"
    if server.key is None:
        return f"{server.host} wants a key: set {server.key_variable}"
    return f"{server.host} refused the key: check {server.key_variable}"


def _check_address(server: ServerName) -> str:
    if server.address_variable is None:
        return "check that nothing stands between this machine and the internet"
    return f"check {server.address_variable}"


def _clear(text: str, server: ServerName) -> str:
    """Cut a server's own words to one line without any key."""
    text = without_secrets(text, server.key, server.password)
    text = " ".join(text.split())
    return text if len(text) <= _DETAIL_CHARS else text[:_DETAIL_CHARS] + " …"


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\d+(?:\.\d+)?", text.strip()) is not None
