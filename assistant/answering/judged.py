"""Lists for which a model looks at every candidate, in parallel batches."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from assistant.answering.coverage import content_words, keys, share
from assistant.answering.events import Event, Status
from assistant.answering.model_errors import ContextTooLongError
from assistant.answering.models import ChatModel, Usage
from assistant.answering.prompts import load_prompt
from assistant.answering.small_calls import TOKENS_PER_VERDICT, Judgement, Opinion, judge
from assistant.answering.tokens import count_tokens
from assistant.answering.verbatim import find_verbatim, whole_sentences
from assistant.corpus.spans import Span
from assistant.errors import ModelError
from assistant.retrieval.commands import commands
from assistant.retrieval.ranking import Ranked, Ranking
from assistant.settings import Settings
from assistant.wording import counted

__all__ = ["JUDGED_FROM", "JudgedList", "JudgedPaper", "Rest", "candidates", "judge_papers"]

_log = logging.getLogger(__name__)

JUDGED_FROM = 0.005
"""Relevance from which a paper is judged: of 38 papers some lists need ones that stand at 0.04."""

_PAPERS_A_CALL = 8
_TRIES = 2
_SMALLER = 0.6
_SHARE_OF_WINDOW = 0.6
_AROUND_PAPER = 40
_POLL_SECONDS = 0.05
_MOST_SENTENCES = 3
_TELLS_NOTHING = 0.15
"""Share of a question's words, by how rare they are, below which a text has none that tell."""


@dataclass(frozen=True, slots=True)
class JudgedPaper:
    """A candidate with its verdict.

    Args:
        item: the paper as ranked.
        verdict: whether it belongs in the list.
        start: offset in its abstract of the sentence that shows it.
        end: offset behind it.
        by_model: false where the model did not judge it and calibrated relevance decided.
    """

    item: Ranked
    verdict: Judgement
    start: int
    end: int
    by_model: bool = True


@dataclass(frozen=True, slots=True)
class Rest:
    """What judging the candidates left out would take.

    Args:
        papers: how many they are.
        calls: calls to the model.
        tokens: of these calls, prompts and replies, estimated.
    """

    papers: int
    calls: int
    tokens: int


@dataclass(frozen=True, slots=True)
class JudgedList:
    """The candidates of a list, judged.

    Args:
        papers: in the order of their relevance.
        candidates: how many there were to judge.
        rest: of those left out; None where all were taken.
        model: who judged.
        prompt_hashes: of the prompts that were sent.
        usage: tokens by call; None for one the server did not count.
        warnings: what a reader must know of how they were judged.
        calibrated: how many of them calibrated relevance alone would list.
    """

    papers: tuple[JudgedPaper, ...]
    candidates: int
    rest: Rest | None
    model: str
    prompt_hashes: tuple[str, ...]
    usage: tuple[Usage | None, ...]
    warnings: tuple[str, ...]
    calibrated: int

    @property
    def judged(self) -> int:
        """How many candidates the model judged."""
        return sum(paper.by_model for paper in self.papers)

    def of(self, verdict: Judgement) -> list[JudgedPaper]:
        """The papers with a verdict, the most relevant first."""
        return [paper for paper in self.papers if paper.verdict == verdict]


def candidates(ranking: Ranking) -> list[Ranked]:
    """The papers a model is to judge, the most relevant first.

    Args:
        ranking: what was found.
    """
    focus = set(ranking.query.focus)
    gone = {*ranking.query.without, *(ranking.left_out if ranking.query.denied else ())}
    return [
        item
        for item in ranking.items
        if (item.relevance >= JUDGED_FROM or item.row in focus) and item.row not in gone
    ]


def judge_papers(
    question: str,
    ranking: Ranking,
    settings: Settings,
    model: ChatModel,
    *,
    cancel: threading.Event | None = None,
) -> Generator[Event, None, JudgedList]:
    """Let a model judge the candidates of a list.

    Args:
        question: one that asks for papers, understandable by itself.
        ranking: what was found for it.
        settings: the limits and the prompts.
        model: who judges.
        cancel: set it to stop, from any thread; what was judged by then counts.

    Yields:
        How many are judged so far.

    Raises:
        InputError: the question alone is longer than the model's context.
        ModelError: not one paper was judged.
    """
    judging = _Judging(question, ranking, settings, model)
    yield from judging.run(cancel)
    return judging.result()


class _Judging:
    """One list while it is judged; `judge_papers` says what its arguments are."""

    def __init__(
        self, question: str, ranking: Ranking, settings: Settings, model: ChatModel
    ) -> None:
        self._question = question
        self._settings = settings
        self._model = model
        self._relevant = {item.row for item in ranking.items[: ranking.relevant]}
        every = candidates(ranking)
        self._every = len(every)
        self._chosen = every[: settings.max_judged]
        self._left_out = every[settings.max_judged :]
        self._opinions: dict[str, Opinion] = {}
        self._usage: list[Usage | None] = []
        self._errors: list[ModelError] = []
        self._refused = {"kept": 0, "left out": 0, "no word": 0}
        self._asked = content_words(ranking.query.text)
        self._stop = threading.Event()
        self._cancelled = False
        self._hopeless = threading.Event()
        self._deadline = time.monotonic() + settings.total_timeout

    def run(self, cancel: threading.Event | None) -> Iterator[Event]:
        yield self._status()
        pool = ThreadPoolExecutor(self._settings.parallel_calls, thread_name_prefix="judge")
        try:
            waiting = {pool.submit(self._batch, batch) for batch in self._batches(self._chosen)}
            while waiting:
                if cancel is not None and cancel.is_set():
                    self._cancelled = True
                    self._stop.set()
                done, waiting = wait(waiting, _POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    self._collect(future)
                if done:
                    yield self._status()
        finally:
            self._stop.set()
            pool.shutdown(cancel_futures=True)

    def result(self) -> JudgedList:
        if not self._opinions:
            nothing = ModelError(f"{self._model.name} judged no paper: ask again")
            raise self._errors[0] if self._errors else nothing
        papers = tuple(self._judged(item) for item in self._chosen)
        return JudgedList(
            papers=papers,
            candidates=self._every,
            rest=self._rest(),
            model=self._model.name,
            prompt_hashes=(load_prompt("judge", self._settings).hash,),
            usage=tuple(self._usage),
            warnings=tuple(self._warnings(sum(not paper.by_model for paper in papers))),
            calibrated=len(self._relevant),
        )

    def _status(self) -> Status:
        return Status("reading", f"{len(self._opinions)} of {self._every} judged")

    def _batches(self, items: Sequence[Ranked]) -> list[list[Ranked]]:
        room = int(self._model.context_tokens * _SHARE_OF_WINDOW)
        batches: list[list[Ranked]] = []
        left = 0
        for item in items:
            needed = self._tokens(item)
            if not batches or needed > left or len(batches[-1]) == _PAPERS_A_CALL:
                batches.append([])
                left = room
            batches[-1].append(item)
            left -= needed
        return batches

    def _tokens(self, item: Ranked) -> int:
        text = f"{item.paper.title or ''} {', '.join(item.paper.authors)} {item.paper.abstract}"
        return count_tokens(text, self._model.name) + _AROUND_PAPER

    def _batch(self, items: list[Ranked]) -> tuple[dict[str, Opinion], ModelError | None]:
        """Judge a batch; what fails or is passed over is asked for once more."""
        found: dict[str, Opinion] = {}
        failed: ModelError | None = None
        window = self._model.context_tokens
        for _ in range(_TRIES):
            left = [item.paper for item in items if item.paper.id not in found]
            if not left or self._stop.is_set() or self._hopeless.is_set():
                break
            try:
                judged = judge(
                    self._question,
                    left,
                    self._settings,
                    self._model,
                    window=window,
                    seconds=max(0.001, self._deadline - time.monotonic()),
                    cancel=self._stop,
                )
            except ModelError as error:
                failed = error
                if isinstance(error, ContextTooLongError):
                    window = min(error.limit or window, int(window * _SMALLER))
                _log.info("a batch of %d papers was not judged: %s", len(left), error)
                continue
            failed = None
            self._usage.extend(judged.usage)
            found.update(judged.opinions)
        if failed is not None and not failed.retryable and not self._opinions:
            # A wrong key stays wrong: the batches that wait need not be sent.
            self._hopeless.set()
        return found, failed

    def _collect(self, future: Future[tuple[dict[str, Opinion], ModelError | None]]) -> None:
        found, failed = future.result()
        self._opinions.update(found)
        if failed is not None:
            self._errors.append(failed)

    def _judged(self, item: Ranked) -> JudgedPaper:
        best = item.best if item.best[1] else (0, len(item.paper.abstract))
        opinion = self._opinions.get(item.paper.id)
        if opinion is None:
            verdict: Judgement = "yes" if item.row in self._relevant else "no"
            return JudgedPaper(item, verdict, *best, by_model=False)
        if opinion.verdict == "no":
            return JudgedPaper(item, "no", *best)
        found = find_verbatim(opinion.quote, item.paper.abstract)
        if found is not None and commands(item.paper.abstract[slice(*found)]):
            found = None
        if found is None:
            # Small models say yes to all and make the quotes up: then only relevance may speak.
            kept = item.row in self._relevant
            self._refused["kept" if kept else "left out"] += 1
            return JudgedPaper(item, "partly" if kept else "no", *best)
        unsure = opinion.verdict == "partly" and item.row not in self._relevant
        if unsure and self._told(item.paper.indexed_text) < _TELLS_NOTHING:
            # Small models find something of everything in every paper.
            self._refused["no word"] += 1
            return JudgedPaper(item, "no", *best)
        return JudgedPaper(item, opinion.verdict, *self._shown(item, found, best))

    def _shown(self, item: Ranked, quoted: Span, best: Span) -> Span:
        """The sentences a quote stands in; the nearest one where those show nothing and it does."""
        abstract = item.paper.abstract
        start, end, sentences = whole_sentences(abstract, *quoted)
        silent = (
            self._told(abstract[start:end]) < _TELLS_NOTHING <= self._told(abstract[slice(*best)])
        )
        return best if silent or sentences > _MOST_SENTENCES else (start, end)

    def _told(self, text: str) -> float:
        """How much of the question's words stands in a text, rare words counting more."""
        return share(self._asked, keys(text))

    def _rest(self) -> Rest | None:
        if not self._left_out:
            return None
        calls = len(self._batches(self._left_out))
        prompt = load_prompt("judge", self._settings)
        rules = count_tokens(f"{prompt.system}{prompt.user}{self._question}", self._model.name)
        papers = sum(self._tokens(item) + TOKENS_PER_VERDICT for item in self._left_out)
        return Rest(len(self._left_out), calls, calls * rules + papers)

    def _warnings(self, unjudged: int) -> Iterator[str]:
        if unjudged:
            passed_over = "it was stopped" if self._cancelled else "the model passed them over"
            why = str(self._errors[0]) if self._errors else passed_over
            yield (
                f"{unjudged} of {counted(len(self._chosen), 'paper')} were not judged by the "
                f"model, so their calibrated relevance decided: {why}"
            )
        kept, left_out, wordless = self._refused.values()
        if kept:
            yield (
                f"quotes that do not stand in the abstract: {kept}, replaced by the sentence that "
                "is nearest and counted as partly"
            )
        if left_out:
            yield (
                f"papers left out: {left_out}, for the quotes given do not stand in their "
                "abstracts and their calibrated relevance is low"
            )
        if wordless:
            yield (
                f"papers said to fit partly and left out: {wordless}, for no telling word of the "
                "question stands in their abstracts and their calibrated relevance is low"
            )
