"""Questions that take over what the one before them asked."""

from __future__ import annotations

import pytest

from assistant.retrieval.continuing import asks_further, asks_other, ellipsis, in_frame


@pytest.mark.parametrize(
    "question",
    [
        "more",
        "show me more",
        "any others?",
        "not those, others",
        "what else?",
        "are there any more papers?",
        "is that all?",
        "next",
        "do you have others?",
        "list the rest",
        "some more papers please",
    ],
)
def test_what_asks_for_papers_not_shown_yet(question: str) -> None:
    assert asks_further(question)


@pytest.mark.parametrize(
    "question", ["more details", "and robots?", "which papers study more data?"]
)
def test_what_does_not(question: str) -> None:
    assert not asks_further(question)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("which other papers study inference?", True),
        ("what other work is there on robots?", True),
        ("who else works on robots?", True),
        ("are there more papers about vision?", True),
        ("anything else on LLMs?", True),
        ("any more on robots?", True),
        ("list further papers on RL", True),
        ("is there another paper on robots?", True),
        ("which papers study robots?", False),
        ("which papers outperform other methods?", False),
        ("papers other than robots", False),
    ],
)
def test_a_question_for_others(question: str, asked: bool) -> None:
    assert asks_other(question) is asked


@pytest.mark.parametrize(
    ("question", "listed", "topic"),
    [
        ("and robots?", True, "robots"),
        ("what about reinforcement learning", True, "reinforcement learning"),
        ("and for robots?", True, "for robots"),
        ("and in 2024?", True, "in 2024"),
        ("robots?", False, "robots"),
        ("robots?", True, None),
        ("and speed?", True, None),
        ("and speed?", False, "speed"),
        ("and its memory use?", False, None),
        ("what about the third?", False, None),
        ("why?", False, None),
        ("and does it work?", False, None),
    ],
)
def test_a_topic_alone(question: str, listed: bool, topic: str | None) -> None:
    assert ellipsis(question, listed=listed) == topic


def test_the_frame_is_taken_over() -> None:
    vision = "which papers propose benchmarks for vision?"
    assert in_frame("for robots", vision, "list") == "which papers propose benchmarks for robots?"
    assert in_frame("robots", vision, "list") == "which papers study robots?"
    assert in_frame("robots", "how many papers are on vision?", "count").startswith("how many")
