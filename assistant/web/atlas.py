"""The collection as a picture: where each abstract lies, and what its neighbourhood is about.

The layout is the two first principal components of the abstracts' vectors, each moved half-way to
the centre of its topic, so that topics stand apart: plain numpy, the same at every run, and
seconds at most. See docs/decisions/0010-map.md.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.answering.plaintext import plain
from assistant.corpus.paper import Paper
from assistant.index.terms import analyse, is_generic, is_stopword
from assistant.web.shelf import Shelf

__all__ = ["MOST_POINTS", "Atlas", "drawn"]

MOST_POINTS = 5_000
_VERSION = 1
_FILE = "map.json"
_ROUNDS = 30
_TRIES = 6
_MOST_TOPICS = 14
_LABEL_TERMS = 3
_SEED = 7
_lock = threading.Lock()

Vectors = NDArray[np.float32]


class Atlas:
    """The map of a collection, drawn when it is first asked for and kept beside the index.

    Args:
        folder: of the index.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _FILE

    def map(self, shelf: Shelf) -> str:
        """Return the map as JSON.

        Args:
            shelf: the collection.
        """
        with _lock:
            kept = self._kept()
            if kept.get("generation") == shelf.generation and kept.get("version") == _VERSION:
                return json.dumps(kept, ensure_ascii=False)
            made = drawn(shelf)
            text = json.dumps(made, ensure_ascii=False)
            if made["complete"]:
                # Kept only to save time: a folder that cannot be written costs nothing else.
                with suppress(OSError):
                    self._keep(text)
            return text

    def _kept(self) -> dict[str, Any]:
        try:
            kept = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return kept if isinstance(kept, dict) else {}

    def _keep(self, text: str) -> None:
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=_FILE)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(self._path)


def drawn(shelf: Shelf) -> dict[str, Any]:
    """Draw a collection.

    Args:
        shelf: the collection.

    Returns:
        `points` as `[x, y, topic, id, title]` with x and y in 0..1, `topics` as labels, how many
        papers are `shown` of how many `held`, and whether all of those have vectors (`complete`).
    """
    held = len(shelf)
    rows = np.arange(held)
    if held > MOST_POINTS:
        rows = np.sort(np.random.default_rng(_SEED).choice(held, MOST_POINTS, replace=False))
    found = [(int(row), vector) for row in rows if (vector := shelf.vector(int(row))) is not None]
    made: dict[str, Any] = {
        "version": _VERSION,
        "generation": shelf.generation,
        "held": held,
        "shown": len(found),
        "complete": len(found) == len(rows),
        "points": [],
        "topics": [],
    }
    if len(found) < 2:
        return made
    papers = [shelf.paper(row) for row, _ in found]
    vectors = np.stack([vector for _, vector in found]).astype(np.float32)
    topics, centres = _grouped(vectors, _topic_count(len(found)))
    places = _laid_out(vectors + centres[topics])
    made["topics"] = _labels(papers, topics, len(centres))
    made["points"] = [
        [round(float(x), 4), round(float(y), 4), int(topic), paper.id, plain(paper.label).text]
        for (x, y), topic, paper in zip(places, topics, papers, strict=True)
    ]
    return made


def _topic_count(papers: int) -> int:
    return max(2, min(_MOST_TOPICS, round(math.sqrt(papers) * 0.9)))


def _grouped(vectors: Vectors, count: int) -> tuple[NDArray[np.int64], Vectors]:
    """Spherical k-means, the best of a few seeded beginnings."""
    random = np.random.default_rng(_SEED)
    best: tuple[float, NDArray[np.int64], Vectors] | None = None
    for _ in range(_TRIES):
        topics, centres = _settled(vectors, _begun(vectors, count, random))
        fit = float(np.einsum("ij,ij->", vectors, centres[topics]))
        if best is None or fit > best[0]:
            best = fit, topics, centres
    assert best is not None  # noqa: S101 - there is at least one try
    return best[1], best[2]


def _begun(vectors: Vectors, count: int, random: np.random.Generator) -> Vectors:
    """Centres far from each other, as k-means++ draws them."""
    chosen = [int(random.integers(len(vectors)))]
    far = 1.0 - vectors @ vectors[chosen[0]]
    while len(chosen) < min(count, len(vectors)):
        weight = np.maximum(far, 0.0).astype(np.float64) ** 2 + 1e-12
        chosen.append(int(random.choice(len(vectors), p=weight / weight.sum())))
        far = np.minimum(far, 1.0 - vectors @ vectors[chosen[-1]])
    return np.asarray(vectors[chosen])


def _settled(vectors: Vectors, centres: Vectors) -> tuple[NDArray[np.int64], Vectors]:
    centres = centres.copy()
    topics = np.argmax(vectors @ centres.T, axis=1)
    for _ in range(_ROUNDS):
        for place in range(len(centres)):
            if (members := topics == place).any():
                centre = vectors[members].mean(axis=0)
                centres[place] = centre / max(float(np.linalg.norm(centre)), 1e-9)
        moved = np.argmax(vectors @ centres.T, axis=1)
        if (moved == topics).all():
            break
        topics = moved
    return topics, centres


def _laid_out(vectors: Vectors) -> NDArray[np.float64]:
    centred = vectors.astype(np.float64) - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    axes = directions[:, [-1, -2]]
    # An axis has no sign of its own: fixed, so that the picture is the same everywhere.
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
    places = centred @ axes
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - low) / np.maximum(high - low, 1e-9), dtype=np.float64)


def _labels(papers: Sequence[Paper], topics: NDArray[np.int64], count: int) -> list[str]:
    """Name each topic by the terms that its papers hold and the others do not."""
    everywhere: Counter[str] = Counter()
    inside = [Counter[str]() for _ in range(count)]
    surfaces: dict[str, Counter[str]] = {}
    for paper, topic in zip(papers, topics, strict=True):
        held = _weighed(paper, surfaces)
        everywhere.update(held)
        inside[int(topic)].update(held)
    sizes = np.bincount(topics, minlength=count)
    return [
        _label(inside[topic], everywhere, surfaces, int(sizes[topic]), len(papers))
        for topic in range(count)
    ]


def _weighed(paper: Paper, surfaces: dict[str, Counter[str]]) -> dict[str, int]:
    """The terms of a paper: 1 for the abstract, 2 more for the title, which says what it is on."""
    weights: dict[str, int] = {}
    for text, weight in ((plain(paper.title or "").text, 3), (plain(paper.abstract).text, 1)):
        for term in analyse(text):
            word = text[term.start : term.end]
            if (
                word.isalpha()
                and len(word) > 2
                and not (is_stopword(term.text) or is_generic(term.text))
            ):
                weights[term.text] = max(weight, weights.get(term.text, 0))
                surfaces.setdefault(term.text, Counter())[word] += 1
    return weights


def _label(
    inside: Counter[str],
    everywhere: Counter[str],
    surfaces: dict[str, Counter[str]],
    size: int,
    papers: int,
) -> str:
    def telling(term: str) -> float:
        share = inside[term] / max(1, size)
        rest = (everywhere[term] - inside[term] + 0.5) / (papers - size + 1)
        return share * math.log(share / rest)

    shown: list[str] = []
    for term in sorted(inside, key=lambda name: (-telling(name), name)):
        word = surfaces[term].most_common(1)[0][0]
        bare = word.casefold()[:5]
        if not any(bare == other.casefold()[:5] for other in shown):
            shown.append(word if word.isupper() else word.casefold() if word.istitle() else word)
        if len(shown) == _LABEL_TERMS:
            break
    return ", ".join(shown)
