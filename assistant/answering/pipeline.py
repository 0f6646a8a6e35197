"""From a question to a proven answer: understand, retrieve, answer, check."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.answering.events import Done, Event, SentenceChecked, Status, Token
from assistant.answering.extractive import Draft, Extractor
from assistant.answering.phrases import say, small_talk_reply
from assistant.answering.quoting import label_text
from assistant.answering.runs import Request, Run, checked_question
from assistant.errors import AssistantError, ModelError
from assistant.retrieval.answerable import first_paper, is_answerable
from assistant.retrieval.kinds import is_attack
from assistant.retrieval.language import ENGLISH, language_of
from assistant.retrieval.query import Query, understand

if TYPE_CHECKING:
    from assistant.answering.answer import Answer
    from assistant.answering.models import ChatModel
    from assistant.answering.verification import Verifier
    from assistant.index.snapshot import Snapshot
    from assistant.retrieval.ranking import Ranked, Ranking
    from assistant.retrieval.retriever import Retriever
    from assistant.settings import Settings

__all__ = ["Pipeline", "Request"]

_log = logging.getLogger(__name__)

_READ_FACT = 8
_READ_LIST = 40
_READ_SIDE = 3
_SOURCE_AT_LEAST = 0.05
_ALWAYS_SOURCES = 3
_REWRITE_SECONDS = 20.0
_LONG_QUESTION = 300


class Pipeline:
    """Answers questions of a collection; safe to share between threads.

    Args:
        settings: the limits.
        retriever: ranks papers and reads them.
        verifier: made when a model first writes.
        model: the chat model; None: answers are put together from the abstracts' sentences.
    """

    def __init__(
        self,
        settings: Settings,
        retriever: Retriever,
        verifier: Callable[[], Verifier],
        model: ChatModel | None,
    ) -> None:
        self._settings = settings
        self._retriever = retriever
        self._verifier = verifier
        self._model = model

    def stream(
        self,
        request: Request,
        snapshot: Snapshot,
        *,
        dense: bool = True,
        notices: Sequence[str] = (),
    ) -> Iterator[Event]:
        """Answer one question, event by event; the last one is `Done`.

        Args:
            request: the question.
            snapshot: the collection.
            dense: whether the index's vectors were made by the retriever's embedder.
            notices: what the answer must warn of, such as an index that was mended.

        Raises:
            InputError: the question is blank or too long, or the filter is not one.
        """
        question = checked_question(request.question, self._settings.max_question_chars)
        started = time.perf_counter()
        yield Status("searching")
        query = understand(question, snapshot, request.history)
        embedder = self._retriever.embedder
        run = Run(request, snapshot, query, started, embedder.name if embedder else None)
        run.warnings += notices
        run.translated = query.language == ENGLISH
        early = _without_search(run)
        if early is not None:
            yield from _told(early)
            yield Done(run.answer(early))
            return
        preparing = None if self._model is None else _beside(_prepare, self._model)
        if self._model is not None and _needs_model(run):
            yield from self._understood(run, self._model)
        ranking = self._ranked(run, dense=dense)
        yield Status("reading", f"{len(ranking.items)} of {ranking.candidates} papers")
        if self._model is None or preparing is None:
            yield from _answered(run, self._extracted(run, ranking), ranking)
            return
        preparing.join()
        yield from self._with_model(run, ranking, self._model)

    def _understood(self, run: Run, model: ChatModel) -> Iterator[Event]:
        """Let the model say what is asked; where it cannot, the question is taken as it is."""
        from assistant.answering.small_calls import understand as ask
        from assistant.answering.understood import refined

        yield Status("searching", "understanding the question")
        since = time.perf_counter()
        seconds = min(_REWRITE_SECONDS, self._settings.total_timeout)
        turns, text = run.turns, run.query.text
        try:
            said = ask(
                text, turns, self._settings, model, seconds=seconds, cancel=run.request.cancel
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
            run.warnings.append(
                f"The question was taken as it was asked: {model.name} did not say what it means."
            )
            return
        run.query = query
        run.translated = language_of(query.text) == ENGLISH
        run.parts = found.parts if query.kind == "compare" else ()
        run.out_of_scope = found.kind in ("out_of_scope", "small_talk")

    def _ranked(self, run: Run, *, dense: bool) -> Ranking:
        since = time.perf_counter()
        listed = run.query.kind in ("list", "count")
        ranking = self._retriever.rank(
            run.query,
            run.snapshot,
            where=run.request.where,
            read=_READ_LIST if listed else _READ_FACT,
            dense=dense,
        )
        if _asks_where(run.query) and ranking.relevant > 1:
            ranking = replace(ranking, query=replace(ranking.query, kind="list"))
            run.query = ranking.query
        run.warnings += ranking.warnings
        if not run.translated:
            why = "no model translates it" if self._model is None else "it was not translated"
            run.warnings.append(
                f"The question is not in English and {why}: papers were found by shared words and "
                "names alone."
            )
        run.lap("search", since)
        return ranking

    def _extracted(self, run: Run, ranking: Ranking) -> Draft:
        since = time.perf_counter()
        draft = Extractor(self._retriever, run.snapshot).answer(ranking)
        run.lap("answer", since)
        return draft

    def _with_model(self, run: Run, ranking: Ranking, model: ChatModel) -> Iterator[Event]:
        """Let the model judge or write; it is never asked about what nothing was found for."""
        from assistant.answering.judged import candidates

        since = time.perf_counter()
        listed = run.query.kind in ("list", "count")
        sides = self._sides(run, ranking)
        found = candidates(ranking) if listed else sides or _worth_writing(ranking)
        if not found:
            draft = _out_of_scope(run) if run.out_of_scope else self._extracted(run, ranking)
            yield from _answered(run, draft, ranking)
            return
        try:
            if listed:
                answer = yield from self._judged(run, ranking, model)
            else:
                answer = yield from self._written(run, ranking, sides, model)
        except ModelError as error:
            yield from self._quoted_instead(run, ranking, error)
            return
        run.lap("answer", since)
        yield Done(answer)

    def _quoted_instead(self, run: Run, ranking: Ranking, error: ModelError) -> Iterator[Event]:
        _log.warning("the model failed: %s", error)
        note = f"The model could not write this answer, so the abstracts are quoted: {error}"
        run.warnings.insert(0, note)
        draft = self._extracted(run, ranking)
        draft.text = f"*{label_text(note)}*\n\n{draft.text}"
        yield from _answered(run, draft, ranking)

    def _judged(
        self, run: Run, ranking: Ranking, model: ChatModel
    ) -> Generator[Event, None, Answer]:
        from assistant.answering.judged import judge_papers
        from assistant.answering.judged_lists import listed

        found = yield from judge_papers(
            run.query.standalone, ranking, self._settings, model, cancel=run.request.cancel
        )
        run.warnings += found.warnings
        run.usage += found.usage
        draft = listed(found, run.query.language)
        yield from _told(draft)
        return replace(
            run.answer(draft, ranking),
            mode="written",
            model=found.model,
            prompt_hash=found.prompt_hash,
            judged=found.judged,
            candidates=found.candidates,
        )

    def _written(
        self, run: Run, ranking: Ranking, sides: Sequence[Ranked], model: ChatModel
    ) -> Generator[Event, None, Answer]:
        from assistant.answering.checking import check_with
        from assistant.answering.written import write_answer

        verifier = self._verifier()
        sources = self._sources(ranking, sides)
        _beside(verifier.prepare, [item.paper for item in sources])
        written = yield from write_answer(
            run.query.standalone,
            [item.evidence() for item in sources],
            run.turns,
            self._settings,
            model,
            check_with(verifier),
            cancel=run.request.cancel,
        )
        run.warnings += written.warnings
        run.usage += written.usage
        if not written.citations and not written.no_answer:
            raise ModelError(f"{written.model} wrote nothing that the abstracts prove")
        draft = Draft(
            text=written.text,
            citations=list(written.citations),
            papers=list(written.papers),
            sentences=list(written.sentences),
            abstained=written.no_answer,
        )
        answer = run.answer(draft, ranking)
        return replace(
            answer, mode="written", model=written.model, prompt_hash=written.prompt_hash
        )

    def _sides(self, run: Run, ranking: Ranking) -> list[Ranked]:
        """The paper each side of a comparison is about, where a model named the sides."""
        by_row = {item.row: item for item in ranking.items}
        sides: list[Ranked] = []
        for part in run.parts:
            query = replace(run.query, text=part, kind="fact", named=(), follow_up=None)
            found = self._retriever.rank(
                query, run.snapshot, where=run.request.where, read=_READ_SIDE
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


def _beside[**P](work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> threading.Thread:
    raise NotImplementedError
