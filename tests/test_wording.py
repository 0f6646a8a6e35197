from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.wording import counted, duration


@pytest.mark.parametrize(("count", "said"), [(0, "0 papers"), (1, "1 paper"), (2, "2 papers")])
def test_one_is_no_plural(count: int, said: str) -> None:
    assert counted(count, "paper") == said


def test_a_plural_of_its_own() -> None:
    assert counted(3, "entry", "entries") == "3 entries"
    assert counted(1, "entry", "entries") == "1 entry"


@given(st.floats(min_value=0, allow_nan=False))
def test_a_length_of_time_is_never_told_too_short(seconds: float) -> None:
    said = re.fullmatch(r"(?:more than )?(\d+) (second|minute|hour|day)s?", duration(seconds))
    assert said is not None
    size = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}[said[2]]
    assert int(said[1]) >= 1
    if not said[0].startswith("more"):
        assert int(said[1]) * size >= seconds
