"""Vectors of sentences, each made once: an answer is checked against the same abstracts again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.paper import text_hash

__all__ = ["VectorCache"]

_MOST = 20_000


class VectorCache:
    """An embedder that remembers; safe to share between threads.

    Args:
        embed: turns texts into float32 `[n, dim]`.
    """

    def __init__(self, embed: Callable[[Sequence[str]], NDArray[np.float32]]) -> None:
        self._embed = embed
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = Lock()

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, those seen before from memory.

        Args:
            texts: any number.

        Returns:
            float32 `[len(texts), dim]`; an empty array for no texts.
        """
        keys = [text_hash(text) for text in texts]
        with self._lock:
            found = {key: self._vectors[key] for key in keys if key in self._vectors}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            found |= dict(zip(new, self._embed(list(new.values())), strict=True))
            self._remember({key: found[key] for key in new})
        return np.array([found[key] for key in keys], dtype=np.float32)

    def _remember(self, vectors: dict[str, NDArray[np.float32]]) -> None:
        with self._lock:
            self._vectors.update(vectors)
            while len(self._vectors) > _MOST:
                self._vectors.popitem(last=False)
