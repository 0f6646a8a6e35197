"""Following a server without letting a question hang on it."""

from __future__ import annotations

import hashlib
import shutil
import time
from datetime import datetime
from pathlib import Path
from threading import Lock, Thread

from assistant.errors import AssistantError, IndexBusyError, IndexDamagedError, ServerError
from assistant.index.access import WAIT_TO_WRITE, said_plainly, writing
from assistant.index.locking import writer_lock
from assistant.index.mark import CATALOGUE, CURRENT, GENERATIONS
from assistant.index.progress import silent
from assistant.index.shared.pulling import Pull, Pulled, pull
from assistant.index.shared.records import Summary

__all__ = ["Watch"]

LOOK_SECONDS = 1.0
"""How often a reader asks the server whether anything changed, at most."""

_AFTER_FAILURE = 5.0
"""The same, in looks, while the server does not answer."""

_UNSETTLED_SECONDS = 30.0
"""After this a source is read again that was being written when it was read."""

PATIENCE = 3.0
"""Seconds a question waits for the server before it is answered from the copy there is."""

_SEEN = "seen"


class Watch:
    """Keeps a copy up with its server, in a thread that runs when something is asked.

    Args:
        target: the collection on the server.
        folder: the copy's folder.
    """

    def __init__(self, target: Pull, folder: Path) -> None:
        self._target = target
        self._folder = folder
        self._url = target.records.server.address.url
        self._lock = Lock()
        self._thread: Thread | None = None
        self._failure: BaseException | None = None
        self._started = self._next = self._read_again = float("-inf")
        self._unsettled = ""

    def close(self) -> None:
        """Wait a moment for what is being fetched."""
        thread = self._thread
        if thread is not None:
            thread.join(PATIENCE)

    def follow(self) -> list[str]:
        """See to it that the copy is what the server holds, as far as that is quickly done.

        Returns:
            What a person should know of it, one line each.

        Raises:
            AssistantError: there is no copy, and none can be had.
        """
        with self._lock:
            if (self._thread is None or not self._thread.is_alive()) and self._is_due():
                self._started = time.monotonic()
                self._failure = None
                self._thread = Thread(target=self._run, name="follow the server", daemon=True)
                self._thread.start()
            thread = self._thread
        copied = (self._folder / CURRENT).is_file()
        if thread is not None:
            left = self._started + PATIENCE - time.monotonic()
            thread.join(max(0.0, left) if copied else None)
            if thread.is_alive():
                return [
                    f"{self._url} is slow, or has much that is new: until it is here, this is its "
                    f"state of {self._age()}"
                ]
        failure = self._failure
        if failure is None:
            return []
        if copied and isinstance(failure, AssistantError):
            return [f"this is the state of {self._age()}: {failure}"]
        raise failure

    def start_again(self) -> None:
        """Throw the copy away: the next look fetches all of it.

        Raises:
            ServerError: the server does not answer, so the copy is kept.
        """
        self._target.records.summary(patience=0)
        with said_plainly(self._folder), writer_lock(self._folder, WAIT_TO_WRITE):
            shutil.rmtree(self._folder / GENERATIONS, ignore_errors=True)
            for path in self._folder.glob(f"{CATALOGUE}*"):
                path.unlink()
            for name in (CURRENT, _SEEN):
                (self._folder / name).unlink(missing_ok=True)
        self._next = float("-inf")

    def seen(self, pulled: Pulled) -> None:
        """Note what the copy was brought to; the caller holds its writer lock.

        Args:
            pulled: what the server said.
        """
        fingerprint = _fingerprint(pulled.summary)
        if pulled.settled:
            (self._folder / _SEEN).write_text(fingerprint, encoding="ascii")
        else:
            (self._folder / _SEEN).unlink(missing_ok=True)
            self._unsettled = fingerprint
            self._read_again = time.monotonic() + _UNSETTLED_SECONDS

    def _is_due(self) -> bool:
        return time.monotonic() >= self._next or not (self._folder / CURRENT).is_file()

    def _run(self) -> None:
        wait = LOOK_SECONDS
        try:
            self._look()
        except IndexBusyError as error:
            # Another process on this machine fetches the same; what it makes is found by itself.
            if not (self._folder / CURRENT).is_file():
                self._failure = error
        except BaseException as error:  # noqa: BLE001 - raised again where the question was asked.
            self._failure = error
            wait = LOOK_SECONDS * _AFTER_FAILURE
        self._next = time.monotonic() + wait

    def _look(self) -> None:
        summary = self._target.records.summary(patience=0)
        seen, current = self._folder / _SEEN, self._folder / CURRENT
        fingerprint = _fingerprint(summary)
        if not current.is_file():
            if not summary.sources:
                return
        elif (lost := self._target.lost(summary)) is not None:
            raise ServerError(lost)
        elif seen.is_file() and seen.read_text(encoding="ascii") == fingerprint:
            seen.touch()
            return
        elif self._unsettled == fingerprint and time.monotonic() < self._read_again:
            return
        wait = 0.0 if current.is_file() else WAIT_TO_WRITE
        try:
            self._pull(wait)
        except IndexDamagedError:
            self.start_again()
            self._pull(wait)

    def _pull(self, wait: float) -> None:
        with writing(self._folder, wait) as catalogue:
            self.seen(pull(self._target, catalogue, silent))

    def _age(self) -> str:
        named = self._folder / _SEEN
        path = named if named.is_file() else self._folder / CURRENT
        try:
            at = path.stat().st_mtime
        except FileNotFoundError:
            return "unknown age"
        return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M}"


def _fingerprint(summary: Summary) -> str:
    return hashlib.sha256(repr(summary).encode()).hexdigest()
