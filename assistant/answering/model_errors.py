"""What a model call can fail with, each as one line that says what to do."""

from __future__ import annotations

import re

from assistant.answering.connecting import ServerName, connection_failed
from assistant.answering.openai_stream import NotAChatApiError, ServerSaidError
from assistant.answering.waiting import retry_after
from assistant.endpoints import without_secrets
from assistant.errors import ModelError
from assistant.wording import duration, without_markup

__all__ = [
    "ContextTooLongError",
    "ModelRefusedError",
    "describe",
    "error_text",
    "names_a_model",
    "status_of",
]

_DETAIL_CHARS = 200
_SHORT_WAIT = 2.0
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
_WANTS_TLS = re.compile(
    r"http request (?:was sent )?to (?:an )?https (?:server|port)|requires? (?:tls|https)\b|"
    r"https (?:is )?required",
    re.IGNORECASE,
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
            f"{server.check}"
        )
    status, text = status_of(error), error_text(error)
    if status is None and not isinstance(error, ServerSaidError):
        dropped = connection_failed(error, server)
        if dropped is not None:
            return dropped
    if _CONTEXT.search(text) and status in (None, 400, 413, 422, 500):
        return _too_long(text, server)
    if _WANTS_TLS.search(text) and server.address_variable:
        return ModelError(
            f"{server.host} wants a secure connection: write {server.address_variable} with "
            "https:// in place of http://"
        )
    if status == 402 or (status in (None, 400, 403, 429) and _NO_CREDIT.search(text)):
        return ModelError(
            f"no credit left at {server.host} for this key: add credit there, or set another "
            "model with ASSISTANT_MODEL"
        )
    detail = _clear(_said(error), server)
    if status is not None:
        busy = _busy(status, detail, retry_after(error), server)
        if busy is not None:
            return busy
    return _by_status(status, text, detail, server)


def _busy(status: int, detail: str, wait: float | None, server: ServerName) -> ModelError | None:
    """Say that the same request may succeed later, and when where the server tells it."""
    long = wait is not None and wait > _SHORT_WAIT
    asks = f"asks to wait {duration(wait)}" if wait is not None and long else "asks to slow down"
    again = "ask again then, or set another model with ASSISTANT_MODEL" if long else None
    if status == 429:
        # The status' own words say nothing more.
        told = f" ({detail})" if detail and "too many requests" not in detail.lower() else ""
        again = again or "wait a moment and ask again"
        return ModelError(f"{server.host} {asks}{told}: {again}", retryable=True)
    if status in (408, 409, 425) or status >= 500:
        then = f" and {asks}: {again}" if again else ": ask again later"
        return ModelError(f"{server.host} failed ({status}: {detail}){then}", retryable=True)
    return None


def _by_status(status: int | None, text: str, detail: str, server: ServerName) -> ModelError:
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
            f"no chat API at {server.address}/chat/completions ({status}): {server.check}"
        )
    if status == 413:
        return ModelError(
            f"{server.host} takes no request as large as this: lower ASSISTANT_CONTEXT_TOKENS or "
            "ASSISTANT_MAX_SOURCES, or ask a shorter question"
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


def _said(error: BaseException) -> str:
    body = getattr(error, "body", None)
    for said in (body, body.get("error") if isinstance(body, dict) else None):
        if isinstance(said, str) and said.strip():
            return without_markup(said)
        if isinstance(said, dict) and isinstance(said.get("message"), str):
            return str(said["message"])
    return without_markup(str(error))


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


def _clear(text: str, server: ServerName) -> str:
    """Cut a server's own words to one line without any key."""
    text = without_secrets(text, server.key, server.password)
    text = " ".join(text.split())
    return text if len(text) <= _DETAIL_CHARS else text[:_DETAIL_CHARS] + " …"
