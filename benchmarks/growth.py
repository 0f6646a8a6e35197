"""What a question costs as a collection grows: search, with a filter, opening, recall, disk.

    python -m benchmarks.growth [--sizes 38 1000 10000 87413]

The 38 are the papers that ship. Questions are embedded by the local model; documents have drawn
vectors (benchmarks/drawn.py), which cost as much to compare.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from assistant.api import Assistant
from assistant.index.mark import VECTORS
from assistant.index.snapshot import Snapshot
from assistant.settings import load_settings
from benchmarks.collections import seeds
from benchmarks.drawn import DrawnEmbedder, Floats, drawn
from benchmarks.measuring import (
    Clock,
    assistant_command,
    disk_mb,
    index_in,
    machine,
    milliseconds,
    questions,
    stream,
)
from benchmarks.tables import table

__all__ = ["main"]

_SEEDS = 38
_TOP = 10
_ASKED = 200
_OPENED = 3
_ALL = 87_413

_HEADS = [
    "papers",
    "sync, s",
    "open and find, s",
    "search p50 / p95, ms",
    "its CPU, ms",
    "with a filter, ms",
    "its CPU, ms",
    "all cosines, ms",
    "recall@10",
    "Chroma's 10, ms",
    "recall@10",
    "memory, MB",
    "disk, MB",
]


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[_SEEDS, 1_000, 10_000, _ALL])
    given = parser.parse_args()
    print(f"{machine()}\n")
    rows = []
    for size in given.sizes:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(_measured(Path(folder), size))
    print(table(_HEADS, rows))
    print(f"\n{machine()}")


def _measured(folder: Path, size: int) -> list[str]:
    embedder = DrawnEmbedder(size)
    with index_in(folder, embedder) as index, Clock() as filling:
        index.sync(seeds() if size == _SEEDS else stream(size), source="growth")
    asked = questions()
    opened = min(assistant_command(folder, "search", asked[0]) for _ in range(_OPENED))
    settings = load_settings(
        data_dir=folder, collection="benchmark", model="none", embedder="minilm"
    )
    with Assistant(settings) as assistant, Clock() as reading:
        snapshot = assistant.snapshot()
        where = _common(snapshot)
        plain = milliseconds(asked, assistant.search)
        filtered = milliseconds(asked, lambda question: assistant.search(question, where=where))
    probes = drawn(np.random.default_rng(0), embedder.topics, _ASKED)
    exact, graph = _dense(snapshot, probes)
    return [
        f"{len(snapshot):,}",
        f"{filling.wall:.1f}",
        f"{opened:.2f}",
        *plain,
        *filtered,
        *exact,
        *graph,
        f"{reading.peak_mb:,.0f}",
        f"{disk_mb(folder):,.0f}",
    ]


def _common(snapshot: Snapshot) -> dict[str, object]:
    """Return a filter that many papers pass: the most frequent year."""
    years = Counter(paper.year for paper in snapshot.papers() if paper.year)
    return {"year": years.most_common(1)[0][0]} if years else {}


def _dense(snapshot: Snapshot, probes: Floats) -> tuple[list[str], list[str]]:
    """Time the cosines of all papers and Chroma's own ten, each with its recall of the nearest."""
    matrix = np.load(snapshot.folder / VECTORS)
    starts = np.unique(snapshot.passage_papers, return_index=True)[1]
    ours, chromas = [], []
    times: tuple[list[float], list[float]] = ([], [])
    snapshot.cosines(probes[0])
    snapshot.store.nearest(probes[0], _TOP)
    for probe in probes:
        every = matrix @ probe
        best = np.argsort(-np.maximum.reduceat(every, starts))[:_TOP]
        begun = time.perf_counter()
        found = snapshot.cosines(probe)
        times[0].append(1e3 * (time.perf_counter() - begun))
        ours.append(len(np.intersect1d(best, np.argpartition(-found, _TOP)[:_TOP])) / _TOP)
        bound = np.partition(every, -_TOP)[-_TOP] - 1e-5
        begun = time.perf_counter()
        named = snapshot.store.nearest(probe, _TOP)
        times[1].append(1e3 * (time.perf_counter() - begun))
        chromas.append(sum(cosine >= bound for _, cosine in named) / _TOP)
    return (
        [_median(times[0]), f"{np.mean(ours):.3f}"],
        [_median(times[1]), f"{np.mean(chromas):.3f}"],
    )


def _median(values: list[float]) -> str:
    return "{:.1f} / {:.1f}".format(*np.percentile(values, [50, 95]))


if __name__ == "__main__":
    main()
