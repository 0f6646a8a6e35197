"""What speaks for a paper's relevance to a question, as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.index.embedding import TokenVectors
from assistant.index.vectors import products
from assistant.retrieval.facets import Facet
from assistant.retrieval.reading import Reading
from assistant.retrieval.topic import Chunk, Topic

__all__ = [
    "Asked",
    "Matches",
    "match_sentences",
    "read_features",
    "with_ranks",
    "worth_alike",
]

Floats = NDArray[np.float32]

_ALIKE_FROM = 0.45
_ALIKE_AT = 0.9
_ALIKE_WORTH = 0.9
_FACET_WORTH = 0.9
_APART_WORTH = 0.5
_LEAST_SPREAD = 0.03


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, ready to be compared with sentences.

    Args:
        topic: its concepts.
        facets: what it asks for in other words.
        tokens: its tokens in context.
        phrase: float32 `[384]`, the vector of its content words alone.
    """

    topic: Topic
    facets: Sequence[Facet]
    tokens: TokenVectors
    phrase: Floats


@dataclass(frozen=True, slots=True)
class Matches:
    """How well each sentence shows each concept of a question.

    Args:
        exact: `[sentences, groups]`, 0 to 1: the words themselves, a facet, or words alike.
        alike: `[sentences, groups]`, cosines of the best tokens.
        weights: `[groups]`, how much each concept tells.
    """

    exact: Floats
    alike: Floats
    weights: Floats

    @property
    def sentences(self) -> Floats:
        """Each sentence's share of the question's weight that it shows, `[sentences]`."""
        share: Floats = self.exact @ self.weights / self.weights.sum()
        return share

    @property
    def alike_sentences(self) -> Floats:
        """Each sentence's weighted cosine, `[sentences]`."""
        share: Floats = self.alike @ self.weights / self.weights.sum()
        return share


def worth_alike(cosines: Floats) -> Floats:
    """Say how much a word that is merely alike counts, 0 to 0.9.

    Args:
        cosines: between tokens in context.
    """
    share = (cosines - _ALIKE_FROM) / (_ALIKE_AT - _ALIKE_FROM)
    worth: Floats = np.clip(share, 0, 1) * np.float32(_ALIKE_WORTH)
    return worth


def match_sentences(asked: Asked, reading: Reading) -> Matches:
    """Compare a question's concepts with every sentence read.

    Args:
        asked: the question.
        reading: the sentences.

    Returns:
        Matches by sentence and concept.
    """
    size = len(reading.texts)
    shown = {
        facet.name: np.array([bool(facet.shows.search(text)) for text in reading.texts])
        for facet in asked.facets
    }
    exact, alike, weights = [], [], []
    maxima = reading.token_maxima(asked.tokens.vectors)
    for group in asked.topic.groups:
        both = [_match_chunk(asked, chunk, reading, shown, maxima) for chunk in group]
        exact.append(np.max([pair[0] for pair in both], axis=0))
        alike.append(np.max([pair[1] for pair in both], axis=0))
        weights.append(max(chunk.weight for chunk in group))
    if not exact:
        return Matches(
            np.zeros((size, 1), np.float32), np.zeros((size, 1), np.float32), np.ones(1, np.float32)
        )
    return Matches(
        np.stack(exact, axis=1).astype(np.float32),
        np.stack(alike, axis=1).astype(np.float32),
        np.maximum(np.array(weights, dtype=np.float32), 1e-3),
    )


def _match_chunk(
    asked: Asked,
    chunk: Chunk,
    reading: Reading,
    shown: Mapping[str, NDArray[np.bool_]],
    maxima: Floats,
) -> tuple[Floats, Floats]:
    idfs = np.maximum(np.array(chunk.term_weights, dtype=np.float32), 1e-3)
    alike = np.zeros((len(reading.texts), len(chunk.terms)), dtype=np.float32)
    other = np.zeros_like(alike)
    for i, (start, end) in enumerate(chunk.spans):
        own = (asked.tokens.spans[:, 0] < end) & (asked.tokens.spans[:, 1] > start)
        if own.any():
            alike[:, i] = maxima[:, own].mean(axis=1)
            other[:, i] = worth_alike(alike[:, i])
        for facet in asked.facets:
            if facet.start < end and facet.end > start:
                other[:, i] = np.maximum(other[:, i], _FACET_WORTH * shown[facet.name])
    words = _exact(chunk, reading, idfs)
    return np.maximum(words, other) @ idfs / idfs.sum(), alike @ idfs / idfs.sum()


def _exact(chunk: Chunk, reading: Reading, idfs: Floats) -> Floats:
    """Find a phrase's words: together they count whole, strewn over a sentence half."""
    found = np.zeros((len(reading.texts), len(chunk.terms)), dtype=np.float32)
    places: dict[int, list[tuple[int, int]]] = {}
    for i, term in enumerate(chunk.terms):
        for sentence, position in reading.postings.get(term, ()):
            places.setdefault(sentence, []).append((position, i))
    window = 2 * len(chunk.terms) + 1
    for sentence, hits in places.items():
        best: set[int] = set()
        for first, _ in hits:
            near = {i for position, i in hits if first <= position < first + window}
            if idfs[list(near)].sum() > idfs[list(best)].sum():
                best = near
        found[sentence, [i for _, i in hits]] = _APART_WORTH
        found[sentence, list(best)] = 1.0
    return found


def read_features(
    asked: Asked, reading: Reading, matches: Matches, bm25: Floats, cosines: Floats
) -> dict[str, Floats]:
    """Describe every paper read.

    Args:
        asked: the question.
        reading: the papers' sentences.
        matches: how the sentences match it.
        bm25: `[papers]`, as a share of what a paper of nothing but the question would get.
        cosines: `[papers]`, between question and best passage; 0 where there is no vector.

    Returns:
        Features by name, each float32 `[papers]`.
    """
    by_group = reading.paper_maxima(matches.exact)
    alike = reading.paper_maxima(matches.alike)
    weights = matches.weights / matches.weights.sum()
    return {
        "bm25": bm25,
        "coverage": _coverage(asked, reading),
        "cosine": cosines,
        "sentence_cosine": reading.paper_maxima(products(reading.pooled, asked.tokens.pooled)),
        "phrase_cosine": reading.paper_maxima(products(reading.pooled, asked.phrase)),
        "best_sentence": reading.paper_maxima(matches.sentences),
        "all_concepts": by_group @ weights,
        "worst_concept": by_group.min(axis=1),
        "main_concept": by_group[:, int(matches.weights.argmax())],
        "alike_sentence": reading.paper_maxima(matches.alike_sentences),
        "alike_concepts": alike @ weights,
        "worst_alike": alike.min(axis=1),
    }


def with_ranks(features: Mapping[str, Floats], asked: Asked) -> dict[str, Floats]:
    """Add how each paper stands among the others, and how good the best is.

    Args:
        features: as `read_features` gives them.
        asked: the question.

    Returns:
        The features; `<name>_gap` behind the best, `<name>_best`, `<name>_above` the median in
        standard deviations; and two that describe the question.
    """
    size = len(next(iter(features.values())))
    wide = dict(features)
    for name, values in features.items():
        wide[f"{name}_gap"] = values - values.max()
        wide[f"{name}_best"] = np.full(size, values.max(), dtype=np.float32)
        spread = max(float(values.std()), _LEAST_SPREAD)
        wide[f"{name}_above"] = np.clip((values - _median(values)) / spread, -3, 8)
    wide["has_facet"] = np.full(size, float(bool(asked.facets)), dtype=np.float32)
    wide["concepts"] = np.full(size, float(len(asked.topic.groups)), dtype=np.float32)
    return wide


def _median(values: Floats) -> np.float32:
    # Not numpy's: at its first call that imports masked arrays, which takes 20 ms.
    ordered = np.sort(values)
    middle = len(ordered) // 2
    return np.float32((ordered[middle] + ordered[-middle - 1]) / 2)


def _coverage(asked: Asked, reading: Reading) -> Floats:
    total = max(sum(asked.topic.weights), 1e-6)
    covered = np.zeros(len(reading.papers), dtype=np.float32)
    for term, weight in zip(asked.topic.terms, asked.topic.weights, strict=True):
        places = reading.postings.get(term, ())
        rows = {int(reading.owners[sentence]) for sentence, _ in places}
        covered[list(rows)] += weight
    share: Floats = covered / np.float32(total)
    return share
