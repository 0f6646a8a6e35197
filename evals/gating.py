"""Lets a run through, or says why not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assistant.errors import InputError
from assistant.wording import counted
from evals.baseline import Accepted, Baseline
from evals.comparing import Difference, paired
from evals.lines import read_yaml
from evals.metrics import METRICS, case_values
from evals.records import RunRecord

__all__ = ["FLOORS", "GateResult", "gate", "load_floors"]

FLOORS = Path(__file__).parent / "floors.yaml"
Floors = dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class GateResult:
    """What the gate found.

    Args:
        reasons: why the run does not get through, one line each; empty when it does.
        notes: what else a person should know.
        differences: every gated metric against the baseline.
    """

    reasons: list[str]
    notes: list[str]
    differences: list[Difference]


def gate(run: RunRecord, baseline: Baseline, floors: Floors) -> GateResult:
    """Hold a run against the baseline of its mode and against its floors.

    Args:
        run: of the whole suite.
        baseline: what was accepted last.
        floors: least values by mode and metric.
    """
    reasons = _without_answer(run)
    notes: list[str] = []
    differences: list[Difference] = []
    accepted = baseline.modes.get(run.made.mode)
    if accepted is None:
        notes.append(
            f"no {run.made.mode} run was ever accepted: python -m evals accept RUN.json makes one "
            "the baseline"
        )
    else:
        differences = _against(run, accepted)
        reasons += [
            f"{d.metric} is worse than the baseline: {d.before:.3f} → {d.after:.3f}, change "
            f"{d.change:+.3f} [{d.low:+.3f}, {d.high:+.3f}] over {counted(d.n, 'case')}"
            for d in differences
            if d.verdict == "worse"
        ]
        missing, other = _coverage(run, accepted)
        reasons += missing
        notes += other
    for name, least in floors.get(run.made.mode, {}).items():
        found = run.metrics.get(name)
        if found is None or found.value is None:
            reasons.append(f"{name} has no value, and its floor is {least:g}: run the whole suite")
        elif found.value < least:
            reasons.append(f"{name} is {found.value:.3f}, below its floor of {least:g}")
    return GateResult(reasons, notes, differences)


def load_floors(path: Path = FLOORS) -> Floors:
    """Read the least values.

    Args:
        path: the file.

    Raises:
        InputError: a metric or a mode is unknown, or a floor is no number.
    """
    data, lines = read_yaml(path)
    floors: Floors = {}
    for mode, table in (data or {}).items():
        if mode not in ("keyless", "model") or not isinstance(table, dict):
            raise InputError(f"{lines.where((mode,))}: unknown mode {mode!r}: use keyless or model")
        floors[mode] = {}
        for name, value in table.items():
            place = lines.where((mode, name))
            if name not in METRICS or not METRICS[name].gated:
                known = ", ".join(each for each, metric in METRICS.items() if metric.gated)
                raise InputError(f"{place}: no gated metric is called {name!r}: use one of {known}")
            try:
                floors[mode][name] = float(value)
            except (TypeError, ValueError):
                raise InputError(
                    f"{place}: {value!r} is no number: write one from 0 to 1"
                ) from None
    return floors


def _against(run: RunRecord, accepted: Accepted) -> list[Difference]:
    same = {case.id for case in run.cases if accepted.digests.get(case.id) == case.digest}
    found = []
    for name, before in accepted.values.items():
        after = case_values(run.cases, name)
        difference = paired(
            name,
            {case: value for case, value in before.items() if case in same},
            {case: value for case, value in after.items() if case in same},
            run.made.seed,
        )
        if difference is not None:
            found.append(difference)
    return found


def _coverage(run: RunRecord, accepted: Accepted) -> tuple[list[str], list[str]]:
    asked = {case.id: case.digest for case in run.cases}
    missing = sorted(accepted.digests.keys() - asked.keys())
    new = sorted(asked.keys() - accepted.digests.keys())
    changed = sorted(
        case for case, digest in accepted.digests.items() if asked.get(case, digest) != digest
    )
    reasons = []
    if missing:
        reasons.append(
            f"{counted(len(missing), 'case of the baseline was', 'cases of the baseline were')} "
            f"not asked, such as {missing[0]}: run the "
            "whole suite, or accept a run without them"
        )
    notes = [
        f"{counted(len(cases), *what)}, so not compared: {', '.join(cases[:5])}"
        for what, cases in (
            (("case is new", "cases are new"), new),
            (("case has changed", "cases have changed"), changed),
        )
        if cases
    ]
    return reasons, notes


def _without_answer(run: RunRecord) -> list[str]:
    failed = [case for case in run.cases if case.error]
    if not failed:
        return []
    first = failed[0]
    return [
        f"{counted(len(failed), 'case has', 'cases have')} no answer, such as "
        f"{first.id}: {first.error}"
    ]
