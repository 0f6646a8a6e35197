"""The collection half of an assistant: what is in it, and how files come into it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from assistant.errors import InputError

if TYPE_CHECKING:
    from assistant.answering.models import ChatModel
    from assistant.corpus.paper import Paper
    from assistant.corpus.reading import Skipped
    from assistant.engine import Engine
    from assistant.index.progress import Progress
    from assistant.index.report import Confirm, Removal, SyncReport
    from assistant.index.snapshot import Snapshot
    from assistant.settings import Settings

# What is slow is imported inside functions: `from assistant import ask` must cost next to nothing.

__all__ = ["Collection", "begun", "source_name"]

_STANDARD_INPUT = "-"


class Collection:
    """A collection of papers that can be synced, listed and looked after.

    Args:
        settings: where the index is and who answers; None reads the environment and `.env`.

    Raises:
        SettingsError: a setting is unknown or cannot be used.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        from assistant.settings import load_settings

        self.settings = settings or load_settings()
        self._lock = threading.RLock()
        self._progress: Progress | None = None
        self._made: Engine | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what comes in and goes out

    def sync(
        self,
        *paths: str | Path,
        source: str | None = None,
        progress: Progress | None = None,
        confirm: Confirm | None = None,
        mapping: Mapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> SyncReport:
        """Make the collection hold what files hold now: all of it, or on an error nothing.

        Args:
            paths: files, folders, patterns such as `papers/*.json`, or `-` for standard input;
                each is a source of its own unless `source` names one for all.
            source: the name of the source; by default a path's real path.
            progress: told how far it is.
            confirm: asked before more than a tenth of a source's papers (and more than two, or
                all) are removed; None: the sync is refused then.
            mapping: names of fields where they cannot be guessed, `{"title": "Name"}`.
            dry_run: only tell what would happen; nothing is written.

        Returns:
            What was added, changed, removed, left as it was, and skipped.

        Raises:
            InputError: a path cannot be read, or no path was given.
            RemovalError: a large removal was not confirmed.
            IndexBusyError: another process is writing.
        """
        from assistant.corpus.reading import read_records
        from assistant.index.report import SyncReport

        if not paths:
            raise InputError("name the files or folders to sync: assistant sync PATH…")
        groups = [(source, list(paths))] if source else [(source_name(p), [p]) for p in paths]
        sources = [
            (name, begun(read_records(own, mapping=mapping or None))) for name, own in groups
        ]
        if dry_run:
            return SyncReport.joined(self._engine.index.preview(sources, progress=progress))
        return SyncReport.joined(self._engine.sync(sources, progress, confirm or _refuse))

    def add(
        self,
        papers: Iterable[Paper],
        *,
        source: str,
        progress: Progress | None = None,
        confirm: Confirm | None = None,
    ) -> SyncReport:
        """Make the collection hold what a source of papers made in Python holds now.

        Args:
            papers: every paper of the source; read once.
            source: its name; papers it no longer lists are removed.
            progress: told how far it is.
            confirm: asked before a large removal, see `sync`.

        Returns:
            What was added, changed, removed and left as it was.

        Raises:
            RemovalError: a large removal was not confirmed.
        """
        return self._engine.sync([(source, papers)], progress, confirm or _refuse)[0]

    def rebuild(self, progress: Progress | None = None) -> int:
        """Make the index anew with the configured embedder, from what the catalogue holds.

        Args:
            progress: told how far it is.

        Returns:
            How many papers it holds.
        """
        return self._engine.index.rebuild(progress)

    def remove(self, *paper_ids: str) -> int:
        """Remove papers.

        Args:
            paper_ids: their ids.

        Returns:
            How many were there.
        """
        return self._engine.index.remove(paper_ids)

    def remove_source(self, source: str) -> int:
        """Remove the papers that only one source lists, as when its file is gone.

        Args:
            source: its name, or the path it was synced from.

        Returns:
            How many papers went.
        """
        names = dict.fromkeys([source, source_name(source)])
        nothing: list[tuple[str, list[Paper]]] = [(name, []) for name in names]
        return sum(report.removed for report in self._engine.sync(nothing, None))

    # --- what there is

    def papers(self, where: Mapping[str, object] | None = None) -> list[Paper]:
        """Return the papers of the collection, in the order they first came.

        Args:
            where: a filter, such as `{"author": "Lovelace", "year": {"gte": 2024}}`.

        Raises:
            InputError: the filter is not one.
        """
        snapshot = self.snapshot()
        if not where:
            return list(snapshot.papers())
        return [snapshot.paper(int(row)) for row in snapshot.rows_where(where)]

    def snapshot(self) -> Snapshot:
        """Return the collection as it is now, to read: papers, filters, vectors."""
        with self._lock:
            return self._engine.snapshot(self._progress)

    def check(self, *, deep: bool = False) -> list[str]:
        """Look for faults in the index.

        Args:
            deep: read every vector and the whole catalogue.

        Returns:
            What was found, one line each with the step that mends it.
        """
        return self._engine.index.check(deep=deep)

    def status(self) -> dict[str, Any]:
        """Tell what is configured and indexed, without a secret in it.

        Returns:
            Plain data: mode, model, embedder, papers, fingerprint, folder.
        """
        engine = self._engine
        indexed = engine.index.exists()
        snapshot = engine.index.snapshot() if indexed else None
        return {
            "collection": self.settings.collection,
            **engine.index.whereabouts(),
            "mode": "written" if self.model is not None else "extractive",
            "model": self.model.name if self.model is not None else None,
            "embedder": engine.retriever.embedder.name if engine.retriever.embedder else None,
            "papers": len(snapshot) if snapshot else 0,
            "vectors": snapshot.vectors_ready if snapshot else 0,
            "fingerprint": snapshot.fingerprint if snapshot else None,
            "notices": [*engine.notices, *engine.index.notices],
            "mismatch": engine.serving(snapshot).mismatch if snapshot else None,
        }

    def show_progress(self, progress: Progress | None) -> None:
        """Tell someone how far the first indexing is.

        Args:
            progress: called with the stage and the counts.
        """
        self._progress = progress

    # --- what it is made of

    @cached_property
    def model(self) -> ChatModel | None:
        """The chat model that writes; None in keyless mode."""
        if self.settings.model == "none":
            return None
        from assistant.answering.models import load_chat_model

        return load_chat_model(self.settings)

    def close(self) -> None:
        """Let go of the index and the connections; it cannot be used afterwards."""
        with self._lock:
            if self._made is not None:
                self._made.close()
                self._made = None
            model = self.__dict__.pop("model", None)
            if model is not None:
                model.close()

    @property
    def _engine(self) -> Engine:
        from assistant.engine import Engine

        with self._lock:
            if self._made is None:
                self._made = Engine(self.settings, self.model)
            return self._made


def source_name(path: str | Path) -> str:
    """Name the source that a path is: where it really lies, whatever way it was reached.

    Args:
        path: a file, a folder, a pattern, or `-`.
    """
    from assistant.corpus.reading import expanded

    return "stdin" if str(path) == _STANDARD_INPUT else os.path.realpath(expanded(path))


def begun(records: Iterable[Paper | Skipped]) -> Iterator[Paper | Skipped]:
    """Read the first record now: a path that is not there is found before anything is made.

    Args:
        records: what is going to be read.
    """
    iterator = iter(records)
    return chain(list(islice(iterator, 1)), iterator)


def _refuse(_: Removal) -> bool:
    return False
