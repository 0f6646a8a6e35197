"""From a question to a proven answer: understand, retrieve, answer, check."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.answering.events import Done, Event, Status
from assistant.answering.extractive import Draft, Extractor
from assistant.answering.lookups import looked_up
from assistant.answering.modelled import Modelled
from assistant.answering.replies import answered, told, without_search
from assistant.answering.runs import Request, Run, checked_question, text_of
from assistant.index.filters import storable
from assistant.retrieval.language import ENGLISH
from assistant.retrieval.negation import DENIES
from assistant.retrieval.query import Query, understand
from assistant.wording import counted

if TYPE_CHECKING:
    from assistant.answering.models import ChatModel
    from assistant.answering.verification import Verifier
    from assistant.index.snapshot import Snapshot
    from assistant.retrieval.ranking import Ranking
    from assistant.retrieval.retriever import Retriever
    from assistant.settings import Settings

__all__ = ["Pipeline", "Request"]

_READ_FACT = 8
_READ_LIST = 40
_SHOWN_OF_ORDER = 120


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
        self._modelled = (
            Modelled(settings, retriever, verifier, model, self._extracted) if model else None
        )

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
        request = replace(request, question=storable(text_of(request.question)))
        question = checked_question(request.question, self._settings.max_question_chars)
        started = time.perf_counter()
        yield Status("searching")
        query = understand(question, snapshot, request.history)
        embedder = self._retriever.embedder
        run = Run(request, snapshot, query, started, embedder.name if embedder else None, dense)
        run.warnings += notices
        run.translated = query.language == ENGLISH
        if query.left_out and query.kind != "out_of_scope":
            run.warnings.append(_not_followed(query.left_out))
        early = without_search(run)
        if early is not None:
            yield from told(early)
            yield Done(run.answer(early))
            return
        found = looked_up(run)
        if found is not None:
            yield from answered(run, *found)
            return
        # What was shown before is shown again as it is, without asking a model.
        if self._modelled is None or query.listed:
            ranking = self._ranked(run)
            run.warnings += _not_judged(ranking)
            yield _read(ranking)
            yield from answered(run, self._extracted(run, ranking), ranking)
            return
        preparing = self._modelled.preparing()
        yield from self._modelled.understood(run)
        ranking = self._ranked(run)
        yield _read(ranking)
        preparing.join()
        yield from self._modelled.answered(run, ranking)

    def _ranked(self, run: Run) -> Ranking:
        since = time.perf_counter()
        listed = run.query.kind in ("list", "count")
        ranking = self._retriever.rank(
            run.query,
            run.snapshot,
            where=run.request.where,
            read=_READ_LIST if listed else _READ_FACT,
            dense=run.dense,
        )
        if _asks_where(run.query) and ranking.relevant > 1:
            ranking = replace(ranking, query=replace(ranking.query, kind="list"))
            run.query = ranking.query
        run.warnings += ranking.warnings
        if not run.translated:
            why = "no model translates it" if self._modelled is None else "it was not translated"
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


def _read(ranking: Ranking) -> Status:
    return Status("reading", f"{len(ranking.items)} of {counted(ranking.candidates, 'paper')}")


def _not_judged(ranking: Ranking) -> list[str]:
    """What a list that no model judged leaves open."""
    query = ranking.query
    if query.kind not in ("list", "count") or query.listed:
        return []
    said = []
    if query.excluded is None and DENIES.search(query.text):
        said.append(
            "Without a model “not” is not understood: these are the papers nearest to the words "
            "that were asked."
        )
    if ranking.relevant and len(ranking.items) < ranking.candidates:
        said.append(
            f"The {len(ranking.items)} likeliest of {ranking.candidates:,} papers were judged; "
            "there may be more."
        )
    return said


def _not_followed(order: str) -> str:
    words = " ".join(order.split())
    shown = words if len(words) <= _SHOWN_OF_ORDER else f"{words[:_SHOWN_OF_ORDER]} …"
    return f"Left out of the question, for it asks nothing of the papers: “{shown}”."


def _asks_where(query: Query) -> bool:
    """Tell a question of where something was done: every paper where it was answers it."""
    opening = query.text.lower().lstrip("¿\"'( ").split(" ")[0]
    return query.kind == "fact" and not query.focus and opening in ("where", "wo", "dónde")
