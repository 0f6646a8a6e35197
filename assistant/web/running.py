"""One question's run: the assistant's blocking stream, read without blocking the server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator

from assistant.answering.events import Event

__all__ = ["run"]

_END = object()


async def run(
    stream: Callable[[threading.Event], Iterator[Event]],
    stopped: Callable[[], bool],
    poll: float = 0.05,
) -> AsyncGenerator[Event | None]:
    """Yield the events of a stream until it ends, is stopped, or is no longer read.

    Whatever ends it, the stream is told so and closed from its own thread, so that the connection
    to a model ends with it.

    Args:
        stream: makes the stream, in a thread of its own; it is given the event that cancels it.
        stopped: whether the person asked to stop.
        poll: seconds between two looks at `stopped`.

    Yields:
        The events; None whenever nothing came for `poll` seconds.

    Raises:
        Exception: what the stream raised.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[object] = asyncio.Queue()
    left = threading.Event()

    def put(item: object) -> None:
        if not left.is_set():
            loop.call_soon_threadsafe(queue.put_nowait, item)

    def work() -> None:
        events: Iterator[Event] | None = None
        try:
            events = stream(left)
            for event in events:
                put(event)
                if left.is_set():
                    break
        except Exception as error:  # noqa: BLE001 - the reader raises it
            put(error)
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()
            put(_END)

    threading.Thread(target=work, name="answer", daemon=True).start()
    try:
        while not stopped():
            try:
                item = await asyncio.wait_for(queue.get(), poll)
            except TimeoutError:
                yield None
                continue
            if item is _END:
                return
            if isinstance(item, Exception):
                raise item
            yield item  # type: ignore[misc]
    finally:
        left.set()
