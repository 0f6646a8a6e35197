"""What a follow-up refers to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import InputError
from assistant.retrieval.history import FollowUp, Turn, follow_up, turns_of
from tests.texts import abstract_like, any_text

ROWS = {"alpha": 3, "beta": 5, "gamma": 8}
TALK = [
    Turn("user", "which papers study caches?"),
    Turn("assistant", "Two do: alpha and beta."),
]


def named(said: str) -> list[int]:
    found = sorted((said.find(name), row) for name, row in ROWS.items() if name in said)
    return [row for _, row in found]


def meant(question: str, turns: list[Turn] | None = None) -> FollowUp | None:
    return follow_up(question, TALK if turns is None else turns, named)


@pytest.mark.parametrize(
    "question",
    [
        "How fast is it?",
        "and its memory use?",
        "What about speed?",
        "why?",
        "Does the method need training?",
        "tell me more",
        "Und wie schnell ist sie?",
        "它快多少？",
        "speed?",
    ],
)
def test_a_question_that_does_not_stand_alone_is_about_what_was_named_last(question: str) -> None:
    found = meant(question)
    assert found is not None
    assert (found.rows, found.several) == ((3, 5), False)
    assert found.context == f"{TALK[0].content} {TALK[1].content}"


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What does the first one report?", (3,)),
        ("And the second paper?", (5,)),
        ("is the latter training-free", (5,)),
        ("How fast is the former?", (3,)),
        ("how large is the last one", (5,)),
        ("and the second one", (5,)),
        ("paper 2", (5,)),
        ("what does [1] say?", (3,)),
        ("number two please", (5,)),
    ],
)
def test_an_ordinal_picks_one_in_the_order_of_the_talk(
    question: str, rows: tuple[int, ...]
) -> None:
    found = meant(question)
    assert found is not None
    assert found.rows == rows
    assert not found.several


@pytest.mark.parametrize(
    "question",
    [
        "which of those are training-free?",
        "Do both need training?",
        "Which of them is older?",
        "which of the two is faster",
        "其中哪些不需要训练？",
    ],
)
def test_a_plural_asks_about_all_of_them(question: str) -> None:
    found = meant(question)
    assert found is not None
    assert found.rows == (3, 5)
    assert found.several


@pytest.mark.parametrize(
    "question",
    [
        "Which papers study point clouds?",
        "List all papers on robots",
        "What is the modality gap in contrastive learning of images and text?",
        "Are there other papers on audio?",
    ],
)
def test_a_question_that_stands_alone_refers_to_nothing(question: str) -> None:
    assert meant(question) is None


def test_without_a_talk_nothing_is_referred_to() -> None:
    assert meant("How fast is it?", []) is None


def test_the_newest_message_that_names_papers_decides() -> None:
    turns = [*TALK, Turn("user", "and point clouds?"), Turn("assistant", "gamma does that.")]
    later = [*turns, Turn("user", "how so?"), Turn("assistant", "By attention.")]
    for talk in (turns, later):
        found = meant("How accurate is it?", talk)
        assert found is not None
        assert found.rows == (8,)


def test_the_first_follow_up_counts_like_a_later_one() -> None:
    assert meant("How fast is it?", TALK[:2]) == meant("How fast is it?", [*TALK, *TALK])


def test_a_talk_that_named_no_paper_points_to_none() -> None:
    found = meant("why is that?", [Turn("user", "hi"), Turn("assistant", "Hello!")])
    assert found is not None
    assert (found.rows, found.several, found.context) == ((), False, "hi Hello!")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "user", "content": " hi "}, [Turn("user", "hi")]),
        ({"content": "hi"}, [Turn("user", "hi")]),
        (
            {"role": "assistant", "content": [{"type": "text", "text": "a"}, "b"]},
            [Turn("assistant", "a b")],
        ),
        ({"role": "user", "content": {"text": "a"}}, [Turn("user", "a")]),
        ({"role": "user", "content": None}, []),
        ({"role": "user", "content": [{"type": "image"}]}, []),
        ({"role": "user"}, []),
        ({"role": "user", "content": 7}, []),
        ({"role": "user", "content": "half \ud800"}, [Turn("user", "half ?")]),
    ],
)
def test_messages_of_every_chat_client_are_read(message: dict[str, Any], expected: object) -> None:
    assert turns_of([message]) == expected


@given(
    any_text | abstract_like,
    st.lists(st.builds(Turn, st.sampled_from(["user", "assistant"]), any_text), max_size=4),
)
def test_any_question_after_any_talk_is_understood(question: str, turns: list[Turn]) -> None:
    found = follow_up(question, turns, lambda said: [len(said)] if said else [])
    assert found is None or turns


def test_pairs_of_question_and_answer_are_a_history_too() -> None:
    pair = ("which papers study KV caches?", "RelayCaching.")
    assert [(turn.role, turn.content) for turn in turns_of([pair])] == [  # type: ignore[list-item]
        ("user", pair[0]),
        ("assistant", pair[1]),
    ]


@pytest.mark.parametrize("history", ["a text", {"role": "user"}, [3], 5])
def test_what_is_no_history_is_refused_in_one_line(history: Any) -> None:
    with pytest.raises(InputError, match="must be a list of"):
        turns_of(history)


def test_no_history_is_an_empty_one() -> None:
    assert turns_of(None) == []  # type: ignore[arg-type]


LISTED = [
    Turn("user", "Which papers study bees?"),
    Turn(
        "assistant",
        "3 papers, of 9 judged:\n\n- **P3** — x [1]\n- **P5** — y [2]\n- **P7** — z [3]",
    ),
]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("which ones?", (3, 5, 7)),
        ("list them again", (3, 5, 7)),
        ("and how many are there?", (3, 5, 7)),
        ("please show me them", (3, 5, 7)),
        ("not the first one", (5, 7)),
        ("exclude the second one", (3, 7)),
        ("all but the last", (3, 5)),
        ("without the first two", (7,)),
    ],
)
def test_a_list_is_shown_again_or_without_some_of_it(question: str, rows: tuple[int, ...]) -> None:
    found = follow_up(
        question, LISTED, lambda text: [row for row in (3, 5, 7) if f"P{row}" in text]
    )
    assert found is not None
    assert found.rows == rows
    assert found.listed


@pytest.mark.parametrize("question", ["which ones use drones?", "the first one", "not bad, why?"])
def test_what_asks_more_is_no_wish_to_see_the_list(question: str) -> None:
    found = follow_up(
        question, LISTED, lambda text: [row for row in (3, 5, 7) if f"P{row}" in text]
    )
    assert found is None or not found.listed
