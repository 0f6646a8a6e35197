"""Markdown cut into sentences."""

from __future__ import annotations

import pytest

from assistant.answering.drafts import is_complete, split


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("A halves memory [1]. B does not [2].", ["A halves memory [1].", "B does not [2]."]),
        ("A halves it. [1] B does not. [2]", ["A halves it [1].", "B does not [2]."]),
        ("- [1] A halves it.\n- [2]: B does", ["A halves it [1].", "B does [2]"]),
        ("[1] halves it. [2] does not.", ["[1] halves it.", "[2] does not."]),
        ("[1] A halves what B does [2].", ["[1] A halves what B does [2]."]),
        ("Two:\n- A halves it [1]\n- B does [2].", ["Two:", "A halves it [1]", "B does [2]."]),
        ("1. A halves it [1].\n2. B does [2].", ["A halves it [1].", "B does [2]."]),
        ("| A | halves [1] |\n|---|---|\n| B. C | x |", ["| A | halves [1] |", "| B. C | x |"]),
        ("A reaches 4.7 times, e.g. on X [1].", ["A reaches 4.7 times, e.g. on X [1]."]),
        ("它将内存减半。[1]第二句。[2]", ["它将内存减半 [1]。", "第二句 [2]。"]),
        ("## Results\nA halves it [1].", ["Results", "A halves it [1]."]),
    ],
)
def test_sentences_of_markdown(text: str, sentences: list[str]) -> None:
    pieces, _ = split(text)
    assert [piece.text for piece in pieces] == sentences


@pytest.mark.parametrize("text", ["A [1]. B.\n\n- C [2]\n", "  \n", "|---|\n", "x"])
def test_pieces_make_up_the_text(text: str) -> None:
    pieces, tail = split(text)
    assert "".join(piece.before + piece.text for piece in pieces) + tail == text


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("It halves [1].", True),
        ("It halves. [1]", True),
        ("It halves [1]", False),
        ("减半[1]。", True),
    ],
)
def test_whole_sentences(text: str, whole: bool) -> None:
    assert is_complete(text) is whole
