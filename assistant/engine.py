"""What answering is made of: index, retriever, verifier and model, put together once."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from assistant.answering.pipeline import Pipeline
from assistant.errors import InputError
from assistant.index.embedders import (
    EmbedderUnavailableError,
    LocalEmbedder,
    load_embedder,
    made_by,
)
from assistant.index.embedding import MiniLM
from assistant.index.index import Index
from assistant.index.mark import CURRENT
from assistant.retrieval.reading import Reader
from assistant.retrieval.retriever import READ_WHOLE, Retriever

if TYPE_CHECKING:
    from assistant.answering.models import ChatModel
    from assistant.answering.verification import Verifier
    from assistant.corpus.paper import Paper
    from assistant.corpus.reading import Skipped
    from assistant.index.embedders import Embedder
    from assistant.index.progress import Progress
    from assistant.index.report import Confirm, SyncReport
    from assistant.index.snapshot import Snapshot
    from assistant.settings import Settings

__all__ = ["Engine", "Serving"]


_SEEDS = "seeds"


@dataclass(frozen=True, slots=True)
class Serving:
    """Who answers from one snapshot.

    Args:
        retriever: ranks its papers.
        pipeline: answers questions of it.
        dense: whether the retriever's embedder made the snapshot's vectors.
        mismatch: that another embedder than the configured one made it, and what that means.
    """

    retriever: Retriever
    pipeline: Pipeline
    dense: bool = True
    mismatch: str | None = None


class Engine:
    """The parts of one assistant; safe to share between threads.

    Args:
        settings: where the index is and who answers.
        model: the chat model; None: keyless.

    Attributes:
        index: the collection's index.
        retriever: ranks its papers.
        pipeline: answers questions of it.
        notices: what could not be used, one line each.
    """

    def __init__(self, settings: Settings, model: ChatModel | None) -> None:
        self.notices: list[str] = []
        embedder, self._minilm = self._embedders(settings)
        reader = None
        if self._minilm is not None:
            reader = Reader(self._minilm.embed_tokens, self._minilm.name, self._minilm.revision)
        self.index = Index(settings, embedder)
        self.retriever = Retriever(reader, embedder)
        self._settings, self._model = settings, model
        self.pipeline = self._pipeline(self.retriever)
        self._others: dict[str, Serving] = {}
        self._lock = threading.RLock()
        self._read_generation: int | None = None
        self._opened = False

    @cached_property
    def verifier(self) -> Verifier:
        """Checks sentences; made when a model first writes."""
        from assistant.answering.verification import Verifier

        return Verifier(None if self._minilm is None else self._minilm.embed)

    def serving(self, snapshot: Snapshot) -> Serving:
        """Choose who answers: an index of another embedder is asked with that one, if it can be.

        Args:
            snapshot: the collection.
        """
        recipe, mismatch = snapshot.mark.recipe, self.index.mismatch
        if mismatch is None:
            return Serving(self.retriever, self.pipeline)
        with self._lock:
            if recipe.vector_key not in self._others:
                self._others[recipe.vector_key] = self._other(snapshot, mismatch)
            return self._others[recipe.vector_key]

    def warnings(self, serving: Serving) -> list[str]:
        """What every answer must warn of.

        Args:
            serving: who answers.
        """
        mismatch = [serving.mismatch] if serving.mismatch else []
        return [*self.notices, *self.index.notices, *mismatch]

    def snapshot(self, progress: Progress | None = None) -> Snapshot:
        """Open the collection; the papers that ship are indexed where nothing ever was.

        Args:
            progress: told how far the indexing is.

        Raises:
            InputError: the collection holds no papers, but others do.
            AssistantError: the index cannot be used.
        """
        with self._lock:
            # What was there and is gone was taken away by somebody: it is not for us to refill.
            if not self._opened and not self.index.exists() and self.index.shared is None:
                self.index.refuse_where_a_sync_was_cut_off(_SEEDS)
                self._index_seeds(progress)
            snapshot = self.index.snapshot()
            self._opened = True
            self.prepare(snapshot)
            return snapshot

    def sync(
        self,
        sources: Sequence[tuple[str, Iterable[Paper | Skipped]]],
        progress: Progress | None = None,
        confirm: Confirm | None = None,
    ) -> list[SyncReport]:
        """Make the collection hold what sources hold now.

        Args:
            sources: name and records of each; read once.
            progress: told how far it is.
            confirm: asked before a large removal; None: it is meant.
        """
        reports = self.index.sync_sources(sources, progress=progress, confirm=confirm)
        with self._lock:
            if self.index.exists():
                self.prepare(self.index.snapshot())
        return reports

    def prepare(self, snapshot: Snapshot) -> None:
        """Read a small collection whole before the first question, and keep what was read.

        Args:
            snapshot: the collection.
        """
        reader = self.retriever.reader
        if reader is None or self._read_generation == snapshot.generation:
            return
        if 0 < len(snapshot) <= READ_WHOLE:
            folder = self.index.folder
            papers = [snapshot.paper(row) for row in range(len(snapshot))]
            reader.load(folder)
            known = all(reader.known(paper) for paper in papers)
            reader.read(papers)
            if not known:
                with suppress(OSError):  # Kept only to save time: a full disk costs nothing else.
                    reader.save(folder, papers)
        self._read_generation = snapshot.generation

    def close(self) -> None:
        """Let go of the index."""
        self.index.close()

    def _pipeline(self, retriever: Retriever) -> Pipeline:
        return Pipeline(self._settings, retriever, lambda: self.verifier, self._model)

    def _other(self, snapshot: Snapshot, mismatch: str) -> Serving:
        embedder = made_by(snapshot.mark.recipe, self._settings, snapshot.dimension)
        if embedder is None:
            words = f"{mismatch}; until then search is by words alone"
            return Serving(self.retriever, self.pipeline, dense=False, mismatch=words)
        retriever = Retriever(self.retriever.reader, embedder)
        served = f"{mismatch}; until then it is searched with {embedder.name}"
        return Serving(retriever, self._pipeline(retriever), mismatch=served)

    def _embedders(self, settings: Settings) -> tuple[Embedder | None, MiniLM | None]:
        """The configured embedder, and the local model that reads sentences beside any."""
        try:
            embedder = load_embedder(settings)
            if embedder is None:
                return None, None
            local = embedder.model if isinstance(embedder, LocalEmbedder) else MiniLM()
            local.count_tokens("")
        except EmbedderUnavailableError as error:
            self.notices.append(f"Search is by words alone: {error}")
            return None, None
        return embedder, local

    def _index_seeds(self, progress: Progress | None) -> None:
        from assistant.corpus.reading import read_records
        from assistant.resources import seeds_dir

        folder = self.index.folder
        others = folder.parent.iterdir() if folder.parent.is_dir() else ()
        if any(other != folder and (other / CURRENT).is_file() for other in others):
            raise InputError(
                f"the collection {self.index.collection!r} holds no papers: "
                "run `assistant sync PATH…` to add some"
            )
        self.index.sync(read_records([seeds_dir()]), source=_SEEDS, progress=progress)
