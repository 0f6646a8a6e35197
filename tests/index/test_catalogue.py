from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.paper import Paper, Source
from assistant.errors import IndexDamagedError
from assistant.index import schema
from assistant.index.catalogue import Catalogue
from assistant.index.fingerprint import Recipe
from assistant.index.passages import Passages
from assistant.index.progress import silent
from assistant.index.recording import record
from assistant.index.report import SyncReport
from assistant.index.sync import cut
from tests.index.stand_in import StandIn, some_papers


def sync(catalogue: Catalogue, papers: Iterable[Paper], source: str = "a") -> SyncReport:
    with catalogue.transaction():
        return record(catalogue, papers, source, silent)


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    with Catalogue(tmp_path / "catalogue.sqlite") as opened:
        yield opened


class TestSchema:
    def test_a_newer_version_adds_its_step_and_keeps_the_papers(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "catalogue.sqlite"
        with Catalogue(path) as old:
            sync(old, some_papers(3))
        step = "ALTER TABLE papers ADD COLUMN stars INTEGER NOT NULL DEFAULT 5"
        monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
        for _ in range(2):
            with Catalogue(path) as new:
                assert [p.id for p in new.papers()] == ["p0", "p1", "p2"]
                assert new.connection.execute("SELECT DISTINCT stars FROM papers").fetchall() == [
                    (5,)
                ]

    def test_a_failing_step_leaves_the_old_schema(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "catalogue.sqlite"
        Catalogue(path).close()
        step = "ALTER TABLE papers ADD COLUMN stars INTEGER; SELECT no_such_function()"
        with monkeypatch.context() as patch:
            patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
            with pytest.raises(IndexDamagedError):
                Catalogue(path)
        with Catalogue(path) as catalogue:
            columns = {c[1] for c in catalogue.connection.execute("PRAGMA table_info(papers)")}
        assert "stars" not in columns

    def test_a_catalogue_of_a_newer_program_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "catalogue.sqlite"
        Catalogue(path).close()
        with sqlite3.connect(path) as connection:
            connection.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS) + 1}")
        connection.close()
        with pytest.raises(IndexDamagedError, match="newer version"):
            Catalogue(path)

    def test_a_file_that_is_no_catalogue_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "catalogue.sqlite"
        path.write_bytes(b"not a database, but long enough to be taken for one " * 20)
        with pytest.raises(IndexDamagedError, match=r"catalogue\.sqlite"):
            Catalogue(path)

    def test_reading_makes_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(IndexDamagedError):
            Catalogue(tmp_path / "catalogue.sqlite", readonly=True)
        assert list(tmp_path.iterdir()) == []


class TestRecord:
    def test_what_a_paper_is_known_by_comes_back_whole(self, catalogue: Catalogue) -> None:
        odd = Paper(
            id="odd",
            abstract="Braces {x}, $\\lambda$, a NUL \x00, half a pair \ud83d, 漢字, a last blank ",
            title='"quoted"; DROP TABLE papers; --',
            authors=("Ö. Ünal", "O'Neil"),
            venue="ICML",
            year=2026,
            url="https://example.org/a?b=c&d",
            keywords=("a\nb",),
            source=Source("file.json", 7),
        )
        sync(catalogue, [odd, *some_papers(2)])
        # Half a surrogate pair is no character: neither a model nor UTF-8 can hold it.
        whole = replace(odd, abstract=odd.abstract.replace("\ud83d", "?"))
        assert list(catalogue.papers()) == [whole, *some_papers(2)]

    def test_second_sync_of_the_same_changes_nothing(self, catalogue: Catalogue) -> None:
        assert sync(catalogue, some_papers(5)) == SyncReport(added=5, papers=5)
        revision = catalogue.number("revision")
        assert sync(catalogue, some_papers(5)) == SyncReport(unchanged=5, papers=5)
        assert catalogue.number("revision") == revision

    def test_the_same_abstract_twice_is_stored_once(self, catalogue: Catalogue) -> None:
        first = Paper(id="x", abstract="An abstract about graphs.")
        again = Paper(id="y", abstract="An abstract  about Graphs. ")
        assert sync(catalogue, [first, again], "a") == SyncReport(added=1, duplicates=1, papers=1)
        elsewhere = Paper(id="z", abstract="An abstract about graphs.")
        assert sync(catalogue, [elsewhere], "b") == SyncReport(duplicates=1, papers=1)
        # The second file still has it when the first no longer does.
        assert sync(catalogue, [], "a") == SyncReport(removed=0, papers=1)
        assert sync(catalogue, [], "b") == SyncReport(removed=1, papers=0)

    def test_only_what_the_source_no_longer_has_is_removed(self, catalogue: Catalogue) -> None:
        sync(catalogue, some_papers(4), "a")
        sync(catalogue, some_papers(3, start=10), "b")
        report = sync(catalogue, some_papers(2), "a")
        assert (report.removed, report.unchanged, report.papers) == (2, 2, 5)
        assert [p.id for p in catalogue.papers()] == ["p0", "p1", "p10", "p11", "p12"]

    def test_a_changed_paper_keeps_its_place(self, catalogue: Catalogue) -> None:
        sync(catalogue, some_papers(3))
        changed = some_papers(3)
        changed[0] = Paper(id="p0", abstract="Another abstract.")
        changed[1] = Paper(id="p1", abstract=changed[1].abstract, title="Another title")
        assert sync(catalogue, changed) == SyncReport(changed=2, unchanged=1, papers=3)
        assert list(catalogue.papers()) == changed

    def test_a_moved_record_is_unchanged_but_its_place_is_kept_up(
        self, catalogue: Catalogue
    ) -> None:
        sync(catalogue, [Paper(id="x", abstract="Text.", source=Source("f", 1))])
        moved = Paper(id="x", abstract="Text.", source=Source("f", 2))
        assert sync(catalogue, [moved]) == SyncReport(unchanged=1, papers=1)
        assert list(catalogue.papers()) == [moved]

    def test_two_papers_that_swap_their_abstracts_are_both_kept(self, catalogue: Catalogue) -> None:
        a, b = "The first abstract.", "The second abstract."
        sync(catalogue, [Paper(id="x", abstract=a), Paper(id="y", abstract=b)])
        swapped = [Paper(id="x", abstract=b), Paper(id="y", abstract=a)]
        assert sync(catalogue, swapped) == SyncReport(changed=2, papers=2)
        assert list(catalogue.papers()) == swapped

    def test_a_new_id_for_the_same_abstract_replaces_the_old(self, catalogue: Catalogue) -> None:
        sync(catalogue, [Paper(id="hash-of-it", abstract="One abstract.")])
        titled = Paper(id="doi", abstract="One abstract.", title="Now with a title")
        assert sync(catalogue, [titled]) == SyncReport(added=1, removed=1, papers=1)
        assert list(catalogue.papers()) == [titled]

    def test_unusable_records_are_counted_with_their_reasons(self, catalogue: Catalogue) -> None:
        report = sync(
            catalogue,
            [
                Paper(id="blank", abstract=" \n "),
                Paper(id=" ", abstract="Has no id."),
                Paper(id="twice", abstract="The first."),
                Paper(id="twice", abstract="Quite another."),
            ],
        )
        assert (report.added, report.skipped, report.papers) == (1, 3, 1)
        assert len(report.reasons) == 3
        assert report.to_dict() == {
            "added": 1,
            "changed": 0,
            "removed": 0,
            "unchanged": 0,
            "skipped": 3,
            "duplicates": 0,
            "papers": 1,
        }

    def test_a_source_that_cannot_be_read_to_its_end_changes_nothing(
        self, catalogue: Catalogue
    ) -> None:
        sync(catalogue, some_papers(3))

        def broken() -> Iterator[Paper]:
            yield Paper(id="new", abstract="New.")
            raise OSError("the file went away")

        with pytest.raises(OSError, match="went away"):
            sync(catalogue, broken())
        assert [p.id for p in catalogue.papers()] == ["p0", "p1", "p2"]


RECORDS = st.lists(
    st.builds(
        Paper,
        id=st.sampled_from("abcdef"),
        abstract=st.sampled_from(["One.", "Two.", "Three.", "four.", "Four. ", "Five.", " "]),
        title=st.sampled_from([None, "T"]),
    ),
    max_size=6,
)


@given(st.lists(st.tuples(st.sampled_from("ST"), RECORDS), max_size=6))
def test_any_sequence_of_syncs_leaves_what_the_sources_hold(
    syncs: list[tuple[str, list[Paper]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, Catalogue(Path(folder) / "c") as catalogue:
        for source, papers in syncs:
            report = sync(catalogue, papers, source)
            stored = list(catalogue.papers())
            contents = [p.content_hash for p in stored]
            seen: set[str] = set()
            usable = []
            for p in papers:
                if p.abstract.strip() and p.id not in seen:
                    usable.append(p)
                    seen.add(p.id)

            assert report.papers == len(stored) == len(catalogue)
            assert len(set(contents)) == len(contents)
            assert {p.content_hash for p in usable} <= set(contents)
            counted = report.to_dict()
            del counted["papers"], counted["removed"]
            assert sum(counted.values()) == len(papers)
            again = sync(catalogue, papers, source)
            assert (again.added, again.changed, again.removed) == (0, 0, 0)
            assert list(catalogue.papers()) == stored
        for source in "ST":
            sync(catalogue, [], source)
        assert len(catalogue) == 0


class TestPassages:
    def test_a_changed_paper_is_cut_again_and_its_old_vector_forgotten(
        self, catalogue: Catalogue
    ) -> None:
        embedder = StandIn()
        recipe = Recipe.of(embedder)
        cuts = Passages(catalogue, recipe)
        sync(catalogue, some_papers(3))
        cut(catalogue, recipe, embedder, silent)
        cuts.put_vectors((item.text_hash, b"\0" * 64) for item in cuts.pending())
        assert (cuts.pending_count(), len(cuts), cuts.dimension()) == (0, 3, 16)

        changed = some_papers(3)
        changed[0] = Paper(id="p0", abstract="Another abstract.")
        sync(catalogue, changed)
        cut(catalogue, recipe, embedder, silent)
        assert [item.paper for item in cuts.pending()] == [1]
        catalogue.drop_unused_vectors()
        assert catalogue.connection.execute("SELECT count(*) FROM vectors").fetchone() == (2,)

    def test_another_embedder_has_vectors_of_its_own(self, catalogue: Catalogue) -> None:
        old, new = StandIn(), StandIn(revision="2")
        sync(catalogue, some_papers(2))
        for embedder in (old, new):
            cut(catalogue, Recipe.of(embedder), embedder, silent)
        cuts = Passages(catalogue, Recipe.of(old))
        cuts.put_vectors((item.text_hash, b"\0" * 64) for item in cuts.pending())
        assert cuts.pending_count() == 0
        assert Passages(catalogue, Recipe.of(new)).pending_count() == 2
