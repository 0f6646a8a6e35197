"""Tells whether one run is better than another, and which cases say so."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assistant.wording import counted
from evals.metrics import METRICS, case_values, mean_interval
from evals.records import CaseResult, RunRecord

__all__ = ["Comparison", "Difference", "Flip", "compare", "paired"]

Verdict = Literal["better", "worse", "can't tell", "not judged"]
_FEWEST = 5
_LATENCY = "mean latency"
_LEFT_OUT = ("latency p50", "latency p95", "cost")


@dataclass(frozen=True, slots=True)
class Difference:
    """A metric in two runs, over the cases that both scored.

    Args:
        metric: its name.
        before: mean over those cases in the first run.
        after: in the second.
        change: mean of the differences case by case.
        low: lower end of its 95 % interval.
        high: upper end.
        n: cases compared.
        unpaired: cases that only one of the runs scored.
        verdict: whether the second run is better.
    """

    metric: str
    before: float
    after: float
    change: float
    low: float
    high: float
    n: int
    unpaired: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Flip:
    """A case that passes in one run alone; answers of the first repeat."""

    before: CaseResult
    after: CaseResult
    better: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side.

    Args:
        differences: by metric.
        flips: cases that pass in one of them alone.
        prompts: a diff of each prompt that differs.
        notes: what else differs, and cases that could not be compared.
    """

    differences: list[Difference]
    flips: list[Flip]
    prompts: dict[str, str]
    notes: list[str]


def compare(before: RunRecord, after: RunRecord, seed: int | None = None) -> Comparison:
    """Compare two runs case by case.

    Args:
        before: the first run.
        after: the second, judged against the first.
        seed: of the bootstrap; by default the first run's.
    """
    old, new, notes = _matched(before, after)
    chosen = before.made.seed if seed is None else seed
    found = [
        paired(name, case_values(old, name), case_values(new, name), chosen)
        for name in METRICS
        if name not in _LEFT_OUT
    ]
    seconds = case_values(old, "latency p50"), case_values(new, "latency p50")
    found.append(paired(_LATENCY, *seconds, chosen))
    return Comparison(
        differences=[difference for difference in found if difference is not None],
        flips=_flips(old, new),
        prompts=_prompt_diffs(before.made.prompt_texts, after.made.prompt_texts),
        notes=[*_made_differently(before, after), *notes],
    )


def paired(
    metric: str,
    before: Mapping[str, float | None],
    after: Mapping[str, float | None],
    seed: int,
) -> Difference | None:
    """Compare one metric over the cases that both runs scored.

    Args:
        metric: a key of `METRICS`, or "mean latency".
        before: value by case.
        after: value by case.
        seed: of the bootstrap.

    Returns:
        None where no case was scored in both.
    """
    pairs = {
        case: (old, new)
        for case in sorted(before.keys() & after.keys())
        if (old := before[case]) is not None and (new := after[case]) is not None
    }
    if not pairs:
        return None
    values = np.array(list(pairs.values()))
    changes = values[:, 1] - values[:, 0]
    low, high = _change_interval(changes, seed)
    scored = {case for case, value in before.items() if value is not None}
    scored |= {case for case, value in after.items() if value is not None}
    return Difference(
        metric=metric,
        before=float(values[:, 0].mean()),
        after=float(values[:, 1].mean()),
        change=float(changes.mean()),
        low=low,
        high=high,
        n=len(pairs),
        unpaired=len(scored) - len(pairs),
        verdict=_verdict(metric, low, high, len(pairs)),
    )


def _change_interval(changes: np.ndarray, seed: int) -> tuple[float, float]:
    if np.all(changes == changes[0]):
        return float(changes[0]), float(changes[0])
    # The mean of the interval and its mirror image, so that swapping two runs only flips signs.
    low, high = mean_interval(changes, seed)
    mirrored_low, mirrored_high = mean_interval(-changes, seed)
    return (low - mirrored_high) / 2, (high - mirrored_low) / 2


def _verdict(metric: str, low: float, high: float, n: int) -> Verdict:
    if metric == _LATENCY:
        return "not judged"  # It tells how busy the machine was.
    if n < _FEWEST or low <= 0 <= high:
        return "can't tell"
    return "better" if (low > 0) == METRICS[metric].higher_is_better else "worse"


def _matched(
    before: RunRecord, after: RunRecord
) -> tuple[list[CaseResult], list[CaseResult], list[str]]:
    old = {case.id: case.digest for case in before.cases}
    new = {case.id: case.digest for case in after.cases}
    both = {case for case in old.keys() & new.keys() if old[case] == new[case]}
    notes = []
    for what, cases in (
        ("only in the first run", old.keys() - new.keys()),
        ("only in the second run", new.keys() - old.keys()),
        ("changed in between, so not compared", (old.keys() & new.keys()) - both),
    ):
        if cases:
            notes.append(f"{counted(len(cases), 'case')} {what}: {', '.join(sorted(cases)[:5])}")
    return (
        [case for case in before.cases if case.id in both],
        [case for case in after.cases if case.id in both],
        notes,
    )


def _flips(before: Sequence[CaseResult], after: Sequence[CaseResult]) -> list[Flip]:
    old, new = _first(before), _first(after)
    was, now = case_values(before, "passed"), case_values(after, "passed")
    flips = []
    for case, result in old.items():
        passed, passes = was.get(case), now.get(case)
        if passed is None or passes is None or (passed >= 0.5) == (passes >= 0.5):
            continue
        flips.append(Flip(result, new[case], better=passes >= 0.5))
    return sorted(flips, key=lambda flip: flip.better)


def _first(results: Sequence[CaseResult]) -> dict[str, CaseResult]:
    first: dict[str, CaseResult] = {}
    for result in results:
        first.setdefault(result.id, result)
    return first


def _prompt_diffs(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, ""), after.get(name, "")
        if old != new:
            lines = difflib.unified_diff(
                old.splitlines(), new.splitlines(), f"{name} before", f"{name} after", lineterm=""
            )
            found[name] = "\n".join(lines)
    return found


def _made_differently(before: RunRecord, after: RunRecord) -> list[str]:
    notes = []
    for name in ("mode", "model", "embedder", "fingerprint", "commit", "code"):
        old, new = getattr(before.made, name), getattr(after.made, name)
        if old != new:
            notes.append(f"{name}: {old} → {new}")
    for package in sorted(before.made.versions.keys() | after.made.versions.keys()):
        old, new = before.made.versions.get(package), after.made.versions.get(package)
        if old != new:
            notes.append(f"{package}: {old} → {new}")
    return notes
