"""Exact dense search against Chroma's graph: latency, recall@10, size, at several collection sizes.

    python -m benchmarks.dense --sizes 1000 10000 87000

Vectors are drawn around topics, in directions of falling weight, so that they lie like MiniLM's of
real abstracts: of 2,000 of either, the mean cosine is about 0.15 and that of the ten nearest 0.55.
Queries are new draws from the same topics, not copies of what is stored: those a graph finds too
easily.
Decision record: docs/decisions/0003-exact-dense-search.md.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.paper import Paper, Passage
from assistant.index.store import Entry, PassageStore
from assistant.index.vectors import VectorFile, write_vectors

__all__ = ["main"]

_DIMENSION = 384
_TOP = 10
_MANY = 1_000
_PER_TOPIC = 10
_TOPIC_SHARE = 0.5
_DECAY = 0.4
_COMMON = 0.155

_WORDS = "we study a method for this problem and show that it works on several data sets "

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Row:
    """What was measured at one size; times in milliseconds."""

    passages: int
    exact: list[float]
    few: list[float]
    few_recall: float
    many: list[float]
    many_recall: float
    exact_mb: float
    chroma_mb: float
    filled_in: float


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 87_000])
    parser.add_argument("--queries", type=int, default=200)
    given = parser.parse_args()
    print(
        "| passages | exact p50 / p95, ms | Chroma, 10 asked: ms | recall@10 "
        "| Chroma, 1,000 asked: ms | recall@10 | exact, MB | Chroma, MB | Chroma filled in, s |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for size in given.sizes:
        row = _measure(size, given.queries)
        print(
            f"| {row.passages:,} | {_times(row.exact)} | {_times(row.few)} | {row.few_recall:.3f} "
            f"| {_times(row.many)} | {row.many_recall:.3f} | {row.exact_mb:.0f} "
            f"| {row.chroma_mb:.0f} | {row.filled_in:.1f} |",
            flush=True,
        )


def _measure(size: int, queries: int) -> Row:
    rng = np.random.default_rng(size)
    topics = _weighted(rng, size // _PER_TOPIC)
    stored = _draw(rng, topics, size)
    asked = _draw(rng, topics, queries)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_vectors(folder / "vectors.npy", size, _DIMENSION, (row.tobytes() for row in stored))
        vectors = VectorFile(folder / "vectors.npy", size)
        begun = time.perf_counter()
        with PassageStore(folder / "chroma") as store:
            store.reconcile(_entries(stored), lambda _: None)
            filled_in = time.perf_counter() - begun
            exact, nearest = _timed(asked, lambda query: _exact(vectors, query))
            few, of_few = _timed(asked, lambda query: _of_chroma(store, query, _TOP))
            many, of_many = _timed(asked, lambda query: _of_chroma(store, query, _MANY))
        return Row(
            passages=size,
            exact=exact,
            few=few,
            few_recall=_recall(nearest, of_few),
            many=many,
            many_recall=_recall(nearest, of_many),
            exact_mb=(folder / "vectors.npy").stat().st_size / 1e6,
            chroma_mb=sum(p.stat().st_size for p in (folder / "chroma").rglob("*")) / 1e6,
            filled_in=filled_in,
        )


def _timed(
    queries: Floats, search: Callable[[Floats], set[int]]
) -> tuple[list[float], list[set[int]]]:
    for query in queries[:5]:
        search(query)
    times, found = [], []
    for query in queries:
        begun = time.perf_counter()
        found.append(search(query))
        times.append((time.perf_counter() - begun) * 1_000)
    return times, found


def _exact(vectors: VectorFile, query: Floats) -> set[int]:
    cosines = vectors.cosines(query)
    return set(np.argpartition(-cosines, _TOP)[:_TOP].tolist())


def _of_chroma(store: PassageStore, query: Floats, asked_for: int) -> set[int]:
    named = store.nearest(query, asked_for)[:_TOP]
    return {int(name.partition("#")[0]) for name, _ in named}


def _recall(nearest: list[set[int]], found: list[set[int]]) -> float:
    return sum(len(a & b) for a, b in zip(nearest, found, strict=True)) / (_TOP * len(nearest))


def _entries(vectors: Floats) -> Iterator[Entry]:
    for i, vector in enumerate(vectors):
        text = f"abstract {i} {_WORDS * 13}"
        paper = Paper(id=str(i), abstract=text, venue=f"venue {i % 20}", year=2010 + i % 17)
        yield Entry.of(paper, Passage(paper.id, text, 0, len(text)), 0, f"{i:032x}", vector)


def _draw(rng: np.random.Generator, topics: Floats, count: int) -> Floats:
    rows = np.sqrt(_TOPIC_SHARE) * topics[rng.integers(0, len(topics), count)]
    rows += np.sqrt(1 - _TOPIC_SHARE) * _weighted(rng, count)
    rows[:, 0] += np.sqrt(_COMMON)
    unit: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _weighted(rng: np.random.Generator, count: int) -> Floats:
    weights = np.arange(1, _DIMENSION + 1, dtype=np.float32) ** -_DECAY
    weights *= np.sqrt(1 - _COMMON) / np.linalg.norm(weights)
    rows: Floats = rng.standard_normal((count, _DIMENSION), dtype=np.float32) * weights
    return rows


def _times(milliseconds: list[float]) -> str:
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return f"{p50:.2f} / {p95:.2f}"


if __name__ == "__main__":
    main()
