from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assistant.index.runs import Runs

RUNS = st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=12)


def lists(runs: Runs) -> list[list[int]]:
    return [
        runs.numbers[a:b].tolist() for a, b in zip(runs.bounds[:-1], runs.bounds[1:], strict=True)
    ]


@given(RUNS)
def test_runs_come_back_as_they_went_in(given_runs: list[list[int]]) -> None:
    runs = Runs.of(given_runs)
    assert lists(runs) == given_runs
    assert len(runs) == len(given_runs)
    assert runs.rows().tolist() == [at for at, run in enumerate(given_runs) for _ in run]


@given(RUNS, st.data())
def test_rows_are_taken_in_the_order_asked_for(
    given_runs: list[list[int]], data: st.DataObject
) -> None:
    rows = data.draw(
        st.lists(st.integers(0, len(given_runs) - 1), max_size=9) if given_runs else st.just([])
    )
    taken = Runs.of(given_runs).take(np.array(rows, np.int64))
    assert lists(taken) == [given_runs[row] for row in rows]


@given(RUNS, RUNS, st.integers(1, 5))
def test_rows_are_appended_and_cut_into_blocks(
    first: list[list[int]], second: list[list[int]], size: int
) -> None:
    runs = Runs.of(first).followed_by(Runs.of(second))
    assert lists(runs) == first + second
    blocks = list(runs.blocks(size))
    assert [run for block in blocks for run in lists(block)] == first + second
    assert all(len(block) <= size for block in blocks)


@given(RUNS)
def test_numbers_are_replaced_by_runs(given_runs: list[list[int]]) -> None:
    table = [[10 * n] * (n % 3) for n in range(10)]
    replaced = Runs.of(given_runs).replaced(Runs.of(table))
    assert lists(replaced) == [[m for n in run for m in table[n]] for run in given_runs]
