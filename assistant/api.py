"""The assistant as Python code uses it; the command line and the page show the same answers."""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Self

from assistant.answering.events import Done, Event
from assistant.answering.feedback import keep_feedback
from assistant.collection import Collection
from assistant.errors import AssistantError

if TYPE_CHECKING:
    from assistant.answering.answer import Answer
    from assistant.retrieval.evidence import Evidence

# What is slow is imported inside functions: `from assistant import ask` must cost next to nothing.

__all__ = ["Assistant", "ask"]

History = Sequence[Mapping[str, object]]
Where = Mapping[str, object]


class Assistant(Collection):
    """Answers questions over a collection of abstracts; reusable and safe between threads.

    Args:
        settings: where the index is and who answers; None reads the environment and `.env`.

    Raises:
        SettingsError: a setting is unknown or cannot be used.
    """

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
        serving = engine.serving(snapshot)
        try:
            yield from serving.pipeline.stream(
                request, snapshot, dense=serving.dense, notices=engine.warnings(serving)
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
        serving = engine.serving(snapshot)
        ranking = serving.retriever.rank(query, snapshot, where=where, dense=serving.dense)
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
