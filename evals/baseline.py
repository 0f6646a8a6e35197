"""What was accepted last: the numbers of each mode, and the prompts they were made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.errors import InputError
from assistant.wording import counted
from evals.cases import Case
from evals.metrics import METRICS, case_values
from evals.records import Interval, RunRecord

__all__ = [
    "BASELINE",
    "UNEVALUATED",
    "Accepted",
    "Baseline",
    "accept",
    "changed_prompts",
    "load_baseline",
    "prompt_states",
]

BASELINE = Path(__file__).parent / "baseline.json"
UNEVALUATED = "unevaluated"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Accepted(_Strict):
    """One mode's accepted run, as far as comparing needs it.

    Args:
        started: when it ran.
        commit: of the repository.
        model: who wrote the answers.
        embedder: its name.
        fingerprint: of the index.
        metrics: over all cases.
        digests: of each case.
        values: of each gated metric by case; null where a case was not scored.
    """

    started: str
    commit: str | None
    model: str | None
    embedder: str | None
    fingerprint: str | None
    metrics: dict[str, Interval]
    digests: dict[str, str]
    values: dict[str, dict[str, float | None]]


class Baseline(_Strict):
    """The file `evals/baseline.json`.

    Args:
        prompts: hash of each prompt when it was last accepted, or `unevaluated`.
        modes: the accepted run of each mode.
    """

    prompts: dict[str, str] = Field(default_factory=dict)
    modes: dict[Literal["keyless", "model"], Accepted] = Field(default_factory=dict)


def load_baseline(path: Path = BASELINE) -> Baseline:
    """Read the baseline; an empty one where there is no file.

    Args:
        path: the file.

    Raises:
        InputError: it is none.
    """
    if not path.is_file():
        return Baseline()
    try:
        return Baseline.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError):
        raise InputError(
            f"{path} is no baseline: take it back from git, or remove it and accept a run"
        ) from None


def accept(run: RunRecord, baseline: Baseline, suite: Sequence[Case]) -> Baseline:
    """Make a run the baseline of its mode, and its prompts the evaluated ones.

    Args:
        run: of the whole suite.
        baseline: the one so far.
        suite: all cases as they are now.

    Returns:
        The new baseline.

    Raises:
        InputError: the run lacks cases, asked others, or has cases without an answer.
    """
    asked = {case.id: case.digest for case in run.cases}
    wanted = {case.id: case.digest for case in suite}
    if lacking := sorted(case for case, digest in wanted.items() if asked.get(case) != digest):
        raise InputError(
            f"the run lacks {len(lacking)} of {counted(len(wanted), 'case')} as they are now, such "
            f"as {lacking[0]}: run the whole suite again"
        )
    if failed := [case.id for case in run.cases if case.error]:
        raise InputError(
            f"{counted(len(failed), 'case has', 'cases have')} no answer, such as "
            f"{failed[0]}: run the suite again"
        )
    prompts = {name: baseline.prompts.get(name, UNEVALUATED) for name in run.made.prompts}
    if run.made.mode == "model":
        prompts |= {name: run.made.prompts[name] for name in run.made.used_prompts}
    accepted = Accepted(
        started=run.made.started,
        commit=run.made.commit,
        model=run.made.model,
        embedder=run.made.embedder,
        fingerprint=run.made.fingerprint,
        metrics=run.metrics,
        digests={case: asked[case] for case in sorted(wanted)},
        values={
            name: {case: found[case] for case in sorted(found) if case in wanted}
            for name, metric in METRICS.items()
            if metric.gated and (found := case_values(run.cases, name))
        },
    )
    modes = dict(baseline.modes)
    modes[run.made.mode] = accepted
    return Baseline(prompts=prompts, modes=modes)


def changed_prompts(baseline: Baseline, hashes: Mapping[str, str]) -> list[str]:
    """Name the prompts that differ from those of the last accepted run, one line each.

    Args:
        baseline: what was accepted.
        hashes: of the prompts as they are.
    """
    states = prompt_states(baseline, hashes)
    return [
        f"prompt {name} changed since the last accepted run: python -m evals run"
        for name, state in states.items()
        if state == "changed"
    ]


def prompt_states(
    baseline: Baseline, hashes: Mapping[str, str]
) -> dict[str, Literal["evaluated", "unevaluated", "changed"]]:
    """Tell of each prompt whether a model was evaluated with it as it is.

    Args:
        baseline: what was accepted.
        hashes: of the prompts as they are.
    """
    states: dict[str, Literal["evaluated", "unevaluated", "changed"]] = {}
    for name, now in hashes.items():
        known = baseline.prompts.get(name, UNEVALUATED)
        if known == UNEVALUATED:
            states[name] = "unevaluated"
        else:
            states[name] = "evaluated" if known == now else "changed"
    return states
