"""Sentence spans: exact offsets, nothing lost, and the cuts a reader would make."""

from __future__ import annotations

import pytest
from hypothesis import example, given

from assistant.corpus.reading import read_paths
from assistant.corpus.sentences import sentence_spans, trimmed
from assistant.resources import seeds_dir
from tests.texts import abstract_like, any_text


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@given(any_text | abstract_like)
@example("")
@example(" \n\t ")
@example("\u200b")
@example("a\x1fb. C")
@example("👩‍🔬. e\u0301. 𝒳. Done")
@example('"' * 2_000)
@example("(1) " * 2_000)
@example("$" + "x. Y " * 100 + "$")
def test_spans_are_exact_ordered_and_cover_all_that_is_not_blank(text: str) -> None:
    spans = sentence_spans(text)
    done = 0
    for start, end in spans:
        assert done <= start < end <= len(text)
        assert not text[done:start].strip()
        assert text[start:end] == text[start:end].strip()
        done = end
    assert not text[done:].strip()


@given(any_text | abstract_like)
def test_the_same_text_is_always_cut_the_same_way(text: str) -> None:
    assert sentence_spans(text) == sentence_spans(str(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two. Three.", ["One.", "Two.", "Three."]),
        (
            "It works on KITTI (e.g., at night, cf. Fig. 3). It is fast.",
            ["It works on KITTI (e.g., at night, cf. Fig. 3).", "It is fast."],
        ),
        (
            "It gains 4.7 points over LIME (0.478 vs. 0.311). Then it stops.",
            ["It gains 4.7 points over LIME (0.478 vs. 0.311).", "Then it stops."],
        ),
        (
            "Smith et al. show this. We do not.",
            ["Smith et al. show this.", "We do not."],
        ),
        (
            "The bound is $O(n. X)$ in all. It is tight.",
            ["The bound is $O(n. X)$ in all.", "It is tight."],
        ),
        ("它更快。结果很好！为什么？", ["它更快。", "结果很好！", "为什么？"]),
        ("No full stop", ["No full stop"]),
        ("Is it? Yes! Good.", ["Is it?", "Yes!", "Good."]),
    ],
)
def test_cuts(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_numbered_questions_are_cut_apart() -> None:
    text = "Two questions remain: (1) What causes the gap? (2) What determines success? We answer."
    assert sentences(text)[-2:] == ["(2) What determines success?", "We answer."]


def test_an_abstract_in_quotes_is_cut_like_one_without() -> None:
    text = "We study caches. They are fast. They are small."
    assert len(sentences(f'"{text}"')) == 3


COUNTS = {
    "000-03": 10,
    "000-09": 7,
    "000-17": 9,
    "001-03": 5,
    "001-11": 8,
    "001-16": 6,
    "001-17": 7,
}


def test_the_shipped_abstracts_are_cut_as_a_reader_cuts_them() -> None:
    papers = {paper.id: paper for paper in read_paths([seeds_dir()]).papers}
    assert {name: len(sentence_spans(papers[name].abstract)) for name in COUNTS} == COUNTS


def test_no_sentence_of_the_shipped_abstracts_is_a_fragment() -> None:
    fragments = [
        f"{paper.id}: {sentence}"
        for paper in read_paths([seeds_dir()]).papers
        for sentence in sentences(paper.abstract)
        if len(sentence) < 20 or sentence[0].islower()
    ]
    assert fragments == []


@given(any_text)
def test_trimming_leaves_what_strip_leaves(text: str) -> None:
    span = trimmed(text, 0, len(text))
    assert (text[slice(*span)] if span else "") == text.strip()
