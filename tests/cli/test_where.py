"""Filters as they are typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.cli.where import parsed_where
from assistant.errors import InputError


@pytest.mark.parametrize(
    ("given_filters", "where"),
    [
        ([], None),
        (["year=2026"], {"year": 2026}),
        (["year=2025", "year=2026", "year=2027"], {"year": [2025, 2026, 2027]}),
        (["year>=2024", "year<=2026"], {"year": {"gte": 2024, "lte": 2026}}),
        (["venue=ICML", "year=2026"], {"venue": "ICML", "year": 2026}),
        ([" venue = Robotics: Science and Systems "], {"venue": "Robotics: Science and Systems"}),
        (["author=a=b"], {"author": "a=b"}),
        (["year>2024"], {"year": {"gt": 2024}}),
        (["year > 2023", "year<2026"], {"year": {"gt": 2023, "lt": 2026}}),
        (["venue=A>=B"], {"venue": "A>=B"}),
        (["year=soon"], {"year": "soon"}),
        (["year=²"], {"year": "²"}),
        (["id=007"], {"id": "007"}),
    ],
)
def test_filters(given_filters: list[str], where: object) -> None:
    assert parsed_where(given_filters) == where


@pytest.mark.parametrize("text", ["", "year", "=", "year=", "=2026", ">=2024", "year>", " = "])
def test_what_is_no_filter(text: str) -> None:
    with pytest.raises(InputError, match="is no filter: write field=value, such as year=2026"):
        parsed_where([text])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("year==2024", "write ="),
        ("year=>2024", "write >="),
        ("year =< 2024", "write <="),
        ("venue!=ICML", "write field=value, or >=, <=, > or < for a year"),
        ("year<>2024", "write field=value, or >=, <=, > or < for a year"),
        ("author~Li", "write field=value, or >=, <=, > or < for a year"),
        ("year 2024", "write field=value, such as year=2026, or 'year>2024'"),
    ],
)
def test_what_other_languages_write_says_what_works(text: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        parsed_where([text])
    assert repr(text) in str(caught.value)
    assert told in str(caught.value)


@pytest.mark.parametrize("texts", [["year=2026", "year>=2024"], ["year>=2024", "year=2026"]])
def test_a_value_and_a_limit_contradict_each_other(texts: list[str]) -> None:
    with pytest.raises(InputError, match="is given both as a value and as a limit"):
        parsed_where(texts)


@given(st.lists(st.text(max_size=12), max_size=4))
def test_anything_typed_is_a_filter_or_refused_in_one_line(texts: list[str]) -> None:
    found: dict[str, object] | None = {}
    refused = ""
    try:
        found = parsed_where(texts)
    except InputError as error:
        refused = str(error)
    assert "\n" not in refused
    assert refused or found is None or set(found) <= {text.strip() for text in found}
