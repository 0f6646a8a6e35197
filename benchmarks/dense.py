"""Exact dense search against Chroma's graph: latency, recall@10, size, at several collection sizes.

    python -m benchmarks.dense --sizes 1000 10000 87000

Vectors are drawn (benchmarks/drawn.py). Queries are new draws from the same topics, not copies of
what is stored: those a graph finds too easily.
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

from assistant.corpus.paper import Paper, Passage
from assistant.index.store import Entry, PassageStore
from assistant.index.vectors import VectorFile, write_vectors
from benchmarks.drawn import DIMENSION, PER_TOPIC, Floats, directions, drawn

__all__ = ["main"]

_TOP = 10
_MANY = 1_000

_WORDS = "we study a method for this problem and show that it works on several data sets "


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
    topics = directions(rng, size // PER_TOPIC)
    stored = drawn(rng, topics, size)
    asked = drawn(rng, topics, queries)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_vectors(folder / "vectors.npy", size, DIMENSION, (row.tobytes() for row in stored))
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


def _times(milliseconds: list[float]) -> str:
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return f"{p50:.2f} / {p95:.2f}"


if __name__ == "__main__":
    main()
