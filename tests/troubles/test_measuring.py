"""Measurements that fail in part: what is not measured is counted, never taken for a number."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.answering.model_servers import spec_of
from assistant.settings import Settings
from evals.calls import Ledger, Pace, RecordedModel
from evals.comparing import compare
from evals.judging import agreement, judge
from evals.records import save_json
from evals.scoring import list_scores, ranking_scores
from tests.evals.building import case, record, result
from tests.scripted_server import Connection, Pause, Request, ScriptedServer, events, fail, say

CLAIMS = 40


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def claims(count: int) -> list[dict[str, object]]:
    return [
        {"text": f"Claim {n} is true [1].", "citations": [1], "verdict": "supported", "right": True}
        for n in range(count)
    ]


def judged_run(count: int) -> object:
    proof = {"number": 1, "abstract": "It is true.", "start": 0, "end": 11, "paper": "p"}
    answer = {"text": "", "abstained": False, "citations": [proof], "warnings": []}
    return record([result("a", answer={**answer, "sentences": claims(count)})])


def judge_of(server: ScriptedServer, cache: Path | None = None) -> RecordedModel:
    settings = Settings(
        openai_base_url=server.url,
        model="openai:test-model",
        max_retries=0,
        first_token_timeout=3.0,
        stall_timeout=3.0,
    )
    spec = spec_of(settings)
    assert spec is not None
    return RecordedModel(spec, settings, Ledger(), Pace(), cache)


@pytest.mark.parametrize("unreadable", ["", "perhaps", "NaN", "{}", "**", "是"])
def test_a_reply_that_cannot_be_read_is_left_out_and_counted(
    unreadable: str, server: ScriptedServer
) -> None:
    def reply(request: Request, connection: Connection) -> None:
        say(unreadable if "Claim 3" in request.prompt else "yes")(request, connection)

    server.reply(reply)
    found = judge(judged_run(5), lambda: judge_of(server), 1, 2)  # type: ignore[arg-type]
    assert (found["sentences"], found["unscored"], found["valid"]) == (5, 1, True)
    assert found["with the verifier"]["value"] == 1
    assert "NaN" not in json.dumps(found)


def test_too_many_unread_replies_make_a_judge_invalid() -> None:
    verdicts = [(True, True)] * 5
    assert agreement(verdicts, [["yes"]] * 4 + [[None]], 1)["valid"]
    assert not agreement(verdicts, [["yes"]] * 3 + [[None]] * 2, 1)["valid"]
    nothing = agreement(verdicts, [[None]] * 5, 1)
    assert not nothing["valid"]
    assert "with itself" not in nothing


def test_a_judge_that_changes_its_mind_is_told() -> None:
    verdicts = [(True, True)] * 4
    found = agreement(verdicts, [["yes", "no", "yes", "no", "yes"]] * 4, 1)
    assert found["with itself"]["value"] == pytest.approx(0.6)
    assert found["with itself"]["low"] <= 0.6 <= found["with itself"]["high"]


def test_judge_calls_keep_their_limit_and_one_that_hangs_is_not_measured(
    server: ScriptedServer, tmp_path: Path
) -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def reply(request: Request, connection: Connection) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
            crowded = now[0] > 4
        try:
            if crowded:
                fail(429, "slow down", retry_after="0.05")(request, connection)
            elif "Claim 7 " in request.prompt:
                events([Pause(30)])(request, connection)
            else:
                time.sleep(0.01)
                say("yes")(request, connection)
        finally:
            with lock:
                now[0] -= 1

    server.reply(reply)
    run = judged_run(CLAIMS)
    found = judge(run, lambda: judge_of(server, tmp_path), 1, 4)  # type: ignore[arg-type]
    assert most[0] <= 4
    assert (found["sentences"], found["unscored"], found["calls"]) == (CLAIMS, 1, CLAIMS)
    asked = len(server.chats)
    again = judge(run, lambda: judge_of(server, tmp_path), 1, 4)  # type: ignore[arg-type]
    assert again["unscored"] == 1
    assert len(server.chats) - asked < CLAIMS / 2, "kept judgements were paid for again"


def test_a_paper_counts_once_however_often_it_is_found() -> None:
    own = case(kind="list", cite=["x"])
    once = ranking_scores(own, ["x", "unknown"])
    assert ranking_scores(own, ["x", "unknown", "x", "x"]) == once
    assert once["recall@5"] == once["nDCG@10"] == 1
    assert list_scores(own, ["x", "x", "y"]) == list_scores(own, ["x", "y"])


def test_no_file_of_results_holds_a_value_that_is_no_number(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        save_json({"mean": float("nan")}, tmp_path / "run.json")
    assert not (tmp_path / "run.json").exists()


def test_repeats_that_differ_by_chance_are_no_progress() -> None:
    def alternating(first: float) -> list[object]:
        return [
            result(str(n), repeat=repeat, scores={"passed": float((n + repeat + first) % 2)})
            for n in range(10)
            for repeat in range(2)
        ]

    before, after = record(alternating(0)), record(alternating(1))  # type: ignore[arg-type]
    verdicts = {d.verdict for d in compare(before, after).differences}
    assert verdicts <= {"can't tell", "not judged"}
