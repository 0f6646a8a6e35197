"""Runs of numbers of different lengths, one for each row, end to end in one array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Runs"]


@dataclass(frozen=True, slots=True)
class Runs:
    """For each row a run of numbers.

    Args:
        ends: int64 `[rows]`, where each row's run ends.
        numbers: int32, the runs one behind the other.
    """

    ends: NDArray[np.int64]
    numbers: NDArray[np.int32]

    @classmethod
    def of(cls, runs: Sequence[Sequence[int]]) -> Runs:
        """Lay runs end to end.

        Args:
            runs: one for each row.
        """
        lengths = np.fromiter(map(len, runs), np.int64, len(runs))
        flat = np.fromiter((n for run in runs for n in run), np.int32, int(lengths.sum()))
        return cls(np.cumsum(lengths), flat)

    @property
    def bounds(self) -> NDArray[np.int64]:
        """Where each run begins, and where the last one ends: int64 `[rows + 1]`."""
        return np.concatenate([np.zeros(1, np.int64), self.ends])

    def take(self, rows: NDArray[np.integer]) -> Runs:
        """Return some rows, in the order asked for.

        Args:
            rows: their numbers.
        """
        bounds = self.bounds
        counts = bounds[rows + 1] - bounds[rows]
        ends = np.cumsum(counts)
        shift = np.repeat(bounds[rows] - (ends - counts), counts)
        return Runs(ends, self.numbers[shift + np.arange(len(shift))])

    def replaced(self, table: Runs) -> Runs:
        """Replace each number by a run of others; rows stay rows.

        Args:
            table: what stands for each number.
        """
        taken = table.take(self.numbers)
        return Runs(taken.bounds[self.ends], taken.numbers)

    def followed_by(self, more: Runs) -> Runs:
        """Append rows.

        Args:
            more: the rows.
        """
        shift = self.ends[-1] if len(self.ends) else 0
        return Runs(
            np.concatenate([self.ends, more.ends + shift]),
            np.concatenate([self.numbers, more.numbers]),
        )

    def blocks(self, size: int) -> Iterator[Runs]:
        """Cut into blocks of rows, so that what is made of one fits in memory.

        Args:
            size: rows a block has at most.
        """
        bounds = self.bounds
        for first in range(0, len(self.ends), size):
            upto = self.ends[first : first + size]
            yield Runs(upto - bounds[first], self.numbers[bounds[first] : upto[-1]])

    def rows(self) -> NDArray[np.int64]:
        """Return the row of each number."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.bounds))

    def __len__(self) -> int:
        return len(self.ends)
