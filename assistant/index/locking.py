"""One writer per collection, across processes; the lock dies with its holder."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from assistant.errors import IndexBusyError

__all__ = ["writer_lock"]

_LOCK = "writer.lock"
_HOLDER = "writer.json"


@contextmanager
def writer_lock(folder: Path, wait: float) -> Iterator[None]:
    """Hold the only right to write to a collection.

    The operating system frees the lock when its holder ends, however it ends, so there is no
    stale lock to clean up; the note beside it only tells others whom they wait for.

    Args:
        folder: the collection's folder; made when it does not exist.
        wait: seconds to wait for another writer.

    Raises:
        IndexBusyError: another process still holds it after that time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / _LOCK, timeout=wait)
    try:
        lock.acquire()
    except Timeout:
        raise IndexBusyError(
            f"collection {folder.name!r} is being written by {_holder(folder)}; "
            "wait until it is done, or stop it, then try again"
        ) from None
    note = folder / _HOLDER
    try:
        note.write_text(
            json.dumps(
                {
                    "pid": os.getpid(),
                    "host": socket.gethostname(),
                    "since": datetime.now().astimezone().isoformat(timespec="seconds"),
                }
            ),
            encoding="utf-8",
        )
        yield
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def _holder(folder: Path) -> str:
    try:
        note = json.loads((folder / _HOLDER).read_text(encoding="utf-8"))
        return f"process {note['pid']} on {note['host']} since {note['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        # The holder is between taking the lock and writing its note, or just left.
        return "another process"
