from __future__ import annotations

import dataclasses
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from assistant.corpus.paper import Paper, Passage
from assistant.errors import IndexDamagedError, SettingsError
from assistant.index.store import Entry, PassageStore, passage_id, split_passage_id
from tests.index.stand_in import StandIn, some_papers

EMBEDDER = StandIn()


def entry(paper: Paper, ordinal: int = 0) -> Entry:
    passage = Passage(paper.id, paper.abstract, 0, len(paper.abstract))
    vector = EMBEDDER.embed_query(paper.abstract)
    return Entry.of(paper, passage, ordinal, f"hash of {paper.abstract}", vector)


def fill(folder: Path, entries: list[Entry]) -> None:
    with PassageStore(folder) as store:
        store.reconcile(entries, lambda _: None)


def stored(folder: Path) -> dict[str, dict[str, object]]:
    """What another process finds: id to metadata, with the document under `document`."""
    with PassageStore(folder) as store:
        got = store._open.get(include=["documents", "metadatas"])
        return {
            id_: {**metadata, "document": document}
            for id_, metadata, document in zip(
                got["ids"], got["metadatas"] or [], got["documents"] or [], strict=True
            )
        }


def test_missing_fields_are_absent(tmp_path: Path) -> None:
    bare, full = some_papers(2)
    fill(tmp_path / "s", [entry(bare), entry(full)])
    found = stored(tmp_path / "s")
    assert set(found["p0#0"]) == {"paper", "start", "end", "hash", "authors", "document"}
    assert found["p1#0"]["title"] == "Title 1"
    assert found["p1#0"]["year"] == 2021
    assert "None" not in str(found)


def test_only_the_difference_is_written(tmp_path: Path) -> None:
    papers = some_papers(4)
    fill(tmp_path / "s", [entry(p) for p in papers])
    renewed = [
        Paper(id="p1", abstract=papers[1].abstract),
        Paper(id="p2", abstract="Corrected to 35\\%."),
        *some_papers(1, start=9),
    ]
    # One that is as it was is not even looked at: this vector must not arrive.
    untouched = dataclasses.replace(entry(papers[0]), vector=EMBEDDER.embed_query("wrong"))
    fill(tmp_path / "s", [untouched, *(entry(p) for p in renewed)])
    with PassageStore(tmp_path / "s") as store:
        vectors = store.vectors(["p0#0", "p1#0", "p2#0", "p9#0"])
    assert np.allclose(vectors["p0#0"], entry(papers[0]).vector, atol=1e-6)
    assert np.allclose(vectors["p2#0"], entry(renewed[1]).vector, atol=1e-6)
    found = stored(tmp_path / "s")
    assert set(found) == {"p0#0", "p1#0", "p2#0", "p9#0"}
    # A merging write would have kept the old title and year.
    assert "title" not in found["p1#0"]
    assert "year" not in found["p1#0"]
    assert found["p2#0"]["document"] == "Corrected to 35\\%."


def test_more_than_one_batch_is_stored_whole(tmp_path: Path) -> None:
    papers = some_papers(6_000)
    with PassageStore(tmp_path / "s") as store:
        assert store._batch < 6_000
        store.reconcile((entry(p) for p in papers), lambda _: None)
        assert len(store) == 6_000
        ids = [passage_id(p.id, 0) for p in papers]
        vectors = store.vectors(ids)
    assert len(vectors) == 6_000
    assert np.allclose(vectors["p5999#0"], entry(papers[-1]).vector, atol=1e-6)


def test_nearest_first(tmp_path: Path) -> None:
    entries = [entry(p) for p in some_papers(50)]
    fill(tmp_path / "s", entries)
    with PassageStore(tmp_path / "s") as store:
        found = store.nearest(entries[17].vector, 5)
    cosines = {e.id: float(e.vector @ entries[17].vector) for e in entries}
    assert [name for name, _ in found] == sorted(cosines, key=lambda i: -cosines[i])[:5]
    assert found[0][1] == pytest.approx(1.0, abs=1e-5)


def test_texts_that_utf8_cannot_hold_are_stored(tmp_path: Path) -> None:
    paper = Paper(id="x", abstract="Half a pair \ud83d and a NUL \x00.", title="\udc00")
    odd = Entry.of(
        paper, Passage("x", paper.abstract, 0, 9), 0, "h", EMBEDDER.embed_query("anything")
    )
    fill(tmp_path / "s", [odd])
    assert stored(tmp_path / "s")["x#0"]["title"] == "?"


def test_a_cut_off_vector_file_is_named(tmp_path: Path) -> None:
    fill(tmp_path / "s", [entry(p) for p in some_papers(1_500)])
    largest = max((tmp_path / "s").rglob("*.bin"), key=lambda path: path.stat().st_size)
    with largest.open("r+b") as file:
        file.truncate(largest.stat().st_size // 2)
    with pytest.raises(IndexDamagedError, match="Chroma"), PassageStore(tmp_path / "s") as store:
        store.vectors([passage_id(f"p{i}", 0) for i in range(1_500)])


def test_the_folder_can_be_renamed_after_closing(tmp_path: Path) -> None:
    fill(tmp_path / "s", [entry(p) for p in some_papers(3)])
    (tmp_path / "s").rename(tmp_path / "t")
    assert len(stored(tmp_path / "t")) == 3


def test_an_old_sqlite_is_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 31, 1))
    with pytest.raises(SettingsError, match=r"SQLite 3\.31\.1 .* 3\.35\.0 .*newer Python"):
        PassageStore(tmp_path / "s")


def test_a_passage_id_gives_back_its_parts() -> None:
    for paper_id in ("000-01", "a#b#3", "10.1/x y", "漢"):
        assert split_passage_id(passage_id(paper_id, 12)) == (paper_id, 12)
