"""Passages: exact offsets for any text and window, and never longer than the embedder takes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.chunking import embedded_text, passages
from assistant.corpus.paper import Paper
from assistant.corpus.sentences import sentence_spans
from assistant.index.embedding import MiniLM
from tests.texts import abstract_like, any_text

MINILM = MiniLM()
ROOM = MINILM.max_tokens - 2
"""The model puts a token before and one behind."""


def by_words(text: str) -> int:
    return len(text.split())


def by_letters(text: str) -> int:
    return sum(not char.isspace() for char in text)


@given(
    any_text | abstract_like,
    st.none() | any_text,
    st.sampled_from([None, by_words, by_letters]),
    st.integers(1, 300),
)
def test_passages_are_exact_and_leave_nothing_out(
    text: str, title: str | None, count: object, window: int
) -> None:
    paper = Paper("x", text, title=title)
    found = passages(paper, count_tokens=count, window=window)  # type: ignore[arg-type]
    done = 0
    for passage in found:
        assert passage.paper_id == "x"
        assert text[passage.start : passage.end] == passage.text
        assert passage.text == passage.text.strip()
        assert done <= passage.start < passage.end <= len(text)
        assert not text[done : passage.start].strip()
        done = passage.end
    assert not text[done:].strip()


@given(any_text | abstract_like, st.integers(16, 60))
def test_no_passage_is_longer_than_the_window(text: str, window: int) -> None:
    for passage in passages(Paper("x", text), count_tokens=by_letters, window=window):
        assert by_letters(passage.text) <= window


@given(st.lists(st.sampled_from(["One two. ", "Three four five? ", "Six! "]), max_size=60))
def test_passages_end_where_sentences_end(pieces: list[str]) -> None:
    text = "".join(pieces)
    ends = {end for _, end in sentence_spans(text)}
    found = passages(Paper("x", text), count_tokens=by_words, window=16)
    assert {passage.end for passage in found} <= ends


def test_what_fits_stays_whole() -> None:
    text = "One. Two. Three."
    assert [p.text for p in passages(Paper("x", text), count_tokens=by_words, window=16)] == [text]


def test_nothing_comes_of_nothing() -> None:
    assert passages(Paper("x", " \n "), count_tokens=by_words, window=16) == []


def test_passages_are_of_nearly_equal_size() -> None:
    text = " ".join(f"Sentence number {i} has six words." for i in range(20))
    sizes = [by_words(p.text) for p in passages(Paper("x", text), count_tokens=by_words, window=50)]
    assert len(sizes) == 3
    assert max(sizes) - min(sizes) <= 6


def test_the_title_is_embedded_with_every_passage_and_takes_its_room() -> None:
    text = " ".join(f"Sentence {i} is here." for i in range(40))
    titled = Paper("x", text, title="A title of eight words and no more")
    plain = Paper("x", text)
    count = len(passages(titled, count_tokens=by_words, window=40))
    assert count > len(passages(plain, count_tokens=by_words, window=40))
    first = passages(titled, count_tokens=by_words, window=40)[0]
    assert embedded_text(titled, first) == f"{titled.title}\n{first.text}"
    assert embedded_text(plain, first) == first.text
    assert by_words(embedded_text(titled, first)) <= 40


LONG = {
    "sentences": "Caches are fast and models are large in most of the cases we saw. " * 900,
    "one sentence": "caches are fast and models are large in most of the cases we saw " * 900,
    "one word": "cache" * 12_000,
    "Chinese": "缓存很快而且模型很大" * 6_000,
    "emoji": "🤖👩‍🔬" * 10_000,
    "letters": "a b c d e f g " * 4_000,
    "Korean": "캐시는빠르고모델은크다" * 3_000,
    "short Korean": "캐시는빠르고모델은크다" * 15,
    "digits": "3.14159 " * 7_000,
}


@pytest.mark.parametrize("kind", LONG)
def test_nothing_of_a_long_text_is_cut_off_by_the_model(kind: str) -> None:
    paper = Paper("x", LONG[kind])
    found = passages(paper, count_tokens=MINILM.count_tokens, window=ROOM)
    too_long = [p for p in found if MINILM.count_tokens(embedded_text(paper, p)) > ROOM]
    assert too_long == []


def test_nothing_of_the_longest_real_abstracts_is_cut_off(test_data: Path) -> None:
    with gzip.open(test_data / "abstracts.jsonl.gz", "rt", encoding="utf-8") as file:
        records = sorted(map(json.loads, file), key=lambda record: -len(record["abstract"]))[:40]
    for record in records:
        paper = Paper(record["id"], record["abstract"], title=record["title"])
        for passage in passages(paper, count_tokens=MINILM.count_tokens, window=ROOM):
            assert MINILM.count_tokens(embedded_text(paper, passage)) <= ROOM
