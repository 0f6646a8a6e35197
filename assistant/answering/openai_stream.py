"""A tolerant reader of what OpenAI-compatible servers stream.

Sits between langchain and the openai client and brings each chunk to the form langchain expects;
what langchain drops (a refusal's text, the usage as the server counted it) is kept in a `Sidecar`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openai import AsyncStream
    from openai.resources.chat.completions import AsyncCompletions
    from openai.types.chat import ChatCompletionChunk

__all__ = ["SIDECAR", "NotAChatApiError", "ServerSaidError", "Sidecar", "TolerantCompletions"]


_THOUGHT_FIELDS = ("reasoning_content", "reasoning", "reasoning_details")


class NotAChatApiError(Exception):
    """The address answered, but not in the form of a chat API."""


class ServerSaidError(Exception):
    """A reply with status 200 that holds an error; `body` is what it says, `code` its number."""

    def __init__(self, body: object) -> None:
        super().__init__(str(body))
        self.body = body
        self.code = body.get("code") if isinstance(body, dict) else None


@dataclass
class Sidecar:
    """What one call's chunks held besides text.

    Args:
        refusal: the model's words where it declined.
        usage: the tokens as the server counted them.
        finish_reason: as the server named it.
        thought: whether thoughts came in a field of their own, which is never shown.
        events: how many chunks came.
    """

    refusal: str = ""
    usage: dict[str, Any] | None = None
    finish_reason: str | None = None
    thought: bool = False
    events: int = 0


SIDECAR: ContextVar[Sidecar] = ContextVar("sidecar")


class TolerantCompletions:
    """Stands in for the openai client's `chat.completions`.

    Args:
        inner: the client's own resource.
    """

    def __init__(self, inner: AsyncCompletions) -> None:
        self._inner = inner

    async def create(self, **payload: Any) -> _TolerantStream:
        """Start a streamed completion; takes and raises what the client's own method does."""
        return _TolerantStream(await self._inner.create(**payload))


class _TolerantStream:
    def __init__(self, stream: AsyncStream[ChatCompletionChunk]) -> None:
        self._stream = stream
        self._kind = stream.response.headers.get("content-type", "").lower()

    async def __aenter__(self) -> _TolerantStream:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self._stream.close()

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        if "html" in self._kind:
            raise NotAChatApiError(self._kind)
        if "json" in self._kind and "stream" not in self._kind:
            yield await self._whole_reply()
            return
        # langchain takes a stream without one chunk for a mistake of its own.
        yield {"choices": [], "usage": None}
        try:
            async for chunk in self._stream:
                if hasattr(chunk, "model_dump"):
                    yield _tolerant(chunk.model_dump(warnings=False))
        except (json.JSONDecodeError, RecursionError) as error:
            raise NotAChatApiError(f"a stream of something else ({error})") from error
        except UnicodeDecodeError as error:
            raise NotAChatApiError("bytes that are no text") from error

    async def _whole_reply(self) -> dict[str, Any]:
        # A server that cannot stream answers with the whole completion.
        try:
            body = json.loads(await self._stream.response.aread())
        except (ValueError, RecursionError) as error:
            raise NotAChatApiError(self._kind) from error
        if not isinstance(body, dict) or not body.get("choices"):
            raise ServerSaidError(body.get("error", body) if isinstance(body, dict) else body)
        for choice in _dicts(body["choices"]):
            choice["delta"] = choice.get("message")
        return _tolerant(body)


def _tolerant(chunk: dict[str, Any]) -> dict[str, Any]:
    sidecar = SIDECAR.get()
    sidecar.events += 1
    usage = chunk.get("usage")
    sidecar.usage = usage if usage and isinstance(usage, dict) else sidecar.usage
    chunk["usage"] = None
    chunk["choices"] = choices = _dicts(chunk.get("choices"))
    for choice in choices[:1]:
        delta = choice.get("delta")
        choice["delta"] = delta = delta if isinstance(delta, dict) else {}
        delta["content"] = _text(delta.get("content"))
        sidecar.thought = sidecar.thought or any(delta.get(name) for name in _THOUGHT_FIELDS)
        if isinstance(delta.get("refusal"), str):
            sidecar.refusal += delta["refusal"]
        if isinstance(reason := choice.get("finish_reason"), str):
            sidecar.finish_reason = reason or sidecar.finish_reason
    return chunk


def _dicts(given: object) -> list[dict[str, Any]]:
    return [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []


def _text(content: object) -> str:
    """Give a content's text: a string, or a list of parts of which some are thoughts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(str(part.get("text") or "") for part in parts)
    return ""
