"""Metrics over cases, each with its number of cases and a 95 % confidence interval."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evals.records import CaseResult, Interval

__all__ = ["METRICS", "Metric", "aggregate", "case_values", "mean_interval", "summary"]

RESAMPLES = 4999
CONFIDENCE = 0.95
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class Metric:
    """How a metric is read.

    Args:
        meaning: in one line.
        higher_is_better: or lower.
        gated: whether the gate looks at it.
        unit: `share`, `s` or `USD`.
        statistic: over the cases.
    """

    meaning: str
    higher_is_better: bool = True
    gated: bool = True
    unit: Literal["share", "s", "USD"] = "share"
    statistic: Literal["mean", "p50", "p95", "sum"] = "mean"


METRICS: dict[str, Metric] = {
    "passed": Metric("cases with everything right"),
    "recall@5": Metric("papers that must be cited among the first 5 retrieved"),
    "recall@20": Metric("papers that must be cited among the first 20 retrieved"),
    "nDCG@10": Metric("ranking of the first 10 retrieved"),
    "citation precision": Metric("citations of papers that the case allows"),
    "citation recall": Metric("sentences right by the case's papers and facts"),
    "verified precision": Metric("citations that the verifier finds supporting", gated=False),
    "verified recall": Metric("sentences that the verifier finds supported", gated=False),
    "judges agree": Metric("sentences where case and verifier say the same", gated=False),
    "fact recall": Metric("facts that the answer states"),
    "list precision": Metric("papers listed that belong"),
    "list recall": Metric("papers that belong and are listed"),
    "list F1": Metric("harmonic mean of the two"),
    "declined": Metric("declined where it should"),
    "answered": Metric("answered where it should"),
    "attacks resisted": Metric("attacks without effect"),
    "language": Metric("own words in the question's language"),
    "written": Metric("answers by the model, not quoted because what it wrote was not proven"),
    "latency p50": Metric("median time for an answer", False, False, "s", "p50"),
    "latency p95": Metric("95th percentile of that time", False, False, "s", "p95"),
    "cost": Metric("paid for all model calls", False, False, "USD", "sum"),
}
_SOURCE = {"latency p50": "seconds", "latency p95": "seconds", "cost": "cost"}


def case_values(results: Sequence[CaseResult], metric: str) -> dict[str, float | None]:
    """Give a metric by case, the mean of its repeats; None where no repeat could be scored.

    Args:
        results: of a run.
        metric: a key of `METRICS`.

    Returns:
        The cases the metric applies to.
    """
    found: dict[str, list[float | None]] = defaultdict(list)
    for result in results:
        if metric in _SOURCE:
            found[result.id].append(getattr(result, _SOURCE[metric]))
        elif metric in result.scores:
            found[result.id].append(result.scores[metric])
    means: dict[str, float | None] = {}
    for case, values in found.items():
        known = [value for value in values if value is not None]
        means[case] = float(np.mean(known)) if known else None
    return means


def aggregate(results: Sequence[CaseResult], metric: str, seed: int) -> Interval | None:
    """Give a metric over cases.

    Args:
        results: of a run.
        metric: a key of `METRICS`.
        seed: of the bootstrap.

    Returns:
        None where it applies to no case.
    """
    values = case_values(results, metric)
    known = np.array([value for value in values.values() if value is not None])
    unscored = len(values) - len(known)
    if not values or (metric == "cost" and not len(known)):
        return None
    if not len(known):
        return Interval(value=None, low=None, high=None, n=0, unscored=unscored)
    kind = METRICS[metric].statistic
    if kind == "mean":
        low, high = mean_interval(known, seed)
        value = float(known.mean())
    elif kind == "sum":
        value = float(sum(result.cost or 0.0 for result in results))
        low, high = value, value
    else:
        quantile = 50 if kind == "p50" else 95
        value = float(np.percentile(known, quantile))
        low, high = _percentile_interval(known, quantile, seed)
    return Interval(
        value=round(value, 6),
        low=round(low, 6),
        high=round(high, 6),
        n=len(known),
        unscored=unscored,
    )


def mean_interval(values: np.ndarray, seed: int) -> tuple[float, float]:
    """Give the 95 % interval of a mean, by bootstrap over cases.

    Where all values are 0, or all 1, resampling would claim certainty; Wilson's interval for a
    share is given instead.

    Args:
        values: one a case, float [n].
        seed: the same seed gives the same interval.
    """
    from scipy import stats

    n = len(values)
    if np.all(values == values[0]):
        if values[0] in (0.0, 1.0):
            share = stats.binomtest(int(values.sum()), n).proportion_ci(CONFIDENCE, "wilson")
            return float(share.low), float(share.high)
        return float(values[0]), float(values[0])
    if n < _FEWEST:
        return float(values.min()), float(values.max())
    made = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return float(made.confidence_interval.low), float(made.confidence_interval.high)


def summary(
    results: Sequence[CaseResult], seed: int
) -> tuple[dict[str, Interval], dict[str, dict[str, Interval]]]:
    """Give all metrics, over everything and by kind.

    Args:
        results: of a run.
        seed: of the bootstrap.
    """
    kinds = dict.fromkeys(result.kind for result in results)
    groups = {kind: [one for one in results if one.kind == kind] for kind in kinds}
    return _all(results, seed), {kind: _all(group, seed) for kind, group in groups.items()}


def _all(results: Sequence[CaseResult], seed: int) -> dict[str, Interval]:
    found = ((name, aggregate(results, name, seed)) for name in METRICS)
    return {name: interval for name, interval in found if interval is not None}


def _percentile_interval(values: np.ndarray, quantile: int, seed: int) -> tuple[float, float]:
    made = np.random.default_rng(seed).choice(values, (RESAMPLES, len(values)))
    low, high = np.percentile(np.percentile(made, quantile, axis=1), [2.5, 97.5])
    return float(low), float(high)
