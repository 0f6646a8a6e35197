"""Milliseconds a warm query, the question's embedding included."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assistant.index.snapshot import Snapshot
from assistant.index.vectors import VectorFile, best_of_each, write_vectors
from assistant.retrieval.query import understand
from assistant.retrieval.retriever import Retriever
from benchmarks.collections import lines, seeds, test_data
from benchmarks.kept import Kept
from benchmarks.ranking_quality import EVERYTHING, all_papers
from benchmarks.tables import table

__all__ = ["speed"]

SHOWN = 20
WARMING = 5
READ_FACT = 8

Floats = NDArray[np.float32]


class Drawn(Snapshot):
    """A snapshot whose passages have drawn vectors: as quick to compare as real ones.

    Args:
        folder: a generation made without vectors.
        path: where the vectors are written.
    """

    def __init__(self, folder: Path, path: Path) -> None:
        super().__init__(folder)
        rng = np.random.default_rng(0)
        size, dimension = self.mark.passages, 384
        drawn = (rng.standard_normal(dimension, dtype=np.float32) for _ in range(size))
        unit = ((row / np.linalg.norm(row)).tobytes() for row in drawn)
        write_vectors(path, size, dimension, unit)
        self._drawn = VectorFile(path, size)

    @property
    def vectors_ready(self) -> int:
        """How many papers have all their vectors: all."""
        return len(self)

    def cosines(
        self,
        query: NDArray[np.floating],
        *,
        dense: Literal["auto", "exact", "chroma"] = "auto",  # noqa: ARG002
    ) -> Floats:
        """Compare a question with every paper.

        Args:
            query: `[384]`.
            dense: the search is always exact.
        """
        return best_of_each(self._drawn.cosines(query), self._starts)


def speed(kept: Kept) -> None:
    """Time searches, as `Assistant.search` makes them, and the reading of a fact question.

    Args:
        kept: the folder of indexes.
    """
    rows = lines(test_data() / "questions_open.jsonl")
    questions = [row["question"] for row in rows if not row["history"]]
    ours = Retriever(kept.reader(), kept.embedder)
    table_rows = []
    with kept.indexed("seeds", seeds(), dense=True) as snapshot:
        table_rows.append(_timed(f"{len(snapshot)} papers", questions, searching(ours, snapshot)))
    with kept.indexed(EVERYTHING, all_papers(), dense=False) as snapshot:
        words = searching(Retriever(kept.reader(), None), snapshot)
        table_rows.append(_timed(f"{len(snapshot):,} papers, words alone", questions, words))
        drawn = Drawn(snapshot.folder, kept.folder / "drawn.npy")
        both = f"{len(snapshot):,} papers, words and vectors"
        table_rows.append(_timed(both, questions, searching(ours, drawn)))
        reading = searching(Retriever(kept.reader(), None), snapshot, read=READ_FACT)
        some = questions[: len(questions) // 4]
        table_rows.append(
            _timed(f"{len(snapshot):,} papers, the best {READ_FACT} read", some, reading)
        )
    print("\nMilliseconds a query; processor time beside it tells of a machine that others use\n")
    print(table(["", "questions", "p50", "p95", "processor p50", "processor p95"], table_rows))


def searching(
    retriever: Retriever, snapshot: Snapshot, *, read: int = 0
) -> Callable[[str], object]:
    """Return a search that shows its best papers.

    Args:
        retriever: what ranks.
        snapshot: the collection.
        read: how many papers are read.
    """

    def search(question: str) -> object:
        ranking = retriever.rank(understand(question, snapshot), snapshot, read=read)
        return [item.evidence() for item in ranking.items[:SHOWN]]

    return search


def _timed(name: str, questions: Sequence[str], search: Callable[[str], object]) -> list[str]:
    for question in questions[:WARMING]:
        search(question)
    spent, worked = [], []
    for question in questions[WARMING:]:
        begun, before = time.perf_counter(), time.process_time()
        search(question)
        spent.append(1e3 * (time.perf_counter() - begun))
        worked.append(1e3 * (time.process_time() - before))
    times = [*np.percentile(spent, [50, 95]), *np.percentile(worked, [50, 95])]
    return [name, f"{len(spent)}", *(f"{t:.1f}" for t in times)]
