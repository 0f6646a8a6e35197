"""A sync may be killed at any moment: nothing that was synced is lost, and the next one goes on."""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest

from assistant.corpus.paper import Paper
from assistant.errors import InputError
from assistant.index.index import Index
from tests.index.stand_in import StandIn, settings_in, some_papers

ROOT = Path(__file__).parents[2]
STAGES = ("reading", "cutting", "recorded", "indexing", "embedding", "storing", "stored")
NURSERY = """
import os, pathlib, sys
import chromadb
from assistant.index.index import Index
from tests.index.stand_in import StandIn, settings_in
from tests.index.test_crash import version

def tell(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

def progress(stage, done, total):
    tell("stage", "stored" if stage == "storing" and done and done == total else stage)

tell("ready")
for line in sys.stdin:
    number, folder = line.rstrip().split(" ", 1)
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        tell("ended", status)
        continue
    tell("born", os.getpid())
    try:
        Index(settings_in(pathlib.Path(folder)), StandIn()).sync(
            version(int(number)), source="a", progress=progress
        )
    except BaseException as error:
        tell("failed", repr(error))
        os._exit(1)
    os._exit(0)
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")


class Nursery:
    """A process with everything imported that starts a child for each sync: a kill costs no start."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._next() == ["ready"]
        return self

    def __exit__(self, *_: object) -> None:
        complaints = self._process.communicate(timeout=60)[1]
        assert complaints == ""

    def _next(self) -> list[str]:
        assert self._process.stdout is not None
        return self._process.stdout.readline().split()

    def sync(self, folder: Path, number: int, stage: str | None, delay: float) -> str | None:
        """Sync a version in a process, killed a moment after a stage began.

        Returns the stage in which it was killed; None where it came to its end.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(f"{number} {folder}\n")
        self._process.stdin.flush()
        said = self._next()
        assert said[0] == "born", said
        born = int(said[1])
        reached: list[str] = ["begun"]
        while True:
            said = self._next()
            assert said, "the nursery died"
            assert said[0] != "failed", said
            if said[0] == "ended":
                status = int(said[1])
                return reached[-1] if os.WIFSIGNALED(status) else None
            reached.append(said[1])
            if said[1] == stage:
                stage = None
                time.sleep(delay)
                # It may have come to its end meanwhile.
                with suppress(ProcessLookupError):
                    os.kill(born, signal.SIGKILL)


def version(number: int) -> list[Paper]:
    """The files' content at one time; a third of it is another at the next, and some is gone."""
    kept = some_papers(300 - number % 5)
    changed = some_papers(100, words=f"as of version {number} about", start=1_000)
    return kept + changed


def kill_again_and_again(folder: Path, kills: int, seed: int) -> Counter[str]:
    """Kill syncs of ever newer versions, in each stage in turn; returns where they were killed."""
    chance = random.Random(seed)
    killed: Counter[str] = Counter()
    known: int | None = None
    numbers = itertools.count(1)
    number = 0
    with Nursery() as nursery:
        for stage in stages(chance):
            if killed.total() >= kills:
                break
            number = next(numbers)
            at = nursery.sync(folder, number, stage, chance.choice([0, 0.002, 0.02, 0.1]))
            killed.update([at] if at else [])
            if chance.random() < 0.3:
                # Left as it is, so that one kill finds what another left behind.
                continue
            known = checked(folder, known, number)
    goes_on(folder, number)
    return killed


def stages(chance: random.Random) -> Iterator[str]:
    while True:
        yield from chance.sample(STAGES, len(STAGES))


def checked(folder: Path, known: int | None, number: int) -> int | None:
    """What is there is all of one version, and never an older one than was seen before."""
    with Index(settings_in(folder), None) as index:
        try:
            papers = sorted(paper.abstract for paper in index.snapshot().papers())
        except InputError:
            assert known is None, "what had been synced is gone"
            return None
    matching = [
        n
        for n in range(known or 1, number + 1)
        if papers == sorted(paper.abstract for paper in version(n))
    ]
    assert matching, f"{len(papers)} papers after sync {number} are of no version"
    return matching[-1]


def goes_on(folder: Path, number: int) -> None:
    """The next sync needs no other step, makes the whole of it, and embeds nothing twice."""
    embedder = StandIn()
    with Index(settings_in(folder), embedder) as index:
        report = index.sync(version(number), source="a")
        assert report.papers == len(version(number))
        assert index.check(deep=True) == []
        snapshot = index.snapshot()
        assert sorted(p.id for p in snapshot.papers()) == sorted(p.id for p in version(number))
        assert snapshot.vectors_ready == len(snapshot)
        again = len(embedder.embedded)
        index.sync(version(number), source="a")
        assert len(embedder.embedded) == again
        assert len(list((index.folder / "generations").iterdir())) == 1


def test_killed_at_any_moment(tmp_path: Path) -> None:
    killed = kill_again_and_again(tmp_path, kills=24, seed=7)
    assert killed.total() == 24
    assert len(killed) >= 5, killed


@pytest.mark.stress
@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("seed", range(4))
def test_killed_many_times(tmp_path: Path, seed: int) -> None:
    assert kill_again_and_again(tmp_path, kills=100, seed=seed).total() == 100
