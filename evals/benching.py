"""The assistants that a run asks: one for the seeds, and one for each case's own corpus."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from assistant.answering.answer import Answer
from assistant.answering.events import Done
from assistant.api import Assistant
from assistant.corpus.paper import Paper
from assistant.errors import AssistantError
from assistant.settings import Settings
from evals.calls import BudgetSpentError, CallLog, RecordedModel
from evals.cases import Case
from evals.citing import claims, sentence_is_right
from evals.loading import CORPORA, load_extra
from evals.provenance import used_prompts
from evals.records import CaseResult
from evals.scoring import applicable, checks, score

__all__ = ["Bench", "StoppedError"]

_SHOWN_SCORES = ("bm25", "cosine", "sentence_cosine")


class StoppedError(AssistantError):
    """A case was stopped before its answer was done."""


class Bench:
    """Asks cases; a context manager that removes its indexes in the end.

    Each thread that asks has assistants of its own, so that model calls are told apart by case.

    Args:
        settings: how to answer; `data_dir` is replaced.
        make_model: makes the model of one thread; None: keyless.
        indexed: a data folder in which the seeds are indexed already; None: index them.
        corpora: the folder of the cases' own papers.
    """

    def __init__(
        self,
        settings: Settings,
        make_model: Callable[[], RecordedModel] | None = None,
        indexed: Path | None = None,
        corpora: Path = CORPORA,
    ) -> None:
        self._settings = settings
        self._make_model = make_model
        self._indexed = indexed
        self._corpora = corpora
        self._folder = tempfile.TemporaryDirectory(prefix="ask-papers-evals-")
        self._lock = threading.Lock()
        self._opened: dict[tuple[int, str | None], Assistant] = {}
        self._models: dict[int, RecordedModel] = {}
        self._running: set[threading.Event] = set()
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for assistant in self._opened.values():
            assistant.close()
        for model in self._models.values():
            model.close()
        self._folder.cleanup()

    def stop(self) -> None:
        """End every case that is being asked, and ask no more."""
        with self._lock:
            self._stopped = True
            for event in self._running:
                event.set()

    def assistant(self, extra: str | None = None) -> Assistant:
        """Give this thread's assistant of a corpus; indexed when it is first asked for.

        Args:
            extra: the file of papers beside the seeds.
        """
        key = (threading.get_ident(), extra)
        with self._lock:
            if key not in self._opened:
                self._opened[key] = self._open(extra)
            return self._opened[key]

    def ask(self, case: Case, repeat: int = 0) -> tuple[CaseResult, CallLog]:
        """Ask a case and score its answer.

        Args:
            case: what to ask.
            repeat: for the how-manieth time, from 0.

        Returns:
            The result, and the model calls it took.

        Raises:
            StoppedError: it was ended.
            BudgetSpentError: the run has cost what it may.
        """
        assistant = self.assistant(case.extra)
        model = self._models.get(threading.get_ident())
        log = CallLog(repeat) if model is None else model.begin(repeat)
        result = CaseResult(
            id=case.id,
            repeat=repeat,
            kind=case.kind,
            digest=case.digest,
            question=case.question,
            history=[turn.model_dump() for turn in case.history],
            expected=case.expected(),
            scores=dict.fromkeys(applicable(case)),
        )
        answer = None
        since = time.perf_counter()
        try:
            answer = self._answer(assistant, case)
        except (StoppedError, BudgetSpentError):
            raise
        except AssistantError as error:
            result.error = str(error)
        result.seconds = round(time.perf_counter() - since, 4)
        _book(result, log)
        if answer is not None and answer.mode != "written" and log.failed:
            # What the abstracts gave in its place is not the model's answer.
            answer, result.error = None, f"the model gave no answer: {log.failed[-1]}"
        if answer is not None:
            papers = {paper.id: paper for paper in assistant.papers()}
            _fill(result, case, answer, papers)
            if "answer" in used_prompts(log.opened, assistant.settings):
                result.scores["written"] = float(answer.mode == "written")
        return result, log

    def _answer(self, assistant: Assistant, case: Case) -> Answer:
        history = [turn.model_dump() for turn in case.history]
        cancel = threading.Event()
        with self._lock:
            if self._stopped:
                raise StoppedError(f"case {case.id} was stopped")
            self._running.add(cancel)
        try:
            for event in assistant.stream(case.question, history, cancel=cancel):
                if isinstance(event, Done) and not self._stopped:
                    return event.answer
            raise StoppedError(f"case {case.id} was stopped")
        finally:
            with self._lock:
                self._running.discard(cancel)

    def _open(self, extra: str | None) -> Assistant:
        thread = threading.get_ident()
        folder = Path(self._folder.name) / (extra or "seeds") / str(thread)
        source = self._indexed
        if extra is not None:
            if (thread, None) not in self._opened:
                self._opened[thread, None] = self._open(None)
            source = self._opened[thread, None].settings.data_dir
        elif any(key[1] is None for key in self._opened):
            source = next(a.settings.data_dir for (_, e), a in self._opened.items() if e is None)
        if source is not None:
            shutil.copytree(source, folder)
        assistant = Assistant(self._settings.model_copy(update={"data_dir": folder}))
        if self._make_model is not None and thread not in self._models:
            self._models[thread] = self._make_model()
        # One counted model for every corpus of a thread, in place of those the settings would make.
        vars(assistant)["model"] = self._models.get(thread)
        if extra is None:
            assistant.papers()
        else:
            papers = [
                Paper(id=paper.id, title=paper.title, abstract=paper.abstract)
                for paper in load_extra(extra, self._corpora)
            ]
            assistant.add(papers, source=extra)
        return assistant


def _book(result: CaseResult, log: CallLog) -> None:
    result.calls, result.cached, result.cost = log.calls, log.cached, log.cost
    if log.calls:
        result.tokens = {"prompt": log.prompt, "completion": log.completion}


def _fill(result: CaseResult, case: Case, answer: Answer, papers: Mapping[str, Paper]) -> None:
    result.scores = score(case, answer, papers)
    result.checks = checks(case, answer)
    result.passed = all(check.ok for check in result.checks)
    result.timings = {name: round(value, 2) for name, value in answer.timings.items()}
    result.answer = _told(case, answer, papers)
    result.evidence = [
        {
            "paper": item.paper.id,
            "label": item.paper.label,
            "relevance": round(item.relevance, 4),
            "quote": item.passage.text,
            "scores": {n: round(item.scores[n], 4) for n in _SHOWN_SCORES if n in item.scores},
        }
        for item in answer.evidence
    ]


def _told(case: Case, answer: Answer, papers: Mapping[str, Paper]) -> dict[str, Any]:
    said = claims(answer)
    return {
        "text": answer.text,
        "kind": answer.kind,
        "mode": answer.mode,
        "abstained": answer.abstained,
        "standalone_question": answer.standalone_question,
        "prompt_hash": answer.prompt_hash,
        "citations": [
            {
                "number": citation.number,
                "paper": citation.paper.id,
                "label": citation.paper.label,
                "abstract": citation.paper.abstract,
                "start": citation.start,
                "end": citation.end,
                "support": citation.support,
            }
            for citation in answer.citations
        ],
        "sentences": [
            {
                **sentence.to_dict(),
                "right": sentence_is_right(case, sentence, answer, papers)
                if sentence in said
                else None,
            }
            for sentence in answer.sentences
        ],
        "warnings": list(answer.warnings),
    }
