"""Reported troubles that only a process of its own shows: start, folders, keys, corrections."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults.processes import paging, run
from tests.scripted_server import ScriptedServer, say

NUMBER = "It saves {} of the memory of quokka models, measured on three machines over a year."
OTHER = "Robots stand up when they fall, and they learn it without a reward in four hours."


def papers(folder: Path, *abstracts: str) -> str:
    path = folder / "own.txt"
    path.write_text("\n\n".join(abstracts) + "\n", encoding="utf-8")
    return str(path)


def test_a_correction_reaches_search_by_words_by_meaning_and_the_answer(tmp_path: Path) -> None:
    data = ("--data-dir", str(tmp_path / "data"))
    for share in ("53\\%", "35\\%"):
        code, _, err = run(*data, "sync", papers(tmp_path, NUMBER.format(share), OTHER))
        assert code == 0, err
    for question in ("How much memory do quokka models save?", "quokka 53%", "quokka 35%"):
        code, out, err = run(*data, "ask", "--json", question)
        assert code == 0, err
        answer = json.loads(out)
        quotes = [each["quote"] for each in (*answer["citations"], *answer["evidence"])]
        assert quotes
        assert not [quote for quote in quotes if "53" in quote]
    assert "35" in run(*data, "search", "quokka memory")[1]


@pytest.mark.parametrize("command", [["sync", "FILE"], ["ask", "caches?"], ["chat", "--no-open"]])
def test_an_old_sqlite_is_one_line(command: list[str], tmp_path: Path) -> None:
    code = (
        "import sqlite3, sys; sqlite3.sqlite_version_info = (3, 31, 1); "
        "from assistant.cli import main; main()"
    )
    words = [papers(tmp_path, OTHER, OTHER) if word == "FILE" else word for word in command]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "3.31.1" in line]
    assert "3.35.0" in line


def test_nothing_reports_its_use(tmp_path: Path) -> None:
    """The guard of the whole run fails a test whose processes try to leave this machine."""
    loud = ("--data-dir", str(tmp_path / "data"), "--log-level", "info")
    asking = {"ANONYMIZED_TELEMETRY": "True", "GRADIO_ANALYTICS_ENABLED": "True"}
    for command in (("sync", papers(tmp_path, NUMBER.format("5\\%"), OTHER)), ("ask", "robots?")):
        code, out, err = run(*loud, *command, **asking)
        assert code == 0, err
        told = (out + err).lower()
        assert not [word for word in ("telemetry", "posthog", "analytics") if word in told]


def unprivileged() -> tuple[str, ...]:
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root may write anywhere, and there is no setpriv to take that away")
    return ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all")


@pytest.mark.skipif(os.name != "posix", reason="other systems keep rights another way")
def test_a_folder_that_cannot_be_written_can_be_asked(seeded_data_dir: Path) -> None:
    folders = [seeded_data_dir, *(p for p in seeded_data_dir.rglob("*") if p.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    try:
        asked = ["ask", "By how much does RelayCaching cut TTFT?"]
        done = subprocess.run(
            [*unprivileged(), sys.executable, "-m", "assistant", *asked],
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        for folder in folders:
            folder.chmod(0o700)
    assert (done.returncode, done.stderr) == (0, "")
    assert "4.7" in done.stdout


def test_a_folder_deleted_under_the_page_is_told(seeded_data_dir: Path, tmp_path: Path) -> None:
    with paging(seeded_data_dir, tmp_path / "log") as page:
        assert page.ask("What is RGGT?")["citations"]
        # Moved first: what the page still writes beside its answer goes with the folder.
        gone = (seeded_data_dir / "collections" / "papers").rename(tmp_path / "gone")
        shutil.rmtree(gone, ignore_errors=True)
        told = page.ask("What is RGGT?")
        assert "run `assistant sync" in str(told["error"])
        assert "Traceback" not in page.log.read_text()


@pytest.mark.parametrize("key", [None, "", "   ", "\t"])
def test_no_key_is_no_network_fault(key: str | None, seeded_data_dir: Path) -> None:
    given = {} if key is None else {"OPENAI_API_KEY": key}
    begun = time.monotonic()
    code, out, err = run(
        *("ask", "What is RGGT?"),
        ASSISTANT_MODEL="openai:some-model",
        ASSISTANT_MAX_RETRIES="9",
        **given,
    )
    assert code == 2
    assert out == ""
    assert "OPENAI_API_KEY" in err
    assert len(err.splitlines()) == 1
    assert time.monotonic() - begun < 40


def test_without_a_key_words_are_searched_and_abstracts_quoted(seeded_data_dir: Path) -> None:
    assert "001-17" in run("search", "RelayCaching", OPENAI_API_KEY="  ")[1]
    code, out, err = run("ask", "By how much does RelayCaching cut TTFT?", OPENAI_API_KEY="")
    assert (code, err) == (0, "")
    assert "4.7" in out


def test_a_server_of_ones_own_needs_no_key(seeded_data_dir: Path) -> None:
    with ScriptedServer() as server:
        server.reply(say("RelayCaching reduces TTFT by up to 4.7 times."))
        code, out, err = run(
            *("ask", "By how much does RelayCaching cut TTFT?"),
            OPENAI_BASE_URL=server.url,
            OPENAI_API_KEY="",
        )
        assert code == 0, err
        assert "4.7" in out
        assert server.chats


MARKED = (
    "We study the marks <|endoftext|>, <|im_start|> and <|fim_prefix|> of quokka tokenizers: an "
    "abstract that holds [INST] or {context} or \\mathcal{O}\\left((1-\\lambda)^{-6}\\right) is text."
)


def test_control_marks_and_braces_are_text_from_file_to_answer(tmp_path: Path) -> None:
    data = ("--data-dir", str(tmp_path / "data"))
    assert run(*data, "sync", papers(tmp_path, MARKED, OTHER))[0] == 0
    with ScriptedServer() as server:
        server.reply(
            say("The marks <|endoftext|> and <|im_start|> of quokka tokenizers are studied.")
        )
        question = "Which marks of quokka tokenizers are studied, such as <|endofprompt|> or {0}?"
        code, out, err = run(
            *data, "ask", "--json", question, OPENAI_BASE_URL=server.url, ASSISTANT_MODEL="openai:m"
        )
        assert code == 0, err
        assert server.chats
        assert all(MARKED in request.prompt for request in server.chats)
    assert "<|endoftext|>" in out
