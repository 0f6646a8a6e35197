"""Which paper answers a question, and whether it is about the question at all."""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from pathlib import Path

import numpy as np

from assistant.corpus.names import looks_like_name
from assistant.retrieval.ranking import Ranked, Ranking
from assistant.retrieval.relevance import relevance_model
from assistant.retrieval.skimming import matched_words

__all__ = ["CONSIDERED", "answerable_features", "first_features", "first_paper", "is_answerable"]

CONSIDERED = 8
"""Papers among which the one that answers is chosen."""

_FIRST = Path(__file__).parent / "data" / "first-paper.json"
_FIGURE = re.compile(r"\d+\.\d+[x%]?|\d{2,}[x%]")
_WRITTEN = re.compile(r"(?<=[\w,] )[A-Z][\w-]+(?: [A-Z][\w-]+)+")
"""A name of common words ("the Latent Bank") is told by its capitals, inside a sentence."""
_LEAST = 1e-4
_COVERED = 0.75
_RARE_FROM = 5.0
"""The weight of a name in a small collection: background papers hardly write it."""

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
    if _holds_figure(ranking) or _holds_name(ranking):
        return True
    if ranking.items[0].index is None:
        return ranking.relevant > 0
    model = relevance_model("answerable")
    features = {
        name: np.array([value], dtype=np.float32)
        for name, value in answerable_features(ranking).items()
    }
    return float(model.probabilities(features)[0]) >= model.certain


def _holds_figure(ranking: Ranking) -> bool:
    """A figure asked for ("a gain of 3.2x") that the best paper states leaves no doubt."""
    terms = ranking.asked.topic.terms if ranking.asked else ()
    figures = {term for term in terms if _FIGURE.fullmatch(term)}
    words = {word.lower().strip("$") for word in ranking.items[0].matched}
    return any(figure in words or figure.rstrip("x%") in words for figure in figures)


def _holds_name(ranking: Ranking) -> bool:
    """A name asked for ("What is PCMCI?") that the best paper writes leaves no doubt."""
    best = ranking.items[0]
    if ranking.asked is None or best.scores.get("coverage", 0.0) < _COVERED:
        return False
    written = set(_WRITTEN.findall(ranking.query.question))
    if any(name in best.paper.abstract for name in written):
        return True
    topic = ranking.asked.topic
    rare = [
        term
        for term, weight in zip(topic.terms, topic.weights, strict=True)
        if weight >= _RARE_FROM
    ]
    return any(looks_like_name(word) for word in matched_words(best.paper, rare))


def first_features(item: Ranked) -> tuple[float, float]:
    """Describe a paper as the one a fact is looked up in.

    Args:
        item: the paper as ranked.

    Returns:
        Log-odds of its relevance, and the share of the question its best sentence shows.
    """
    chance = min(max(item.relevance, _LEAST), 1 - _LEAST)
    return math.log(chance / (1 - chance)), item.scores.get("best_sentence", 0.0)


def first_paper(ranking: Ranking) -> Ranked:
    """Choose the paper that a fact question is answered from.

    Args:
        ranking: with at least one paper.

    Returns:
        The named paper, of several that bear the name the most relevant, or the best one that the
        talk points to, else the one whose relevance and best sentence speak for it most.
    """
    items = ranking.items[:CONSIDERED]
    if ranking.query.named:
        first = ranking.query.named[0].start
        rows = {named.row for named in ranking.query.named if named.start == first}
        return next((item for item in ranking.items if item.row in rows), items[0])
    weights = _first_weights()

    def score(item: Ranked) -> float:
        chance, sentence = first_features(item)
        return weights["relevance"] * chance + weights["best_sentence"] * sentence

    return max(items, key=score)


@lru_cache(maxsize=1)
def _first_weights() -> dict[str, float]:
    stored = json.loads(_FIRST.read_text(encoding="utf-8"))
    return {name: float(stored[name]) for name in ("relevance", "best_sentence")}
