"""This machine's copy of a collection on a server: what is read, and the way in and out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from assistant.corpus.paper import Paper
from assistant.corpus.reading import Skipped
from assistant.errors import AssistantError, IndexDamagedError, ServerError
from assistant.index.access import said_plainly, writing
from assistant.index.catalogue import Catalogue
from assistant.index.fingerprint import Recipe
from assistant.index.following import Follower
from assistant.index.locking import writer_lock
from assistant.index.mark import CATALOGUE, CURRENT
from assistant.index.progress import Progress, silent
from assistant.index.report import Confirm, SyncReport
from assistant.index.shared.address import Address
from assistant.index.shared.ledger import Ledger
from assistant.index.shared.mirror import Mirror
from assistant.index.shared.outgoing import Outgoing
from assistant.index.shared.planning import plan_removal, plan_sources
from assistant.index.shared.pulling import Pull, papers_without_vectors, pull
from assistant.index.shared.pushing import embed, push
from assistant.index.shared.server import Server
from assistant.index.shared.watching import Watch
from assistant.index.snapshot import Snapshot

if TYPE_CHECKING:
    from assistant.index.embedders import Embedder
    from assistant.settings import Settings

__all__ = ["Replica"]

T = TypeVar("T")
Plan = Callable[[Catalogue, Outgoing], T]


class Replica:
    """A collection on a Chroma server, read through a copy on this machine.

    Args:
        address: where the server is.
        settings: `data_dir` and `collection`.
        embedder: makes vectors on `sync`; None: lexical search alone.
        readonly: read the copy as it is, and neither follow the server nor write.

    Attributes:
        folder: where the copy is; another embedder has another copy.
        notices: what was mended or could not be used, one line each.
    """

    def __init__(
        self, address: Address, settings: Settings, embedder: Embedder | None, *, readonly: bool
    ) -> None:
        wanted = Recipe.of(embedder)
        root = settings.data_dir / "shared" / f"{address.key}-{wanted.fingerprint}"
        self.address = address
        self.folder: Path = root / settings.collection
        self._outgoing = root / ".outgoing" / settings.collection
        # Vectors that this machine made before it shared the collection need not be made again.
        self._own = settings.data_dir / "collections" / settings.collection / CATALOGUE
        self._server = Server(address)
        self.target = Pull(Ledger(self._server, settings.collection), settings.collection, wanted)
        self._embedder = embedder
        self._readonly = readonly
        self._follower = Follower(self.folder, readonly=readonly, replica=True)
        self.notices = self._follower.notices
        self._watch = Watch(self.target, self.folder)
        self._said: list[str] = []
        self._lock = Lock()

    def close(self) -> None:
        """Let go of the copy and of the connections."""
        self._watch.close()
        self._follower.close()
        self._server.close()

    # --- reading

    def exists(self) -> bool:
        """Tell whether the collection holds papers, or ever did.

        Raises:
            AssistantError: there is no copy, and the server does not answer.
        """
        self._follow()
        return (self.folder / CURRENT).is_file()

    def snapshot(self) -> Snapshot:
        """Open the copy, brought to what the server holds.

        Raises:
            IndexDamagedError: it cannot be read, nor made again.
            AssistantError: there is no copy, and the server does not answer.
        """
        self._follow()
        try:
            snapshot = self._follower.snapshot()
        except IndexDamagedError as error:
            if self._readonly:
                raise
            self._watch.start_again()
            self._follow()
            snapshot = self._follower.snapshot()
            self.notices.append(f"the copy of {self.address.url} was fetched again: {error}")
        if snapshot.remote is None:
            snapshot.remote = self.target.passages(snapshot.mark.recipe)
        return snapshot

    def version(self) -> str:
        """Ask the server for its version.

        Raises:
            ServerError: it does not answer.
        """
        return self._server.version()

    def described(self) -> str:
        """Name the server, with both versions, or that it does not answer."""
        from importlib.metadata import version

        try:
            told = f"Chroma {self.version()}, asked with {version('chromadb')}"
        except ServerError:
            told = "does not answer"
        return f"{self.address.url} ({told})"

    def _follow(self) -> None:
        if self._readonly:
            return
        said = self._watch.follow()
        with self._lock:
            for line in self._said:
                if line in self.notices:
                    self.notices.remove(line)
            self._said = said
            self.notices.extend(said)

    # --- writing

    def sync_sources(
        self,
        sources: Iterable[tuple[str, Iterable[Paper | Skipped]]],
        progress: Progress,
        wait: float,
        confirm: Confirm | None = None,
    ) -> list[SyncReport]:
        """Make the server hold what sources hold now, see `Index.sync_sources`.

        Args:
            sources: name and records of each.
            progress: told `reading`, `cutting`, `embedding`, `storing` and `indexing`.
            wait: seconds to wait for another writer on this machine.
            confirm: asked before a large removal; None: it is meant.
        """
        recipe = self.target.wanted

        def plan(catalogue: Catalogue, outgoing: Outgoing) -> list[SyncReport]:
            documents = self.target.records.documents
            reports = plan_sources(catalogue, outgoing, sources, documents, progress, confirm)
            if recipe.embedder is not None:
                # Those of others too: theirs may be of another embedder, or were cut off.
                known = {paper for _, paper in outgoing.gone()}.union(outgoing.papers())
                lacking = papers_without_vectors(catalogue, recipe)
                outgoing.add_papers(_papers(catalogue, (p for p in lacking if p not in known)))
            return reports

        return self._send(plan, progress, wait)

    def rebuild(self, progress: Progress, wait: float) -> int:
        """Write every passage that is not on the server as it should be, see `Index.rebuild`.

        Args:
            progress: told how far it is.
            wait: seconds to wait for another writer on this machine.
        """

        def plan(catalogue: Catalogue, outgoing: Outgoing) -> int:
            with outgoing.catalogue.transaction():
                outgoing.add_papers(catalogue.papers())
            return len(catalogue)

        return self._send(plan, progress, wait, anew=True)

    def remove(self, paper_ids: Sequence[str], wait: float) -> int:
        """Remove papers for everybody, see `Index.remove`.

        Args:
            paper_ids: their ids.
            wait: seconds to wait for another writer on this machine.
        """

        def plan(catalogue: Catalogue, outgoing: Outgoing) -> int:
            return plan_removal(catalogue, outgoing, paper_ids)

        return self._send(plan, silent, wait)

    def _send(self, plan: Plan[T], progress: Progress, wait: float, *, anew: bool = False) -> T:
        """Plan, embed and write; the copy is locked only while it is brought up to date."""
        target, failure = self.target, None
        with self._going_out(wait) as outgoing:
            with writing(self.folder, wait) as catalogue:
                pull(target, catalogue, progress)
                planned = plan(catalogue, outgoing)
            if self._embedder is not None and len(outgoing.catalogue):
                known = [self.folder / CATALOGUE, self._own]
                try:
                    embed(outgoing, target, self._embedder, known, progress)
                except ServerError:
                    raise
                except AssistantError as error:
                    # What there is goes out all the same: words find it.
                    failure = error
            written = push(outgoing, target, progress)
            with writing(self.folder, wait) as catalogue:
                with catalogue.transaction():
                    outgoing.hand_over(catalogue.connection, target.wanted, written)
                    if written:
                        Mirror(catalogue).set_unpublished(yes=True)
                self._watch.seen(
                    pull(target, catalogue, progress, documents=outgoing.documents, anew=anew)
                )
            if failure is not None:
                raise failure
        return planned

    @contextmanager
    def _going_out(self, wait: float) -> Iterator[Outgoing]:
        path = self._outgoing / "outgoing.sqlite"
        with said_plainly(self._outgoing), writer_lock(self._outgoing, wait):
            try:
                outgoing = Outgoing(path)
            except IndexDamagedError:
                # Only vectors of a run that was cut off are lost with it.
                path.unlink()
                outgoing = Outgoing(path)
            with outgoing:
                yield outgoing


def _papers(catalogue: Catalogue, names: Iterable[str]) -> Iterator[Paper]:
    for name in names:
        stored = catalogue.find(name)
        if stored is not None:
            yield catalogue.paper_at(stored.row)
