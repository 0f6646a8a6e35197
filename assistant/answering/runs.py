"""One question on its way to an answer: what was asked, what is known, what is given back."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assistant.answering.answer import Answer
from assistant.answering.extractive import Draft
from assistant.answering.model_events import Message, Usage
from assistant.answering.prompts import hash_of_all
from assistant.corpus.lookalikes import without_invisible
from assistant.errors import InputError
from assistant.retrieval.history import turns_of
from assistant.retrieval.query import Query

if TYPE_CHECKING:
    from assistant.index.snapshot import Snapshot
    from assistant.retrieval.ranking import Ranking

__all__ = ["History", "Request", "Run", "checked_question", "text_of"]

History = Sequence[Mapping[str, object]]

_EVIDENCE = 20
_BLANKS = "\u200b\u200c\u200d\u2060\ufeff"


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
class Run:
    """What is known of one answer while it is made.

    Args:
        request: the question.
        snapshot: the collection.
        query: the question as understood so far.
        started: when, by `time.perf_counter`.
        embedder: its name, None where search is lexical alone.
        dense: whether the index's vectors were made by this embedder.
        parts: questions for the sides of a comparison, where a model named them.
        translated: whether what is searched for is English.
        out_of_scope: whether a model takes the question for none about the papers.
        prompts: hashes of the prompts that were sent.
        usage: tokens of each model call; None for one the server did not count.
        timings: milliseconds by step.
        warnings: fallbacks and limits a reader must know of.
    """

    request: Request
    snapshot: Snapshot
    query: Query
    started: float
    embedder: str | None = None
    dense: bool = True
    parts: tuple[str, ...] = ()
    translated: bool = False
    out_of_scope: bool = False
    prompts: list[str] = field(default_factory=list)
    usage: list[Usage | None] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def lap(self, name: str, since: float) -> None:
        """Note how long a step took.

        Args:
            name: of the step.
            since: when it began, by `time.perf_counter`.
        """
        self.timings[name] = (time.perf_counter() - since) * 1000

    @property
    def turns(self) -> list[Message]:
        """The talk before the question, as a model takes it."""
        return [
            {"role": turn.role, "content": turn.content} for turn in turns_of(self.request.history)
        ]

    def answer(self, draft: Draft, ranking: Ranking | None = None) -> Answer:
        """Make the answer of a draft in the abstracts' own sentences.

        Args:
            draft: what it says.
            ranking: what was found; None where nothing was searched for.
        """
        self.lap("total", self.started)
        items = ranking.items if ranking else ()
        shown = max(_EVIDENCE, ranking.relevant if ranking else 0)
        return Answer(
            text=draft.text,
            question=self.request.question,
            standalone_question=self.query.standalone,
            kind=self.query.kind,
            mode="extractive",
            citations=tuple(sorted(draft.citations, key=lambda citation: citation.number)),
            papers=tuple(draft.papers),
            sentences=tuple(draft.sentences),
            evidence=tuple(item.evidence() for item in items[:shown]),
            judged=len(items),
            candidates=ranking.candidates if ranking else 0,
            abstained=draft.abstained,
            history=self._history(draft),
            embedder=self.embedder,
            prompt_hash=hash_of_all(self.prompts),
            index_fingerprint=self.snapshot.fingerprint,
            usage=self._usage(),
            timings=self.timings,
            warnings=tuple(dict.fromkeys(self.warnings)),
        )

    def _usage(self) -> dict[str, int] | None:
        known = [usage for usage in self.usage if usage is not None]
        if not known or len(known) < len(self.usage):
            return None
        return sum(known[1:], known[0]).to_dict()

    def _history(self, draft: Draft) -> tuple[dict[str, str], ...]:
        """The talk with this turn; the answer names its papers, so "the second one" is found."""
        numbered = {citation.number: citation.paper.label for citation in draft.citations}
        said = draft.text
        if any(label not in said for label in numbered.values()):
            sources = "; ".join(f"[{number}] {label}" for number, label in sorted(numbered.items()))
            said = f"{said}\n\nSources: {sources}"
        before = [{str(k): str(v) for k, v in turn.items()} for turn in self.turns]
        return (
            *before,
            {"role": "user", "content": self.request.question},
            {"role": "assistant", "content": said},
        )


def text_of(question: object) -> str:
    """Take what callers give as a question, which types do not hold back at run time.

    Args:
        question: what was given.

    Raises:
        InputError: it is no text.
    """
    if not isinstance(question, str):
        raise InputError("the question must be text")
    return question


def checked_question(question: str, longest: int) -> str:
    """Take a question without the blanks around it and without what is not seen of it.

    Args:
        question: as it was asked.
        longest: characters it may have.

    Raises:
        InputError: it is blank or too long.
    """
    text = without_invisible(question).strip().strip(_BLANKS).strip()
    if not text:
        raise InputError("the question is empty: ask something about the papers")
    if len(text) > longest:
        raise InputError(
            f"the question has {len(text):,} characters and at most {longest:,} are taken: "
            "shorten it (ASSISTANT_MAX_QUESTION_CHARS sets the limit)"
        )
    return text
