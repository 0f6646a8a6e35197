"""One collection's index: brought up to date by one writer, read by any number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from assistant.corpus.paper import Paper
from assistant.corpus.reading import Skipped
from assistant.errors import AssistantError, InputError, SettingsError
from assistant.index.access import WAIT_TO_WRITE, said_plainly, writing
from assistant.index.catalogue import Catalogue
from assistant.index.fingerprint import Recipe
from assistant.index.following import Follower
from assistant.index.mark import CATALOGUE, CURRENT
from assistant.index.progress import Progress, silent
from assistant.index.recording import record
from assistant.index.report import Confirm, SyncReport
from assistant.index.shared.address import Address
from assistant.index.snapshot import Snapshot
from assistant.index.store import require_sqlite
from assistant.index.updating import bring_up
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.index.embedders import Embedder
    from assistant.index.shared.replica import Replica

__all__ = ["Index"]


class Index:
    """The index of the collection that the settings name; safe to share between threads.

    Args:
        settings: `data_dir` and `collection` say where it is; with `chroma_url` a server holds it,
            and what is here is a copy.
        embedder: makes the vectors on `sync`; None: lexical search alone.
        readonly: never write, not even to mend.

    Attributes:
        notices: what was mended or could not be used since the last sync, one line each.
        shared: the copy of a server's collection; None: the collection is this machine's own.

    Raises:
        SettingsError: Python's own SQLite is too old for Chroma, or the server's address is none.
    """

    def __init__(
        self, settings: Settings, embedder: Embedder | None, *, readonly: bool = False
    ) -> None:
        require_sqlite()
        self.collection = settings.collection
        self.embedder = embedder
        self.readonly = readonly
        self.shared = _shared(settings, embedder, readonly=readonly)
        if self.shared is not None:
            self.folder, self.notices = self.shared.folder, self.shared.notices
            return
        self.folder = settings.data_dir / "collections" / settings.collection
        self._follower = Follower(self.folder, readonly=readonly)
        self.notices = self._follower.notices

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the snapshot; those handed out go on working until they are dropped."""
        (self.shared or self._follower).close()

    def exists(self) -> bool:
        """Tell whether the collection holds papers."""
        if self.shared is not None:
            return self.shared.exists()
        if (self.folder / CURRENT).is_file():
            return True
        path = self.folder / CATALOGUE
        if not path.is_file():
            return False
        with said_plainly(self.folder), Catalogue(path, readonly=True) as catalogue:
            return catalogue.number("revision") > 0

    # --- writing

    def sync(
        self,
        papers: Iterable[Paper | Skipped],
        *,
        source: str,
        progress: Progress | None = None,
        wait: float = WAIT_TO_WRITE,
        confirm: Confirm | None = None,
    ) -> SyncReport:
        """Make the index hold what a source holds now; what is there already is not embedded again.

        Args:
            papers: every paper of the source, and what could not be read of it; read once.
            source: its name; papers it no longer lists, and no other source does, are removed.
            progress: told `reading`, `cutting`, `indexing`, `embedding` and `storing`.
            wait: seconds to wait for another writer.
            confirm: asked before a large removal; None: it is meant.

        Returns:
            The counts.

        Raises:
            IndexBusyError: another process is writing.
            ModelError: the embedder failed; the papers can be searched lexically, and the vectors
                it had given are kept.
        """
        (report,) = self.sync_sources(
            [(source, papers)], progress=progress, wait=wait, confirm=confirm
        )
        return report

    def sync_sources(
        self,
        sources: Iterable[tuple[str, Iterable[Paper | Skipped]]],
        *,
        progress: Progress | None = None,
        wait: float = WAIT_TO_WRITE,
        confirm: Confirm | None = None,
    ) -> list[SyncReport]:
        """Sync several sources at once: all are recorded or none, and published together.

        Args:
            sources: name and papers of each.
            progress: told `reading`, `cutting`, `indexing`, `embedding` and `storing`.
            wait: seconds to wait for another writer.
            confirm: asked before a large removal; None: it is meant.

        Returns:
            The counts of each source.

        Raises:
            IndexBusyError: another process is writing.
            ModelError: the embedder failed, see `sync`.
            RemovalError: a large removal was not confirmed: nothing was recorded.
        """
        tell = progress or silent
        recipe = Recipe.of(self.embedder)
        if self.shared is not None:
            self._refuse_readonly()
            reports = self.shared.sync_sources(sources, tell, wait, confirm)
            self.notices.clear()
            return reports
        named = [(name, records) for name, records in sources]
        with self._writing(wait) as catalogue:
            catalogue.note_begun([name for name, _ in named])
            try:
                with catalogue.transaction():
                    reports = [
                        record(catalogue, papers, name, tell, confirm) for name, papers in named
                    ]
            except AssistantError:
                # Refused, not cut off: nothing waits to be gone on with.
                catalogue.note_begun([])
                raise
            tell("recorded", len(catalogue), len(catalogue))
            bring_up(catalogue, recipe, self.embedder, tell)
            self.notices.clear()
        return reports

    def preview(
        self,
        sources: Iterable[tuple[str, Iterable[Paper | Skipped]]],
        *,
        progress: Progress | None = None,
    ) -> list[SyncReport]:
        """Tell what `sync_sources` would do, without writing anything where the index is.

        Args:
            sources: name and papers of each.
            progress: told `reading`.

        Returns:
            The counts of each source.
        """
        tell = progress or silent
        if self.shared is not None:
            # The copy is looked at, so it must be what the server holds.
            self.shared.exists()
        with (
            said_plainly(self.folder),
            Catalogue(self.folder / CATALOGUE, copied=True) as catalogue,
            catalogue.transaction(),
        ):
            return [record(catalogue, papers, name, tell) for name, papers in sources]

    def rebuild(self, progress: Progress | None = None, wait: float = WAIT_TO_WRITE) -> int:
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
        if self.shared is not None:
            self._refuse_readonly()
            papers = self.shared.rebuild(tell, wait)
            self.notices.clear()
            return papers
        with self._writing(wait) as catalogue:
            bring_up(catalogue, recipe, self.embedder, tell, anew=True)
            self.notices.clear()
            return len(catalogue)

    def remove(self, paper_ids: Sequence[str], *, wait: float = WAIT_TO_WRITE) -> int:
        """Remove papers; unknown ids are passed over.

        Args:
            paper_ids: their ids.
            wait: seconds to wait for another writer.

        Returns:
            How many were there.

        Raises:
            IndexBusyError: another process is writing.
        """
        if self.shared is not None:
            self._refuse_readonly()
            return self.shared.remove(paper_ids, wait)
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
        self._refuse_readonly()
        with writing(self.folder, wait) as catalogue:
            yield catalogue

    def _refuse_readonly(self) -> None:
        if self.readonly:
            raise SettingsError(f"collection {self.collection!r} was opened for reading only")

    # --- reading

    def refuse_where_a_sync_was_cut_off(self, source: str) -> None:
        """Refuse where another source's first sync was begun and never came to anything.

        Args:
            source: the one that is to be synced.

        Raises:
            InputError: another source was to be the collection's first.
        """
        path = self.folder / CATALOGUE
        if not path.is_file():
            return
        with said_plainly(self.folder), Catalogue(path, readonly=True) as catalogue:
            begun = catalogue.begun()
        if begun and begun != [source]:
            raise InputError(
                f"the first sync of {begun[0]} was stopped before it was done: run the same "
                "`assistant sync` again"
            )

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
        if not self.exists():
            if self.shared is None:
                self._follower.close()
            raise InputError(self._nothing_there())
        return (self.shared or self._follower).snapshot()

    @property
    def mismatch(self) -> str | None:
        """Say that the index was made with another embedder than the configured one, if it was.

        The configured one's vectors cannot be compared with the index's then.
        """
        if self.embedder is None or not self.exists():
            return None
        old, new = self.snapshot().mark.recipe, Recipe.of(self.embedder)
        if old.vector_key == new.vector_key:
            return None
        return (
            f"the index was made with the embedder {old.label} and {new.label} is configured: "
            "run `assistant sync --rebuild` to change over"
        )

    def whereabouts(self) -> dict[str, str | None]:
        """Tell where the index is.

        Returns:
            `folder`, and `server` with its version; None where the collection is this machine's.
        """
        server = None if self.shared is None else self.shared.described()
        return {"folder": str(self.folder), "server": server}

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
        if self.shared is not None:
            from assistant.index.shared.checking import shared_faults

            found = shared_faults(self.shared, deep=deep)
        else:
            found = faults(self.folder, deep=deep)
        return found if self.mismatch is None else [*found, self.mismatch]

    def _nothing_there(self) -> str:
        where = "" if self.shared is None else f" on {self.shared.address.place}"
        return (
            f"collection {self.collection!r} holds no papers{where}: run `assistant sync PATH` "
            "with your files first"
        )


def _shared(settings: Settings, embedder: Embedder | None, *, readonly: bool) -> Replica | None:
    address = Address.of(settings)
    if address is None:
        return None
    from assistant.index.shared.replica import Replica

    return Replica(address, settings, embedder, readonly=readonly)
