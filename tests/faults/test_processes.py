"""Processes that are stopped, meet each other, or whose clock jumps."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from tests.faults.processes import QUESTION, ROOT, paging, run, start
from tests.faults.test_disk import abstracts
from tests.scripted_server import ScriptedServer, say
from tests.waiting import until

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

SLOW = say(*["It is quick. "] * 200, pause=0.2)
SOON = 20.0
"""Seconds in which a process ends that is told to; a slow machine is busy elsewhere."""


def ended(process: subprocess.Popen[str], by: int) -> str:
    """Stop a process; returns what it complained of."""
    process.send_signal(by)
    begun = time.monotonic()
    _, complaints = process.communicate(timeout=60)
    assert time.monotonic() - begun < SOON
    assert process.returncode in (-by, 128 + by), complaints
    assert "Traceback" not in complaints
    return complaints


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_command_that_is_stopped_lets_go_of_the_model(by: int, seeded_data_dir: Path) -> None:
    with ScriptedServer() as server:
        server.reply(SLOW)
        process = start("ask", QUESTION, OPENAI_BASE_URL=server.url)
        assert server.wait_for_chat()
        complaints = ended(process, by)
        assert server.wait_for_drop()
    if by == signal.SIGINT:
        assert complaints == "assistant: stopped\n"
    assert "10.33" in run("ask", QUESTION)[1]


def test_a_page_that_is_stopped_in_the_middle_of_an_answer(
    seeded_data_dir: Path, tmp_path: Path
) -> None:
    with (
        ScriptedServer() as server,
        paging(seeded_data_dir, tmp_path / "log", OPENAI_BASE_URL=server.url) as page,
    ):
        server.reply(SLOW)
        asked = {"data": [QUESTION, None]}
        httpx.post(f"{page.url}gradio_api/call/ask", json=asked, timeout=30)
        assert server.wait_for_chat()
        page.process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        page.process.wait(60)
        assert time.monotonic() - begun < SOON
        assert server.wait_for_drop()
        assert "Traceback" not in page.log.read_text()
    assert "10.33" in run("ask", QUESTION)[1]


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_sync_that_is_stopped_goes_on_where_it_was(by: int, tmp_path: Path) -> None:
    data = ("--data-dir", str(tmp_path / "data"))
    source = abstracts(tmp_path, 320)
    process = start(*data, "sync", source)
    # The words are published first; the vectors take far longer than stopping does.
    current = tmp_path / "data" / "collections" / "papers" / "CURRENT"
    until(lambda: current.exists() or process.poll() is not None, "the words", 100)
    ended(process, by)
    code, out, err = run(*data, "sync", "--json", source)
    assert code == 0, err
    assert json.loads(out.splitlines()[-1])["papers"] == 320
    code, out, _ = run(*data, "doctor", "--deep")
    assert code == 0, out


def test_two_syncs_at_once_lose_nothing(tmp_path: Path) -> None:
    data, words = ("--data-dir", str(tmp_path / "data")), {"ASSISTANT_EMBEDDER": "none"}
    sources = []
    for place, name in enumerate(("one", "two", "three")):
        (tmp_path / name).mkdir()
        path = Path(abstracts(tmp_path / name, 20))
        path.write_text(path.read_text().replace("quokka", f"wombat{place}"))
        sources.append(str(path))
    running = [start(*data, "sync", source, **words) for source in sources]
    for process in running:
        _, complaints = process.communicate(timeout=110)
        assert process.returncode == 0
        # Made by one pattern, they are like one another, which is told.
        assert all(line.startswith("note ") for line in complaints.splitlines())
    assert len(run(*data, "papers", **words)[1].splitlines()) == 60
    assert run(*data, "doctor", "--deep", **words)[0] == 0


JUMPING = """
import itertools, sys, time
true, steps = time.time, itertools.cycle([0.0, 86_400.0, -86_400.0, 1e8, -1e8])
time.time = lambda: true() + next(steps)
from assistant.cli import main
main()
"""


def test_a_clock_that_jumps_ends_no_answer(seeded_data_dir: Path, tmp_path: Path) -> None:
    def jumping(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", JUMPING, *args],
            capture_output=True,
            text=True,
            timeout=100,
            env={**os.environ, **environment},
        )

    with ScriptedServer() as server:
        server.reply(say("SparseInfer achieves a 10.33 times ", "speed up.", pause=0.3))
        asked = jumping("ask", "--json", QUESTION, OPENAI_BASE_URL=server.url)
    assert asked.returncode == 0, asked.stderr
    answer = json.loads(asked.stdout)
    assert answer["mode"] == "written", answer["warnings"]
    assert 0 < answer["timings"]["total"] < 60_000
    source = abstracts(tmp_path, 5)
    synced = jumping("--data-dir", str(tmp_path / "data"), "sync", source)
    assert synced.returncode == 0, synced.stderr


def test_waits_are_measured_by_a_clock_that_does_not_jump() -> None:
    told = [
        path.name
        for path in sorted((ROOT / "assistant").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "time.time"
    ]
    # A date that a server names, and when a record changed, are of the wall clock; a record is never
    # older than one that was there before.
    assert told == ["waiting.py", "planning.py"]
