"""Whole-paper scores of a collection of any size: lexical and dense, in one pass each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.paper import Paper
from assistant.index.surfaces import forms, surfaces
from assistant.retrieval.commands import commands, spans_of, telling_spans

if TYPE_CHECKING:
    from assistant.index.snapshot import Snapshot
    from assistant.retrieval.topic import Topic

__all__ = ["COSINE_WORTH", "Skim", "best_sentence", "matched_words", "skim"]

Floats = NDArray[np.float32]
_KEPT_SENTENCES = 5_120
COSINE_WORTH = 0.5
"""Half way along the plateau, 0.3 to 0.7, of one half of the known items and topics of
`benchmarks/retrieval.py`."""


@dataclass(frozen=True, slots=True)
class Skim:
    """Scores of every paper of a collection.

    Args:
        bm25: float32 `[papers]`, as a share of what a paper of nothing but the question would get.
        cosine: float32 `[papers]`, question and best passage; the others' mean where a paper has
            no vector yet, 0 where none has.
        coverage: float32 `[papers]`, share of the question's weight whose terms the paper holds.
        dense: whether any vector was compared.
    """

    bm25: Floats
    cosine: Floats
    coverage: Floats
    dense: bool

    @property
    def order(self) -> Floats:
        """What papers are ranked by, float32 `[papers]`: a sum of both scores.

        It finds more than fused ranks, as Bruch, Gai and Ingber, 2022, saw elsewhere:
        https://arxiv.org/abs/2210.11934
        """
        order: Floats = self.bm25 + np.float32(COSINE_WORTH) * self.cosine
        return order

    def features(self) -> dict[str, Floats]:
        """Return what the `skim` and `lexical` models of relevance take."""
        best = max(float(self.bm25.max()), 1e-6)
        return {
            "bm25": self.bm25,
            "bm25_of_best": self.bm25 / np.float32(best),
            "coverage": self.coverage,
            "coverage_gap": self.coverage - self.coverage.max(),
            "cosine": self.cosine,
            "cosine_gap": self.cosine - self.cosine.max(),
        }


def skim(
    snapshot: Snapshot,
    topic: Topic,
    weights: Mapping[str, float],
    vector: Floats | None,
) -> Skim:
    """Score every paper.

    Args:
        snapshot: the collection.
        topic: the question's concepts.
        weights: the terms to score by, as `LexicalIndex.weigh` gives them.
        vector: the question's, from the embedder the index was made with; None: lexical alone.
    """
    lexical = snapshot.lexical
    ideal = sum(weight * lexical.idf(term) for term, weight in weights.items())
    bm25 = lexical.scores(list(weights), list(weights.values())) / np.float32(max(ideal, 1e-6))
    coverage = np.zeros(len(snapshot), dtype=np.float32)
    total = max(sum(topic.weights), 1e-6)
    for term, weight in zip(topic.terms, topic.weights, strict=True):
        coverage[lexical.rows(term)] += weight / total
    cosine, dense = np.zeros(len(snapshot), dtype=np.float32), False
    if vector is not None:
        found = snapshot.cosines(vector)
        known = ~np.isnan(found)
        dense = bool(known.any())
        if dense:
            cosine = np.where(known, found, found.mean(where=known)).astype(np.float32)
    return Skim(bm25.astype(np.float32), cosine, coverage, dense)


def best_sentence(paper: Paper, weights: Mapping[str, float]) -> tuple[int, int]:
    """Find the sentence that holds most of the question's weight.

    Args:
        paper: the paper.
        weights: how much each term tells.

    Returns:
        Offsets into the abstract; the first sentence where none holds a term.
    """
    spans = spans_of(paper.abstract)
    best = _best(paper.abstract, spans, weights)
    # Looked at last: it takes longer than all the rest, and hardly any sentence commands.
    if not spans or commands(paper.abstract[slice(*best)]):
        best = _best(paper.abstract, telling_spans(paper.abstract), weights)
    return best


def _best(
    abstract: str, spans: Sequence[tuple[int, int]], weights: Mapping[str, float]
) -> tuple[int, int]:
    if not spans:
        return 0, len(abstract)
    shares = [
        sum(weight for term, weight in weights.items() if term in written)
        for written in (_written(abstract[start:end]) for start, end in spans)
    ]
    return spans[shares.index(max(shares))]


def matched_words(paper: Paper, terms: Sequence[str]) -> tuple[str, ...]:
    """Return the question's words as the paper writes them.

    Args:
        paper: the paper.
        terms: the question's terms.
    """
    texts = [paper.abstract[start:end] for start, end in spans_of(paper.abstract)]
    parts = [_written(text) for text in (paper.title or "", *texts)]
    first = (next((part[term] for part in parts if term in part), None) for term in terms)
    return tuple(dict.fromkeys(surface for surface in first if surface is not None))


@lru_cache(maxsize=_KEPT_SENTENCES)
def _written(text: str) -> Mapping[str, str]:
    """Give each term of a text as the text first writes it."""
    found: dict[str, str] = {}
    for surface in dict.fromkeys(surfaces(text)):
        for term, start, end, _ in forms(surface):
            if term not in found:
                found[term] = surface[start:end]
    return found
