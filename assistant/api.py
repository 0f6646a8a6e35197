"""The assistant as Python code uses it; the command line and the page show the same answers."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from assistant.answering.events import Done, Event
from assistant.answering.feedback import keep_feedback
from assistant.errors import AssistantError, InputError

if TYPE_CHECKING:
    from assistant.answering.answer import Answer
    from assistant.answering.models import ChatModel
    from assistant.corpus.paper import Paper
    from assistant.engine import Engine
    from assistant.index.progress import Progress
    from assistant.index.snapshot import Snapshot
    from assistant.index.sync import SyncReport
    from assistant.retrieval.evidence import Evidence
    from assistant.settings import Settings

# What is slow is imported inside functions: `from assistant import ask` must cost next to nothing.

__all__ = ["Assistant", "ask"]

History = Sequence[Mapping[str, object]]
Where = Mapping[str, object]


class Assistant:
    """Answers questions over a collection of abstracts; reusable and safe between threads.

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

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    # --- asking

    def ask(self, question: str, history: History = (), where: Where | None = None) -> Answer:
        """Answer a question.

        Args:
            question: in any words.
            history: the talk before it: `answer.history`, or `{"role", "content"}` dicts.
            where: a filter, such as `{"year": 2026, "venue": "ICML"}`.

        Returns:
            The answer with its proofs.

        Raises:
            InputError: the question is empty or too long, or the filter is not one.
            AssistantError: the index cannot be used.
        """
        for event in self.stream(question, history, where):
            if isinstance(event, Done):
                return event.answer
        raise AssistantError("the answer was stopped before it was done: ask again")

    def stream(
        self,
        question: str,
        history: History = (),
        where: Where | None = None,
        *,
        cancel: threading.Event | None = None,
    ) -> Iterator[Event]:
        """Answer a question event by event; closing the iterator stops the work.

        Args:
            question: in any words.
            history: the talk before it.
            where: a filter.
            cancel: set it to stop, from any thread.

        Raises:
            InputError: the question is empty or too long, or the filter is not one.
            AssistantError: the index cannot be used.
        """
        from assistant.answering.pipeline import Request

        engine, snapshot = self._engine, self.snapshot()
        stop = cancel or threading.Event()
        request = Request(question, history, where, stop)
        dense = engine.index.mismatch is None
        try:
            yield from engine.pipeline.stream(
                request, snapshot, dense=dense, notices=engine.warnings
            )
        finally:
            stop.set()

    def search(self, question: str, limit: int = 20, where: Where | None = None) -> list[Evidence]:
        """Rank papers for a question, without a model.

        Args:
            question: words or a question.
            limit: how many papers at most.
            where: a filter.

        Returns:
            The best papers with their scores and the sentence that shows why.

        Raises:
            InputError: the question is empty or too long, or the filter is not one.
        """
        from assistant.answering.runs import checked_question
        from assistant.index.filters import storable
        from assistant.retrieval.query import understand

        words = checked_question(storable(question), self.settings.max_question_chars)
        engine, snapshot = self._engine, self.snapshot()
        query = understand(words, snapshot)
        if not any(char.isalnum() for char in query.text):
            return []
        dense = engine.index.mismatch is None
        ranking = engine.retriever.rank(query, snapshot, where=where, dense=dense)
        return [item.evidence() for item in ranking.items[: max(0, limit)]]

    async def aask(
        self, question: str, history: History = (), where: Where | None = None
    ) -> Answer:
        """Answer a question without blocking the event loop; see `ask`.

        Args:
            question: in any words.
            history: the talk before it.
            where: a filter.
        """
        return await asyncio.to_thread(self.ask, question, history, where)

    async def asearch(
        self, question: str, limit: int = 20, where: Where | None = None
    ) -> list[Evidence]:
        """Rank papers without blocking the event loop; see `search`.

        Args:
            question: words or a question.
            limit: how many papers at most.
            where: a filter.
        """
        return await asyncio.to_thread(self.search, question, limit, where)

    async def astream(
        self, question: str, history: History = (), where: Where | None = None
    ) -> AsyncIterator[Event]:
        """Answer event by event without blocking the event loop; see `stream`.

        Args:
            question: in any words.
            history: the talk before it.
            where: a filter.
        """
        stop = threading.Event()
        events = self.stream(question, history, where, cancel=stop)
        try:
            while (event := await asyncio.to_thread(next, events, None)) is not None:
                yield event
        finally:
            stop.set()

    # --- the collection

    def sync(
        self,
        *paths: str | Path,
        source: str | None = None,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Make the collection hold what files hold now.

        Args:
            paths: files or folders; each is a source of its own unless `source` names one for all.
            source: the name of the source.
            progress: told how far it is.

        Returns:
            What was added, changed, removed, left as it was, and skipped.

        Raises:
            InputError: a path cannot be read, or no path was given.
            IndexBusyError: another process is writing.
        """
        from assistant.corpus.reading import read_paths

        if not paths:
            raise InputError("name the files or folders to sync: assistant sync PATH…")
        groups = [(source, list(paths))] if source else [(_source(p), [p]) for p in paths]
        found = [(name, read_paths(own)) for name, own in groups]
        sources = [(name, read.papers) for name, read in found]
        reports = self._engine.sync(sources, progress)
        return _joined(reports, [skipped for _, read in found for skipped in read.skipped])

    def add(
        self, papers: Iterable[Paper], *, source: str, progress: Progress | None = None
    ) -> SyncReport:
        """Make the collection hold what a source of papers made in Python holds now.

        Args:
            papers: every paper of the source.
            source: its name; papers it no longer lists are removed.
            progress: told how far it is.

        Returns:
            What was added, changed, removed and left as it was.
        """
        return self._engine.sync([(source, list(papers))], progress)[0]

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

    def papers(self) -> list[Paper]:
        """Return all papers of the collection, in the order they first came."""
        return list(self.snapshot().papers())

    def snapshot(self) -> Snapshot:
        """Return the collection as it is now, to read: papers, filters, vectors."""
        with self._lock:
            return self._engine.snapshot(self._progress)

    def feedback(self, answer: Answer, verdict: str, words: str = "") -> None:
        """Keep what a person thinks of an answer, in `feedback.jsonl` of the data folder.

        Args:
            answer: what was judged.
            verdict: `good` or `bad`.
            words: why.

        Raises:
            InputError: another verdict, or no more room.
        """
        keep_feedback(self.settings.data_dir, answer, verdict, words)

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
            "folder": str(engine.index.folder),
            "mode": "written" if self.model is not None else "extractive",
            "model": self.model.name if self.model is not None else None,
            "embedder": engine.retriever.embedder.name if engine.retriever.embedder else None,
            "papers": len(snapshot) if snapshot else 0,
            "vectors": snapshot.vectors_ready if snapshot else 0,
            "fingerprint": snapshot.fingerprint if snapshot else None,
            "notices": [*engine.notices, *engine.index.notices],
            "mismatch": engine.index.mismatch if indexed else None,
        }

    @cached_property
    def model(self) -> ChatModel | None:
        """The chat model that writes; None in keyless mode."""
        if self.settings.model == "none":
            return None
        from assistant.answering.models import load_chat_model

        return load_chat_model(self.settings)

    def show_progress(self, progress: Progress | None) -> None:
        """Tell someone how far the first indexing is.

        Args:
            progress: called with the stage and the counts.
        """
        self._progress = progress

    def close(self) -> None:
        """Let go of the index and the connections; the assistant cannot be used afterwards."""
        with self._lock:
            if self._made is not None:
                self._made.close()
                self._made = None
            model = self.__dict__.pop("model", None)
            if model is not None:
                model.close()

    # --- what it is made of

    @property
    def _engine(self) -> Engine:
        from assistant.engine import Engine

        with self._lock:
            if self._made is None:
                self._made = Engine(self.settings, self.model)
            return self._made


_default: Assistant | None = None
_default_lock = threading.Lock()


def ask(question: str, history: History = (), where: Where | None = None) -> Answer:
    """Answer a question from the collection that the environment names.

    Args:
        question: in any words.
        history: the talk before it: `answer.history`.
        where: a filter, such as `{"year": 2026}`.

    Returns:
        The answer with its proofs; on first use the papers that ship are indexed.

    Raises:
        AssistantError: see `Assistant.ask`.
    """
    global _default  # noqa: PLW0603 - one assistant serves all calls of a process
    from assistant.settings import load_settings

    with _default_lock:
        settings = load_settings()
        if _default is None or _default.settings != settings:
            if _default is not None:
                _default.close()
            _default = Assistant(settings)
            atexit.register(_default.close)
        assistant = _default
    return assistant.ask(question, history, where)


def _source(path: str | Path) -> str:
    from assistant.corpus.reading import expanded

    return os.path.realpath(expanded(path))


def _joined(reports: Sequence[SyncReport], skipped: Sequence[object]) -> SyncReport:
    from assistant.index.sync import SyncReport

    counts = [report.to_dict() for report in reports]
    total = {name: sum(count[name] for count in counts) for name in counts[0]}
    total["papers"] = counts[-1]["papers"]
    total["skipped"] += len(skipped)
    reasons = [reason for report in reports for reason in report.reasons]
    return SyncReport(**total, reasons=(*reasons, *map(str, skipped)))
