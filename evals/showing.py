"""Runs and comparisons as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.wording import counted
from evals.comparing import Comparison, Difference
from evals.gating import GateResult
from evals.metrics import METRICS
from evals.records import CaseResult, Interval, RunRecord

__all__ = ["comparison_lines", "gate_lines", "run_lines"]

_UNSCORED = "of them unscored"


def run_lines(run: RunRecord) -> list[str]:
    """Write a run's metrics.

    Args:
        run: the run.
    """
    made = run.made
    failed = [case for case in run.cases if case.error]
    head = f"{counted(len(run.cases), 'answer')}, {made.mode}"
    head += f", {made.model}" if made.model else ""
    head += f", commit {(made.commit or 'none')[:9]}{' and changes' if made.dirty else ''}"
    lines = [f"{head}, {made.wall_seconds:.0f} s", ""]
    lines.append(f"{'metric':20s} {'value':>8s}  {'95 % interval':17s} {'n':>4s}  unscored")
    lines += [f"{name:20s} {_interval(name, each)}" for name, each in run.metrics.items()]
    if made.mode == "model" and made.cost is None:
        lines.append(f"{'cost':20s} {'unknown':>8s}  set EVALS_PRICE_PROMPT and …_COMPLETION")
    if made.calls:
        lines.append(
            f"{counted(made.calls, 'model call')}, {made.cached} of them kept; tokens {made.tokens}"
        )
    if run.judge:
        lines += _judge(run)
    lines += [f"no answer: {case.id}: {case.error}" for case in failed[:5]]
    return lines


def comparison_lines(comparison: Comparison) -> list[str]:
    """Write what differs between two runs.

    Args:
        comparison: of the runs.
    """
    lines = [f"note: {note}" for note in comparison.notes]
    lines += _differences(comparison.differences)
    for flip in comparison.flips:
        lines += ["", f"{flip.before.id} {'now passes' if flip.better else 'no longer passes'}"]
        lines.append(f"  asked:  {_flat(flip.before.question, 160)}")
        lines.append(f"  before: {_said(flip.before)}")
        lines.append(f"  after:  {_said(flip.after)}")
        wrong = flip.before if flip.better else flip.after
        lines += [f"  wrong:  {check.name}" for check in wrong.checks if not check.ok]
    for diff in comparison.prompts.values():
        lines += ["", diff]
    return lines


def gate_lines(result: GateResult) -> list[str]:
    """Write what the gate found.

    Args:
        result: of the gate.
    """
    lines = _differences(result.differences) if result.differences else []
    lines += [f"note: {note}" for note in result.notes]
    lines += [f"STOPPED: {reason}" for reason in result.reasons]
    if not result.reasons:
        lines.append("The run gets through.")
    return lines


def _differences(differences: Iterable[Difference]) -> list[str]:
    lines = [
        f"{'metric':20s} {'before':>8s} {'after':>8s} {'change':>8s}  {'95 % interval':18s}"
        f"{'n':>4s} unpaired  verdict"
    ]
    for d in differences:
        interval = f"[{d.low:+.3f}, {d.high:+.3f}]"
        lines.append(
            f"{d.metric:20s} {d.before:8.3f} {d.after:8.3f} {d.change:+8.3f}  {interval:18s}"
            f"{d.n:4d} {d.unpaired:8d}  {d.verdict}"
        )
    return lines


def _interval(name: str, interval: Interval) -> str:
    if interval.value is None or interval.low is None or interval.high is None:
        return f"{'–':>8s}  {'':17s} {interval.n:4d}  {interval.unscored}"
    unit = {"s": " s", "USD": " USD"}.get(METRICS[name].unit, "")
    ends = f"[{interval.low:.3f}, {interval.high:.3f}]"
    return f"{interval.value:8.3f}  {ends:17s} {interval.n:4d}  {interval.unscored}{unit}"


def _judge(run: RunRecord) -> list[str]:
    told = run.judge or {}
    lines = [
        f"judge {told.get('model')}: {counted(told.get('sentences', 0), 'sentence')}, "
        f"{told.get('unscored')} {_UNSCORED}"
        + ("" if told.get("valid", True) else ": too many, this judge tells nothing")
    ]
    for name in ("with itself", "with the verifier", "with the cases"):
        if name in told:
            each = told[name]
            kappa = f", kappa {each['kappa']}" if "kappa" in each else ""
            span = f"[{each['low']:.3f}, {each['high']:.3f}]"
            lines.append(f"  agrees {name}: {each['value']:.3f} {span}{kappa}")
    return lines


def _said(case: CaseResult) -> str:
    return _flat(case.error or (case.answer or {}).get("text", ""), 400)


def _flat(text: str, length: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"
