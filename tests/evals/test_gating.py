from __future__ import annotations

from pathlib import Path

import pytest

from assistant.errors import InputError
from assistant.settings import Settings
from evals.baseline import (
    UNEVALUATED,
    Baseline,
    accept,
    changed_prompts,
    load_baseline,
    prompt_states,
)
from evals.cases import Case
from evals.gating import FLOORS, gate, load_floors
from evals.provenance import prompt_hashes
from evals.records import CaseResult, RunRecord
from tests.evals.building import record, results

GOOD = results({"fact recall": [1.0] * 30 + [0.0] * 10}, 40)
BAD = results({"fact recall": [1.0] * 15 + [0.0] * 25}, 40)


def suite_of(run: RunRecord) -> list[Case]:
    cases = [Case(id=case.id, kind="scope", question=case.question) for case in run.cases]
    for case, asked in zip(run.cases, cases, strict=True):
        case.digest = asked.digest
    return cases


def accepted(cases: list[CaseResult] = GOOD, **made: object) -> Baseline:
    run = record([case.model_copy() for case in cases], **made)
    return accept(run, Baseline(), suite_of(run))


def again(cases: list[CaseResult], **made: object) -> RunRecord:
    run = record([case.model_copy() for case in cases], **made)
    suite_of(run)
    return run


def test_the_same_run_gets_through() -> None:
    assert gate(again(GOOD), accepted(), {}).reasons == []


def test_a_run_that_is_worse_is_stopped_and_the_metric_named() -> None:
    reasons = gate(again(BAD), accepted(), {}).reasons
    assert any(reason.startswith("fact recall is worse than the baseline") for reason in reasons)


def test_a_better_run_gets_through() -> None:
    assert gate(again(GOOD), accepted(BAD), {}).reasons == []


def test_a_floor_stops_a_run_that_equals_its_baseline() -> None:
    reasons = gate(again(BAD), accepted(BAD), {"keyless": {"fact recall": 0.5}}).reasons
    assert reasons == ["fact recall is 0.375, below its floor of 0.5"]
    assert gate(again(GOOD), accepted(BAD), {"keyless": {"fact recall": 0.5}}).reasons == []


def test_a_floor_without_a_value_stops_too() -> None:
    (reason,) = gate(again(GOOD), accepted(), {"keyless": {"list F1": 0.5}}).reasons
    assert "list F1 has no value" in reason


def test_a_run_of_half_the_suite_does_not_get_through() -> None:
    reasons = gate(again(GOOD[:20]), accepted(), {}).reasons
    assert any("20 cases of the baseline were not asked" in reason for reason in reasons)


def test_cases_without_an_answer_stop_the_run() -> None:
    run = again(GOOD)
    run.cases[0].error = "the server is gone"
    assert any("1 case has no answer" in reason for reason in gate(run, accepted(), {}).reasons)


def test_without_a_baseline_of_its_mode_floors_alone_count() -> None:
    found = gate(again(GOOD, mode="model"), accepted(), {"model": {"passed": 0.9}})
    assert len(found.reasons) == 1
    assert any("no model run was ever accepted" in note for note in found.notes)


def test_a_run_that_lacks_cases_is_not_accepted() -> None:
    run = again(GOOD)
    cases = suite_of(run)
    run.cases = run.cases[1:]
    with pytest.raises(InputError, match="lacks 1 of 40 cases"):
        accept(run, Baseline(), cases)


def test_prompts_are_accepted_only_from_a_run_that_sent_them() -> None:
    keyless = accepted()
    assert keyless.prompts == {"answer": UNEVALUATED, "repair": UNEVALUATED}
    run = again(GOOD, mode="model", used_prompts=["answer"])
    both = accept(run, keyless, suite_of(run))
    assert both.prompts == {"answer": "h1", "repair": UNEVALUATED}
    assert set(both.modes) == {"keyless", "model"}
    later = again(GOOD, prompts={"answer": "h9", "repair": "h2"})
    assert accept(later, both, suite_of(later)).prompts["answer"] == "h1"


def test_a_changed_prompt_says_what_to_run() -> None:
    baseline = Baseline(prompts={"answer": "h1", "repair": UNEVALUATED})
    now = {"answer": "h2", "repair": "h3", "new": "h4"}
    assert prompt_states(baseline, now) == {
        "answer": "changed",
        "repair": "unevaluated",
        "new": "unevaluated",
    }
    assert changed_prompts(baseline, now) == [
        "prompt answer changed since the last accepted run: python -m evals run"
    ]
    assert changed_prompts(baseline, {"answer": "h1"}) == []


def test_no_prompt_changed_since_it_was_evaluated() -> None:
    assert changed_prompts(load_baseline(), prompt_hashes(Settings())) == []


def test_every_prompt_has_a_state_in_the_baseline() -> None:
    assert set(load_baseline().prompts) == set(prompt_hashes(Settings()))


def test_the_accepted_keyless_run_stands_above_the_floors() -> None:
    floors, keyless = load_floors(), load_baseline().modes["keyless"]
    assert floors["keyless"]
    for name, least in floors["keyless"].items():
        value = keyless.metrics[name].value
        assert value is not None
        assert value >= least


def test_a_floor_of_an_unknown_metric_is_named_by_line(isolated_home: Path) -> None:
    path = isolated_home / "floors.yaml"
    path.write_text("keyless:\n  pased: 0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"floors\.yaml:2: no gated metric is called 'pased'"):
        load_floors(path)
    path.write_text("keyless:\n  passed: much\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"floors\.yaml:2: 'much' is no number"):
        load_floors(path)
    assert FLOORS.is_file()


def test_a_broken_baseline_says_what_to_do(isolated_home: Path) -> None:
    path = isolated_home / "baseline.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="take it back from git"):
        load_baseline(path)
