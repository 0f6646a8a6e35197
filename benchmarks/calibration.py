"""Whether the probability of relevance is what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import brier_score_loss

from assistant.retrieval.query import understand
from assistant.retrieval.retriever import Retriever
from assistant.retrieval.skimming import COSINE_WORTH
from benchmarks.collections import lines, test_data
from benchmarks.kept import Kept
from benchmarks.lexical import KNOWN_VENUES
from benchmarks.ranking_quality import of_venues, other_half, rows_by_id
from benchmarks.tables import table
from benchmarks.train_relevance import (
    Example,
    chances,
    f1,
    fit,
    list_examples,
    retrieval_examples,
    thresholds,
)

__all__ = ["Judged", "cross_fitted", "relevance", "steps"]

STRENGTHS = {"read": 0.03, "skim": 0.1, "lexical": 0.1}
EDGES = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """Probabilities given to questions by models that did not see their collection.

    Args:
        examples: the questions.
        chances: by question, `[papers]`.
        scores: by question, F1 of its list at thresholds chosen without its collection.
    """

    examples: list[Example]
    chances: list[Floats]
    scores: list[float]

    def mean(self, *, listed: bool) -> float:
        """Return the mean score of the questions that have relevant papers, or that have none."""
        pairs = zip(self.examples, self.scores, strict=True)
        return float(np.mean([score for example, score in pairs if example.listed == listed]))

    def judgements(self) -> tuple[NDArray[np.bool_], Floats]:
        """Return whether each paper is relevant, and the probability given; unclear ones aside."""
        clear = [~example.unclear for example in self.examples]
        truth = [e.relevant[kept] for e, kept in zip(self.examples, clear, strict=True)]
        given = [found[kept] for found, kept in zip(self.chances, clear, strict=True)]
        return np.concatenate(truth), np.concatenate(given)


def cross_fitted(
    lists: Sequence[Example], more: Sequence[Example], strength: float, *, skimmed: bool = False
) -> Judged:
    """Judge each collection by a model and thresholds made of the others.

    Args:
        lists: labelled questions.
        more: questions every model may learn from.
        strength: inverse of the penalty.
        skimmed: whether the model judges whole-paper scores.
    """
    groups = sorted({example.group for example in lists})
    found: dict[int, Floats] = {}
    for group in groups:
        model = fit([e for e in lists if e.group != group] + list(more), strength)
        for example in (e for e in lists if e.group == group):
            given = chances(model, example)
            found[id(example)] = steps(example, given) if skimmed else given
    scores = {}
    for group in groups:
        others = [e for e in lists if e.group != group]
        relevant, certain, _ = thresholds(others, [found[id(e)] for e in others])
        for example in (e for e in lists if e.group == group):
            scores[id(example)] = f1(example, found[id(example)], relevant, certain)
    return Judged(list(lists), [found[id(e)] for e in lists], [scores[id(e)] for e in lists])


def steps(example: Example, given: Floats) -> Floats:
    """Hold no paper for more relevant than one that ranks before it, as the retriever does.

    Args:
        example: a question with whole-paper scores.
        given: `[papers]`.
    """
    order = np.argsort(
        -(example.features["bm25"] + COSINE_WORTH * example.features["cosine"]), kind="stable"
    )
    stepped = np.empty_like(given)
    stepped[order] = np.minimum.accumulate(given[order])
    return stepped


def relevance(kept: Kept) -> None:
    """Compare the probabilities said with what was.

    Args:
        kept: the folder of indexes.
    """
    reader = kept.reader()
    lists, more = list_examples(reader, kept.embedder), retrieval_examples(reader, kept.embedder)
    rows, tables = [], []
    for name, strength in STRENGTHS.items():
        judged = cross_fitted(lists[name], more.get(name, ()), strength, skimmed=name != "read")
        truth, given = judged.judgements()
        scores = [judged.mean(listed=True), judged.mean(listed=False)]
        brier = f"{brier_score_loss(truth, given):.4f}"
        rows.append([name, brier, *(f"{score:.3f}" for score in scores)])
        tables.append(_reliability(name, truth, given))
    print("\nLabelled collections, cross-fitted: model and thresholds from the other collections\n")
    print(table(["model", "Brier", "F1 of lists", "empty where none is relevant"], rows))
    print(*tables, sep="\n")
    print(*_other_half_of_known_items(kept), sep="\n")


def _other_half_of_known_items(kept: Kept) -> list[str]:
    """Check the models that ship on the summaries they were not trained on."""
    queries = lines(test_data() / "retrieval" / "known_item.jsonl")
    tables = []
    with kept.indexed("known", of_venues(KNOWN_VENUES), dense=True) as snapshot:
        rows = rows_by_id(snapshot)
        for name, embedder in (("skim", kept.embedder), ("lexical", None)):
            retriever = Retriever(kept.reader(), embedder)
            truth, given = [], []
            for i in other_half(len(queries)).nonzero()[0].tolist():
                relevant = {rows[paper_id] for paper_id in queries[i]["relevant"]}
                found = retriever.rank(understand(queries[i]["query"], snapshot), snapshot)
                truth += [item.row in relevant for item in found.items]
                given += [item.relevance for item in found.items]
            title = f"{name}, as it ships, other half of the known items"
            tables.append(_reliability(title, np.array(truth), np.array(given)))
    return tables


def _reliability(title: str, truth: NDArray[np.bool_], given: Floats) -> str:
    rows = []
    for low, high in pairwise(EDGES):
        inside = (given >= low) & ((given < high) | (high == 1.0))
        if inside.any():
            said, was = given[inside].mean(), truth[inside].mean()
            counts = [f"{low:.1f} to {high:.1f}", f"{inside.sum():,}"]
            rows.append([*counts, f"{said:.2f}", f"{was:.2f}"])
    heading = f"\nReliability of {title}: Brier {brier_score_loss(truth, given):.4f}\n\n"
    return heading + table(["probability", "papers", "said", "was"], rows)
