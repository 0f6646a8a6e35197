"""A run as it is kept: what was asked, what came back, how it scored, and with what it was made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.errors import InputError

__all__ = ["CaseResult", "Check", "Interval", "Provenance", "RunRecord", "load_run", "save_json"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Check(_Strict):
    """One expectation and whether it was met.

    Args:
        name: what was expected, in a few words.
        ok: whether it was so.
        got: what came instead.
    """

    name: str
    ok: bool
    got: str = ""


class CaseResult(_Strict):
    """One case asked once.

    Args:
        id: the case.
        repeat: 0 for the first time, 1 for the second.
        kind: of the case.
        digest: of the case as it was asked.
        question: as asked.
        history: the talk before it.
        expected: what a right answer is.
        answer: text, citations with verdicts, sentences, warnings; None where none came.
        evidence: what was retrieved, best first.
        timings: milliseconds by step.
        seconds: wall time.
        tokens: of all model calls, cached ones included.
        calls: model calls made.
        cached: how many of them came from the cache.
        cost: USD paid; None where prices are not known.
        error: why there is no answer.
        scores: by metric; None where it applies but could not be told.
        checks: what had to be right.
        passed: whether all was; None where there is no answer.
    """

    id: str
    repeat: int = 0
    kind: str
    digest: str
    question: str
    history: list[dict[str, str]] = Field(default_factory=list)
    expected: dict[str, Any]
    answer: dict[str, Any] | None = None
    evidence: list[dict[str, Any]] = Field(default_factory=list)
    timings: dict[str, float] = Field(default_factory=dict)
    seconds: float | None = None
    tokens: dict[str, int] = Field(default_factory=dict)
    calls: int = 0
    cached: int = 0
    cost: float | None = None
    error: str | None = None
    scores: dict[str, float | None] = Field(default_factory=dict)
    checks: list[Check] = Field(default_factory=list)
    passed: bool | None = None


class Interval(_Strict):
    """A metric over the cases it applies to.

    Args:
        value: the mean, or the percentile; None without a scored case.
        low: lower end of the 95 % confidence interval.
        high: upper end.
        n: cases scored.
        unscored: cases it applies to that could not be scored.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int


class Provenance(_Strict):
    """What a run was made with.

    Args:
        started: date and time, UTC.
        commit: of the repository; None outside one.
        dirty: whether files differed from that commit.
        code: hash over the assistant, its data, and the suite.
        mode: `keyless` or `model`.
        model: the chat model's name.
        embedder: its name.
        fingerprint: of the index.
        prompts: hash of each prompt.
        prompt_texts: what they said.
        used_prompts: those that were really sent.
        versions: of Python and the packages that matter.
        seed: of the bootstrap.
        options: what was asked on the command line.
        wall_seconds: time for all.
        tokens: of all model calls.
        calls: model calls.
        cached: of them from the cache.
        cost: USD; None where prices are not known.
    """

    started: str
    commit: str | None
    dirty: bool
    code: str
    mode: Literal["keyless", "model"]
    model: str | None
    embedder: str | None
    fingerprint: str | None
    prompts: dict[str, str]
    prompt_texts: dict[str, str]
    used_prompts: list[str]
    versions: dict[str, str]
    seed: int
    options: dict[str, Any]
    wall_seconds: float = 0.0
    tokens: dict[str, int] = Field(default_factory=dict)
    calls: int = 0
    cached: int = 0
    cost: float | None = None


class RunRecord(_Strict):
    """A whole run.

    Args:
        format: of this file.
        made: what it was made with.
        metrics: over all cases.
        by_kind: the same for each kind.
        cases: every case, in the order of the suite.
        judge: how far a model judge agrees; never gated.
    """

    format: Literal[1] = 1
    made: Provenance
    metrics: dict[str, Interval]
    by_kind: dict[str, dict[str, Interval]] = Field(default_factory=dict)
    cases: list[CaseResult]
    judge: dict[str, Any] | None = None


def load_run(path: Path) -> RunRecord:
    """Read a run.

    Args:
        path: a file that `run` wrote.

    Raises:
        InputError: it is none.
    """
    try:
        return RunRecord.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): check its name") from None
    except (ValidationError, UnicodeDecodeError):
        raise InputError(
            f"{path} is no run of this suite: write one with python -m evals run --out {path.name}"
        ) from None


def save_json(data: BaseModel | dict[str, Any], path: Path) -> None:
    """Write a file whole or not at all.

    Args:
        data: what to write.
        path: the file; its folder is made.
    """
    plain = data.model_dump(mode="json") if isinstance(data, BaseModel) else data
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    # What is not measured is null; a "not a number" would spoil every mean it meets.
    text = json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)
    new.write_text(text + "\n", encoding="utf-8")
    new.replace(path)
