"""Papers: what identifies them, what they are called, and that nothing is lost on the way."""

from __future__ import annotations

import dataclasses
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.paper import Paper, Source, content_hash, text_hash
from tests.texts import abstract_like, any_text

names = st.text(min_size=1, max_size=12)
papers = st.builds(
    Paper,
    id=names,
    abstract=any_text | abstract_like,
    title=st.none() | names,
    authors=st.lists(names, max_size=3).map(tuple),
    venue=st.none() | names,
    year=st.none() | st.integers(1900, 2100),
    url=st.none() | names,
    keywords=st.lists(names, max_size=3).map(tuple),
    source=st.none() | st.builds(Source, names, st.integers(1, 999)),
)


@given(papers)
def test_a_paper_survives_plain_data_and_json(paper: Paper) -> None:
    assert Paper.from_dict(json.loads(json.dumps(paper.to_dict()))) == paper


@given(any_text | abstract_like, st.sampled_from(["NFC", "NFD"]))
def test_blanks_case_and_unicode_form_do_not_change_a_paper(text: str, form: str) -> None:
    words = text.split()
    other = "\n\t".join(unicodedata.normalize(form, word) for word in words)  # type: ignore[arg-type]
    assert content_hash(f"  {other} ") == content_hash(" ".join(words))


def test_case_does_not_change_a_paper_and_a_figure_does() -> None:
    assert content_hash("It saves 53\\% OF TIME.") == content_hash("it saves 53\\% of time.")
    assert content_hash("It saves 53\\%.") != content_hash("It saves 35\\%.")


@given(st.text(alphabet=st.characters()))
def test_every_text_has_a_key_even_half_a_surrogate_pair(text: str) -> None:
    key = text_hash(text + "\ud800")
    assert len(key) == 32
    assert key != text_hash(text)


def test_the_key_of_a_text_minds_what_the_content_hash_does_not() -> None:
    assert text_hash("a  b") != text_hash("a b")
    assert Paper("x", "a  b").content_hash == Paper("y", "A b").content_hash


def test_nobody_changes_a_paper_behind_the_index() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Paper("x", "a").abstract = "b"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("abstract", "label"),
    [
        ("We propose LeakGFN, a dual-head architecture.", "LeakGFN"),
        ("In short, we introduce the novel \\textbf{SMM-T} model.", "SMM-T"),
        ("A method called ReAct2 is shown.", "ReAct2"),
        ("We propose a method that works well on every task there is.", None),
        ("Short text.", "Short text."),
    ],
)
def test_a_paper_without_a_title_has_a_label_of_its_own_words(
    abstract: str, label: str | None
) -> None:
    expected = label or " ".join(abstract.split()[:8]) + " …"
    assert Paper("x", abstract).label == expected


@given(any_text | abstract_like)
def test_a_label_is_never_invented(abstract: str) -> None:
    label = Paper("x", abstract).label
    assert "None" not in label or "None" in abstract
    assert label.removesuffix(" …") in " ".join(abstract.split())


def test_the_title_is_searched_where_there_is_one() -> None:
    assert Paper("x", "abstract").indexed_text == "abstract"
    assert Paper("x", "abstract", title="Title").indexed_text == "Title\nabstract"
    assert Paper("x", "abstract", title="Title").label == "Title"
