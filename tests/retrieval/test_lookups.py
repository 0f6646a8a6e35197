"""Questions that are looked up and not ranked."""

from __future__ import annotations

import pytest

from assistant.retrieval.kinds import kind_of
from assistant.retrieval.lookups import MASK, asks_citing, asks_near, lookup_in


@pytest.mark.parametrize(
    ("question", "word", "exact"),
    [
        ("which papers contain the word attention?", "attention", True),
        ("how many abstracts mention transformers?", "transformers", False),
        ('which abstracts mention "reinforcement learning"?', "reinforcement learning", True),
        ("which papers use the term 'world model'", "world model", True),
        ("in how many abstracts does the word robot appear", "robot", True),
        ("find papers with the phrase in-context learning", "in-context learning", True),
        ("does any abstract use the word quantum", "quantum", True),
        ("where does the term scaling law occur?", "scaling law", True),
        ("which abstracts include the word “bee”?", "bee", True),
        ("Which papers mention human feedback?", "human feedback", False),
        ("count the papers that contain the word bee", "bee", True),
    ],
)
def test_a_word_is_looked_up(question: str, word: str, exact: bool) -> None:
    papers = kind_of(question) in ("list", "count")
    found = lookup_in(question, papers=papers, named=False)
    assert found is not None
    assert (found.kind, found.what, found.exact) == ("word", word, exact)


@pytest.mark.parametrize(
    "question",
    [
        "what does the word attention mean?",
        "which papers mention a gain of up to 3.2x, and on what?",
        "which papers study attention?",
        "papers from ICLR",
        "papers from 2024",
        "papers on Apple silicon",
        "Which papers are about words?",
    ],
)
def test_what_is_not_looked_up(question: str) -> None:
    assert lookup_in(question, papers=True, named=False) is None


@pytest.mark.parametrize(
    ("question", "place", "rest"),
    [
        ("papers from Google", "Google", "papers"),
        ("papers by researchers at MIT", "MIT", "papers"),
        ("papers by Google DeepMind on robots", "Google DeepMind", "papers on robots"),
        ("which papers come from Stanford?", "Stanford", "which papers ?"),
        ("papers from the University of Oxford", "University of Oxford", "papers"),
        ("papers by Tsinghua University", "Tsinghua University", "papers"),
        ("who at Microsoft works on LLMs", "Microsoft", "who works on LLMs"),
        ("papers from google about vision", "google", "papers about vision"),
        ("papers affiliated with Meta", "Meta", "papers"),
        ("which papers have authors from Germany?", "Germany", "which papers ?"),
    ],
)
def test_where_authors_work_is_looked_up(question: str, place: str, rest: str) -> None:
    found = lookup_in(question, papers=True, named=False)
    assert found is not None
    assert (found.kind, found.what, found.rest) == ("affiliation", place, rest)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("papers that cite {}", True),
        ("who cites {}?", True),
        ("is {} cited by others?", True),
        ("what does {} cite?", True),
        ("papers citing it", True),
        ("which papers cite BERT?", True),
        ("what papers reference this?", True),
        ("which works refer to {}?", True),
        ("the references of {}", True),
        ("papers on citation recommendation", False),
        ("models that cite their sources", False),
        ("Cite {}", False),
    ],
)
def test_who_cites_whom(question: str, asked: bool) -> None:
    assert asks_citing(question.format(MASK)) is asked


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("papers like {}", True),
        ("papers similar to {}", True),
        ("anything like {}?", True),
        ("what is related to {}?", True),
        ("related work of {}", True),
        ("similar papers", True),
        ("more like this", True),
        ("papers like the first one", True),
        ("show me papers close to {}", True),
        ("other works resembling {}", True),
        ("Is {} similar to {}?", False),
        ("which papers study similar tasks", False),
    ],
)
def test_what_is_like_a_paper(question: str, asked: bool) -> None:
    assert asks_near(question.replace("{}", MASK)) is asked
