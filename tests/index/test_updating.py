from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.index import indexing, updating
from assistant.index.index import Index
from assistant.index.indexing import Indexing, index_papers
from assistant.index.lexical import LexicalIndex
from assistant.index.mark import LEXICAL, PAPERS, STORE
from tests.index.stand_in import StandIn, current, generations, settings_in, some_papers


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(settings_in(tmp_path), StandIn())


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the lexical index in a process of its own at any size."""
    monkeypatch.setattr(updating, "BESIDE", 1)
    monkeypatch.setattr(updating, "LEXICAL_FIRST", 10)


@dataclass
class _Waiting(StandIn):
    """An embedder that takes longer than the lexical index.

    Args:
        folder: the data folder.
    """

    folder: Path = Path()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        until = time.monotonic() + 60
        while not list(self.folder.rglob("lexical.json")) and time.monotonic() < until:
            time.sleep(0.02)
        # The file is written last, and the process needs a moment to end.
        time.sleep(0.2)
        return super().embed(texts)


@pytest.mark.usefixtures("beside")
class TestBeside:
    def test_gives_the_same_index(self, index: Index, tmp_path: Path) -> None:
        index.sync(some_papers(40), source="a")
        texts = [paper.indexed_text for paper in index.snapshot().papers()]
        LexicalIndex.build(texts).save(tmp_path / "here")
        for file in (tmp_path / "here").glob("*.npy"):
            assert file.read_bytes() == (current(index) / LEXICAL / file.name).read_bytes()
        assert index.check(deep=True) == []
        assert len(generations(index)) == 1

    def test_words_are_found_before_all_is_embedded(self, tmp_path: Path) -> None:
        seen: list[tuple[int, int]] = []

        def look(stage: str, done: int, total: int) -> None:
            if stage == "embedding" and done == total:
                with Index(settings_in(tmp_path), None, readonly=True) as reader:
                    snapshot = reader.snapshot()
                    seen.append((len(snapshot), snapshot.vectors_ready))

        with Index(settings_in(tmp_path), _Waiting(folder=tmp_path)) as index:
            index.sync(some_papers(40), source="a", progress=look)
            [(papers, ready)] = seen
            assert papers == 40
            assert ready < 40
            assert index.snapshot().vectors_ready == 40

    def test_a_process_that_fails_is_made_up_for(
        self, index: Index, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(indexing, "__name__", "assistant.index.no_such_module")
        index.sync(some_papers(20), source="a")
        assert len(index.snapshot().lexical) == 20


def test_vectors_are_there_before_chroma_is_filled(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updating, "LEXICAL_FIRST", 10)
    seen: list[tuple[int, bool]] = []

    def look(stage: str, done: int, total: int) -> None:
        if stage == "storing" and done == total:
            seen.append((index.snapshot().vectors_ready, (current(index) / STORE).exists()))

    index.sync(some_papers(24), source="a", progress=look)
    assert seen[-1] == (24, False)
    assert (current(index) / STORE).is_dir()


def test_a_new_paper_reads_nothing_back_out_of_chroma(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.sync(some_papers(20), source="a")
    (current(index) / STORE / "held.json").unlink()
    index.sync(some_papers(1, start=90), source="b")
    assert index.check(deep=True) == []
    from chromadb.api.models.Collection import Collection

    plain = Collection.get

    def refusing(self: Collection, *args: object, **named: object) -> object:
        assert named.get("include") != ["metadatas"]
        return plain(self, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Collection, "get", refusing)
    index.sync(some_papers(1, start=91), source="c")
    assert index.snapshot().mark.stored == 22


def test_the_process_ends_with_the_one_that_started_it(index: Index, tmp_path: Path) -> None:
    index.sync(some_papers(20), source="a")
    papers = current(index) / PAPERS
    child = subprocess.Popen(
        [sys.executable, "-m", "assistant.index.indexing", str(papers), str(tmp_path / "l"), ""],
        stdin=subprocess.PIPE,
    )
    assert child.stdin is not None
    child.stdin.close()
    assert child.wait(timeout=60) in (0, 1)


def test_closing_ends_the_process(index: Index, tmp_path: Path) -> None:
    index.sync(some_papers(20), source="a")
    process = Indexing(current(index) / PAPERS, tmp_path / "l", None)
    process.close()
    assert process.ready()


def test_an_unreadable_earlier_index_is_no_hindrance(index: Index, tmp_path: Path) -> None:
    index.sync(some_papers(5), source="a")
    index_papers(current(index) / PAPERS, tmp_path / "new", tmp_path / "nowhere")
    assert len(LexicalIndex.load(tmp_path / "new")) == 5


def test_an_index_of_an_older_format_is_made_anew(
    index: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from assistant.index import generation, lexical

    for module in (generation, lexical, updating):
        monkeypatch.setattr(module, "FORMAT", lexical.FORMAT - 1)
    index.sync(some_papers(5), source="a")
    index.close()
    monkeypatch.undo()
    with Index(settings_in(tmp_path), StandIn()) as newer:
        assert len(newer.snapshot().lexical) == 5
        [notice] = newer.notices
        assert "made by another version" in notice
        newer.sync(some_papers(5), source="a")
        assert newer.check(deep=True) == []
