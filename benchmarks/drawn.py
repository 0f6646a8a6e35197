"""Vectors that lie like MiniLM's of real abstracts and cost next to nothing.

They are drawn around topics, in directions of falling weight: of 2,000 of either, the mean cosine
is about 0.15 and that of the ten nearest 0.55.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.index.embedders import LocalEmbedder
from assistant.index.embedding import MiniLM

__all__ = ["DIMENSION", "PER_TOPIC", "DrawnEmbedder", "Floats", "directions", "drawn"]

DIMENSION = 384
PER_TOPIC = 10
_TOPIC_SHARE = 0.5
_DECAY = 0.4
_COMMON = 0.155
_CHARACTERS_PER_TOKEN = 6.9
"""With it, abstracts are cut into as many passages as by the model's own tokens."""

Floats = NDArray[np.float32]


class DrawnEmbedder(LocalEmbedder):
    """Draws the vectors of documents; a question gets its real one.

    To the index it is the local model, so that the assistant opens what it made.

    Args:
        papers: how many there will be, for the number of topics.
    """

    batch = 512

    def __init__(self, papers: int) -> None:
        super().__init__(MiniLM())
        self._rng = np.random.default_rng(papers)
        self.topics = directions(self._rng, max(1, papers // PER_TOPIC))

    def count_tokens(self, text: str) -> int:
        """Estimate a text's tokens.

        Args:
            text: any text.
        """
        return int(len(text) / _CHARACTERS_PER_TOKEN) + 1

    def embed(self, texts: Sequence[str]) -> Floats:
        """Draw a vector for each document.

        Args:
            texts: the documents.
        """
        return drawn(self._rng, self.topics, len(texts))


def drawn(rng: np.random.Generator, topics: Floats, count: int) -> Floats:
    """Draw vectors of length 1.

    Args:
        rng: where chance comes from.
        topics: as `directions` gives them.
        count: how many.
    """
    rows = np.sqrt(_TOPIC_SHARE) * topics[rng.integers(0, len(topics), count)]
    rows += np.sqrt(1 - _TOPIC_SHARE) * directions(rng, count)
    rows[:, 0] += np.sqrt(_COMMON)
    unit: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def directions(rng: np.random.Generator, count: int) -> Floats:
    """Draw directions whose numbers weigh less and less.

    Args:
        rng: where chance comes from.
        count: how many.
    """
    weights = np.arange(1, DIMENSION + 1, dtype=np.float32) ** -_DECAY
    weights *= np.sqrt(1 - _COMMON) / np.linalg.norm(weights)
    rows: Floats = rng.standard_normal((count, DIMENSION), dtype=np.float32) * weights
    return rows
