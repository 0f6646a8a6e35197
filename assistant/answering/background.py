"""One event loop in the background: what a blocking caller waits for there can be stopped.

A thread that reads a socket cannot be interrupted; a task on a loop can, at any point, and its
connection is closed as it ends. So every call to a model runs here, for all callers.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Coroutine, Generator
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, cast

__all__ = ["iterate", "run"]

T = TypeVar("T")

_POLL_SECONDS = 0.05
_CLOSING_SECONDS = 2.0
_END = object()


def run(work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
    """Run a coroutine in the background and wait for what it returns.

    Args:
        work: the coroutine.
        timeout: seconds to wait at most; None waits as long as it takes.

    Raises:
        TimeoutError: it took longer; the coroutine was cancelled.
    """
    future = asyncio.run_coroutine_threadsafe(work, _background.loop())
    try:
        return future.result(timeout)
    finally:
        future.cancel()


def iterate(
    source: AsyncIterator[T], cancel: threading.Event | None = None
) -> Generator[T, None, bool]:
    """Iterate over an asynchronous source from a thread.

    Args:
        source: runs in the background, ahead of the caller.
        cancel: set from any thread, it ends the iteration even while nothing arrives.

    Yields:
        The items of the source; what it raises is raised here.

    Returns:
        False where `cancel` ended it. Closing this generator ends the source as well.
    """
    inbox: SimpleQueue[object] = SimpleQueue()
    ended = threading.Event()
    future = asyncio.run_coroutine_threadsafe(_pump(source, inbox, ended), _background.loop())
    try:
        while (item := _next_item(inbox, cancel)) is not _END:
            if isinstance(item, _Raised):
                raise item.error
            yield cast("T", item)
        return not (cancel is not None and cancel.is_set())
    finally:
        future.cancel()
        # At the end of the process the loop runs no more, and there is nothing to wait for.
        if not sys.is_finalizing():
            ended.wait(_CLOSING_SECONDS)


class _Raised:
    def __init__(self, error: Exception) -> None:
        self.error = error


async def _pump(
    source: AsyncIterator[Any], inbox: SimpleQueue[object], ended: threading.Event
) -> None:
    try:
        async for item in source:
            inbox.put(item)
    except Exception as error:  # noqa: BLE001 - the caller raises it
        inbox.put(_Raised(error))
    finally:
        inbox.put(_END)
        aclose = getattr(source, "aclose", None)
        if aclose is not None:
            await aclose()
        ended.set()


def _next_item(inbox: SimpleQueue[object], cancel: threading.Event | None) -> object:
    if cancel is None:
        return inbox.get()
    while not cancel.is_set():
        try:
            return inbox.get(timeout=_POLL_SECONDS)
        except Empty:
            continue
    return _END


class _Background:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def loop(self) -> asyncio.AbstractEventLoop:
        """Give the loop, started with its first use."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                work = self._loop.run_forever
                threading.Thread(target=work, name="model-calls", daemon=True).start()
            return self._loop


_background = _Background()
