"""Whether the best paper found is about the question at all."""

from __future__ import annotations

import numpy as np

from assistant.retrieval.ranking import Ranking
from assistant.retrieval.relevance import relevance_model

__all__ = ["answerable_features", "is_answerable"]

_OF_READING = (
    "coverage",
    "sentence_cosine",
    "phrase_cosine",
    "best_sentence",
    "all_concepts",
    "worst_concept",
    "main_concept",
    "alike_sentence",
    "alike_concepts",
    "worst_alike",
)


def answerable_features(ranking: Ranking) -> dict[str, float]:
    """Describe a question by the papers found for it.

    Args:
        ranking: with at least one paper, read sentence by sentence.
    """
    best = ranking.items[0]
    second = ranking.items[1].relevance if len(ranking.items) > 1 else 0.0
    weights = ranking.asked.topic.weights if ranking.asked else ()
    features = {name: best.scores.get(name, 0.0) for name in _OF_READING}
    features["relevance"] = best.relevance
    features["lead"] = best.relevance - second
    features["words"] = float(len(weights))
    return features


def is_answerable(ranking: Ranking) -> bool:
    """Tell whether the best paper is about the question.

    Args:
        ranking: what was found.

    Returns:
        True also where a paper is named or the talk points to one: then it is what is asked about.
    """
    if not ranking.items:
        return False
    if ranking.query.focus:
        return True
    if ranking.items[0].index is None:
        return ranking.relevant > 0
    model = relevance_model("answerable")
    features = {
        name: np.array([value], dtype=np.float32)
        for name, value in answerable_features(ranking).items()
    }
    return float(model.probabilities(features)[0]) >= model.certain
