"""`assistant doctor`."""

from __future__ import annotations

import errno
import json
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.chroma_server import ChromaServer
from tests.cli.conftest import Run
from tests.scripted_server import ScriptedServer, say


def test_all_is_well(run: Run, seeded_data_dir: Path) -> None:
    ran = run("doctor", "--deep")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == "all is well"
    assert "papers       38" in ran.out
    assert "embedder     minilm-l6-v2-int8" in ran.out


def test_nothing_indexed_says_what_to_do(run: Run) -> None:
    ran = run("doctor")
    assert ran.code == 1
    assert "! nothing is indexed yet: ask a question, or run `assistant sync PATH`" in ran.out


def test_json(run: Run, seeded_data_dir: Path) -> None:
    status = json.loads(run("doctor", "--json").out)
    assert status["papers"] == status["vectors"] == 38
    assert status["findings"] == []
    assert status["mode"] == "extractive"


def test_another_embedder_is_found(run: Run, seeded_data_dir: Path) -> None:
    assert run("sync", "--rebuild", ASSISTANT_EMBEDDER="none").code == 0
    ran = run("doctor", ASSISTANT_EMBEDDER="minilm")
    assert ran.code == 1
    assert "assistant sync --rebuild" in ran.out


def test_the_chroma_server_is_named_with_its_version(run: Run, tmp_path: Path) -> None:
    with ChromaServer(tmp_path / "chroma") as server:
        environment = {"CHROMA_URL": server.url, "ASSISTANT_EMBEDDER": "none"}
        empty = run("doctor", **environment)
        assert (empty.code, empty.err) == (1, "")
        assert "! nothing is indexed yet: run `assistant sync PATH`" in empty.out
        (tmp_path / "one.txt").write_text("We study how graphs are searched. " * 8, "utf-8")
        assert run("sync", str(tmp_path / "one.txt"), **environment).code == 0
        well = run("doctor", "--deep", **environment)
        assert well.out.splitlines()[-1] == "all is well", well.out
        assert re.search(rf"server +{server.url} \(Chroma [\d.]+, asked with \d", well.out)
    gone = run("doctor", **environment)
    assert gone.code == 1
    assert "(does not answer)" in gone.out
    assert "! this is the state of 20" in gone.out


def test_a_server_that_answers_and_a_wrong_key(run: Run, seeded_data_dir: Path) -> None:
    with ScriptedServer(key="sk-right") as server:
        server.reply(say("ready"))
        environment = {
            "OPENAI_BASE_URL": server.url,
            "ASSISTANT_MODEL": "openai:test-model",
            "ASSISTANT_MAX_RETRIES": "0",
        }
        well = run("doctor", OPENAI_API_KEY="sk-right", **environment)
        assert well.code == 0, well.out
        assert "mode         written" in well.out
        wrong = run("doctor", OPENAI_API_KEY="sk-wrong", **environment)
    assert wrong.code == 1
    (finding,) = [line for line in wrong.out.splitlines() if line.startswith("! ")]
    assert "OPENAI_API_KEY" in finding
    assert "sk-wrong" not in wrong.out + wrong.err


def test_a_data_folder_that_is_a_file_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    ran = run("--data-dir", str(tmp_path / "file"), "doctor")
    assert ran.code == 1
    assert f"! {tmp_path / 'file'} cannot be written" in ran.out


def test_a_prompt_that_cannot_be_used_is_found(
    run: Run, seeded_data_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "answer.md").write_text("# System\nHi.\n# User\nHi.\n", encoding="utf-8")
    ran = run("doctor", ASSISTANT_PROMPTS_DIR=str(tmp_path))
    assert ran.code == 1
    assert f"! the prompt {tmp_path / 'answer.md'} has no front matter" in ran.out
    gone = run("doctor", ASSISTANT_PROMPTS_DIR=str(tmp_path / "gone"))
    assert gone.code == 1
    assert f"! ASSISTANT_PROMPTS_DIR={tmp_path / 'gone'} is no folder" in gone.out


def test_a_disk_that_is_nearly_full_is_found(
    run: Run, seeded_data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(seeded_data_dir)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=3_000_000))
    ran = run("doctor")
    assert ran.code == 1
    assert "has 3 MB of room left, and a sync may need 200 MB: make room" in ran.out


def test_a_folder_that_refuses_a_file_is_found(
    run: Run, seeded_data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    ran = run("doctor")
    assert ran.code == 1
    assert "cannot be written: what is indexed there answers" in ran.out
    assert "(Read-only file system; ASSISTANT_DATA_DIR sets where it is)" in ran.out
