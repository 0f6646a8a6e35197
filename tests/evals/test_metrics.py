from __future__ import annotations

import numpy as np
import pytest

from evals.metrics import METRICS, aggregate, case_values, mean_interval
from tests.evals.building import record, result, results


def test_unscored_cases_are_counted_and_never_dropped_silently() -> None:
    found = aggregate(results({"citation recall": [1.0, 0.0, None, 1.0]}, 4), "citation recall", 1)
    assert found is not None
    assert (found.n, found.unscored) == (3, 1)
    assert found.value == pytest.approx(2 / 3)


def test_a_metric_without_one_scored_case_has_no_value() -> None:
    found = aggregate(results({"language": [None, None]}, 2), "language", 1)
    assert found is not None
    assert (found.value, found.n, found.unscored) == (None, 0, 2)
    assert aggregate(results({"language": [None]}, 1), "list F1", 1) is None


def test_repeats_of_a_case_are_one_case() -> None:
    cases = [
        result("a", scores={"passed": 1.0}),
        result("a", repeat=1, scores={"passed": 0.0}),
        result("b", scores={"passed": 1.0}),
        result("b", repeat=1, scores={"passed": None}),
    ]
    assert case_values(cases, "passed") == {"a": 0.5, "b": 1.0}


def test_the_interval_is_that_of_the_bootstrap_and_the_same_each_time() -> None:
    values = np.array([1.0] * 70 + [0.0] * 30)
    low, high = mean_interval(values, 3)
    assert (low, high) == mean_interval(values, 3)
    # Normal approximation: 0.7 ± 1.96 · sqrt(0.7 · 0.3 / 100).
    assert low == pytest.approx(0.61, abs=0.015)
    assert high == pytest.approx(0.79, abs=0.015)


def test_all_right_is_not_certainty() -> None:
    low, high = mean_interval(np.ones(10), 1)
    assert low == pytest.approx(0.722, abs=0.001)  # Wilson, 10 of 10
    assert high == 1


def test_latency_is_a_percentile_and_cost_a_sum() -> None:
    cases = [result(str(n), seconds=n / 100, cost=0.5) for n in range(1, 101)]
    run = record(cases)
    assert run.metrics["latency p50"].value == pytest.approx(0.505)
    assert run.metrics["latency p95"].value == pytest.approx(0.9505)
    assert run.metrics["cost"].value == 50
    assert "cost" not in record([result("a")]).metrics


def test_nothing_that_changes_from_run_to_run_is_gated() -> None:
    assert not any(METRICS[name].gated for name in ("latency p50", "latency p95", "cost"))
