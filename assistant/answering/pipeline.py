"""From a question to a proven answer: understand, retrieve, answer, check."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assistant.answering.answer import Answer
from assistant.answering.events import Done, Event, SentenceChecked, Status, Token
from assistant.answering.extractive import Draft, Extractor
from assistant.answering.phrases import say, small_talk_reply
from assistant.answering.quoting import label_text
from assistant.errors import InputError, ModelError
from assistant.retrieval.answerable import is_answerable
from assistant.retrieval.history import turns_of
from assistant.retrieval.kinds import is_attack
from assistant.retrieval.language import ENGLISH
from assistant.retrieval.query import Query, understand

if TYPE_CHECKING:
    from assistant.answering.models import ChatModel
    from assistant.answering.verification import Verifier
    from assistant.answering.written import Written
    from assistant.index.snapshot import Snapshot
    from assistant.retrieval.ranking import Ranked, Ranking
    from assistant.retrieval.retriever import Retriever
    from assistant.settings import Settings

__all__ = ["Pipeline", "Request"]

_log = logging.getLogger(__name__)

History = Sequence[Mapping[str, object]]

_READ_FACT = 8
_READ_LIST = 40
_EVIDENCE = 20
_SOURCE_AT_LEAST = 0.05
_ALWAYS_SOURCES = 3
_REWRITE_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Request:
    """One question.

    Args:
        question: as it was asked.
        history: the talk before it, `{"role", "content"}` each.
        where: a filter on the papers.
        cancel: set it to stop, from any thread.
    """

    question: str
    history: History = ()
    where: Mapping[str, object] | None = None
    cancel: threading.Event | None = None


@dataclass
class _Run:
    """What is known of one answer while it is made."""

    request: Request
    snapshot: Snapshot
    query: Query
    started: float
    timings: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def lap(self, name: str, since: float) -> float:
        now = time.perf_counter()
        self.timings[name] = (now - since) * 1000
        return now


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
        question = _checked(request.question, self._settings.max_question_chars)
        started = time.perf_counter()
        yield Status("searching")
        query = understand(question, snapshot, request.history)
        run = _Run(request, snapshot, query, started, warnings=list(notices))
        early = self._without_search(run)
        if early is not None:
            yield from _told(early)
            yield Done(self._answer(run, early))
            return
        yield from self._understood(run)
        ranking = self._ranked(run, dense=dense)
        yield Status("reading", f"{len(ranking.items)} of {ranking.candidates} papers")
        if self._model is not None and ranking.items and _worth_writing(ranking):
            yield from self._write(run, ranking, self._model)
            return
        draft = self._extracted(run, ranking)
        yield from _told(draft)
        yield Done(self._answer(run, draft, ranking))

    def _without_search(self, run: _Run) -> Draft | None:
        """Reply to what is no question about the papers' contents."""
        query, draft = run.query, Draft()
        if query.small_talk is not None:
            draft.text = draft.say(small_talk_reply(query.small_talk, query.language))
            return draft
        if not any(char.isalnum() for char in query.text):
            draft.text = draft.say(say("empty", query.language))
            return draft
        if query.kind == "out_of_scope":
            draft.abstained = True
            name = "refused" if is_attack(query.text) else "scope"
            draft.text = draft.say(say(name, query.language))
            return draft
        if query.kind == "count" and not query.where and _asks_total(query):
            draft.text = draft.say(say("total", query.language, count=len(run.snapshot)))
            return draft
        return None

    def _understood(self, run: _Run) -> Iterator[Event]:
        """Let the model resolve a follow-up, where there is a model and a talk before it."""
        if self._model is None or not turns_of(run.request.history):
            return
        from assistant.answering.small_calls import understand as rewrite

        yield Status("searching", "understanding the question")
        history = [
            {"role": turn.role, "content": turn.content} for turn in turns_of(run.request.history)
        ]
        try:
            found = rewrite(
                run.query.text,
                history,
                self._settings,
                self._model,
                seconds=min(_REWRITE_SECONDS, self._settings.total_timeout),
                cancel=run.request.cancel,
            )
        except ModelError as error:
            run.warnings.append(f"The question was taken as it was asked: {error}")
            return
        if found is None or found.question.strip() == run.query.text:
            return
        rewritten = understand(found.question, run.snapshot)
        if run.query.follow_up is not None and not rewritten.named:
            rewritten = replace(rewritten, follow_up=run.query.follow_up)
        run.query = replace(
            rewritten,
            question=run.query.question,
            standalone=found.question,
            language=run.query.language,
        )

    def _ranked(self, run: _Run, *, dense: bool) -> Ranking:
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
        if run.query.language != ENGLISH and self._model is None:
            run.warnings.append(
                "The question is not in English and no model translates it: papers were found by "
                "shared words and names alone."
            )
        run.lap("search", since)
        return ranking

    def _extracted(self, run: _Run, ranking: Ranking) -> Draft:
        since = time.perf_counter()
        draft = Extractor(self._retriever, run.snapshot).answer(ranking)
        run.lap("answer", since)
        return draft

    def _write(self, run: _Run, ranking: Ranking, model: ChatModel) -> Iterator[Event]:
        from assistant.answering.checking import check_with
        from assistant.answering.written import write_answer

        since = time.perf_counter()
        try:
            written = yield from write_answer(
                run.query.standalone,
                [item.evidence() for item in self._sources(ranking)],
                [
                    {"role": turn.role, "content": turn.content}
                    for turn in turns_of(run.request.history)
                ],
                self._settings,
                model,
                check_with(self._verifier()),
                cancel=run.request.cancel,
            )
        except ModelError as error:
            _log.warning("the model failed: %s", error)
            note = f"The model could not write this answer, so the abstracts are quoted: {error}"
            run.warnings.insert(0, note)
            draft = self._extracted(run, ranking)
            draft.text = f"*{label_text(note)}*\n\n{draft.text}"
            yield from _told(draft)
            yield Done(self._answer(run, draft, ranking))
            return
        run.lap("answer", since)
        yield Done(self._written(run, written, ranking))

    def _sources(self, ranking: Ranking) -> list[Ranked]:
        """The papers a model reads: those that may be relevant, the most relevant first."""
        limit = max(self._settings.max_sources, ranking.relevant)
        focus = set(ranking.query.focus)
        likely = [
            item
            for place, item in enumerate(ranking.items)
            if place < _ALWAYS_SOURCES or item.relevance >= _SOURCE_AT_LEAST or item.row in focus
        ]
        return likely[:limit]

    def _written(self, run: _Run, written: Written, ranking: Ranking) -> Answer:
        run.warnings += written.warnings
        draft = Draft(
            text=written.text,
            citations=list(written.citations),
            papers=list(written.papers),
            sentences=list(written.sentences),
            abstained=written.no_answer,
        )
        answer = self._answer(run, draft, ranking)
        return replace(
            answer,
            mode="written",
            model=written.model,
            prompt_hash=written.prompt_hash,
            usage=written.usage,
        )

    def _answer(self, run: _Run, draft: Draft, ranking: Ranking | None = None) -> Answer:
        run.lap("total", run.started)
        items = ranking.items if ranking else ()
        shown = max(_EVIDENCE, ranking.relevant if ranking else 0)
        embedder = self._retriever.embedder
        return Answer(
            text=draft.text,
            question=run.request.question,
            standalone_question=run.query.standalone,
            kind=run.query.kind,
            mode="extractive",
            citations=tuple(sorted(draft.citations, key=lambda citation: citation.number)),
            papers=tuple(draft.papers),
            sentences=tuple(draft.sentences),
            evidence=tuple(item.evidence() for item in items[:shown]),
            judged=len(items),
            candidates=ranking.candidates if ranking else 0,
            abstained=draft.abstained,
            history=_history(run.request, draft),
            embedder=embedder.name if embedder else None,
            index_fingerprint=run.snapshot.fingerprint,
            timings=run.timings,
            warnings=tuple(dict.fromkeys(run.warnings)),
        )


def _checked(question: str, longest: int) -> str:
    text = question.strip().strip("\u200b\u200c\u200d\u2060\ufeff").strip()
    if not text:
        raise InputError("the question is empty: ask something about the papers")
    if len(text) > longest:
        raise InputError(
            f"the question has {len(text):,} characters and at most {longest:,} are taken: "
            "shorten it (ASSISTANT_MAX_QUESTION_CHARS sets the limit)"
        )
    return text


def _told(draft: Draft) -> Generator[Event, None, None]:
    yield Token(draft.text)
    for sentence in draft.sentences:
        yield SentenceChecked(sentence)


def _history(request: Request, draft: Draft) -> tuple[dict[str, str], ...]:
    """The talk with this turn; the answer names its papers, so that "the second one" is found."""
    before = [{"role": turn.role, "content": turn.content} for turn in turns_of(request.history)]
    numbered = {citation.number: citation.paper.label for citation in draft.citations}
    said = draft.text
    if any(label not in said for label in numbered.values()):
        sources = "; ".join(f"[{number}] {label}" for number, label in sorted(numbered.items()))
        said = f"{said}\n\nSources: {sources}"
    turn = [
        {"role": "user", "content": request.question},
        {"role": "assistant", "content": said},
    ]
    return (*before, *turn)


def _worth_writing(ranking: Ranking) -> bool:
    """A model is never asked where nothing was found that could be about the question."""
    return ranking.relevant > 0 or is_answerable(ranking)


def _asks_where(query: Query) -> bool:
    """Tell a question of where something was done: every paper where it was answers it."""
    opening = query.text.lower().lstrip("¿\"'( ").split(" ")[0]
    return query.kind == "fact" and not query.focus and opening in ("where", "wo", "dónde")


def _asks_total(query: Query) -> bool:
    """Only the size is asked where no word of the question tells a topic."""
    from assistant.index.terms import is_generic, query_terms

    about_size = {"collect", "index", "databas", "total", "corpus", "set", "here", "mani", "count"}
    return all(is_generic(term) or term in about_size for term in query_terms(query.text))
