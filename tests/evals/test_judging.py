from __future__ import annotations

import pytest

from evals.judging import agreement, kappa


def test_kappa_worked_out_by_hand() -> None:
    # 20 both yes, 15 both no, 5 and 10 apart: observed 0.7, chance 0.5·0.6 + 0.5·0.4.
    one = [True] * 20 + [True] * 5 + [False] * 10 + [False] * 15
    other = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15
    assert kappa(one, other) == pytest.approx(0.4)
    assert kappa([True, True], [True, True]) is None


def test_the_majority_counts_and_unread_replies_are_told() -> None:
    votes: list[list[str | None]] = [
        ["yes", "yes", "no"],
        ["no", "partly", "no"],
        [None, None, None],
        ["yes", None, "yes"],
    ]
    verdicts = [(True, True), (True, False), (True, True), (False, True)]
    found = agreement(verdicts, votes, 1)
    assert (found["sentences"], found["unscored"]) == (4, 1)
    assert found["with the verifier"]["value"] == pytest.approx(1 / 3)
    assert found["with the cases"]["value"] == 1
    assert found["with itself"]["value"] == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)
