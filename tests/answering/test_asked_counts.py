"""Counts a question asks for, against what an abstract counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.asked_counts import other_count, uncounted

BARN = (
    "We present BarnNet, a large collection of barn pictures, and show that it lowers the error by "
    "12.5% in 2024. Two challenges remain, and the network has three stages."
)
FLEET = (
    "We interview 23 sailors and train on nearly 4,000 recorded voyages across seven oceans. "
    "The fleet then saves 9% of its fuel."
)


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("How many pictures does BarnNet hold?", "how many pictures"),
        ("how many farmers were asked about BarnNet", "how many farmers"),
        ("BarnNet: number of images?", "how many images"),
        ("What is the number of barns in BarnNet?", "how many barns"),
        ("So, how many people looked at the pictures?", "how many people"),
        ("On how many data sets was BarnNet tried?", "how many data sets"),
        ("Does it work, and how many cameras does it need?", "how many cameras"),
    ],
)
def test_what_no_number_counts_is_missing(question: str, what: str) -> None:
    assert uncounted(question, BARN) == what


@pytest.mark.parametrize(
    "question",
    [
        "How many stages does BarnNet have?",
        "How many challenges remain?",
        "How many kinds of barns are there?",
        "How many times is it faster?",
        "How much lower is the error?",
        "By how many points does the error fall?",
        "What do they say on how many pictures suffice?",
    ],
)
def test_what_may_be_counted_is_not_missing(question: str) -> None:
    assert uncounted(question, BARN) is None


def test_another_name_for_what_is_counted_may_be_meant() -> None:
    assert uncounted("How many trips were used for training?", FLEET) is None
    assert uncounted("How many seafarers did they talk to?", FLEET) is None
    assert uncounted("How many sailors were interviewed?", FLEET) is None


@pytest.mark.parametrize("unit", ["minutes", "hours", "days", "years", "kilometres", "watts"])
def test_what_is_measured_is_not_counted(unit: str) -> None:
    question = f"How many {unit} does the crossing take?"
    assert uncounted(question, f"The crossing takes 2.5 {unit}, and no sailor sleeps.") is None
    assert uncounted(question, f"A crossing of 21 {unit} is what two ships need.") is None
    assert uncounted(question, "The crossing is long, and no sailor sleeps.") == f"how many {unit}"


@pytest.mark.parametrize("count", ["1.5 million", "8.1K", "2,400", "1.2M", "twelve", "1 to 3"])
def test_a_count_is_read_however_it_is_written(count: str) -> None:
    assert uncounted("How many images are there?", f"We label {count} pictures by hand.") is None


@pytest.mark.parametrize(
    "text",
    [
        "It needs a single camera.",
        "A pair of cheap cameras suffices.",
        "It works without any camera.",
        "Thousands of lenses were tried.",
    ],
)
def test_a_count_may_be_told_without_a_number(text: str) -> None:
    assert uncounted("How many cameras does it need?", text) is None


def test_people_are_not_voyages() -> None:
    only_voyages = FLEET.replace("We interview 23 sailors and train", "We train")
    assert uncounted("How many volunteers took part?", only_voyages) == "how many volunteers"
    assert uncounted("How many participants were there?", f"{only_voyages} 12 users agree.") is None


def test_a_score_is_missing_where_nothing_is_scored() -> None:
    question = "By how many points does the fleet drop without its sails?"
    assert uncounted(question, "The sails are what matters most, as ablations show.") == (
        "how many points"
    )
    assert uncounted(question, "Without sails the fleet loses 4.5 in speed.") is None


def test_a_count_told_otherwise_is_found_with_its_sentence() -> None:
    said = other_count("What are the names of the ten oceans?", FLEET)
    assert said is not None
    assert said[0].startswith("ten oceans")
    assert FLEET[slice(*said[1])] == FLEET.split(". ")[0] + "."


@pytest.mark.parametrize(
    "question",
    [
        "What are the seven oceans?",
        "Which 23 of the oceans are meant?",
        "Which two of them agree?",
        "What do the ten captains say?",
        "Why 9% of the fuel?",
    ],
)
def test_a_count_that_stands_or_is_of_something_else_is_no_contradiction(question: str) -> None:
    assert other_count(question, FLEET) is None


@given(st.text(max_size=200), st.text(max_size=400))
def test_any_question_of_any_text_is_read(question: str, text: str) -> None:
    asked = uncounted(question, text)
    assert asked is None or asked.startswith("how many ")
    found = other_count(question, text)
    assert found is None or 0 <= found[1][0] <= found[1][1] <= len(text)
