"""Papers read sentence by sentence, kept, and read again from what was kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.corpus.paper import Paper
from assistant.corpus.sentences import sentence_spans
from assistant.index.embedding import MiniLM, TokenVectors
from assistant.retrieval.reading import PaperReading, Reader, Reading
from tests.texts import abstract_like

CACHES = Paper("a", "We study caches. They are fast, and they are small.")
ROBOTS = Paper("b", "Robots fall. We propose a robot that stands up. It works. See the video.")


def make(model: MiniLM) -> Reader:
    return Reader(model.embed_tokens, model.name, model.revision)


class Counting:
    """The real model, with a count of the texts it was given."""

    def __init__(self, model: MiniLM) -> None:
        self.model = model
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[TokenVectors]:
        self.texts += texts
        return self.model.embed_tokens(texts)


def same(one: PaperReading, other: PaperReading) -> bool:
    return (
        one.spans == other.spans
        and one.counts == other.counts
        and np.array_equal(one.pooled, other.pooled)
        and np.array_equal(one.tokens, other.tokens)
    )


def test_every_sentence_has_its_place_and_its_vectors(minilm: MiniLM) -> None:
    reading = make(minilm).read([CACHES, ROBOTS])
    assert reading.texts == [
        paper.abstract[start:end]
        for paper in (CACHES, ROBOTS)
        for start, end in sentence_spans(paper.abstract)
    ]
    assert reading.owners.tolist() == [0, 0, 1, 1, 1, 1]
    assert reading.paper_starts.tolist() == [0, 2]
    assert reading.pooled.shape == (6, 384)
    assert reading.tokens.shape == (sum(sum(part.counts) for part in reading.parts), 384)
    assert reading.token_starts[0] == 0
    assert np.allclose(np.linalg.norm(reading.tokens, axis=1), 1, atol=2e-3)


def test_postings_say_in_which_sentence_and_where_a_term_stands(minilm: MiniLM) -> None:
    reading = make(minilm).read([ROBOTS])
    assert {sentence for sentence, _ in reading.postings["robot"]} == {0, 1}
    (place,) = reading.postings["video"]
    assert place[0] == 3


def test_a_paper_is_read_once(minilm: MiniLM) -> None:
    counting = Counting(minilm)
    reader = Reader(counting, "x", "y")
    first = reader.read([CACHES, ROBOTS])
    assert reader.read([CACHES, ROBOTS]) is first
    assert reader.read([ROBOTS]).texts == first.texts[2:]
    assert len(counting.texts) == 6
    assert reader.known(CACHES)
    assert not reader.known(Paper("c", "Something else."))


def test_a_changed_abstract_is_read_anew(minilm: MiniLM) -> None:
    reader = make(minilm)
    reader.read([CACHES])
    changed = Paper(CACHES.id, CACHES.abstract.replace("small", "large"))
    assert not reader.known(changed)
    assert "large" in reader.read([changed]).texts[1]


def test_what_was_kept_gives_the_very_same_reading(minilm: MiniLM, tmp_path: Path) -> None:
    one = make(minilm)
    read = one.read([CACHES, ROBOTS])
    one.save(tmp_path, [CACHES, ROBOTS])
    counting = Counting(minilm)
    other = Reader(counting, minilm.name, minilm.revision)
    other.load(tmp_path)
    again = other.read([CACHES, ROBOTS])
    assert counting.texts == []
    assert all(same(a, b) for a, b in zip(read.parts, again.parts, strict=True))


def test_another_model_does_not_take_over_what_this_one_kept(
    minilm: MiniLM, tmp_path: Path
) -> None:
    one = make(minilm)
    one.read([CACHES])
    one.save(tmp_path, [CACHES])
    other = Reader(minilm.embed_tokens, "other", "revision-2")
    other.load(tmp_path)
    assert not other.known(CACHES)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive", b"\x93NUMPY\x01\x00"])
def test_a_spoilt_store_is_read_anew(minilm: MiniLM, tmp_path: Path, content: bytes) -> None:
    one = make(minilm)
    one.read([CACHES])
    one.save(tmp_path, [CACHES])
    (path,) = tmp_path.iterdir()
    path.write_bytes(content or path.read_bytes()[:200])
    other = make(minilm)
    other.load(tmp_path)
    assert not other.known(CACHES)
    assert other.read([CACHES]).texts == one.read([CACHES]).texts


def test_nothing_is_left_beside_the_store(minilm: MiniLM, tmp_path: Path) -> None:
    one = make(minilm)
    one.read([CACHES])
    one.save(tmp_path, [CACHES])
    one.save(tmp_path, [CACHES])
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]


def test_best_values_of_each_sentence_and_paper(minilm: MiniLM) -> None:
    reading = make(minilm).read([CACHES, ROBOTS])
    (asked,) = minilm.embed_tokens(["robot"])
    maxima = reading.token_maxima(asked.vectors)
    assert maxima.shape == (6, len(asked.vectors))
    assert maxima.max() <= 1.01
    by_paper = reading.paper_maxima(maxima)
    assert by_paper.shape[0] == 2
    assert by_paper[1].mean() > by_paper[0].mean()
    assert np.array_equal(by_paper[1], maxima[2:].max(axis=0))


@given(texts=st.lists(abstract_like.filter(str.strip), min_size=1, max_size=4))
@settings(max_examples=20)
def test_papers_of_any_text_can_be_read(texts: list[str], minilm: MiniLM) -> None:
    papers = [Paper(str(i), text) for i, text in enumerate(texts)]
    reading = make(minilm).read(papers)
    assert isinstance(reading, Reading)
    assert len(reading.texts) == len(reading.pooled) == len(reading.token_starts)
    assert np.isfinite(reading.pooled).all()
    assert np.isfinite(reading.tokens).all()
    assert reading.token_maxima(reading.tokens[:3]).shape[0] == len(reading.texts)
