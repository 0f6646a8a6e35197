"""One collection's index: brought up to date by one writer, read by any number."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Self

from assistant.corpus.paper import Paper
from assistant.errors import (
    AssistantError,
    IndexBusyError,
    IndexDamagedError,
    InputError,
    SettingsError,
)
from assistant.index.catalogue import Catalogue
from assistant.index.fingerprint import Recipe
from assistant.index.locking import writer_lock
from assistant.index.mark import CATALOGUE, CURRENT, current_folder
from assistant.index.progress import Progress, silent
from assistant.index.snapshot import Snapshot
from assistant.index.store import require_sqlite
from assistant.index.sync import SyncReport, cut, record
from assistant.index.updating import bring_up, publish_again
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.index.embedders import Embedder

__all__ = ["Index"]

_HEAL_AT_ONCE = 5_000
"""Papers up to which a question waits for Chroma to be refilled too; else the next sync does it."""

_WAIT_TO_WRITE = 30.0
_REOPENED = 5

Stamp = tuple[int, int, int]


class Index:
    """The index of the collection that the settings name; safe to share between threads.

    Args:
        settings: `data_dir` and `collection` say where it is.
        embedder: makes the vectors on `sync`; None: lexical search alone.
        readonly: never write, not even to mend.

    Attributes:
        notices: what was mended or could not be used since the last sync, one line each.

    Raises:
        SettingsError: Python's own SQLite is too old for Chroma.
    """

    def __init__(
        self, settings: Settings, embedder: Embedder | None, *, readonly: bool = False
    ) -> None:
        require_sqlite()
        self.collection = settings.collection
        self.folder: Path = settings.data_dir / "collections" / settings.collection
        self.embedder = embedder
        self.readonly = readonly
        self.notices: list[str] = []
        self._lock = Lock()
        self._opened: tuple[Stamp, Snapshot] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the snapshot; those handed out go on working until they are dropped."""
        with self._lock:
            self._opened = None

    def exists(self) -> bool:
        """Tell whether the collection holds papers."""
        if (self.folder / CURRENT).is_file():
            return True
        path = self.folder / CATALOGUE
        if not path.is_file():
            return False
        with self._plainly(), Catalogue(path, readonly=True) as catalogue:
            return catalogue.number("revision") > 0

    # --- writing

    def sync(
        self,
        papers: Iterable[Paper],
        *,
        source: str,
        progress: Progress | None = None,
        wait: float = _WAIT_TO_WRITE,
    ) -> SyncReport:
        """Make the index hold what a source holds now; what is there already is not embedded again.

        Args:
            papers: every paper of the source.
            source: its name; papers it no longer lists, and no other source does, are removed.
            progress: told `reading`, `cutting`, `indexing`, `embedding` and `storing`.
            wait: seconds to wait for another writer.

        Returns:
            The counts.

        Raises:
            IndexBusyError: another process is writing.
            ModelError: the embedder failed; the papers can be searched lexically, and the vectors
                it had given are kept.
        """
        (report,) = self.sync_sources([(source, papers)], progress=progress, wait=wait)
        return report

    def sync_sources(
        self,
        sources: Iterable[tuple[str, Iterable[Paper]]],
        *,
        progress: Progress | None = None,
        wait: float = _WAIT_TO_WRITE,
    ) -> list[SyncReport]:
        """Sync several sources at once: all are recorded or none, and published together.

        Args:
            sources: name and papers of each.
            progress: told `reading`, `cutting`, `indexing`, `embedding` and `storing`.
            wait: seconds to wait for another writer.

        Returns:
            The counts of each source.

        Raises:
            IndexBusyError: another process is writing.
            ModelError: the embedder failed, see `sync`.
        """
        tell = progress or silent
        recipe = Recipe.of(self.embedder)
        with self._writing(wait) as catalogue:
            with catalogue.transaction():
                reports = [record(catalogue, papers, name, tell) for name, papers in sources]
                cut(catalogue, recipe, self.embedder, tell)
            bring_up(catalogue, recipe, self.embedder, tell)
            self.notices.clear()
        return reports

    def rebuild(self, progress: Progress | None = None, wait: float = _WAIT_TO_WRITE) -> int:
        """Make a whole new generation with the configured embedder, from the catalogue alone.

        Args:
            progress: told `indexing`, `embedding` and `storing`.
            wait: seconds to wait for another writer.

        Returns:
            How many papers it holds.

        Raises:
            IndexBusyError: another process is writing.
        """
        tell = progress or silent
        recipe = Recipe.of(self.embedder)
        with self._writing(wait) as catalogue:
            with catalogue.transaction():
                cut(catalogue, recipe, self.embedder, tell)
            bring_up(catalogue, recipe, self.embedder, tell, anew=True)
            self.notices.clear()
            return len(catalogue)

    def remove(self, paper_ids: Sequence[str], *, wait: float = _WAIT_TO_WRITE) -> int:
        """Remove papers; unknown ids are passed over.

        Args:
            paper_ids: their ids.
            wait: seconds to wait for another writer.

        Returns:
            How many were there.

        Raises:
            IndexBusyError: another process is writing.
        """
        with self._writing(wait) as catalogue:
            with catalogue.transaction():
                found = [s.row for s in map(catalogue.find, dict.fromkeys(paper_ids)) if s]
                catalogue.delete(found)
                if found:
                    catalogue.set_number("revision", catalogue.number("revision") + 1)
            recipe = catalogue.recipe
            if found and recipe is not None:
                bring_up(catalogue, recipe, None, silent)
        return len(found)

    @contextmanager
    def _writing(self, wait: float) -> Iterator[Catalogue]:
        if self.readonly:
            raise SettingsError(f"collection {self.collection!r} was opened for reading only")
        with (
            self._plainly(),
            writer_lock(self.folder, wait),
            Catalogue(self.folder / CATALOGUE) as catalogue,
        ):
            yield catalogue

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise AssistantError(
                f"{error}; {self.folder} must be a folder that can be written and has room "
                "(ASSISTANT_DATA_DIR sets where it is)"
            ) from error
        except sqlite3.Error as error:
            raise IndexDamagedError(
                f"the catalogue {self.folder / CATALOGUE} cannot be used ({error}): see that the "
                "folder can be written and has room, then run `assistant doctor --deep`"
            ) from error

    # --- reading

    def snapshot(self) -> Snapshot:
        """Open the current generation, or return it when it is open already.

        What is damaged or was cut off is made again from the catalogue, without embedding, and
        `notices` says so.

        Returns:
            The current generation.

        Raises:
            InputError: the collection holds no papers.
            IndexDamagedError: the index cannot be read and cannot be mended.
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

    @property
    def mismatch(self) -> str | None:
        """Say that the index was made with another embedder than the configured one, if it was.

        Its vectors cannot be compared with a question's then: search is lexical alone.
        """
        if self.embedder is None or not self.exists():
            return None
        old, new = self.snapshot().mark.recipe, Recipe.of(self.embedder)
        if old.vector_key == new.vector_key:
            return None
        return (
            f"the index was made with the embedder {old.label} and {new.label} is configured: "
            "search is lexical alone until you run `assistant sync --rebuild`"
        )

    def check(self, *, deep: bool = False) -> list[str]:
        """Look for faults.

        Args:
            deep: read every vector in Chroma and have SQLite go through the whole catalogue.

        Returns:
            What was found, one line each with the step that mends it; empty when all is well.
        """
        from assistant.index.checking import faults

        if not self.exists():
            return [self._nothing_there()]
        found = faults(self.folder, deep=deep)
        return found if self.mismatch is None else [*found, self.mismatch]

    def _open(self, stamp: Stamp | None) -> Snapshot | None:
        """Open what CURRENT names; None: it was changed meanwhile, by us or by another."""
        if stamp is None and not self.exists():
            raise InputError(self._nothing_there())
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
        if self.readonly or not os.access(self.folder, os.W_OK):
            raise IndexDamagedError(
                f"{reason}, and {self.folder} cannot be written: run `assistant sync` where it can"
            )
        with self._writing(_WAIT_TO_WRITE) as catalogue:
            if self._stamp() == stamp:
                small = len(catalogue) <= _HEAL_AT_ONCE
                publish_again(catalogue, store=small)
                self._note(f"the index was made again from the catalogue: {reason}")

    def _finish(self, snapshot: Snapshot) -> bool:
        """Publish what a cut-off sync had recorded; a running one is left alone."""
        path = self.folder / CATALOGUE
        if self.readonly or not path.is_file() or not os.access(self.folder, os.W_OK):
            return False
        try:
            with self._plainly(), Catalogue(path, readonly=True) as catalogue:
                if catalogue.number("revision") == snapshot.mark.revision:
                    return False
            if len(snapshot) > _HEAL_AT_ONCE:
                self._note("the last sync was cut off and its papers are missing: run it again")
                return False
            with self._writing(0) as catalogue:
                if catalogue.number("revision") != snapshot.mark.revision:
                    publish_again(catalogue, store=True)
        except IndexBusyError:
            return False
        except IndexDamagedError as error:
            self._note(str(error))
            return False
        self._note("the last sync was cut off: run it again to make the missing vectors")
        return True

    def _note(self, notice: str) -> None:
        if notice not in self.notices:
            self.notices.append(notice)

    def _stamp(self) -> Stamp | None:
        try:
            found = (self.folder / CURRENT).stat()
        except FileNotFoundError:
            return None
        return (found.st_mtime_ns, found.st_ino, found.st_size)

    def _nothing_there(self) -> str:
        return (
            f"collection {self.collection!r} holds no papers: run `assistant sync PATH` with your "
            "files first"
        )
