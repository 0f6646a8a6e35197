"""The suite with a model: a scripted server stands for one that does as its prompt says."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.resources import prompts_dir
from assistant.settings import Settings
from evals.baseline import Baseline, accept, prompt_states
from evals.cases import Case
from evals.collection import seed_papers
from evals.comparing import compare
from evals.gating import gate
from evals.loading import CASES, load_cases
from evals.pricing import Prices
from evals.provenance import prompt_hashes
from evals.records import CaseResult, RunRecord
from evals.running import Plan, RunStoppedError, run
from tests.scripted_server import Connection, Request, ScriptedServer, fail, say

CITE = "Cite an id only if that source itself says what the sentence says."
ANSWER = "Answer first, in the fewest sentences that answer fully;"
_SOURCE = re.compile(
    r"^==[0-9a-f]{16}== source (S[0-9a-f]{4})\n(.*?)\n==[0-9a-f]{16}== end",
    re.DOTALL | re.MULTILINE,
)
_WORD = re.compile(r"[a-z\d]{3,}")


def obedient(request: Request, connection: Connection) -> None:
    """Quote the sentence that shares most words with the question, as far as the prompt says so."""
    rules = " ".join(request.prompt.split())
    words = set(_WORD.findall(request.prompt.rpartition("Question:")[2].lower()))
    sources = _SOURCE.findall(request.prompt)
    sentences = [
        (len(words & set(_WORD.findall(sentence.lower()))), -place, sentence, name)
        for place, (name, text) in enumerate(sources)
        for sentence in re.split(r"(?<=[.?!])\s+", text.rpartition("\n")[2])
    ]
    _, _, said, own = max(sentences) if ANSWER in rules else min(sentences)
    say(f"{said.rstrip('.')} [{own if CITE in rules else sources[-1][0]}].")(request, connection)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as made:
        made.reply(obedient)
        yield made


@pytest.fixture(scope="module")
def good(seed_index_dir: Path) -> RunRecord:
    with ScriptedServer() as made:
        made.reply(obedient)
        return run(plan(made, 12, seed_index_dir, workers=2))


def cases(count: int) -> list[Case]:
    return load_cases([CASES / "fact.yaml"], seed_papers())[:count]


def plan(server: ScriptedServer, count: int, indexed: Path, **given: Any) -> Plan:
    settings = Settings(
        openai_base_url=server.url,
        openai_api_key="k",
        model="openai:test-model",
        max_retries=0,
        prompts_dir=given.pop("prompts", None),
    )
    return Plan(cases(count), settings, indexed=indexed, **given)


def worse_prompts(folder: Path, rule: str = ANSWER) -> Path:
    """The prompts without one rule."""
    made = folder / "prompts"
    made.mkdir()
    text = (prompts_dir() / "answer.md").read_text(encoding="utf-8")
    pattern = r"\s+".join(map(re.escape, rule.split()))
    changed, count = re.subn(pattern, "Say something;", text)
    assert count == 1, f"the prompt no longer says {rule!r}: choose another rule"
    (made / "answer.md").write_text(changed, encoding="utf-8")
    return made


@pytest.mark.parametrize(
    ("rule", "metric"), [(ANSWER, "fact recall"), (CITE, "written")], ids=["answer", "cite"]
)
def test_a_worse_prompt_is_called_worse_and_stopped(
    good: RunRecord,
    server: ScriptedServer,
    seed_index_dir: Path,
    isolated_home: Path,
    rule: str,
    metric: str,
) -> None:
    prompts = worse_prompts(isolated_home, rule)
    worse = run(plan(server, 12, seed_index_dir, prompts=prompts))
    assert (good.made.mode, good.made.model) == ("model", "openai:test-model")
    assert "answer" in good.made.used_prompts
    there = {d.metric: d for d in compare(good, worse).differences}
    back = {d.metric: d for d in compare(worse, good).differences}
    assert there[metric].verdict == "worse"
    assert back[metric].verdict == "better"
    assert there[metric].change == -back[metric].change
    diffs = compare(good, worse).prompts
    assert set(diffs) == {"answer"}
    assert "Say something;" in diffs["answer"]
    baseline = accept(good, Baseline(), cases(12))
    assert prompt_states(baseline, prompt_hashes(Settings()))["answer"] == "evaluated"
    assert prompt_states(baseline, worse.made.prompts)["answer"] == "changed"
    reasons = gate(worse, baseline, {}).reasons
    assert any(reason.startswith(f"{metric} is worse") for reason in reasons)


def test_an_unchanged_prompt_tells_nothing(
    good: RunRecord, server: ScriptedServer, seed_index_dir: Path
) -> None:
    again = run(plan(server, 12, seed_index_dir))
    assert {d.verdict for d in compare(good, again).differences} == {"can't tell", "not judged"}
    assert gate(again, accept(good, Baseline(), cases(12)), {}).reasons == []


def test_kept_replies_make_a_second_run_free(
    server: ScriptedServer, seed_index_dir: Path, isolated_home: Path
) -> None:
    given = {"cache": isolated_home / "calls", "prices": Prices(1, 1)}
    first = run(plan(server, 3, seed_index_dir, **given))
    asked = len(server.chats)
    second = run(plan(server, 3, seed_index_dir, **given))
    assert len(server.chats) == asked > 0
    assert first.made.cost
    assert second.made.cost == 0
    assert second.made.cached == second.made.calls == first.made.calls
    assert [case.scores for case in first.cases] == [case.scores for case in second.cases]
    run(plan(server, 3, seed_index_dir, repeat=2, **given))
    assert len(server.chats) == 2 * asked


def test_a_run_stopped_by_its_cost_goes_on_where_it_was(
    server: ScriptedServer, seed_index_dir: Path, isolated_home: Path
) -> None:
    partial = isolated_home / "run.partial"
    price = Prices(1_000_000 / 15, 1_000_000 / 15)  # 1 USD a call.
    given = {"prices": price, "partial": partial}
    with pytest.raises(RunStoppedError, match="the same command goes on"):
        run(plan(server, 4, seed_index_dir, max_cost=1.5, **given))
    kept = len(partial.read_text(encoding="utf-8").splitlines()) - 1
    assert kept >= 1
    before = len(server.chats)
    told: list[CaseResult] = []
    whole = run(plan(server, 4, seed_index_dir, **given), lambda result, *_: told.append(result))
    assert len(told) == 4 - kept
    assert len(whole.cases) == 4
    assert "answer" in whole.made.used_prompts
    assert len(server.chats) > before
    assert not partial.exists()


def test_other_settings_do_not_take_up_what_was_kept(
    server: ScriptedServer, seed_index_dir: Path, isolated_home: Path
) -> None:
    partial = isolated_home / "run.partial"
    price = Prices(1_000_000 / 15, 1_000_000 / 15)
    with pytest.raises(RunStoppedError):
        run(plan(server, 3, seed_index_dir, max_cost=1.5, prices=price, partial=partial))
    told: list[CaseResult] = []
    changed = plan(server, 3, seed_index_dir, partial=partial, prompts=worse_prompts(isolated_home))
    run(changed, lambda result, *_: told.append(result))
    assert len(told) == 3


def test_ctrl_c_ends_the_answers_that_are_being_made(
    server: ScriptedServer, seed_index_dir: Path, isolated_home: Path
) -> None:
    partial = isolated_home / "run.partial"
    done = threading.Event()

    def told(*_: object) -> None:
        done.set()
        raise KeyboardInterrupt

    with pytest.raises(RunStoppedError, match="the same command goes on"):
        run(plan(server, 6, seed_index_dir, workers=2, partial=partial), told)
    assert done.is_set()
    kept = len(partial.read_text(encoding="utf-8").splitlines()) - 1
    assert 1 <= kept < 6
    assert not [t for t in threading.enumerate() if t.name.startswith("evals")]


def test_a_model_that_fails_leaves_the_case_unscored(
    server: ScriptedServer, seed_index_dir: Path
) -> None:
    server.reply(fail(500, "broken"))
    found = run(plan(server, 2, seed_index_dir))
    assert [case.passed for case in found.cases] == [None, None]
    assert all("the model gave no answer" in str(case.error) for case in found.cases)
    assert found.metrics["fact recall"].unscored == 2
    assert found.metrics["fact recall"].value is None
    assert any("2 cases have no answer" in reason for reason in gate(found, Baseline(), {}).reasons)
