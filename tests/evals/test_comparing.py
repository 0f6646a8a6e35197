from __future__ import annotations

from evals.comparing import compare
from tests.evals.building import record, result, results

GOOD = results({"fact recall": [1.0] * 30 + [0.0] * 10}, 40)
BAD = results({"fact recall": [1.0] * 15 + [0.0] * 25}, 40)


def verdicts(run: list, other: list) -> dict[str, str]:  # type: ignore[type-arg]
    return {d.metric: d.verdict for d in compare(record(run), record(other)).differences}


def test_a_run_is_worse_better_or_one_cannot_tell() -> None:
    assert verdicts(GOOD, BAD)["fact recall"] == "worse"
    assert verdicts(BAD, GOOD)["fact recall"] == "better"
    assert set(verdicts(GOOD, GOOD).values()) == {"can't tell", "not judged"}


def test_one_case_of_forty_tells_nothing() -> None:
    nearly = results({"fact recall": [1.0] * 29 + [0.0] * 11}, 40)
    assert verdicts(GOOD, nearly)["fact recall"] == "can't tell"


def test_swapping_two_runs_flips_every_sign() -> None:
    there = compare(record(GOOD), record(BAD)).differences
    back = compare(record(BAD), record(GOOD)).differences
    assert [(d.change, d.low, d.high) for d in there] == [
        (-d.change, -d.high, -d.low) for d in back
    ]
    assert any(d.change for d in there)


def test_few_cases_prove_nothing() -> None:
    one, other = results({"list F1": [1.0] * 4}, 4), results({"list F1": [0.0] * 4}, 4)
    assert verdicts(one, other)["list F1"] == "can't tell"


def test_cases_scored_in_one_run_alone_are_counted() -> None:
    some = results({"citation recall": [None] * 10 + [1.0] * 30}, 40)
    full = results({"citation recall": [1.0] * 40}, 40)
    (found,) = (
        d for d in compare(record(some), record(full)).differences if d.metric == "citation recall"
    )
    assert (found.n, found.unpaired, found.verdict) == (30, 10, "can't tell")


def test_flipped_cases_stand_side_by_side() -> None:
    flips = compare(record(GOOD), record(BAD)).flips
    assert [flip.before.id for flip in flips] == [f"c{n}" for n in range(15, 30)]
    assert not any(flip.better for flip in flips)
    assert all(flip.before.passed and not flip.after.passed for flip in flips)


def test_a_case_that_changed_is_not_compared() -> None:
    old = [*GOOD, result("x", digest="old"), result("y")]
    new = [*GOOD, result("x", digest="new", passed=False, scores={"passed": 0.0}), result("z")]
    found = compare(record(old), record(new))
    assert found.flips == []
    assert any("changed in between" in note and "x" in note for note in found.notes)
    assert any("only in the first run: y" in note for note in found.notes)
    assert any("only in the second run: z" in note for note in found.notes)


def test_the_difference_of_the_prompts_and_of_what_made_the_runs_is_shown() -> None:
    found = compare(
        record(GOOD),
        record(
            GOOD,
            prompt_texts={"answer": "one\n2\n", "repair": "three\n"},
            embedder="none",
            versions={"numpy": "3"},
        ),
    )
    assert "-two" in found.prompts["answer"]
    assert "+2" in found.prompts["answer"]
    assert "repair" not in found.prompts
    assert {"embedder: minilm → none", "numpy: 2 → 3"} <= set(found.notes)
