"""Readers and writers in several processes and threads, and folders that cannot be written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from assistant.errors import IndexBusyError, SettingsError
from assistant.index.index import Index
from assistant.index.locking import writer_lock
from assistant.index.snapshot import Snapshot
from tests.index.stand_in import StandIn, current, generations, settings_in, some_papers

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("place")


class TestReadOnly:
    def test_asking_works_and_writes_nothing(self, index: Index, tmp_path: Path) -> None:
        index.sync(some_papers(5), source="a")
        index.close()
        before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")}
        with Index(settings_in(tmp_path), StandIn(), readonly=True) as asking:
            assert len(asking.snapshot()) == 5
            assert asking.exists()
            with pytest.raises(SettingsError, match="reading only"):
                asking.sync(some_papers(1), source="a")
        assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")} == before

    @pytest.mark.skipif(os.name != "posix", reason="other systems keep rights another way")
    def test_a_folder_without_write_permission(self, index: Index, tmp_path: Path) -> None:
        index.sync(some_papers(5), source="a")
        folders = [tmp_path, *(p for p in tmp_path.rglob("*") if p.is_dir())]
        for folder in folders:
            folder.chmod(0o500)
        try:
            told = in_other_process(
                tmp_path,
                "assert len(index.snapshot()) == 5 and index.exists()\n"
                "index.snapshot().cosines(StandIn().embed_query('q'))\n"
                "try:\n"
                "    index.sync(some_papers(1), source='a')\n"
                "except AssistantError as error:\n"
                "    print(error)\n",
                before=obeying_rights(),
            )
        finally:
            for folder in folders:
                folder.chmod(0o700)
        assert "ASSISTANT_DATA_DIR" in told
        assert len(told.splitlines()) == 1


class TestProcesses:
    def test_a_reader_follows_another_process(self, index: Index, tmp_path: Path) -> None:
        index.sync(some_papers(3), source="a")
        reading = Index(settings_in(tmp_path), None)
        first = reading.snapshot()
        assert reading.snapshot() is first
        in_other_process(tmp_path, "index.sync(some_papers(7), source='a')")
        assert len(reading.snapshot()) == 7
        assert len(first) == 3

    def test_a_second_writer_waits_and_then_says_for_whom(
        self, index: Index, tmp_path: Path
    ) -> None:
        started = threading.Event()
        release = threading.Event()

        def hold() -> None:
            with writer_lock(index.folder, 5):
                started.set()
                release.wait(30)

        holder = threading.Thread(target=hold)
        holder.start()
        assert started.wait(10)
        try:
            with pytest.raises(IndexBusyError, match=f"process {os.getpid()} on .+ since 20"):
                index.sync(some_papers(1), source="a", wait=0.05)
            waiting = threading.Timer(0.3, release.set)
            waiting.start()
            assert index.sync(some_papers(1), source="a", wait=20).added == 1
            waiting.join()
        finally:
            release.set()
            holder.join()

    def test_two_processes_at_once_lose_nothing(self, tmp_path: Path) -> None:
        code = "index.sync(some_papers(40, start=int(sys.argv[1])), source=sys.argv[1])"
        running = [start_process(tmp_path, code, str(start)) for start in (0, 100)]
        for process in running:
            _, complaints = process.communicate(timeout=60)
            assert (process.returncode, complaints) == (0, "")
        with Index(settings_in(tmp_path), StandIn()) as index:
            assert len(index.snapshot()) == 80
            assert index.check(deep=True) == []

    def test_threads_read_while_one_writes(self, index: Index, embedder: StandIn) -> None:
        index.sync(some_papers(10), source="a")
        stop = time.monotonic() + 1.5
        failures: list[BaseException] = []

        def read() -> None:
            try:
                while time.monotonic() < stop:
                    snapshot = index.snapshot()
                    cosines = snapshot.cosines(embedder.embed_query("q"))
                    assert len(cosines) == len(snapshot) == len(list(snapshot.papers()))
                    assert snapshot.paper(len(snapshot) - 1).id == f"p{len(snapshot) - 1}"
            except BaseException as error:  # noqa: BLE001
                failures.append(error)

        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        count = 10
        while time.monotonic() < stop:
            count = 12 if count == 10 else 10
            index.sync(some_papers(count), source="a")
        for reader in readers:
            reader.join()
        assert failures == []

    def test_what_a_killed_run_left_behind_is_removed(self, index: Index) -> None:
        index.sync(some_papers(3), source="a")
        left = index.folder / "generations" / "building-999-7"
        left.mkdir()
        (left / "vectors.npy").write_bytes(b"half")
        (index.folder / "writer.json").write_text(json.dumps({"pid": 1}))
        index.sync(some_papers(4), source="a")
        assert generations(index) == [current(index).name]

    @pytest.mark.parametrize("place", ["local"], indirect=True)
    def test_what_a_killed_run_had_recorded_is_published(
        self, index: Index, tmp_path: Path, embedder: StandIn
    ) -> None:
        index.sync(some_papers(3), source="a")
        old = current(index)
        index.sync(some_papers(5), source="a")
        # As after a kill between the catalogue's commit and the new generation.
        kept = tmp_path / "kept"
        shutil.copytree(current(index), kept)
        mark = json.loads((kept / "complete.json").read_text())
        (kept / "complete.json").write_text(json.dumps({**mark, "revision": mark["revision"] - 1}))
        shutil.move(kept, old)
        (index.folder / "CURRENT").write_text(old.name)
        reading = Index(settings_in(tmp_path), None)
        snapshot: Snapshot = reading.snapshot()
        assert (len(snapshot), snapshot.vectors_ready) == (5, 5)
        assert snapshot.mark.revision == mark["revision"]
        assert "cut off" in reading.notices[0]


def obeying_rights() -> tuple[str, ...]:
    """What to start a process with so that it may not write where it has no right to."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root may write anywhere, and there is no setpriv to take that away")
    return ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all")


def start_process(
    folder: Path, code: str, *arguments: str, before: tuple[str, ...] = ()
) -> subprocess.Popen[str]:
    script = (
        "import sys, pathlib\n"
        "from assistant.errors import AssistantError\n"
        "from assistant.index.index import Index\n"
        "from tests.index.stand_in import StandIn, settings_in, some_papers\n"
        f"index = Index(settings_in(pathlib.Path({str(folder)!r})), StandIn())\n"
        f"{code}\n"
    )
    return subprocess.Popen(
        [*before, sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def in_other_process(folder: Path, code: str, before: tuple[str, ...] = ()) -> str:
    process = start_process(folder, code, before=before)
    told, complaints = process.communicate(timeout=60)
    assert process.returncode == 0, complaints
    assert complaints == ""
    return told
