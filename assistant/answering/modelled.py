"""What a model does for an answer: it reads the question, judges lists, and writes the rest."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from assistant.answering.events import Done, Event, Status
from assistant.answering.extractive import Draft, asks_for_all
from assistant.answering.model_events import Usage
from assistant.answering.prompts import load_prompt
from assistant.answering.quoting import label_text
from assistant.answering.replies import answered, out_of_scope, told
from assistant.answering.runs import Run
from assistant.errors import AssistantError, ModelError
from assistant.retrieval.answerable import first_paper, is_answerable
from assistant.retrieval.language import ENGLISH, language_of

if TYPE_CHECKING:
    from assistant.answering.answer import Answer
    from assistant.answering.models import ChatModel
    from assistant.answering.verification import Verifier
    from assistant.corpus.paper import Paper
    from assistant.retrieval.ranking import Ranked, Ranking
    from assistant.retrieval.retriever import Retriever
    from assistant.settings import Settings

__all__ = ["Modelled"]

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

_READ_SIDE = 3
_SOURCE_AT_LEAST = 0.05
_ALWAYS_SOURCES = 3
_REWRITE_SECONDS = 20.0
_LONG_QUESTION = 300


class Modelled:
    """The steps of an answer that a chat model takes; safe to share between threads.

    Args:
        settings: the limits.
        retriever: ranks papers for the sides of a comparison.
        verifier: made when the model first writes.
        model: the chat model.
        extracted: answers from the abstracts' sentences, for where the model fails.
    """

    def __init__(
        self,
        settings: Settings,
        retriever: Retriever,
        verifier: Callable[[], Verifier],
        model: ChatModel,
        extracted: Callable[[Run, Ranking], Draft],
    ) -> None:
        self._settings = settings
        self._retriever = retriever
        self._verifier = verifier
        self._model = model
        self._extracted = extracted

    def preparing(self) -> threading.Thread:
        """Start to import and make the model's client, which may take a second."""
        return _beside(_prepare, self._model)

    def understood(self, run: Run) -> Iterator[Event]:
        """Let the model say what is asked; where it cannot, the question is taken as it is.

        The rules know English questions that stand alone: for these no model is asked.

        Args:
            run: gets the query the model's reply makes of it, or a warning.
        """
        turns, text = run.turns, run.query.text
        plain = not turns and run.query.language == ENGLISH and len(text) <= _LONG_QUESTION
        if plain or run.query.settled:
            return
        from assistant.answering.small_calls import understand as ask
        from assistant.answering.understood import refined

        yield Status("searching", "understanding the question")
        since = time.perf_counter()
        seconds = min(_REWRITE_SECONDS, self._settings.total_timeout)
        run.prompts.append(load_prompt("understand", self._settings).hash)
        try:
            said = ask(
                text, turns, self._settings, self._model, seconds=seconds, cancel=run.request.cancel
            )
        except ModelError as error:
            run.warnings.append(f"The question was taken as it was asked: {error}")
            return
        finally:
            run.lap("understand", since)
        run.usage.append(said.usage)
        found = said.found
        query = refined(run.query, found, run.snapshot, talk=bool(turns)) if found else None
        if found is None or query is None:
            what = f"{self._model.name} did not say what it means"
            run.warnings.append(f"The question was taken as it was asked: {what}.")
            return
        run.query = query
        run.translated = language_of(query.text) == ENGLISH
        run.parts = found.parts if query.kind == "compare" else ()
        run.out_of_scope = found.kind in ("out_of_scope", "small_talk")

    def answered(self, run: Run, ranking: Ranking) -> Iterator[Event]:
        """Let the model judge or write; it is never asked about what nothing was found for.

        Args:
            run: the question.
            ranking: what was found for it.

        Yields:
            The events of the answer; the last one is `Done`.
        """
        from assistant.answering.judged import candidates

        since = time.perf_counter()
        listed = run.query.kind in ("list", "count")
        sides = self._sides(run, ranking)
        likely = bool(sides) or _worth_writing(ranking)
        if run.out_of_scope and not likely:
            yield from answered(run, out_of_scope(run), ranking)
            return
        if listed:
            # What is like a paper is told by vectors: a judge would see one side alone.
            read = not (asks_for_all(ranking) or run.query.near) and bool(candidates(ranking))
        else:
            read = likely
        if not read:
            yield from answered(run, self._extracted(run, ranking), ranking)
            return
        try:
            if listed:
                answer = yield from self._judged(run, ranking)
            else:
                answer = yield from self._written(run, ranking, sides)
        except ModelError as error:
            yield from self._quoted_instead(run, ranking, error)
            return
        run.lap("answer", since)
        yield Done(answer)

    def _quoted_instead(self, run: Run, ranking: Ranking, error: ModelError) -> Iterator[Event]:
        _log.info("the model failed: %s", error)
        note = f"The model could not write this answer, so the abstracts are quoted: {error}"
        run.warnings.insert(0, note)
        draft = self._extracted(run, ranking)
        draft.text = f"*{label_text(note)}*\n\n{draft.text}"
        yield from answered(run, draft, ranking)

    def _judged(self, run: Run, ranking: Ranking) -> Generator[Event, None, Answer]:
        from assistant.answering.judged import judge_papers
        from assistant.answering.judged_lists import listed

        found = yield from judge_papers(
            run.query.standalone,
            self._with_skimmed(run, ranking),
            self._settings,
            self._model,
            cancel=run.request.cancel,
        )
        run.warnings += found.warnings
        run.usage += found.usage
        run.prompts += found.prompt_hashes
        draft = listed(found, ranking)
        yield from told(draft)
        return replace(
            run.answer(draft, ranking),
            mode="written",
            model=found.model,
            judged=found.judged,
            candidates=found.candidates,
        )

    def _with_skimmed(self, run: Run, ranking: Ranking) -> Ranking:
        """Add the candidates of a large collection that are too many to be read by sentences."""
        if len(ranking.items) >= ranking.candidates:
            return ranking
        known = {paper.id for item in ranking.items for paper in (item.paper, *item.also)}
        skimmed = self._retriever.rank(
            run.query, run.snapshot, where=run.request.where, dense=run.dense
        )
        further = [item for item in skimmed.items if item.paper.id not in known]
        return replace(ranking, items=(*ranking.items, *further))

    def _written(
        self, run: Run, ranking: Ranking, sides: Sequence[Ranked]
    ) -> Generator[Event, None, Answer]:
        from assistant.answering.checking import check_with
        from assistant.answering.written import write_answer

        verifier = self._verifier()
        sources = self._sources(ranking, sides)
        _beside(_ready(verifier), [item.paper for item in sources])
        written = yield from write_answer(
            run.query.standalone,
            [item.evidence() for item in sources],
            run.turns,
            self._settings,
            self._model,
            check_with(verifier),
            cancel=run.request.cancel,
        )
        counted = written.usage
        run.usage.append(
            Usage(counted["prompt_tokens"], counted["completion_tokens"]) if counted else None
        )
        if not written.citations and not written.no_answer:
            broken_off = f"; {'; '.join(written.warnings)}" if written.cut else ""
            raise ModelError(
                f"{written.model} wrote nothing that the abstracts prove "
                f"(sentences: {len(written.sentences)}{broken_off})"
            )
        run.warnings += written.warnings
        run.prompts += written.prompt_hashes
        draft = Draft(
            text=written.text,
            citations=list(written.citations),
            papers=list(written.papers),
            sentences=list(written.sentences),
            abstained=written.no_answer,
        )
        answer = run.answer(draft, ranking)
        return replace(answer, mode="written", model=written.model)

    def _sides(self, run: Run, ranking: Ranking) -> list[Ranked]:
        """The paper each side of a comparison is about, where a model named the sides."""
        by_row = {item.row: item for item in ranking.items}
        sides: list[Ranked] = []
        for part in run.parts:
            query = replace(run.query, text=part, kind="fact", named=(), follow_up=None)
            found = self._retriever.rank(
                query, run.snapshot, where=run.request.where, read=_READ_SIDE, dense=run.dense
            )
            if found.items and (found.relevant or is_answerable(found)):
                best = first_paper(found)
                sides.append(by_row.get(best.row, best))
        return list({item.row: item for item in sides}.values())

    def _sources(self, ranking: Ranking, sides: Sequence[Ranked]) -> list[Ranked]:
        """The papers a model reads: those that may be relevant, the most relevant first."""
        limit = max(self._settings.max_sources, ranking.relevant)
        focus = set(ranking.query.focus)
        likely = [
            item
            for place, item in enumerate(ranking.items)
            if place < _ALWAYS_SOURCES or item.relevance >= _SOURCE_AT_LEAST or item.row in focus
        ]
        return list({item.row: item for item in (*sides, *likely)}.values())[:limit]


def _worth_writing(ranking: Ranking) -> bool:
    """A model is never asked where nothing was found that could be about the question."""
    return bool(ranking.items) and (ranking.relevant > 0 or is_answerable(ranking))


def _ready(verifier: Verifier) -> Callable[[list[Paper]], None]:
    def prepare(papers: list[Paper]) -> None:
        # What comes too late, for the program ends, is made again where it is needed.
        with suppress(RuntimeError):
            verifier.prepare(papers)

    return prepare


def _beside(work: Callable[[_T], object], subject: _T) -> threading.Thread:
    """Work while this thread goes on; no daemon, for one may not end in the middle of an import."""
    thread = threading.Thread(target=work, args=(subject,), name="beside")
    thread.start()
    return thread


def _prepare(model: ChatModel) -> None:
    try:
        model.prepare()
    except AssistantError as error:
        # The call that comes raises the same where it can be told.
        _log.debug("the model's client is not ready: %s", error)
