"""A reply that does not end: its bytes are counted, whoever sends them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from assistant.answering.openai_stream import NotAChatApiError

__all__ = ["LONGEST_LINE", "LONGEST_REPLY", "bound_reply"]

LONGEST_LINE = 4_000_000
"""Bytes without a line break: a whole reply of a server that cannot stream is one line."""
LONGEST_REPLY = 64_000_000
"""Bytes of one reply: of a long stream of thoughts, each with its frame of 300 bytes."""


async def bound_reply(response: Any) -> None:  # noqa: ANN401 - whichever httpx the client brings
    """Have a response end with an error where it would fill the memory; a hook of httpx.

    Args:
        response: one whose body is not read yet.
    """
    response.aiter_bytes = _Bounded(response).read


class _Bounded:
    def __init__(self, response: Any) -> None:  # noqa: ANN401 - as above
        self._response = response
        self._read = response.aiter_bytes

    async def read(self, chunk_size: int | None = None) -> AsyncIterator[bytes]:
        line = whole = 0
        async for piece in self._read(chunk_size):
            whole += len(piece)
            line = line + len(piece) if b"\n" not in piece else len(piece) - piece.rindex(b"\n")
            if line > LONGEST_LINE or whole > LONGEST_REPLY:
                await self._response.aclose()
                what = "one line" if line > LONGEST_LINE else "one reply"
                raise NotAChatApiError(f"more than {max(line, whole) // 1_000_000} MB in {what}")
            yield piece
