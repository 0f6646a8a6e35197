"""The matrix of passage vectors: one memory-mapped file, searched exactly.

Why exact and not approximate at the sizes this runs at: docs/decisions/0003-exact-dense-search.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.errors import IndexDamagedError, InputError

__all__ = ["VectorFile", "best_of_each", "products", "write_vectors"]

_PRODUCTS_AT_ONCE = 250_000
"""Multiplications in one call: OpenBLAS starts threads above 262,144 (460,800 for a single query),
and their waiting for each other costs up to a scheduler's turn (16 ms) on a busy machine, where one
thread needs 4 ms for all of 87,000 vectors."""

Floats = NDArray[np.float32]


class VectorFile:
    """Row-aligned vectors of length 1; a row that has none yet holds NaN.

    Args:
        path: the `.npy` file.
        rows: how many rows it must have.

    Raises:
        IndexDamagedError: the file is missing, cut off, or of another shape.
    """

    def __init__(self, path: Path, rows: int) -> None:
        try:
            mapped = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise IndexDamagedError(f"the vectors in {path} cannot be read: {error}") from error
        if mapped.ndim != 2 or mapped.shape[0] != rows or mapped.dtype != np.float32:
            raise IndexDamagedError(
                f"the vectors in {path} are {mapped.shape} {mapped.dtype}, not {rows} rows"
            )
        # A plain view: np.memmap's own subclass costs at each operation.
        self._matrix: Floats = np.asarray(mapped)
        if rows and not _is_unit_or_missing(self._matrix[-1]):
            raise IndexDamagedError(f"the vectors in {path} do not have length 1")

    @property
    def dimension(self) -> int:
        """Numbers per vector."""
        return int(self._matrix.shape[1])

    def cosines(self, query: NDArray[np.floating]) -> Floats:
        """Compare a query with every row.

        Args:
            query: `[dimension]`, of any length but zero.

        Returns:
            float32 `[rows]`, -1 to 1; NaN where a row has no vector.

        Raises:
            InputError: the query's dimension is another one.
        """
        return products(self._matrix, self._unit(query))

    def cosines_at(self, query: NDArray[np.floating], rows: NDArray[np.integer]) -> Floats:
        """Compare a query with some rows.

        Args:
            query: `[dimension]`, of any length but zero.
            rows: `[n]` row numbers.

        Returns:
            float32 `[n]`.

        Raises:
            InputError: the query's dimension is another one.
        """
        found: Floats = self._matrix[rows] @ self._unit(query)
        return found

    def rows(self, start: int, stop: int) -> Floats:
        """Return the rows in a range, `[stop - start, dimension]`.

        Args:
            start: the first row.
            stop: the row behind the last.
        """
        return self._matrix[start:stop]

    def _unit(self, query: NDArray[np.floating]) -> Floats:
        if query.shape != (self.dimension,):
            raise InputError(
                f"the question's vector has the shape {query.shape} and the index holds vectors "
                f"of {self.dimension} numbers: another embedder made it; run `assistant sync`"
            )
        unit = query.astype(np.float32)
        norm = float(np.linalg.norm(unit))
        return unit / np.float32(norm) if norm > 0 else unit


def products(rows: Floats, queries: Floats) -> Floats:
    """Multiply rows with one query or with several, on one thread.

    Args:
        rows: float32 `[n, dimension]`.
        queries: float32 `[dimension]`, or `[dimension, m]`.

    Returns:
        float32 `[n]`, or `[n, m]`.
    """
    found = np.empty((len(rows), *queries.shape[1:]), dtype=np.float32)
    step = max(1, _PRODUCTS_AT_ONCE // max(1, queries.size))
    for start in range(0, len(rows), step):
        np.matmul(rows[start : start + step], queries, out=found[start : start + step])
    return found


def best_of_each(scores: Floats, starts: NDArray[np.integer]) -> Floats:
    """Reduce passage scores to the best one of each paper.

    Args:
        scores: float32 `[passages]`, NaN where unknown.
        starts: `[papers]`, the first passage of each paper; each paper has at least one.

    Returns:
        float32 `[papers]`; NaN only where no passage has a score.
    """
    if len(scores) == len(starts):
        return scores
    best: Floats = np.fmax.reduceat(scores, starts)
    return best


def write_vectors(path: Path, rows: int, dimension: int, vectors: Iterable[bytes | None]) -> int:
    """Write the matrix row by row, without holding it in memory.

    Args:
        path: the `.npy` file to make.
        rows: how many rows `vectors` gives.
        dimension: numbers per vector.
        vectors: float32 bytes per row; None where there is none yet.

    Returns:
        How many rows have a vector.
    """
    matrix = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, dimension))
    ready = 0
    for row, vector in enumerate(vectors):
        if vector is None:
            matrix[row] = np.nan
        else:
            matrix[row] = np.frombuffer(vector, dtype=np.float32)
            ready += 1
    matrix.flush()
    return ready


def _is_unit_or_missing(row: Floats) -> bool:
    norm = float(np.linalg.norm(row))
    return bool(np.isnan(norm)) or abs(norm - 1) < 1e-2
