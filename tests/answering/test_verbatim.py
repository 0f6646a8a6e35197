"""Quotes are found in abstracts letter for letter, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.plaintext import plain
from assistant.answering.verbatim import find_verbatim, whole_sentences
from tests.texts import abstract_like

ABSTRACT = (
    "We present \\textbf{RelayCaching}.  It does not retrain the model.\n"
    "RelayCaching achieves over $80$\\% reuse and reduces TTFT by up to $4.7\\times$."
)


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("It does not retrain the model.", "It does not retrain the model"),
        ("“it does not retrain the model…”", "It does not retrain the model"),
        ("We present RelayCaching. It does", "We present \\textbf{RelayCaching}.  It does"),
        ("achieves over 80% reuse", "achieves over $80$\\% reuse"),
        ("reduces TTFT by up to 4.7×", "reduces TTFT by up to $4.7\\times"),
        ("model. RelayCaching achieves", "model.\nRelayCaching achieves"),
    ],
)
def test_a_quote_is_found_where_it_stands(quote: str, shown: str) -> None:
    found = find_verbatim(quote, ABSTRACT)
    assert found is not None
    assert ABSTRACT[slice(*found)] == shown


@pytest.mark.parametrize(
    "quote",
    [
        "It does retrain the model.",
        "reduces TTFT by up to 4.8×",
        "We present RelayCaching … reduces TTFT",
        "the model",
        "",
        '""',
    ],
)
def test_what_does_not_stand_there_is_refused(quote: str) -> None:
    assert find_verbatim(quote, ABSTRACT) is None


def test_a_quote_is_widened_to_its_sentence_so_that_no_not_is_lost() -> None:
    found = find_verbatim("retrain the model", ABSTRACT)
    assert found is not None
    start, end, count = whole_sentences(ABSTRACT, *found)
    assert (ABSTRACT[start:end], count) == ("It does not retrain the model.", 1)


@given(text=abstract_like, data=st.data())
def test_offsets_hold_the_quote_in_any_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = find_verbatim(text[start:end], text)
    if found is not None:
        letters = [char for char in plain(text[slice(*found)]).text.lower() if char.isalnum()]
        wanted = [char for char in plain(text[start:end]).text.lower() if char.isalnum()]
        assert letters == wanted or not wanted
