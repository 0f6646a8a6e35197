"""Thoughts in replies; LLM-08 of the reported troubles."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.thinking import ThoughtFilter, without_thoughts


def read(text: str, cuts: list[int], *, opened: bool = False) -> str:
    thoughts = ThoughtFilter(opened=opened)
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    shown = ""
    steps = [thoughts.feed(text[start:end]) for start, end in pairwise(places)]
    for retract, ready in [*steps, thoughts.finish()]:
        shown = ready if retract else shown + ready
    return shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>maybe [9]</think>It halves memory [1].", "It halves memory [1]."),
        ("\n <THINK>\nmaybe\n</Think>\n\nIt halves.", "It halves."),
        ("<thinking>a</thinking><think>b</think> It halves.", "It halves."),
        ("<reasoning>a <b> c</reasoning>It halves.", "It halves."),
        ("It halves.\n<think>hm</think>\nAnd more.", "It halves.\n\nAnd more."),
        # the opening tag was swallowed
        ("maybe [9]\n</think>\n\nIt halves.", "It halves."),
        ("maybe [9]</think>\nIt halves.", "It halves."),
        # text that speaks of such tags
        ("It puts <think> tokens around thoughts.", "It puts <think> tokens around thoughts."),
        ("A </think> token ends it.", "A </think> token ends it."),
        ("It halves.\n<think> is a token.", "It halves.\n<think> is a token."),
        ("a < b and <thin> air", "a < b and <thin> air"),
        # nothing but thoughts
        ("<think>hm hm", ""),
        ("<think>hm</think>", ""),
    ],
)
def test_thoughts(text: str, shown: str) -> None:
    assert without_thoughts(text) == shown
    for cut in range(len(text) + 1):
        assert read(text, [cut]) == shown
    assert read(text, list(range(len(text)))) == shown


def test_a_model_known_to_open_with_a_thought() -> None:
    assert read("maybe</think>It halves.", [3], opened=True) == "It halves."
    assert read("It halves.", [3], opened=True) == "It halves."


def test_text_flows_on_while_nothing_looks_like_a_tag() -> None:
    thoughts = ThoughtFilter()
    assert thoughts.feed("It halves") == (False, "It halves")
    assert thoughts.feed(" memory <") == (False, " memory ")
    assert thoughts.feed("b> and") == (False, "<b> and")


_PIECES = st.sampled_from(
    ["<think>", "</think>", "<thinking>", "</reasoning>", "<", "text", " ", "\n", "[9]", "</", "th"]
)


@given(st.lists(_PIECES, max_size=10).map("".join), st.lists(st.integers(0, 99), max_size=8))
def test_the_outcome_does_not_depend_on_the_split(text: str, cuts: list[int]) -> None:
    for opened in (False, True):
        whole = read(text, [], opened=opened)
        assert read(text, cuts, opened=opened) == whole
        assert read(text, list(range(len(text))), opened=opened) == whole
