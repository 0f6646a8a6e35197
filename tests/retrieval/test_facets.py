"""The small thesaurus: what is asked in other words than abstracts answer."""

from __future__ import annotations

import pytest
from hypothesis import given

from assistant.retrieval.facets import facets_in
from tests.texts import abstract_like, any_text


@pytest.mark.parametrize(
    ("question", "facet", "sentence"),
    [
        ("Which papers share their source code?", "code", "Code is at https://github.com/a/b."),
        ("which papers prove something?", "theory", "We prove a regret bound of order n."),
        ("Which works run on real robots?", "real-robot", "It works on real-world robotic arms."),
        ("which papers speed up inference?", "efficient-inference", "It reduces latency by half."),
        ("what helps against forgetting?", "forgetting", "It mitigates catastrophic forgetting."),
        ("which ones need no labels?", "label-free", "It learns without explicit supervision."),
        ("papers that attack learning systems", "attack", "A single adversary inflates its value."),
    ],
)
def test_a_facet_is_seen_in_the_question_and_in_the_sentence(
    question: str, facet: str, sentence: str
) -> None:
    found = {each.name: each for each in facets_in(question)}
    assert facet in found
    assert found[facet].shows.search(sentence)


def test_a_plain_topic_asks_for_no_facet() -> None:
    assert facets_in("which papers study KV caches?") == []


@given(any_text | abstract_like)
def test_each_facet_is_found_once_and_in_its_place(text: str) -> None:
    found = facets_in(text)
    assert len({facet.name for facet in found}) == len(found)
    for facet in found:
        assert facet.asks.search(text[facet.start : facet.end])
