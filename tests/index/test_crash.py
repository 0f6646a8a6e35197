"""A sync may be killed at any moment: nothing that was synced is lost, and the next one goes on."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assistant.corpus.paper import Paper
from assistant.errors import InputError
from assistant.index.index import Index
from tests.index.stand_in import StandIn, settings_in, some_papers

ROOT = Path(__file__).parents[2]
CHILD = """
import pathlib, sys
import chromadb
from assistant.index.index import Index
from tests.index.stand_in import StandIn, settings_in
from tests.index.test_crash import version
index = Index(settings_in(pathlib.Path(sys.argv[1])), StandIn())
print("ready", flush=True)
index.sync(version(int(sys.argv[2])), source="a")
"""


def version(number: int) -> list[Paper]:
    """The files' content at one time; a third of it is another at the next, and some is gone."""
    kept = some_papers(300 - number % 5)
    changed = some_papers(100, words=f"as of version {number} about", start=1_000)
    return kept + changed


def run_until(folder: Path, number: int, delay: float | None) -> float:
    """Sync a version in a process of its own, killed after a time; returns how long it ran."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder), str(number)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    begun = time.monotonic()
    try:
        child.wait(delay)
    except subprocess.TimeoutExpired:
        child.kill()
    _, complaints = child.communicate(timeout=60)
    ran = time.monotonic() - begun
    assert complaints == ""
    return ran


def kill_again_and_again(folder: Path, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    longest = run_until(folder / "whole", 0, None)
    known: int | None = None
    for number in range(1, kills + 1):
        run_until(folder / "killed", number, chance.uniform(0, longest * 1.1))
        if chance.random() < 0.3:
            # Left as it is, so that one kill finds what another left behind.
            continue
        with Index(settings_in(folder / "killed"), None) as index:
            try:
                papers = list(index.snapshot().papers())
            except InputError:
                assert known is None, "what had been synced is gone"
                continue
        # All of one version, and never an older one than was seen before.
        matching = [
            n
            for n in range(known or 1, number + 1)
            if sorted(p.abstract for p in papers) == sorted(p.abstract for p in version(n))
        ]
        assert matching, f"{len(papers)} papers after kill {number} are of no version (seed {seed})"
        known = matching[-1]

    embedder = StandIn()
    with Index(settings_in(folder / "killed"), embedder) as index:
        report = index.sync(version(kills), source="a")
        assert report.papers == len(version(kills))
        assert index.check(deep=True) == []
        snapshot = index.snapshot()
        assert sorted(p.id for p in snapshot.papers()) == sorted(p.id for p in version(kills))
        assert snapshot.vectors_ready == len(snapshot)
        again = len(embedder.embedded)
        index.sync(version(kills), source="a")
        assert len(embedder.embedded) == again
        assert len(list((index.folder / "generations").iterdir())) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_at_any_moment(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, kills=6, seed=7)


@pytest.mark.stress
@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_many_times(tmp_path: Path, seed: int) -> None:
    kill_again_and_again(tmp_path, kills=25, seed=seed)
