"""`assistant sync` as a person meets it: asked first, told what happened, stopped, out of room."""

from __future__ import annotations

import gzip
import json
import os
import pty
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assistant.cli.sync import parsed_mapping
from assistant.errors import InputError
from tests.cli.conftest import Ran, Run
from tests.conftest import ROOT
from tests.index.test_processes import obeying_rights

WORDS = "model graph image speech robot proof bound agent token layer noise motion".split()
SHELL = 'ulimit -f {blocks}; exec "$@"'
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals, terminals and rights of Unix")


def abstract(number: int) -> str:
    chance = random.Random(number)
    return " ".join(chance.choice(WORDS) for _ in range(40)) + "."


def write(path: Path, *numbers: int) -> Path:
    path.write_text("\n\n".join(map(abstract, numbers)) + "\n", encoding="utf-8")
    return path


def held(run: Run) -> int:
    return len(run("papers").out.splitlines())


@pytest.fixture(autouse=True)
def _by_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_EMBEDDER", "none")


class TestRemoval:
    def test_without_a_terminal_a_large_one_changes_nothing(self, run: Run, tmp_path: Path) -> None:
        path = write(tmp_path / "mine.txt", *range(10))
        run("sync", str(path))
        write(path, *range(6), 99)
        run("sync", str(path)).failed_with(
            f"4 of the 10 papers of the source {path} are gone from it: nothing was changed; if "
            "they are meant to go, run the same command with --yes",
            code=1,
        )
        assert held(run) == 10
        ran = run("sync", "--yes", str(path))
        assert ran.out == "1 added, 4 removed, 6 unchanged; the collection holds 7 papers.\n"

    def test_a_small_one_is_not_asked_for(self, run: Run, tmp_path: Path) -> None:
        path = write(tmp_path / "mine.txt", *range(10))
        run("sync", str(path))
        assert run("sync", str(write(path, *range(8)))).code == 0
        assert held(run) == 8

    @pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b"\xff\xfe\x00"])
    def test_a_file_that_lost_its_content_wipes_nothing(
        self, content: bytes, run: Run, tmp_path: Path
    ) -> None:
        path = write(tmp_path / "mine.txt", 1, 2)
        run("sync", str(path))
        path.write_bytes(content)
        ran = run("sync", str(path))
        assert ran.code != 0
        assert len(ran.err.splitlines()) == 1
        assert held(run) == 2

    def test_files_of_one_name_are_two_sources(self, run: Run, tmp_path: Path) -> None:
        for n, folder in enumerate(("mine", "yours")):
            (tmp_path / folder).mkdir()
            run("sync", str(write(tmp_path / folder / "papers.txt", n)))
        assert held(run) == 2

    @POSIX
    def test_in_a_terminal_it_is_asked(self, run: Run, tmp_path: Path) -> None:
        path = write(tmp_path / "mine.txt", *range(10))
        run("sync", str(path))
        write(path, *range(5))
        no = in_terminal(b"\n", "sync", str(path))
        assert f"5 of the 10 papers of the source {path} are gone from it. Remove them? [y/N]" in (
            " ".join(no.err.split())
        )
        assert no.err.rstrip().endswith("assistant: nothing was changed")
        assert "--yes" not in no.err
        assert no.code == 1
        assert held(run) == 10
        yes = in_terminal(b"y\n", "sync", str(path))
        assert (yes.code, held(run)) == (0, 5)


class TestWords:
    def test_one_is_no_plural(self, run: Run, tmp_path: Path) -> None:
        path = write(tmp_path / "mine.txt", 1)
        ran = run("sync", str(path))
        assert ran.out == "1 added; the collection holds 1 paper.\n"
        path.write_text(f"{path.read_text('utf-8')}\n{path.read_text('utf-8')}", "utf-8")
        ran = run("sync", str(path))
        assert ran.out == "1 unchanged, 1 duplicate; the collection holds 1 paper.\n"

    def test_a_file_in_a_folder_is_named_with_its_way(self, run: Run, tmp_path: Path) -> None:
        for name in ("a", "a/b"):
            (tmp_path / "all" / name).mkdir(parents=True, exist_ok=True)
            path = write(tmp_path / "all" / name / "papers.txt", len(name))
            path.write_text(path.read_text("utf-8") + "\nToo short.\n", "utf-8")
        (tmp_path / "all/a/b/scan.xyz").write_bytes(bytes(range(1, 255)))
        for given in (str(tmp_path / "all"), str(tmp_path / "all" / "**" / "*.*")):
            ran = run("sync", "--dry-run", given)
            assert ran.code == 0
            assert "skipped a/papers.txt:3: too short" in ran.err
            assert "skipped a/b/papers.txt:3: too short" in ran.err
            assert "skipped a/b/scan.xyz: has no reader" in ran.err

    def test_a_file_that_is_cut_off_gives_what_came_before_and_fails(
        self, run: Run, tmp_path: Path
    ) -> None:
        texts = write(tmp_path / "mine.txt", *range(2_000)).read_bytes()
        packed = gzip.compress(texts)
        cut = tmp_path / "cut.txt.gz"
        cut.write_bytes(packed[: len(packed) // 2])
        ran = run("sync", str(cut), ASSISTANT_EMBEDDER="none")
        assert ran.code == 1
        assert "is damaged or cut off here; what came before was read" in ran.err
        assert " added, 1 skipped; the collection holds " in ran.out
        assert held(run) > 100


class TestDryRun:
    def test_it_makes_no_collection(self, run: Run, tmp_path: Path) -> None:
        path = write(tmp_path / "mine.txt", 1, 2)
        data = tmp_path / "data"
        ran = run("--data-dir", str(data), "sync", "--dry-run", str(path))
        assert ran.out == (
            "Nothing was written. It would be: 2 added; the collection would hold 2 papers.\n"
        )
        assert not data.exists()

    def test_it_tells_what_would_happen(self, run: Run, tmp_path: Path) -> None:
        path = write(tmp_path / "mine.txt", *range(9))
        run("sync", str(path))
        write(path, *range(4), 50)
        path.write_text(path.read_text("utf-8") + "\nToo short.\n", "utf-8")
        ran = run("sync", "--dry-run", "--json", str(path))
        told = {"added": 1, "changed": 0, "removed": 5, "unchanged": 4, "skipped": 1}
        assert json.loads(ran.out) == {**told, "duplicates": 0, "papers": 5}
        assert "skipped mine.txt:11: too short to be an abstract" in ran.err
        assert held(run) == 9
        assert json.loads(run("sync", "--yes", "--json", str(path)).out) == json.loads(ran.out)

    def test_not_with_a_rebuild(self, run: Run) -> None:
        run("sync", "--dry-run", "--rebuild").failed_with("leave one of them out")


def test_a_duplicate_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(f"{abstract(1)}\n\n{abstract(1).upper()} Code is available online.", "utf-8")
    ran = run("sync", str(path))
    assert ran.out == "1 added, 1 duplicate; the collection holds 1 paper.\n"
    assert ran.err.startswith("duplicate mine.txt:2: has the abstract of mine.txt:1, ")
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        ([], {}),
        (["title=Name,abstract=Summary"], {"title": "Name", "abstract": "Summary"}),
        (["title = Name", "year=y"], {"title": "Name", "year": "y"}),
        (["title=Name, short,year=y"], {"title": "Name, short", "year": "y"}),
    ],
)
def test_fields_that_are_named(given: list[str], fields: dict[str, str]) -> None:
    assert parsed_mapping(given) == fields


@pytest.mark.parametrize(
    ("given", "said"), [("title", "is none: write title=Name"), ("colour=red", "use id, title")]
)
def test_what_names_no_field(given: str, said: str, run: Run, two_papers: Path) -> None:
    run("sync", "--map", given, str(two_papers)).failed_with(said)
    with pytest.raises(InputError):
        parsed_mapping([given])


# --- stopped, at once with another, without room, without rights


@POSIX
def test_ctrl_c_says_what_is_kept_and_the_next_one_goes_on(
    run: Run, tmp_path: Path, isolated_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_EMBEDDER", "minilm")
    path = write(tmp_path / "many.txt", *range(600))
    with started("sync", str(path)) as child:
        published = isolated_home / "data" / "collections" / "papers" / "CURRENT"
        for _ in range(900):
            if published.exists() or child.poll() is not None:
                break
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, "")
    (line,) = err.splitlines()
    assert line.startswith("assistant: stopped: all 600 papers are kept")
    assert line.endswith("the same command goes on from there")
    ran = run("sync", "--json", str(path), ASSISTANT_EMBEDDER="none")
    assert json.loads(ran.out)["unchanged"] == 600


@POSIX
def test_ctrl_c_while_reading_changes_nothing(isolated_home: Path) -> None:
    with started("sync", "-") as child:
        assert child.stdin is not None
        assert child.stderr is not None
        # More than the pipe holds: once it is written, the command reads.
        child.stdin.write("".join(f"{abstract(number)}\n\n" for number in range(1_000)))
        child.stdin.flush()
        child.send_signal(signal.SIGINT)
        child.wait(60)
        assert child.stderr.read() == (
            "assistant: stopped before anything was changed; the same command starts again\n"
        )
    assert child.returncode == 130
    assert not list(isolated_home.rglob("catalogue.sqlite"))


def test_two_at_once_lose_nothing(run: Run, tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.txt", *range(30)), write(tmp_path / "b.txt", *range(30, 60))]
    running = [started("sync", "--json", str(path)) for path in paths]
    for child in running:
        with child:
            out, err = child.communicate(timeout=100)
        assert (child.returncode, err) == (0, "")
        assert json.loads(out)["added"] == 30
    assert held(run) == 60


@POSIX
@pytest.mark.parametrize("blocks", [8, 64, 400])
def test_no_room_is_one_line_and_keeps_what_there_is(
    blocks: int, run: Run, seeded_data_dir: Path, tmp_path: Path
) -> None:
    path = write(tmp_path / "many.txt", *range(2_000))
    done = subprocess.run(
        ["sh", "-c", SHELL.format(blocks=blocks), "sh", *COMMAND, "sync", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode in {1, 3}, done
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "has room" in done.stderr
    assert not list(seeded_data_dir.rglob("*.part"))
    assert not list(seeded_data_dir.rglob("building-*"))
    assert not list(seeded_data_dir.rglob("writer.json"))
    assert {"001-10", "001-17"} <= {
        json.loads(line)["paper"]["id"]
        for line in run("search", "--json", "KV cache").out.splitlines()
    }
    assert json.loads(run("sync", "--json", str(path)).out)["papers"] == 2_038


@POSIX
def test_a_folder_that_cannot_be_written(seeded_data_dir: Path, two_papers: Path) -> None:
    folders = [seeded_data_dir, *(p for p in seeded_data_dir.rglob("*") if p.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    try:
        ran = {
            args[0]: without_rights(*args)
            for args in (("sync", str(two_papers)), ("search", "KV cache"), ("doctor",))
        }
        seen = without_rights("sync", "--dry-run", str(two_papers))
    finally:
        for folder in folders:
            folder.chmod(0o700)
    assert ran["sync"].returncode == 1
    assert len(ran["sync"].stderr.splitlines()) == 1
    assert "ASSISTANT_DATA_DIR" in ran["sync"].stderr
    assert (ran["search"].returncode, ran["search"].stderr) == (0, "")
    assert "(001-17)" in ran["search"].stdout
    assert ran["doctor"].returncode == 1
    assert "cannot be written: what is indexed there answers" in ran["doctor"].stdout
    assert (seen.returncode, seen.stderr) == (0, "")
    assert "2 added; the collection would hold 40 papers" in seen.stdout


def test_a_spoilt_catalogue_is_one_line_and_answers_go_on(
    run: Run, seeded_data_dir: Path, two_papers: Path
) -> None:
    path = seeded_data_dir / "collections" / "papers" / "catalogue.sqlite"
    path.write_bytes(b"spoilt" * 1_000)
    run("sync", str(two_papers)).failed_with("put a copy of it back", code=3)
    assert "(001-17)" in run("search", "KV cache").out
    ran = run("doctor")
    assert ran.code == 1
    assert len([line for line in ran.out.splitlines() if "catalogue.sqlite" in line]) == 1


def test_a_spoilt_store_is_healed_by_the_next_sync(
    run: Run, seeded_data_dir: Path, two_papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_EMBEDDER", "minilm")
    files = [p for p in seeded_data_dir.rglob("*.bin") if "chroma" in p.parts]
    largest = max(files, key=lambda p: p.stat().st_size)
    with largest.open("r+b") as file:
        file.truncate(largest.stat().st_size // 2)
    assert "(001-17)" in run("search", "KV cache").out
    assert json.loads(run("sync", "--json", str(two_papers)).out)["papers"] == 40
    assert run("doctor", "--deep").out.splitlines()[-1] == "all is well"


COMMAND = (sys.executable, "-m", "assistant")


def without_rights(*args: str) -> subprocess.CompletedProcess[str]:
    command = [*obeying_rights(), *COMMAND, *args]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)


def started(*args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *args],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def in_terminal(typed: bytes, *args: str) -> Ran:
    """Run a command whose input and messages are a terminal, in which something is typed."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*COMMAND, *args], cwd=ROOT, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    seen = b""
    os.write(ours, typed)
    try:
        while chunk := os.read(ours, 4_096):
            seen += chunk
    except OSError:
        pass  # Linux says so when the last one has left the terminal.
    finally:
        os.close(ours)
    out, _ = child.communicate(timeout=60)
    return Ran(child.returncode, out.decode(), seen.decode(errors="replace"))
