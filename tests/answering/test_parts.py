"""A comparison taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given

from assistant.answering import parts
from assistant.answering.parts import (
    Side,
    asked_of,
    baseline_of,
    comparing,
    counted_topic,
    described_parts,
)
from assistant.corpus.paper import Paper
from assistant.retrieval.naming import Named
from assistant.retrieval.query import Query
from tests.texts import abstract_like, any_text

ROWS = {"spiking": 1, "rotating": 2, "forgetting": 3, "registration": 4, "caches": 5}


def best_for(phrase: str) -> int | None:
    return next((row for word, row in ROWS.items() if word in phrase), None)


def compared(text: str, *named: Named, ranked: tuple[int, ...] = (8, 9, 7)) -> list[int]:
    query = Query(text, text, text, "compare", named=tuple(named))
    return [side.row for side in parts.compared(query, ranked, best_for)]


def mention(text: str, name: str, row: int) -> Named:
    return Named(row, name, text.find(name), text.find(name) + len(name))


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "How do the paper on spiking networks and the paper about rotating engines differ?",
            ["paper on spiking networks", "paper about rotating engines"],
        ),
        (
            "One paper studies forgetting, the other registration.",
            ["studies forgetting", "registration"],
        ),
        ("Compare SAIM and MoCL", []),
        ("", []),
    ],
)
def test_described_papers(question: str, parts: list[str]) -> None:
    assert described_parts(question) == parts


def test_named_papers_come_in_the_order_of_the_question() -> None:
    text = "Compare SAIM with MoCL"
    assert compared(text, mention(text, "MoCL", 2), mention(text, "SAIM", 1)) == [1, 2]


def test_described_papers_are_looked_up() -> None:
    text = "How do the paper on spiking networks and the paper about rotating engines differ?"
    assert compared(text) == [1, 2]


def test_a_named_and_a_described_paper() -> None:
    text = "How does SAIM differ from the paper on spiking networks?"
    assert compared(text, mention(text, "SAIM", 6)) == [6, 1]


def test_two_sides_without_the_word_paper() -> None:
    assert compared("What is the difference between spiking models and rotating engines?") == [1, 2]


def test_what_is_not_described_is_taken_from_the_ranking() -> None:
    assert compared("Compare both papers") == [8, 9]
    assert compared("Compare the three approaches here") == [8, 9, 7]
    assert compared("Compare them", ranked=()) == []


def test_one_paper_is_never_compared_with_itself() -> None:
    text = "Compare the paper on spiking networks and the method with spiking neurons"
    rows = compared(text)
    assert len(set(rows)) == len(rows) == 2
    assert rows[0] == 1


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        (
            "Two papers here are about forgetting. What does each do?",
            "Two papers here are about forgetting.",
        ),
        ("What do the two papers on forgetting do?", None),
        ("Compare SAIM and MoCL.", None),
    ],
)
def test_a_topic_that_counts_its_papers(question: str, topic: str | None) -> None:
    assert counted_topic(question) == topic


@given(any_text | abstract_like)
def test_any_comparison(text: str) -> None:
    assert all(part in text for part in described_parts(text))
    rows = compared(text)
    assert len(set(rows)) == len(rows)
    assert len(rows) >= 2


def sides_of(text: str, *phrases: str) -> list[Side]:
    return [Side(i, text.find(each), text.find(each) + len(each)) for i, each in enumerate(phrases)]


@pytest.mark.parametrize(
    ("text", "phrases", "first", "second"),
    [
        (
            "What does SAIM need, and what does MoCL give?",
            ("SAIM", "MoCL"),
            "What does SAIM need",
            "what does MoCL give?",
        ),
        (
            "How many mazes has MANGO; how many questions has BEARCUBS?",
            ("MANGO", "BEARCUBS"),
            "How many mazes has MANGO",
            "how many questions has BEARCUBS?",
        ),
        (
            "How do SAIM and MoCL differ in what they test?",
            ("SAIM", "MoCL"),
            "How do SAIM and  differ in what they test?",
            "How do  and MoCL differ in what they test?",
        ),
        (
            "SAIM and MoCL both forget. Which is faster?",
            ("SAIM", "MoCL"),
            "SAIM and  both forget. Which is faster?",
            " and MoCL both forget. Which is faster?",
        ),
    ],
)
def test_each_side_is_asked_what_is_asked_of_it(
    text: str, phrases: tuple[str, str], first: str, second: str
) -> None:
    sides = sides_of(text, *phrases)
    assert asked_of(text, sides[0], sides) == first
    assert asked_of(text, sides[1], sides) == second


def test_a_side_that_is_not_brought_up_is_asked_the_whole() -> None:
    text = "What do both find about SAIM?"
    sides = [*sides_of(text, "SAIM"), Side(7, len(text), len(text))]
    assert asked_of(text, sides[1], sides) == text
    assert asked_of(text, sides[0], sides) == text


BEES = Paper("a", "BeeNet counts bees. It beats DPO by far, and needs less.", title="BeeNet: Bees")
DANCE = Paper("b", "We present DanceNet, which is trained with DPO.", title="DanceNet")


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("Compare BeeNet with DPO", {"BeeNet": 1}, (1, "DPO")),
        ("Compare BeeNet and DPO", {"BeeNet": 1, "DPO": 2}, (1, "DPO")),
        ("How does DPO differ from BeeNet?", {"BeeNet": 1}, (1, "DPO")),
        ("Compare BeeNet with DanceNet", {"BeeNet": 1, "DanceNet": 2}, None),
        ("Compare BeeNet with PPO", {"BeeNet": 1}, None),
        ("Compare BeeNet with the paper on DPO", {"BeeNet": 1}, None),
    ],
)
def test_a_method_that_a_paper_speaks_of_is_no_other_paper(
    text: str, names: dict[str, int], found: tuple[int, str] | None
) -> None:
    named = tuple(mention(text, name, row) for name, row in names.items())
    query = Query(text, text, text, "compare", named=named)
    assert baseline_of(query, {1: BEES, 2: DANCE}) == found
    if found:
        (span,) = comparing(BEES, found[1])
        assert BEES.abstract[slice(*span)] == "It beats DPO by far, and needs less."
