"""A question taken apart into concepts."""

from __future__ import annotations

import pytest
from hypothesis import given

from assistant.retrieval.topic import Topic, topic_of
from tests.texts import abstract_like, any_text


def one(_: str) -> float:
    return 1.0


def topic(question: str, known: dict[str, list[str]] | None = None) -> Topic:
    def expand(terms: object) -> dict[str, list[str]]:
        joined = " ".join(terms)  # type: ignore[arg-type]
        return {name: others for name, others in (known or {}).items() if name in joined}

    return topic_of(question, one, expand)


def concepts(question: str) -> list[list[str]]:
    return [[" ".join(chunk.terms) for chunk in group] for group in topic(question).groups]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which papers study KV caches?", [["kv cach"]]),
        (
            "Which methods make it cheaper or faster to run a language model?",
            [["cheaper", "faster"], ["run"], ["languag model"]],
        ),
        ("papers on robots and on federated learning", [["robot"], ["feder learn"]]),
        ("the speed of convergence", [["speed converg"]]),
    ],
)
def test_concepts(question: str, expected: list[list[str]]) -> None:
    assert concepts(question) == expected


def test_a_question_of_generic_words_is_about_these() -> None:
    assert topic("which papers?").terms == ("paper",)


@pytest.mark.parametrize("question", ["", "???", " \n ", "🤖", "\u200b"])
def test_a_question_without_words_has_no_topic(question: str) -> None:
    found = topic(question)
    assert (found.groups, found.terms, found.phrase) == ((), (), "")
    assert not found.single_phrase


def test_an_acronym_also_asks_for_what_it_stands_for_at_the_same_weight() -> None:
    found = topic("KV caches", {"kv": ["key valu"]})
    (group,) = found.groups
    assert [chunk.terms for chunk in group] == [("kv", "cach"), ("key", "valu", "cach")]
    assert group[0].weight == pytest.approx(group[1].weight)
    assert found.variants("kv") == [("kv",), ("key", "valu")]
    assert found.variants("cach") == [("cach",)]
    assert found.single_phrase


def test_one_word_is_no_phrase_but_what_it_stands_for_may_be() -> None:
    assert not topic("caches").single_phrase
    assert topic("continual learning").single_phrase
    assert topic("TTFT", {"ttft": ["time first token"]}).single_phrase
    assert not topic("robots and caches").single_phrase


@given(any_text | abstract_like)
def test_every_term_stands_where_it_is_said_to(text: str) -> None:
    found = topic_of(text, one)
    assert len(found.terms) == len(found.weights) == len(found.words) == len(set(found.terms))
    for word in found.words:
        assert word in text
    for term, weight, (start, end) in found.placed():
        assert 0 <= start < end <= len(text)
        assert term in found.terms
        assert weight == 1.0
    for group in found.groups:
        for chunk in group:
            assert len(chunk.terms) == len(chunk.spans) == len(chunk.term_weights)
            assert chunk.end <= len(text)
