"""What a sync records: duplicates by name, sources apart, large removals asked for."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.corpus.paper import Paper, Source
from assistant.corpus.reading import Skipped
from assistant.errors import RemovalError
from assistant.index.catalogue import Catalogue
from assistant.index.index import Index
from assistant.index.progress import silent
from assistant.index.recording import record
from assistant.index.report import KEPT_LINES, Confirm, Removal, SyncReport
from tests.index.stand_in import settings_in, some_papers

WORDS = "model graph image speech robot proof bound agent token layer noise motion".split()


def text_of(number: int, words: int = 60) -> str:
    """An abstract that is like no other number's."""
    chance = random.Random(number)
    return " ".join(chance.choice(WORDS) for _ in range(words)) + "."


def paper(number: int, name: str | None = None, **known: object) -> Paper:
    made = Paper(name or f"p{number}", text_of(number), source=Source("f.json", number))
    return replace(made, **known)  # type: ignore[arg-type]


def sync(
    catalogue: Catalogue,
    papers: Iterable[Paper | Skipped],
    source: str = "a",
    confirm: Confirm | None = None,
) -> SyncReport:
    with catalogue.transaction():
        return record(catalogue, papers, source, silent, confirm)


def ids(catalogue: Catalogue) -> list[str]:
    return [held.id for held in catalogue.papers()]


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    with Catalogue(tmp_path / "catalogue.sqlite") as opened:
        yield opened


class TestTwins:
    def test_a_near_copy_is_stored_once_and_its_twin_is_named(self, catalogue: Catalogue) -> None:
        copy = paper(2, "copy", abstract=text_of(1).upper() + " Code is available online.")
        report = sync(catalogue, [paper(1), copy])
        assert report == SyncReport(added=1, duplicates=1, papers=1)
        (line,) = report.twins
        assert line.startswith("f.json:2: has the abstract of f.json:1, ")
        again = sync(catalogue, [paper(1), copy])
        assert again == SyncReport(unchanged=1, duplicates=1, papers=1)

    def test_it_does_not_matter_which_comes_first_the_next_time(self, catalogue: Catalogue) -> None:
        copy = paper(2, "copy", abstract=text_of(1).upper())
        sync(catalogue, [paper(1), copy])
        assert sync(catalogue, [copy, paper(1)]) == SyncReport(unchanged=1, duplicates=1, papers=1)
        assert ids(catalogue) == ["p1"]
        assert sync(catalogue, [copy]) == SyncReport(added=1, removed=1, papers=1)
        assert ids(catalogue) == ["copy"]

    def test_another_figure_makes_another_paper_and_a_note(self, catalogue: Catalogue) -> None:
        first = paper(1, abstract=text_of(1) + " It saves 53% of it.", title="One")
        other = paper(2, abstract=text_of(1) + " It saves 35% of it.", title="One")
        report = sync(catalogue, [first, other])
        assert report == SyncReport(added=2, papers=2)
        (note,) = report.notes
        assert note.startswith("f.json:2: nearly the abstract of f.json:1, One; a figure")

    def test_one_title_over_two_abstracts_is_kept_and_noted(self, catalogue: Catalogue) -> None:
        report = sync(catalogue, [paper(1, title="On Graphs"), paper(2, title="On graphs.")])
        assert report == SyncReport(added=2, papers=2)
        assert report.notes == (
            "f.json:2: has the title of f.json:1, On Graphs, and another abstract: kept",
        )
        assert (
            sync(catalogue, [paper(1, title="On Graphs"), paper(2, title="On graphs.")]).notes == ()
        )

    def test_a_catalogue_from_before_is_marked_when_it_is_next_synced(
        self, catalogue: Catalogue
    ) -> None:
        sync(catalogue, [paper(1), paper(2)])
        catalogue.connection.execute("DELETE FROM likeness")
        catalogue.connection.execute("DELETE FROM meta WHERE key = 'likeness'")
        copy = paper(3, "copy", abstract=text_of(1).upper())
        assert sync(catalogue, [copy], "b") == SyncReport(duplicates=1, papers=2)

    def test_a_correction_under_its_id_is_no_duplicate(self, catalogue: Catalogue) -> None:
        sync(catalogue, [paper(1)])
        corrected = paper(1, abstract=text_of(1).replace("graph", "graphs", 1))
        assert sync(catalogue, [corrected]) == SyncReport(changed=1, papers=1)
        assert list(catalogue.papers()) == [corrected]


class TestSources:
    def test_the_same_id_in_two_peoples_files_is_two_papers(self, catalogue: Catalogue) -> None:
        mine, yours = paper(1, "smith2020"), paper(2, "smith2020")
        sync(catalogue, [mine], "mine")
        assert sync(catalogue, [yours], "yours") == SyncReport(added=1, papers=2)
        for _ in range(2):
            assert sync(catalogue, [mine], "mine") == SyncReport(unchanged=1, papers=2)
            assert sync(catalogue, [yours], "yours") == SyncReport(unchanged=1, papers=2)
        assert [held.abstract for held in catalogue.papers()] == [mine.abstract, yours.abstract]
        assert sync(catalogue, [], "yours") == SyncReport(removed=1, papers=1)
        assert list(catalogue.papers()) == [mine]

    def test_a_paper_that_two_sources_hold_outlives_one_of_them(self, catalogue: Catalogue) -> None:
        sync(catalogue, [paper(1), paper(2)], "a")
        sync(catalogue, [paper(1)], "b")
        assert sync(catalogue, [], "a") == SyncReport(removed=1, papers=1)


class TestRemoval:
    @pytest.mark.parametrize(
        ("held", "left", "asked"),
        [(40, 36, False), (40, 35, True), (5, 3, False), (5, 2, True), (2, 1, False), (1, 0, True)],
    )
    def test_what_is_asked_for(
        self, catalogue: Catalogue, held: int, left: int, asked: bool
    ) -> None:
        questions: list[Removal] = []

        def confirm(lost: Removal) -> bool:
            questions.append(lost)
            return True

        sync(catalogue, [paper(n) for n in range(held)])
        report = sync(catalogue, [paper(n) for n in range(left)], confirm=confirm)
        assert report.removed == held - left
        assert [(q.gone, q.held, q.now) for q in questions] == [(held - left, held, left)] * asked

    def test_a_no_changes_nothing_at_all(self, catalogue: Catalogue) -> None:
        sync(catalogue, [paper(n) for n in range(10)])
        with pytest.raises(
            RemovalError, match=r"5 of the 10 papers of the source a are gone.*--yes"
        ):
            sync(catalogue, [paper(n) for n in (*range(5), 77)], confirm=lambda _: False)
        assert ids(catalogue) == [f"p{n}" for n in range(10)]

    def test_what_is_replaced_is_not_gone(self, catalogue: Catalogue) -> None:
        sync(catalogue, [paper(n) for n in range(10)])
        renamed = [paper(n, f"new{n}") for n in range(5)]
        corrected = [paper(n, f"n{n}", abstract=text_of(n) + " It is 9.") for n in range(5, 10)]
        report = sync(catalogue, [*renamed, *corrected], confirm=lambda _: False)
        assert report == SyncReport(added=10, removed=10, papers=10)

    def test_what_could_not_be_read_takes_nothing_away(self, catalogue: Catalogue) -> None:
        sync(catalogue, [paper(n) for n in range(10)])
        torn = Skipped("f.json", 4, "the file ends in the middle of a record", partial=True)
        again = paper(7, "renamed")
        report = sync(catalogue, [paper(0), paper(77), again, torn], confirm=lambda _: False)
        assert report == SyncReport(added=1, unchanged=1, skipped=1, duplicates=1, papers=11)
        assert report.notes == (
            "a: a part of it could not be read, so 9 papers that were not seen are kept",
        )
        whole = sync(catalogue, [paper(n) for n in range(9)])
        assert whole == SyncReport(removed=2, unchanged=9, papers=9)


class TestReports:
    def test_what_a_reader_skipped_is_counted_and_told(self, catalogue: Catalogue) -> None:
        report = sync(catalogue, [Skipped("f.csv", 3, "no abstract"), paper(1)])
        assert report == SyncReport(added=1, skipped=1, papers=1)
        assert report.reasons == ("f.csv:3: no abstract",)

    def test_reasons_are_bounded_and_the_rest_is_counted_by_kind(
        self, catalogue: Catalogue
    ) -> None:
        bad = [Skipped("f.csv", n, f"too short: {n} letters") for n in range(KEPT_LINES + 7)]
        report = sync(catalogue, [*bad, Skipped("f.csv", 0, "no abstract")])
        assert report.skipped == KEPT_LINES + 8
        assert len(report.reasons) == KEPT_LINES
        assert report.untold == {"too short": 7, "no abstract": 1}
        joined = SyncReport.joined([report, report])
        assert joined.skipped == 2 * (KEPT_LINES + 8)
        assert len(joined.reasons) == KEPT_LINES
        assert sum(joined.untold.values()) == KEPT_LINES + 16

    def test_a_stream_is_not_held_in_memory(self, catalogue: Catalogue) -> None:
        def stream(count: int) -> Iterator[Paper]:
            for number in range(count):
                yield Paper(f"p{number}", f"{number} " + "x" * 20_000)

        tracemalloc.start()
        try:
            sync(catalogue, stream(400))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        # The records are 8 MB.
        assert peak < 3_000_000


class TestPreview:
    def test_it_tells_what_a_sync_would_do_and_writes_nothing(
        self, index: Index, tmp_path: Path
    ) -> None:
        index.sync(some_papers(6), source="a")
        index.close()
        before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")}
        papers = [*some_papers(4), paper(1, "own"), paper(2, "c", abstract=text_of(1).upper())]
        (seen,) = index.preview([("a", papers)])
        assert seen == SyncReport(added=1, removed=2, unchanged=4, duplicates=1, papers=5)
        assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")} == before
        assert index.sync(papers, source="a") == seen

    def test_it_makes_no_collection(self, tmp_path: Path) -> None:
        with Index(settings_in(tmp_path / "new"), None) as index:
            (seen,) = index.preview([("a", some_papers(3))])
        assert seen == SyncReport(added=3, papers=3)
        assert list(tmp_path.iterdir()) == []
