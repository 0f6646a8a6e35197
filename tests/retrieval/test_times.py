"""What questions for papers say of time."""

from __future__ import annotations

import pytest

from assistant.retrieval.times import orders_papers, times_in

YEARS = {2019: 3, 2022: 4, 2025: 2}


@pytest.mark.parametrize(
    ("question", "order", "most", "extreme", "left"),
    [
        ("newest papers on bees", "newest", None, False, "papers on bees"),
        ("the latest paper about bees", "newest", None, True, "paper about bees"),
        ("most recent 3 articles on bees", "newest", 3, False, "articles on bees"),
        ("the two oldest papers on bees", "oldest", 2, False, "papers on bees"),
        ("recent work on bees", "newest", None, False, "work on bees"),
        ("list papers on bees, newest first", "newest", None, False, "list papers on bees"),
        ("earliest studies of bees", "oldest", None, False, "studies of bees"),
        ("which of them is the newest?", "newest", None, True, "which of them?"),
        ("which one is older?", "oldest", None, True, "which one?"),
        ("papers on bees in chronological order", "oldest", None, False, "papers on bees"),
        ("which papers beat the latest methods?", None, None, False, "which papers beat the"),
        ("which papers use recent LLMs?", None, None, False, "which papers use recent LLMs"),
    ],
)
def test_the_order_that_is_asked_for(
    question: str, order: str | None, most: int | None, extreme: bool, left: str
) -> None:
    found = times_in(question, YEARS, 9, present=2026)
    assert (found.order, found.most, found.extreme) == (order, most, extreme)
    assert left in " ".join(found.text.split()).replace(" ?", "?")
    assert bool(found.notes) == (order is not None)


@pytest.mark.parametrize(
    ("question", "year"),
    [
        ("papers of the last 3 years on bees", {"gte": 2024}),
        ("bees in the past two years", {"gte": 2025}),
        ("papers since last year on bees", {"gte": 2025}),
        ("papers from last year", 2025),
        ("this year's papers on bees", 2026),
        ("papers on bees in recent years", {"gte": 2024}),
        ("papers of the last six months", {"gte": 2025}),
        ("last year's articles", 2025),
        ("papers within the past year", {"gte": 2025}),
        ("papers on bees", None),
    ],
)
def test_spans_count_from_the_present_where_the_collection_is_of_today(
    question: str, year: object
) -> None:
    found = times_in(question, YEARS, 9, present=2026)
    assert found.year == year
    assert [note.name for note in found.notes] == ([] if year is None else ["span_read"])


def test_spans_of_a_collection_that_ended_count_from_its_newest_year() -> None:
    assert times_in("papers of the last 2 years", {2010: 3, 2014: 1}, 4, present=2026).year == {
        "gte": 2013
    }


def test_how_time_was_read_is_noted() -> None:
    found = times_in("newest papers of the last 2 years", YEARS, 12, present=2026)
    names = [note.name for note in found.notes]
    assert names == ["span_read", "without_year", "by_year", "without_year"]
    assert found.notes[0].values["newest"] == 2025
    assert found.notes[1].values["count"] == 3


def test_without_years_nothing_is_ordered_or_filtered_and_that_is_noted() -> None:
    for question in ("newest papers on bees", "papers of the last 2 years"):
        found = times_in(question, {}, 5, present=2026)
        assert (found.order, found.year) == (None, None)
        assert [note.name for note in found.notes] == ["no_years"]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is the newest paper on bees?", True),
        ("newest papers", True),
        ("which is the oldest study here", True),
        ("Does SAIM beat the latest models?", False),
        ("What is the latest result of SAIM?", False),
    ],
)
def test_a_question_for_the_newest_paper_asks_for_papers(question: str, asked: bool) -> None:
    assert orders_papers(question) is asked
