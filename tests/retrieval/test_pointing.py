"""What points into a list that was shown."""

from __future__ import annotations

import pytest
from hypothesis import given

from assistant.retrieval.pointing import pointed
from tests.texts import any_text


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("the first one", [0]),
        ("and the second?", [1]),
        ("tell me about the 3rd paper", [2]),
        ("what does the last one say", [3]),
        ("second one", [1]),
        ("is the latter faster", [3]),
        ("paper 2", [1]),
        ("number four", [3]),
        ("what about #3?", [2]),
        ("compare the first two", [0, 1]),
        ("the last two", [2, 3]),
        ("first three please", [0, 1, 2]),
        ("compare the first and the third", [0, 2]),
        ("the second with the last", [1, 3]),
        ("the fifth one", None),
    ],
)
def test_places_in_a_list_of_four(question: str, places: list[int] | None) -> None:
    found = pointed(question)
    assert found is not None
    assert found.within(4) == places


@pytest.mark.parametrize(
    "question",
    [
        "Which papers study robots?",
        "papers of the last two years",
        "What happened first?",
        "how fast is it?",
        "which two papers are about audio",
    ],
)
def test_what_points_into_no_list(question: str) -> None:
    assert pointed(question) is None


def test_what_is_pointed_to_stands_in_the_question() -> None:
    found = pointed("compare the second one with Alpha")
    assert found is not None
    assert "compare the second one with Alpha"[found.start : found.end].startswith("the second")


@given(any_text)
def test_any_text_points_to_places_or_nowhere(question: str) -> None:
    found = pointed(question)
    assert found is None or 0 <= found.start < found.end <= len(question)
