"""What speaks for a paper's relevance to a question, as numbers."""

from __future__ import annotations

from bisect import bisect_left
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
    exact, alike, weights = [], [], []
    maxima = _TokenMaxima(asked, reading)
    for group in asked.topic.groups:
        both = [_match_chunk(asked, chunk, reading, maxima) for chunk in group]
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


class _TokenMaxima:
    """Best cosines in each sentence, of the tokens of the words asked alone."""

    def __init__(self, asked: Asked, reading: Reading) -> None:
        self._spans = asked.tokens.spans
        spans = [span for group in asked.topic.groups for chunk in group for span in chunk.spans]
        wanted = np.zeros(len(self._spans), dtype=bool)
        for start, end in spans:
            wanted |= self._within(start, end)
        self._places = np.cumsum(wanted) - 1
        self._maxima = reading.token_maxima(asked.tokens.vectors[wanted])

    def _within(self, start: int, end: int) -> NDArray[np.bool_]:
        within: NDArray[np.bool_] = (self._spans[:, 0] < end) & (self._spans[:, 1] > start)
        return within

    def mean(self, start: int, end: int) -> Floats | None:
        """Return the mean over a word's tokens, `[sentences]`; None where it has none.

        Args:
            start: offset of the word in the question.
            end: offset behind it.
        """
        own = self._places[self._within(start, end)]
        if not len(own):
            return None
        mean: Floats = self._maxima[:, own].mean(axis=1)
        return mean


def _match_chunk(
    asked: Asked, chunk: Chunk, reading: Reading, maxima: _TokenMaxima
) -> tuple[Floats, Floats]:
    idfs = np.maximum(np.array(chunk.term_weights, dtype=np.float32), 1e-3)
    alike = np.zeros((len(reading.texts), len(chunk.terms)), dtype=np.float32)
    other = np.zeros_like(alike)
    for i, (start, end) in enumerate(chunk.spans):
        mean = maxima.mean(start, end)
        if mean is not None:
            alike[:, i] = mean
            other[:, i] = worth_alike(mean)
        for facet in asked.facets:
            if facet.start < end and facet.end > start:
                other[:, i] = np.maximum(other[:, i], _FACET_WORTH * reading.shows(facet.shows))
    words = _exact(chunk, reading, idfs)
    return np.maximum(words, other) @ idfs / idfs.sum(), alike @ idfs / idfs.sum()


def _exact(chunk: Chunk, reading: Reading, idfs: Floats) -> Floats:
    """Find a phrase's words: together they count whole, strewn over a sentence half."""
    found = np.zeros((len(reading.texts), len(chunk.terms)), dtype=np.float32)
    if len(chunk.terms) == 1:
        found[_sentences(reading, chunk.terms[0])] = 1.0
        return found
    places: dict[int, list[tuple[int, int]]] = {}
    for i, term in enumerate(chunk.terms):
        for sentence, position in reading.postings.get(term, ()):
            places.setdefault(sentence, []).append((position, i))
    window = 2 * len(chunk.terms) + 1
    worth = idfs.tolist()
    for sentence, hits in places.items():
        best, most = set[int](), 0.0
        placed = sorted(hits)
        for first, _ in hits:
            # Looked up, not gone through: a sentence may be one word ten thousand times.
            from_first = bisect_left(placed, (first, -1))
            near = {i for _, i in placed[from_first : bisect_left(placed, (first + window, -1))]}
            weight = sum(worth[i] for i in sorted(near))
            if weight > most:
                best, most = near, weight
        for _, i in hits:
            found[sentence, i] = 1.0 if i in best else _APART_WORTH
    return found


def _sentences(reading: Reading, term: str) -> list[int]:
    return [sentence for sentence, _ in reading.postings.get(term, ())]


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
    table = np.stack(list(features.values()))
    best = table.max(axis=1, keepdims=True)
    spread = np.maximum(table.std(axis=1, keepdims=True), np.float32(_LEAST_SPREAD))
    gaps, above = table - best, np.clip((table - _medians(table)) / spread, -3, 8)
    for i, name in enumerate(features):
        wide[f"{name}_gap"] = gaps[i]
        wide[f"{name}_best"] = np.full(size, best[i, 0], dtype=np.float32)
        wide[f"{name}_above"] = above[i]
    wide["has_facet"] = np.full(size, float(bool(asked.facets)), dtype=np.float32)
    wide["concepts"] = np.full(size, float(len(asked.topic.groups)), dtype=np.float32)
    return wide


def _medians(table: Floats) -> Floats:
    # Not numpy's: at its first call that imports masked arrays, which takes 20 ms.
    ordered = np.sort(table, axis=1)
    middle = ordered.shape[1] // 2
    found: Floats = (ordered[:, middle] + ordered[:, -middle - 1]) / np.float32(2)
    return found[:, None]


def _coverage(asked: Asked, reading: Reading) -> Floats:
    total = max(sum(asked.topic.weights), 1e-6)
    covered = np.zeros(len(reading.papers), dtype=np.float32)
    for term, weight in zip(asked.topic.terms, asked.topic.weights, strict=True):
        # Plain indexing adds once to a paper, however many of its sentences hold the term.
        covered[reading.owners[_sentences(reading, term)]] += weight
    share: Floats = covered / np.float32(total)
    return share
