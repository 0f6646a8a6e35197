"""A disk that is full, and files that something damaged: nothing is lost, and it is said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.answering.answer import Answer
from assistant.answering.feedback import FILE, keep_feedback
from assistant.errors import AssistantError
from tests.faults.processes import run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits and rights of POSIX")

ANSWER = Answer(text="t", question="q", standalone_question="q", kind="fact", mode="extractive")
# No file may grow beyond this, as on a disk with as much room left.
LIMITED = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0})); "
    "from assistant.cli import main; main()"
)


def limited(room: int, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LIMITED.format(room), *args],
        capture_output=True,
        text=True,
        timeout=90,
        env={**os.environ, **environment},
    )


def abstracts(folder: Path, count: int) -> str:
    path = folder / "many.txt"
    texts = [
        f"We study how quokka number {n} finds food in winter, in {n + 3} forests, over a year. "
        + "It walks far and eats leaves. " * 8
        for n in range(count)
    ]
    path.write_text("\n\n".join(texts), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("room", [60_000, pytest.param(200_000, marks=pytest.mark.stress)])
def test_a_disk_full_during_a_sync_loses_nothing(room: int, tmp_path: Path) -> None:
    data, words = ("--data-dir", str(tmp_path / "data")), {"ASSISTANT_EMBEDDER": "none"}
    few, many = abstracts(tmp_path, 3), tmp_path / "later"
    assert run(*data, "sync", few, "--source", "s", **words)[0] == 0
    many.mkdir()
    full = limited(room, *data, "sync", abstracts(many, 600), "--source", "s", **words)
    assert full.returncode not in (0, -25), full.stdout
    assert "Traceback" not in full.stderr
    (line,) = [line for line in full.stderr.splitlines() if line.startswith("assistant: ")]
    assert "room" in line
    assert "quokka number 2 finds" in run(*data, "ask", "quokka number 2", **words)[1]
    code, out, _ = run(*data, "sync", "--json", str(many / "many.txt"), "--source", "s", **words)
    assert code == 0
    assert json.loads(out.splitlines()[-1])["papers"] == 600
    code, out, _ = run(*data, "doctor", "--deep", **words)
    assert code == 0, out


@pytest.mark.stress
def test_a_disk_full_while_vectors_are_stored(tmp_path: Path) -> None:
    data = ("--data-dir", str(tmp_path / "data"))
    source = abstracts(tmp_path, 12)
    full = limited(100_000, *data, "sync", source)
    assert full.returncode not in (0, -25)
    assert "Traceback" not in full.stderr
    assert run(*data, "sync", source)[0] == 0
    code, out, _ = run(*data, "doctor", "--deep")
    assert code == 0, out


def test_a_disk_full_costs_a_question_nothing(seeded_data_dir: Path) -> None:
    for kept in (seeded_data_dir / "collections" / "papers").glob("reading*"):
        kept.unlink()
    asked = limited(4_000, "ask", "By how much does RelayCaching cut TTFT?")
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "4.7" in asked.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_feedback_that_cannot_be_kept_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / FILE).symlink_to("/dev/full")
    with pytest.raises(AssistantError, match=r"cannot be kept .*No space left"):
        keep_feedback(tmp_path, ANSWER, "good")


def test_half_a_line_of_feedback_is_taken_back(tmp_path: Path) -> None:
    keep_feedback(tmp_path, ANSWER, "good")
    kept = (tmp_path / FILE).read_bytes()
    code = (
        "import resource, sys; from pathlib import Path; "
        "from assistant.answering.feedback import keep_feedback; "
        "from assistant.errors import AssistantError; from tests.faults.test_disk import ANSWER; "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({len(kept) + 40},) * 2)\n"
        f"try: keep_feedback(Path({str(tmp_path)!r}), ANSWER, 'bad')\n"
        "except AssistantError as error: print(error)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=60,
    )
    assert "cannot be kept" in told.stdout, told.stderr
    assert (tmp_path / FILE).read_bytes() == kept
    keep_feedback(tmp_path, ANSWER, "bad")
    assert len((tmp_path / FILE).read_text().splitlines()) == 2


@pytest.mark.parametrize("name", ["the largest vector file", "chroma.sqlite3", "CURRENT"])
def test_a_damaged_store_heals_at_the_next_question(name: str, seeded_data_dir: Path) -> None:
    folder = seeded_data_dir / "collections" / "papers"
    current = folder / "generations" / (folder / "CURRENT").read_text().strip()
    if name == "CURRENT":
        (folder / name).write_bytes(b"")
    elif name == "chroma.sqlite3":
        path = next(current.rglob(name))
        path.write_bytes(b"not a database" * 1_000)
    else:
        path = max((current / "chroma").rglob("*.bin"), key=lambda file: file.stat().st_size)
        os.truncate(path, path.stat().st_size // 2)
    code, out, err = run("ask", "--json", "By how much does RelayCaching cut TTFT?")
    assert code == 0, err
    assert "4.7" in out
    assert "Traceback" not in err
    run("sync", "--rebuild")
    code, out, _ = run("doctor", "--deep")
    assert code == 0, out


def test_a_damaged_catalogue_is_one_line(seeded_data_dir: Path) -> None:
    folder = seeded_data_dir / "collections" / "papers"
    shutil.rmtree(folder / "generations")
    (folder / "catalogue.sqlite").write_bytes(b"not a database" * 1_000)
    for command in (("ask", "What is RGGT?"), ("doctor",)):
        code, _, err = run(*command)
        assert code != 0
        assert "Traceback" not in err
