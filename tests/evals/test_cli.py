from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evals import cli
from evals.cli import main
from evals.records import load_run, save_json
from tests.evals.building import record, results
from tests.evals.test_written import obedient
from tests.scripted_server import Connection, Request, ScriptedServer, say

ROOT = Path(__file__).parent.parent.parent
GOOD = results({"fact recall": [1.0] * 30 + [0.0] * 10}, 40)
BAD = results({"fact recall": [1.0] * 15 + [0.0] * 25}, 40)


@pytest.fixture(autouse=True)
def runs(monkeypatch: pytest.MonkeyPatch, isolated_home: Path) -> Path:
    monkeypatch.setattr(cli, "RUNS", isolated_home / "runs")
    return isolated_home / "runs"


def test_run_compare_accept_gate_and_report_keyless(
    isolated_home: Path, capsys: pytest.CaptureFixture[str], runs: Path
) -> None:
    out = isolated_home / "a.json"
    assert (
        main(["run", "--model", "none", "--kind", "scope", "--limit", "4", "--out", str(out)]) == 0
    )
    told = capsys.readouterr().out
    assert "4 answers, keyless" in told
    assert "answered" in told
    run = load_run(out)
    assert [case.kind for case in run.cases] == ["scope"] * 4
    assert run.made.options["kind"] == ["scope"]
    assert not Path(f"{out}.partial").exists()
    assert main(["compare", str(out), str(out)]) == 0
    assert "can't tell" in capsys.readouterr().out
    page, xml = isolated_home / "r.html", isolated_home / "r.xml"
    assert (
        main(["report", str(out), "--against", str(out), "-o", str(page), "--junit", str(xml)]) == 0
    )
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert xml.read_text(encoding="utf-8").startswith("<?xml")
    assert main(["gate", str(out)]) == 1
    assert "cases of the baseline were not asked" in capsys.readouterr().out
    assert main(["accept", str(out), "--baseline", str(isolated_home / "b.json")]) == 2
    assert "the run lacks" in capsys.readouterr().err


def test_the_gate_exits_by_what_it_finds(
    isolated_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from evals.baseline import Baseline, accept
    from tests.evals.test_gating import again, suite_of

    good, bad = again(GOOD), again(BAD)
    baseline, floors = isolated_home / "b.json", isolated_home / "floors.yaml"
    save_json(accept(good, Baseline(), suite_of(good)), baseline)
    floors.write_text("keyless:\n  passed: 0.3\n", encoding="utf-8")
    for run, code in ((good, 0), (bad, 1)):
        path = isolated_home / "run.json"
        save_json(run, path)
        words = ["gate", str(path), "--baseline", str(baseline), "--floors", str(floors)]
        assert main(words) == code
        told = capsys.readouterr().out
        assert ("STOPPED: " in told) == bool(code)
        assert "prompt answer: " in told


def test_a_run_with_a_model_and_a_judge(
    isolated_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def reply(request: Request, connection: Connection) -> None:
        judging = "whether a quotation supports a sentence" in request.prompt
        (say("Yes.") if judging else obedient)(request, connection)

    out = isolated_home / "m.json"
    with ScriptedServer() as server:
        server.reply(reply)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        words = ["run", "--model", "openai:test-model", "--cases", "fact.yaml", "--limit", "2"]
        words += ["--judge", "openai:test-model", "--judge-repeats", "2", "--out", str(out)]
        assert main(words) == 0
    run = load_run(out)
    assert run.made.mode == "model"
    assert run.made.cost is None
    assert run.judge is not None
    assert (run.judge["model"], run.judge["unscored"]) == ("openai:test-model", 0)
    assert run.judge["sentences"] >= 2
    assert run.judge["with itself"]["value"] == 1
    assert 0 <= run.judge["with the verifier"]["value"] <= 1
    assert "unknown" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "--model", "none", "--prompts", "nowhere"], "nowhere is no folder"),
        (["run", "--model", "none", "--prompts", "."], "--prompts: . replaces no prompt"),
        (["run", "--max-cost", "1"], "--max-cost needs prices"),
        (["run", "--cases", "nothing-*.yaml"], "finds no file"),
        (["run", "--cases", "scope.yaml", "--kind", "fact"], "no case is left"),
        (["compare", "a.json", "b.json"], "a.json cannot be read"),
        (["draft", "f.jsonl"], "f.jsonl: cannot be read"),
    ],
)
def test_bad_input_is_one_line(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_what_is_no_run_is_told(isolated_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = isolated_home / "a.json"
    path.write_text(json.dumps({"format": 1}), encoding="utf-8")
    assert main(["compare", str(path), str(path)]) == 2
    assert "is no run of this suite" in capsys.readouterr().err
    save_json(record(GOOD), path)
    assert load_run(path).cases == record(GOOD).cases


def test_the_command_runs_as_a_module() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "evals", "--help"], cwd=ROOT, capture_output=True, text=True
    )
    assert told.returncode == 0
    for command in ("run", "compare", "gate", "accept", "report", "draft"):
        assert command in told.stdout
