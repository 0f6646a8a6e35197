"""What speaks for a paper: the words themselves, words alike, and facets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.corpus.paper import Paper
from assistant.index.embedding import MiniLM
from assistant.retrieval.facets import facets_in
from assistant.retrieval.features import (
    Asked,
    match_sentences,
    read_features,
    with_ranks,
    worth_alike,
)
from assistant.retrieval.reading import Reader
from assistant.retrieval.topic import topic_of
from tests.texts import abstract_like, any_text

PAPERS = [
    Paper("kv", "We keep the KV cache small. It is fast. Code is at https://github.com/a/b."),
    Paper("far", "A cache of web pages is stored. Much later the letters K and V appear as KV."),
    Paper("key", "We compress stored keys and values of attention. It saves memory."),
    Paper("robot", "Robots stand up when they fall. We prove a bound."),
]


def asked(question: str, model: MiniLM) -> Asked:
    topic = topic_of(question, lambda _: 1.0)
    tokens, phrase = model.embed_tokens([question, topic.phrase or question])
    return Asked(topic, facets_in(question), tokens, phrase.pooled)


def features(question: str, model: MiniLM, papers: list[Paper]) -> dict[str, np.ndarray]:
    question_asked = asked(question, model)
    reading = Reader(model.embed_tokens, "x", "y").read(papers)
    zero = np.zeros(len(papers), dtype=np.float32)
    found = match_sentences(question_asked, reading)
    return with_ranks(read_features(question_asked, reading, found, zero, zero), question_asked)


def test_words_together_count_more_than_strewn_and_strewn_more_than_none(minilm: MiniLM) -> None:
    found = features("which papers study the KV cache?", minilm, PAPERS)
    whole, strewn, _, none = found["best_sentence"].tolist()
    assert whole == pytest.approx(1.0)
    assert whole > strewn > none


def test_words_that_mean_the_same_count_without_being_the_same(minilm: MiniLM) -> None:
    found = features("memory consumption", minilm, PAPERS)
    assert int(found["alike_sentence"].argmax()) == 2
    assert found["coverage"][3] == 0


def test_a_facet_is_as_good_as_the_words_it_stands_for(minilm: MiniLM) -> None:
    found = features("which papers release their code?", minilm, PAPERS)
    assert int(found["best_sentence"].argmax()) == 0
    proved = features("which papers have theoretical guarantees?", minilm, PAPERS)
    assert int(proved["best_sentence"].argmax()) == 3


def test_gaps_and_bests_describe_the_whole_field(minilm: MiniLM) -> None:
    found = features("the KV cache", minilm, PAPERS)
    for name in ("coverage", "best_sentence", "sentence_cosine"):
        assert found[f"{name}_gap"].max() == 0
        assert set(found[f"{name}_best"].tolist()) == {float(found[name].max())}
        assert found[f"{name}_above"].min() >= -3
        assert found[f"{name}_above"].max() <= 8


def test_a_word_alike_counts_between_nothing_and_nearly_all() -> None:
    values = worth_alike(np.array([-1, 0.3, 0.45, 0.7, 0.9, 1.0], dtype=np.float32))
    assert values.tolist() == sorted(values.tolist())
    assert values[2] == 0
    assert values[-1] == pytest.approx(0.9)


@given(
    question=any_text | abstract_like,
    texts=st.lists(abstract_like.filter(str.strip), min_size=1, max_size=3),
)
@settings(max_examples=25)
def test_any_question_and_papers_give_finite_features(
    question: str, texts: list[str], minilm: MiniLM
) -> None:
    papers = [Paper(str(i), text) for i, text in enumerate(texts)]
    for name, values in features(question, minilm, papers).items():
        assert values.shape == (len(papers),), name
        assert np.isfinite(values).all(), name
