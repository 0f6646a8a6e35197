from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assistant.corpus.paper import Paper
from assistant.errors import (
    IndexDamagedError,
    InputError,
    ModelError,
    SettingsError,
)
from assistant.index import updating
from assistant.index.catalogue import Catalogue
from assistant.index.index import Index
from assistant.index.mark import read_mark
from assistant.index.passages import Passages
from assistant.index.report import SyncReport
from tests.index.stand_in import (
    StandIn,
    current,
    generations,
    in_chroma,
    settings_in,
    some_papers,
)

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("place")
only_local = pytest.mark.parametrize("place", ["local"], indirect=True)


def found_for(index: Index, embedder: StandIn, text: str) -> str:
    """The paper nearest to a text."""
    snapshot = index.snapshot()
    return snapshot.paper(int(np.nanargmax(snapshot.cosines(embedder.embed_query(text))))).id


class TestSync:
    def test_second_sync_embeds_nothing_and_publishes_nothing(
        self, index: Index, embedder: StandIn
    ) -> None:
        assert index.sync(some_papers(20), source="a") == SyncReport(added=20, papers=20)
        assert len(embedder.embedded) == 20
        before = generations(index)
        assert index.sync(some_papers(20), source="a") == SyncReport(unchanged=20, papers=20)
        assert len(embedder.embedded) == 20
        assert generations(index) == before
        assert index.check(deep=True) == []

    def test_only_what_changed_is_embedded(self, index: Index, embedder: StandIn) -> None:
        index.sync(some_papers(20), source="a")
        embedder.embedded.clear()
        papers = some_papers(22)
        papers[3] = Paper(id="p3", abstract="Corrected from 53\\% to 35\\%.")
        del papers[5]
        report = index.sync(papers, source="a")
        assert report == SyncReport(added=2, changed=1, removed=1, unchanged=18, papers=21)
        assert len(embedder.embedded) == 3
        assert index.check(deep=True) == []

    def test_the_old_text_is_gone_from_everywhere(self, index: Index, embedder: StandIn) -> None:
        old, new = "It saves 53\\% of the memory.", "It saves 35\\% of the memory."
        index.sync([Paper(id="x", abstract=old), *some_papers(4)], source="a")
        assert found_for(index, embedder, old) == "x"
        index.sync([Paper(id="x", abstract=new), *some_papers(4)], source="a")
        snapshot = index.snapshot()
        assert snapshot.paper(0).abstract == new
        assert snapshot.cosines(embedder.embed_query(new))[0] == pytest.approx(1, abs=1e-5)
        assert snapshot.cosines(embedder.embed_query(old)).max() < 0.99
        assert snapshot.cosines(embedder.embed_query(old), dense="chroma").max() < 0.99
        left = list(in_chroma(snapshot).values())
        assert new in left
        assert old not in left
        assert snapshot.lexical.document_frequency("35") == 1
        assert snapshot.lexical.document_frequency("53") == 0

    def test_several_sources_are_published_once(self, index: Index) -> None:
        index.sync(some_papers(2), source="a")
        reports = index.sync_sources(
            [("a", some_papers(3)), ("b", some_papers(4, start=1)), ("c", [])]
        )
        assert [(r.added, r.unchanged, r.papers) for r in reports] == [
            (1, 2, 3),
            (2, 2, 5),
            (0, 0, 5),
        ]
        assert index.snapshot().generation == 2
        assert index.check(deep=True) == []

    def test_records_without_fields_and_records_with_them(self, index: Index) -> None:
        assert index.sync(some_papers(12), source="a").papers == 12
        snapshot = index.snapshot()
        bare = next(p for p in snapshot.papers() if p.title is None and p.venue is None)
        assert "None" not in (bare.label, bare.title)
        assert len(in_chroma(snapshot)) == 12

    def test_the_same_abstract_in_two_files(self, index: Index, embedder: StandIn) -> None:
        first = Paper(id="a-1", abstract="The same abstract. ")
        report = index.sync([first, Paper(id="a-2", abstract="The same abstract.")], source="a")
        assert (report.added, report.duplicates) == (1, 1)
        report = index.sync([Paper(id="b-1", abstract="The same abstract.")], source="b")
        assert (report.added, report.duplicates, report.papers) == (0, 1, 1)
        assert len(index.snapshot()) == 1
        assert len(embedder.embedded) == 1

    @pytest.mark.parametrize("text", ["\u200b", "?", "\x1f.", "a" * 60_000, "漢" * 3_000])
    def test_odd_abstracts_are_found_again(self, index: Index, text: str) -> None:
        index.sync([Paper(id="odd", abstract=text), *some_papers(2)], source="a")
        snapshot = index.snapshot()
        assert snapshot.paper(0).abstract == text
        spans = snapshot.passage_spans[snapshot.passage_papers == 0]
        assert "".join(text[start:end] for start, end in spans) == text.strip()
        assert index.check(deep=True) == []

    def test_no_paper_at_all(self, index: Index) -> None:
        index.sync(some_papers(2), source="a")
        assert index.sync([], source="a") == SyncReport(removed=2, papers=0)
        snapshot = index.snapshot()
        assert len(snapshot) == 0
        assert snapshot.rows_where({"year": 2021}).size == 0
        assert snapshot.cosines(np.ones(16, dtype=np.float32)).size == 0
        assert index.sync(some_papers(2), source="a").added == 2
        assert index.check(deep=True) == []

    def test_progress_is_told_to_its_end(self, index: Index) -> None:
        told: list[tuple[str, int, int]] = []
        index.sync(some_papers(30), source="a", progress=lambda *step: told.append(step))
        assert ("embedding", 30, 30) in told
        assert ("storing", 30, 30) in told
        assert [done for stage, done, _ in told if stage == "embedding"] == [0, 8, 16, 24, 30]

    @only_local
    def test_lexical_search_is_ready_before_the_vectors(
        self, index: Index, embedder: StandIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(updating, "LEXICAL_FIRST", 10)
        seen: list[tuple[int, int]] = []

        def look(stage: str, done: int, total: int) -> None:
            if stage == "embedding" and done == 16:
                snapshot = Index(index_settings, None).snapshot()
                seen.append((len(snapshot), snapshot.vectors_ready))
                assert len(snapshot.lexical) == len(snapshot)

        index_settings = settings_in(index.folder.parents[1])
        index.sync(some_papers(24), source="a", progress=look)
        assert seen == [(24, 0)]
        assert index.snapshot().vectors_ready == 24
        index.sync(some_papers(48), source="a", progress=look)
        # The vectors of what was there already are in the first of the two generations.
        assert seen[1:] == [(48, 24)]
        assert len(generations(index)) == 1
        assert index.check(deep=True) == []

    def test_a_failing_embedder_loses_nothing(self, index: Index, embedder: StandIn) -> None:
        embedder.fail_after = 24
        with pytest.raises(ModelError, match=r"24 of 60 passages.*no credit.*go on from there"):
            index.sync(some_papers(60), source="a")
        snapshot = index.snapshot()
        assert (len(snapshot), snapshot.vectors_ready) == (60, 24)
        assert index.check() == ["no vectors yet for 36 of 60 papers: run `assistant sync` again"]
        embedder.fail_after = None
        assert index.sync(some_papers(60), source="a") == SyncReport(unchanged=60, papers=60)
        assert len(embedder.embedded) == 60
        assert index.check(deep=True) == []

    def test_remove(self, index: Index, embedder: StandIn) -> None:
        index.sync(some_papers(6), source="a")
        assert index.remove(["p1", "p4", "p4", "unknown"]) == 2
        assert [p.id for p in index.snapshot().papers()] == ["p0", "p2", "p3", "p5"]
        assert len(in_chroma(index.snapshot())) == 4
        assert index.remove(["p1"]) == 0
        assert len(embedder.embedded) == 6
        assert index.check(deep=True) == []

    def test_collections_are_apart(self, tmp_path: Path, embedder: StandIn) -> None:
        one = Index(settings_in(tmp_path, "one"), embedder)
        one.sync(some_papers(3), source="a")
        other = Index(settings_in(tmp_path, "other"), embedder)
        assert (one.exists(), other.exists()) == (True, False)
        with pytest.raises(InputError, match=r"'other' holds no papers.*: run `assistant sync"):
            other.snapshot()

    def test_a_failing_source_leaves_the_index_as_it_was(self, index: Index) -> None:
        index.sync(some_papers(3), source="a")

        def broken() -> Iterator[Paper]:
            yield Paper(id="new", abstract="New.")
            raise InputError("line 2 is no JSON")

        with pytest.raises(InputError, match="line 2"):
            index.sync(broken(), source="a")
        assert len(index.snapshot()) == 3
        assert index.check(deep=True) == []


class TestEmbedderChange:
    def test_another_dimension_is_named_before_anything_else(
        self, index: Index, tmp_path: Path
    ) -> None:
        index.sync(some_papers(5), source="a")
        new = StandIn(dimension=32, name="other")
        asking = Index(settings_in(tmp_path), new)
        mismatch = asking.mismatch
        assert mismatch is not None
        assert "stand-in" in mismatch
        assert "other" in mismatch
        assert "`assistant sync --rebuild`" in mismatch
        assert asking.snapshot().embedder_name == "stand-in"
        assert asking.snapshot().vectors_ready == 5
        assert index.mismatch is None

    def test_the_same_dimension_is_never_mixed(self, index: Index, tmp_path: Path) -> None:
        index.sync(some_papers(5), source="a")
        new = StandIn(revision="2")
        asking = Index(settings_in(tmp_path), new)
        assert asking.mismatch is not None
        assert asking.sync(some_papers(6), source="a").added == 1
        assert len(new.embedded) == 6
        assert asking.mismatch is None
        assert asking.check(deep=True) == []
        # The old vectors are still there for the way back.
        old = StandIn()
        assert Index(settings_in(tmp_path), old).rebuild() == 6
        assert len(old.embedded) == 1

    def test_the_old_index_answers_until_the_new_one_is_whole(
        self, index: Index, tmp_path: Path
    ) -> None:
        index.sync(some_papers(5), source="a")
        failing = StandIn(revision="2", fail_after=0)
        with pytest.raises(ModelError):
            Index(settings_in(tmp_path), failing).rebuild()
        with Catalogue(index.folder / "catalogue.sqlite") as catalogue:
            recipe = read_mark(current(index)).recipe
            assert Passages(catalogue, recipe).pending_count() in (0, 5)
        working = StandIn(revision="2")
        assert Index(settings_in(tmp_path), working).rebuild() == 5
        assert Index(settings_in(tmp_path), working).check(deep=True) == []

    @only_local
    def test_from_no_embedder_to_one_and_back(self, tmp_path: Path) -> None:
        lexical = Index(settings_in(tmp_path), None)
        lexical.sync(some_papers(5), source="a")
        assert lexical.mismatch is None
        assert lexical.check(deep=True) == []
        embedder = StandIn()
        dense = Index(settings_in(tmp_path), embedder)
        assert dense.mismatch is not None
        dense.sync(some_papers(5), source="a")
        assert dense.snapshot().vectors_ready == 5
        lexical.sync(some_papers(5), source="a")
        assert lexical.snapshot().vectors_ready == 0
        dense.sync(some_papers(5), source="a")
        assert len(embedder.embedded) == 5

    def test_a_server_that_swaps_its_model_is_found_out(self, index: Index) -> None:
        index.sync(some_papers(5), source="a")
        swapped = StandIn(dimension=32)
        with Index(settings_in(index.folder.parents[1]), swapped) as asking:
            with pytest.raises(ModelError, match="32 numbers per text and gave 16"):
                asking.sync(some_papers(6), source="a")
            assert asking.snapshot().vectors_ready == 5


class TestDamage:
    @pytest.mark.parametrize(
        "name",
        [
            "CURRENT",
            "complete.json",
            "rows.npz",
            "vectors.npy",
            "papers.sqlite",
            "lexical",
        ],
    )
    def test_what_is_damaged_is_made_again_without_embedding(
        self, tmp_path: Path, embedder: StandIn, name: str
    ) -> None:
        writing = Index(settings_in(tmp_path), embedder)
        writing.sync(some_papers(30), source="a")
        self.damage(writing, name)
        reading = Index(settings_in(tmp_path), embedder)
        snapshot = reading.snapshot()
        assert (len(snapshot), snapshot.vectors_ready) == (30, 30)
        assert len(reading.notices) == 1
        assert "made again from the catalogue" in reading.notices[0]
        assert len(embedder.embedded) == 30
        assert writing.check(deep=True) == []
        reading.sync([], source="another")
        assert reading.notices == []
        assert len(Index(settings_in(tmp_path), embedder).snapshot()) == 30

    @only_local
    @pytest.mark.parametrize("name", ["chroma", "largest vector file"])
    def test_a_damaged_store_is_made_again_too(
        self, tmp_path: Path, embedder: StandIn, name: str
    ) -> None:
        self.test_what_is_damaged_is_made_again_without_embedding(tmp_path, embedder, name)

    @staticmethod
    def damage(index: Index, name: str) -> None:
        folder = current(index)
        if name == "CURRENT":
            (index.folder / name).write_text("../elsewhere")
        elif name == "largest vector file":
            path = max((folder / "chroma").rglob("*.bin"), key=lambda p: p.stat().st_size)
            with path.open("r+b") as file:
                file.truncate(path.stat().st_size // 2)
        elif (folder / name).is_dir():
            shutil.rmtree(folder / name)
        else:
            (folder / name).write_bytes((folder / name).read_bytes()[:-9])

    @only_local
    def test_a_sync_heals_too(self, index: Index, embedder: StandIn) -> None:
        index.sync(some_papers(30), source="a")
        self.damage(index, "largest vector file")
        assert index.sync(some_papers(30), source="a").unchanged == 30
        assert index.check(deep=True) == []
        assert len(embedder.embedded) == 30

    def test_without_the_right_to_write_it_is_said_in_one_line(
        self, index: Index, tmp_path: Path
    ) -> None:
        index.sync(some_papers(5), source="a")
        self.damage(index, "vectors.npy")
        with pytest.raises(IndexDamagedError, match=r"cannot be written.*assistant sync"):
            Index(settings_in(tmp_path), StandIn(), readonly=True).snapshot()

    @only_local
    def test_without_the_catalogue_it_is_said_in_one_line(self, index: Index) -> None:
        index.sync(some_papers(5), source="a")
        (index.folder / "catalogue.sqlite").unlink()
        assert len(index.snapshot()) == 5
        self.damage(index, "vectors.npy")
        shutil.copy(index.folder / "CURRENT", index.folder / "CURRENT.copy")
        (index.folder / "CURRENT.copy").replace(index.folder / "CURRENT")
        with pytest.raises(IndexDamagedError, match=r"no catalogue.*assistant sync PATH"):
            index.snapshot()

    @only_local
    def test_the_folder_is_deleted_under_a_running_program(self, index: Index) -> None:
        index.sync(some_papers(5), source="a")
        assert len(index.snapshot()) == 5
        shutil.rmtree(index.folder)
        with pytest.raises(InputError, match="holds no papers: run `assistant sync"):
            index.snapshot()
        assert index.sync(some_papers(5), source="a").added == 5
        assert len(index.snapshot()) == 5

    def test_the_doctor_finds_what_a_question_does_not(self, index: Index) -> None:
        index.sync(some_papers(30), source="a")
        with Catalogue(index.folder / "catalogue.sqlite") as catalogue:
            catalogue.connection.execute("UPDATE vectors SET vector = zeroblob(64) WHERE rowid = 3")
        assert index.check() == []
        assert index.check(deep=True) == [
            "1 vector differs from the catalogue's: run `assistant sync --rebuild`"
        ]

    @only_local
    def test_the_doctor_reads_every_vector_in_chroma(self, index: Index) -> None:
        index.sync(some_papers(30), source="a")
        snapshot = index.snapshot()
        snapshot.store._open.update(ids=["p7#0"], embeddings=np.ones((1, 16), dtype=np.float32))
        snapshot.store.close()
        assert index.check() == []
        (finding,) = index.check(deep=True)
        assert "1 of 30 read back wrong" in finding
        index.rebuild()
        assert index.check(deep=True) == []

    def test_an_old_sqlite_is_named_at_the_start(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 31, 1))
        with pytest.raises(SettingsError, match=r"3\.31\.1.*3\.35\.0"):
            Index(settings_in(tmp_path), None)
