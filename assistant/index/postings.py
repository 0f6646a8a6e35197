"""Which documents each term stands in and what it scores there, in arrays read in place."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["Postings"]


@dataclass(frozen=True, slots=True)
class Postings:
    """Columns of document rows and BM25 scores, one column for each term.

    Args:
        starts: int64 `[columns + 1]`, where each column begins in the other two.
        rows: int32 `[postings]`, documents, ascending within a column.
        scores: float32 `[postings]`.
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    scores: NDArray[np.float32]

    @classmethod
    def build(cls, documents: Sequence[array[int]], columns: int, k1: float, b: float) -> Postings:
        """Score documents by bm25s, the variant Lucene uses.

        Lù, X. H.: BM25S: Orders of magnitude faster lexical search via eager sparse scoring.
        arXiv:2407.03618 (2024).

        Args:
            documents: the columns that stand in each document, repeated as they occur.
            columns: how many there are.
            k1: how slowly repetition stops to count.
            b: how much long documents are held back, 0 to 1.
        """
        if not columns or not documents:
            return cls(
                np.zeros(columns + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32)
            )
        from bm25s import BM25

        made = BM25(k1=k1, b=b, method="lucene").build_index_from_ids(
            list(range(columns)), documents, show_progress=False
        )
        return cls(made["indptr"].astype(np.int64), made["indices"], made["data"])

    @classmethod
    def load(cls, folder: Path, name: str) -> Postings:
        """Map what `save` wrote into memory; pages are read when a question touches them.

        Args:
            folder: where it was saved.
            name: under which name.
        """
        starts, rows, scores = (
            np.asarray(np.load(folder / f"{name}-{part}.npy", mmap_mode="r"))
            for part in ("starts", "rows", "scores")
        )
        return cls(starts, rows, scores)

    def save(self, folder: Path, name: str) -> None:
        """Write the arrays.

        Args:
            folder: an existing folder.
            name: what the files' names begin with.
        """
        np.save(folder / f"{name}-starts.npy", self.starts)
        np.save(folder / f"{name}-rows.npy", self.rows)
        np.save(folder / f"{name}-scores.npy", self.scores)

    def rows_of(self, column: int) -> NDArray[np.int32]:
        """Return the documents of one column, ascending.

        Args:
            column: its number.
        """
        return self.rows[self.starts[column] : self.starts[column + 1]]

    def add_to(self, total: NDArray[np.float32], column: int, weight: float) -> None:
        """Add one column's scores to each document's total.

        Args:
            total: float32 `[documents]`, changed in place.
            column: its number.
            weight: what the scores are multiplied by.
        """
        start, end = self.starts[column], self.starts[column + 1]
        # A column names a document once, so plain indexing adds correctly, and faster than add.at.
        total[self.rows[start:end]] += self.scores[start:end] * np.float32(weight)

    def __len__(self) -> int:
        return len(self.starts) - 1
