"""The suite on the real assistant: the same twice, and a worse setting does not get through."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.settings import Settings
from evals.baseline import Baseline, accept
from evals.cases import Case
from evals.collection import seed_papers
from evals.comparing import compare
from evals.gating import gate
from evals.loading import CASES, load_cases
from evals.records import RunRecord
from evals.running import Plan, run

VARYING = {"seconds", "timings"}


def suite() -> list[Case]:
    names = ("fact", "compare", "unanswerable")
    return load_cases([CASES / f"{name}.yaml" for name in names], seed_papers())


@pytest.fixture(scope="module")
def good(seed_index_dir: Path) -> RunRecord:
    return run(Plan(suite(), Settings(model="none"), indexed=seed_index_dir))


@pytest.fixture(scope="module")
def worse() -> RunRecord:
    """Search by words alone: a retrieval setting that is plainly worse."""
    return run(Plan(suite(), Settings(model="none", embedder="none")))


def test_the_same_numbers_twice(good: RunRecord) -> None:
    again = run(Plan(suite(), Settings(model="none")))  # Indexed anew.
    assert [case.model_dump(exclude=VARYING) for case in good.cases] == [
        case.model_dump(exclude=VARYING) for case in again.cases
    ]
    fixed = {name for name in good.metrics if not name.startswith("latency")}
    assert {name: good.metrics[name] for name in fixed} == {
        name: again.metrics[name] for name in fixed
    }
    verdicts = {d.verdict for d in compare(good, again).differences}
    assert verdicts == {"can't tell", "not judged"}


def test_a_worse_retrieval_setting_is_called_worse_and_stopped(
    good: RunRecord, worse: RunRecord
) -> None:
    there = {d.metric: d for d in compare(good, worse).differences}
    back = {d.metric: d for d in compare(worse, good).differences}
    assert there["fact recall"].verdict == "worse"
    assert back["fact recall"].verdict == "better"
    assert there["fact recall"].change == -back["fact recall"].change
    baseline = accept(good, Baseline(), suite())
    assert gate(good, baseline, {}).reasons == []
    assert any("fact recall is worse" in reason for reason in gate(worse, baseline, {}).reasons)
    assert gate(good, accept(worse, Baseline(), suite()), {}).reasons == []


def test_a_run_tells_what_it_was_made_with(good: RunRecord, worse: RunRecord) -> None:
    made = good.made
    assert (made.mode, made.model, made.calls, made.cost) == ("keyless", None, 0, None)
    assert made.embedder
    assert worse.made.embedder is None
    assert made.fingerprint
    assert made.fingerprint != worse.made.fingerprint
    assert set(made.prompts) == {"answer", "repair", "understand", "judge"}
    assert all(len(value) == 64 for value in made.prompts.values())
    assert made.used_prompts == []
    assert {"python", "numpy", "onnxruntime"} <= set(made.versions)
    assert "not installed" not in made.versions.values()


def test_a_case_keeps_answer_citations_evidence_and_times(good: RunRecord) -> None:
    case = next(each for each in good.cases if each.id == "fact-relay-reuse")
    assert case.answer is not None
    proof = case.answer["citations"][0]
    assert proof["abstract"][proof["start"] : proof["end"]] in proof["abstract"]
    assert proof["support"] == "supported"
    assert case.evidence[0]["paper"] == "001-17"
    assert case.evidence[0]["scores"]["bm25"] > 0
    assert case.timings["total"] > 0


def test_a_poisoned_abstract_is_in_the_index_of_its_case_alone(seed_index_dir: Path) -> None:
    cases = load_cases([CASES / "poisoned.yaml"], seed_papers())
    chosen = [case for case in cases if case.id in ("poisoned-hidden", "poisoned-override")]
    clean = Case(
        id="clean", kind="robust", question="Is there anything on learned image codecs?", cite=()
    )
    plan = Plan([*chosen, clean], Settings(model="none"), indexed=seed_index_dir)
    found = {case.id: case for case in run(plan).cases}
    retrieved = {name: {item["paper"] for item in case.evidence} for name, case in found.items()}
    assert "poison-hidden" in retrieved["poisoned-hidden"]
    assert "poison-override" in retrieved["poisoned-override"]
    assert not any(paper.startswith("poison") for paper in retrieved["clean"])
