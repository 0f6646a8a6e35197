"""What each part of the relevance brings: every part left out in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import brier_score_loss

from assistant.corpus.paper import Paper
from assistant.index.embedding import TokenVectors
from assistant.index.snapshot import Snapshot
from assistant.index.terms import weighted_terms
from assistant.retrieval.facets import facets_in
from assistant.retrieval.features import Asked, match_sentences, read_features, with_ranks
from assistant.retrieval.query import understand
from assistant.retrieval.reading import Reader, Reading
from assistant.retrieval.skimming import skim
from assistant.retrieval.topic import topic_of
from assistant.retrieval.weights import TermWeights
from benchmarks.calibration import STRENGTHS, Judged, cross_fitted
from benchmarks.collections import labelled, seeds
from benchmarks.kept import Kept
from benchmarks.open_questions import open_questions
from benchmarks.tables import table
from benchmarks.train_relevance import Example, chances, f1, fit, thresholds

__all__ = ["ablation"]

SEEDS = "seeds"
SENTENCES = ("best_sentence", "sentence_cosine", "phrase_cosine", "alike_sentence")
CONCEPTS = ("all_concepts", "worst_concept", "main_concept", "alike_concepts", "worst_alike")
ALIKE = ("alike_sentence", "alike_concepts", "worst_alike")
PLACES = ("_gap", "_best", "_above")


@dataclass(frozen=True)
class Variant:
    """What is left out.

    Args:
        facets: whether questions are read for facets.
        alike: whether words in context may meet words alike.
        background: whether a word's rarity in general counts.
        acronyms: whether acronyms meet what they stand for.
        without: features that are left out, with all that is made of them.
        places: whether a paper's place among the others counts.
    """

    facets: bool = True
    alike: bool = True
    background: bool = True
    acronyms: bool = True
    without: tuple[str, ...] = ()
    places: bool = True


VARIANTS = {
    "everything": Variant(),
    "without facets": Variant(facets=False),
    "without late interaction": Variant(alike=False, without=ALIKE),
    "without background rarity": Variant(background=False),
    "without acronyms": Variant(acronyms=False),
    "without best sentences": Variant(without=SENTENCES),
    "without concepts": Variant(without=CONCEPTS),
    "without the paper's cosine": Variant(without=("cosine",)),
    "without any cosine": Variant(
        alike=False, without=("cosine", "sentence_cosine", "phrase_cosine", *ALIKE)
    ),
    "without BM25 and coverage": Variant(without=("bm25", "coverage")),
    "without places among the others": Variant(places=False),
}


def ablation(kept: Kept) -> None:
    """Print one row for each part left out.

    Args:
        kept: the folder of indexes.
    """
    made = {name: list[Example]() for name in VARIANTS}
    for group, papers, questions in _collections():
        with kept.indexed(f"labelled-{group}", papers, dense=True) as snapshot:
            reading = kept.reader().read(papers)
            for row in questions:
                described = _described(row, group, snapshot, reading, kept.reader())
                for name, variant in VARIANTS.items():
                    made[name].append(described(variant))
    whole: NDArray[np.float64] | None = None
    rows = []
    for name, examples in made.items():
        judged = cross_fitted([e for e in examples if e.group != SEEDS], [], STRENGTHS["read"])
        scores = np.array(judged.scores)
        whole = scores if whole is None else whole
        rows.append([name, *_figures(judged, scores - whole), f"{_of_seeds(examples):.3f}"])
    print(
        "\nWhat each part brings: labelled collections cross-fitted, the papers that ship unseen\n"
    )
    heads = [
        "",
        "Brier",
        "F1 of lists",
        "empty where none",
        "both",
        "change ± s.e.",
        "seeds' lists",
    ]
    print(table(heads, rows))


def _collections() -> Iterator[tuple[str, list[Paper], list[dict[str, Any]]]]:
    for group, papers, questions in labelled():
        yield group, papers, [row for row in questions if _asks_list(row)]
    yield SEEDS, seeds(), open_questions("list")


def _asks_list(row: Mapping[str, Any]) -> bool:
    absent = row["kind"] == "unanswerable" and row["note"].startswith("topic")
    return bool(row["kind"] == "list" or absent)


def _described(
    row: Mapping[str, Any], group: str, snapshot: Snapshot, reading: Reading, reader: Reader
) -> Callable[[Variant], Example]:
    query = understand(row["question"], snapshot)
    lexical = snapshot.lexical
    topic = topic_of(query.text, TermWeights(lexical).idf, lexical.expand)
    tokens, phrase = reader.embed_tokens([query.text, topic.phrase or query.text])
    ids = [paper.id for paper in reading.papers]

    def describe(variant: Variant) -> Example:
        asked = Asked(
            topic_of(
                query.text,
                TermWeights(lexical).idf if variant.background else lexical.idf,
                lexical.expand if variant.acronyms else None,
            ),
            facets_in(query.text) if variant.facets else (),
            tokens if variant.alike else _unlike(tokens),
            phrase.pooled,
        )
        weights = lexical.weigh(query.text)
        if not variant.acronyms:
            weights = weighted_terms(lexical.respell(query.text))
        skimmed = skim(snapshot, asked.topic, weights, tokens.pooled)
        matches = match_sentences(asked, reading)
        features = read_features(asked, reading, matches, skimmed.bm25, skimmed.cosine)
        left = {name: v for name, v in features.items() if name not in variant.without}
        wide = with_ranks(left, asked)
        if not variant.places:
            wide = {name: v for name, v in wide.items() if not name.endswith(PLACES)}
        return Example(
            group=group,
            listed=row["kind"] == "list",
            features=wide,
            relevant=np.array([paper_id in row["papers"] for paper_id in ids]),
            unclear=np.array([paper_id in row["maybe"] for paper_id in ids]),
        )

    return describe


def _unlike(tokens: TokenVectors) -> TokenVectors:
    return replace(tokens, vectors=np.zeros_like(tokens.vectors))


def _figures(judged: Judged, change: NDArray[np.float64]) -> list[str]:
    truth, given = judged.judgements()
    error = change.std() / np.sqrt(len(change))
    return [
        f"{brier_score_loss(truth, given):.4f}",
        f"{judged.mean(listed=True):.3f}",
        f"{judged.mean(listed=False):.3f}",
        f"{np.mean(judged.scores):.3f}",
        f"{change.mean():+.3f} ± {error:.3f}",
    ]


def _of_seeds(examples: Sequence[Example]) -> float:
    """Score the lists of the papers that ship, by a model and thresholds of the labelled ones."""
    learnt = [example for example in examples if example.group != SEEDS]
    judged = cross_fitted(learnt, [], STRENGTHS["read"])
    relevant, certain, _ = thresholds(learnt, judged.chances)
    model = fit(learnt, STRENGTHS["read"])
    unseen = [example for example in examples if example.group == SEEDS]
    return float(np.mean([f1(e, chances(model, e), relevant, certain) for e in unseen]))
