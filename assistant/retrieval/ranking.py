"""What a search found: papers with their relevance, ready to be answered from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assistant.corpus.paper import Paper, Passage
from assistant.retrieval.evidence import Evidence
from assistant.retrieval.features import Asked, Matches
from assistant.retrieval.query import Query
from assistant.retrieval.reading import Reading
from assistant.retrieval.skimming import best_sentence, matched_words

__all__ = ["Ranked", "Ranking", "Words"]


@dataclass(frozen=True, slots=True)
class Words:
    """A question's words, to be found again in the papers that are shown.

    Args:
        terms: its content terms, in order.
        weights: how much each term it is scored by counts.
    """

    terms: tuple[str, ...]
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One paper in a ranking.

    Args:
        row: its row in the snapshot.
        paper: the paper.
        relevance: calibrated probability, 0 to 1.
        scores: the raw scores it came from.
        words: the question's.
        index: its place in the reading; None where it was not read sentence by sentence.
        read: offsets of the sentence that reading found to show it best.
        also: other records of the same paper.
    """

    row: int
    paper: Paper
    relevance: float
    scores: Mapping[str, float]
    words: Words
    index: int | None = None
    read: tuple[int, int] | None = None
    also: tuple[Paper, ...] = ()

    @property
    def best(self) -> tuple[int, int]:
        """Offsets of the sentence that shows it best."""
        return self.read or best_sentence(self.paper, self.words.weights)

    @property
    def matched(self) -> tuple[str, ...]:
        """The question's words found in it, as they stand there."""
        return matched_words(self.paper, self.words.terms)

    def evidence(self) -> Evidence:
        """Return it as the evidence that answers carry."""
        start, end = self.best
        return Evidence(
            passage=Passage(self.paper.id, self.paper.abstract[start:end], start, end),
            paper=self.paper,
            relevance=self.relevance,
            scores=self.scores,
            matched=self.matched,
            also=self.also,
        )


@dataclass(frozen=True, slots=True)
class Ranking:
    """All papers judged for a question, the most relevant first.

    Args:
        query: the question as understood.
        asked: the question as compared; None where nothing was read.
        items: the papers judged.
        relevant: how many of them, from the first, count as relevant.
        candidates: how many papers there were to judge.
        reading: the sentences of the papers read.
        matches: how these sentences match.
        warnings: what a reader must know of how it was found.
        where: the filters the papers passed, the question's own and the caller's.
        left_out: rows of papers that state what the question excludes.
        lacking: by row, where an abstract says that it does without what the question excludes.
        shown: how many relevant papers were left out, for the talk has shown them.
    """

    query: Query
    items: Sequence[Ranked]
    relevant: int
    candidates: int
    asked: Asked | None = None
    reading: Reading | None = None
    matches: Matches | None = None
    warnings: tuple[str, ...] = ()
    where: Mapping[str, object] = field(default_factory=dict)
    left_out: frozenset[int] = frozenset()
    lacking: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    shown: int = 0
