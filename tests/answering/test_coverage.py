"""Words of a sentence and where they stand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import assistant.answering
from assistant.answering.coverage import content_words, covered, keys, share, weight
from assistant.index.words import fold, stem

DATA = Path(assistant.answering.__file__).parent / "data"


def test_no_word_has_two_synonym_groups() -> None:
    lines = (DATA / "synonyms.txt").read_text("utf-8").splitlines()
    groups = [{stem(fold(word)) for word in line.split()} for line in lines if line[:1] != "#"]
    twice = [
        word for word, count in Counter(w for group in groups for w in group).items() if count > 1
    ]
    assert groups
    assert twice == []


def test_synonyms_compounds_and_acronyms_are_covered() -> None:
    source = keys("RelayCaching lowers the latency of LLMs by reusing key-value caches.")
    for text in ("reduces", "relay caching", "language models", "time"):
        assert share(content_words(text), source) == 1.0, text


def test_half_a_compound_is_half_covered() -> None:
    (word,) = content_words("token-wise")
    assert covered(word, keys("each token")) == 0.5


def test_rare_words_count_more() -> None:
    assert weight("detonation") > weight("model") > 0
    source = keys("a model")
    assert share(content_words("detonation model"), source) < 0.5


def test_numbers_and_small_words_are_no_content() -> None:
    assert content_words("by 4.7x of the 23,040, five and 80%") == []
    assert share([], frozenset()) == 1.0
