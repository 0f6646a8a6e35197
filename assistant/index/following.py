"""Reading the current generation: following other processes, mending what is damaged."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from assistant.errors import IndexBusyError, IndexDamagedError, InputError
from assistant.index.access import WAIT_TO_WRITE, said_plainly, writing
from assistant.index.catalogue import Catalogue
from assistant.index.mark import CATALOGUE, CURRENT, current_folder
from assistant.index.snapshot import Snapshot
from assistant.index.updating import publish_again

__all__ = ["Follower"]

_MEND_AT_ONCE = 5_000
"""Papers up to which a question waits for Chroma to be refilled too; else the next sync does it."""

_REOPENED = 5

Stamp: TypeAlias = tuple[int, int, int]


class Follower:
    """Opens a collection's current generation and reopens when another takes its place.

    Args:
        folder: the collection's folder.
        readonly: never write, not even to mend.
        replica: the folder is the copy of a server's collection, which is brought up to date
            elsewhere and holds no store of its own.

    Attributes:
        notices: what was mended or could not be used, one line each.
    """

    def __init__(self, folder: Path, *, readonly: bool, replica: bool = False) -> None:
        self.folder = folder
        self.notices: list[str] = []
        self._readonly = readonly
        self._replica = replica
        self._lock = Lock()
        self._opened: tuple[Stamp, Snapshot] | None = None

    def close(self) -> None:
        """Let go of the snapshot; those handed out go on working until they are dropped."""
        with self._lock:
            self._opened = None

    def snapshot(self) -> Snapshot:
        """Open the current generation, or return it when it is open already.

        Raises:
            IndexDamagedError: it cannot be read and cannot be mended.
            IndexBusyError: it has to be mended, and another process is writing.
            InputError: the first sync was stopped before there was anything to read.
        """
        with self._lock:
            for _ in range(_REOPENED):
                stamp = self._stamp()
                if self._opened is not None and self._opened[0] == stamp:
                    return self._opened[1]
                self._opened = None
                opened = self._open(stamp)
                if opened is not None and stamp is not None:
                    self._opened = (stamp, opened)
                    return opened
        raise IndexDamagedError(
            f"the index in {self.folder} changes each time it is opened: run `assistant doctor`"
        )

    def _open(self, stamp: Stamp | None) -> Snapshot | None:
        """Open what CURRENT names; None: it was changed meanwhile, by us or by another."""
        try:
            folder = current_folder(self.folder)
            if folder is None:
                raise IndexDamagedError(f"{self.folder / CURRENT} is missing")
            snapshot = Snapshot(folder)
        except IndexDamagedError as error:
            if self._stamp() == stamp:
                self._mend(stamp, str(error))
            return None
        return None if self._finish(snapshot) else snapshot

    def _mend(self, stamp: Stamp | None, reason: str) -> None:
        path = self.folder / CATALOGUE
        if not path.is_file():
            raise IndexDamagedError(
                f"{reason}, and there is no catalogue to make it from: run `assistant sync PATH` "
                "with your files"
            )
        if not self._may_write():
            raise IndexDamagedError(
                f"{reason}, and {self.folder} cannot be written: run `assistant sync` where it can"
            )
        with writing(self.folder, WAIT_TO_WRITE) as catalogue:
            if self._stamp() == stamp:
                store = not self._replica and len(catalogue) <= _MEND_AT_ONCE
                publish_again(catalogue, store=store)
                self._note(f"the index was made again from the catalogue: {reason}")

    def _finish(self, snapshot: Snapshot) -> bool:
        """Publish what a cut-off sync had recorded; a running one is left alone."""
        path = self.folder / CATALOGUE
        if self._replica or not path.is_file() or not self._may_write():
            return False
        try:
            with said_plainly(self.folder), Catalogue(path, readonly=True) as catalogue:
                if catalogue.number("revision") == snapshot.mark.revision:
                    return False
            with writing(self.folder, 0) as catalogue:
                if catalogue.number("revision") == snapshot.mark.revision:
                    return False
                if len(catalogue) > _MEND_AT_ONCE:
                    self._note("the last sync was cut off and its papers are missing: run it again")
                    return False
                publish_again(catalogue, store=True)
        except IndexBusyError:
            return False
        except (IndexDamagedError, InputError) as error:
            self._note(str(error))
            return False
        self._note("the last sync was cut off: run it again to make the missing vectors")
        return True

    def _may_write(self) -> bool:
        return not self._readonly and os.access(self.folder, os.W_OK)

    def _note(self, notice: str) -> None:
        if notice not in self.notices:
            self.notices.append(notice)

    def _stamp(self) -> Stamp | None:
        try:
            found = (self.folder / CURRENT).stat()
        except FileNotFoundError:
            return None
        return (found.st_mtime_ns, found.st_ino, found.st_size)
