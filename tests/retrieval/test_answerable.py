"""Whether any paper is about a question, and which one answers it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from assistant.retrieval.answerable import (
    answerable_features,
    first_features,
    first_paper,
    is_answerable,
)
from assistant.retrieval.ranking import Ranking
from tests.retrieval.conftest import Rank
from tests.texts import abstract_like, any_text

OFF_TOPIC = """
How do I bake pizza?
Who won the 2022 World Cup?
What is the capital of France?
How tall is Mount Everest?
Which vaccine protects against measles?
When did the Roman empire fall?
What is the melting point of gold?
How does photosynthesis work?
What causes earthquakes in Japan?
Explain FlashAttention-9
How do spiders catch flies?
What does a relay do in electronics?
How do I plant lime trees?
What does ETA stand for?
What is TCP/IP?
What is the best restaurant in Rome?
How do whales communicate?
""".strip().splitlines()

ON_TOPIC = """
Why do sparse autoencoders mix features?
How can rotating detonation engines be simulated cheaply?
What makes spiking transformers hard to train?
How many questions were put to the vision-language models?
How are spreadsheets made by language models compared?
What speeds up collaboration of language model agents?
Does averaging low-rank updates in federated learning lose anything?
How can one participant inflate its attribution value?
""".strip().splitlines()


@pytest.mark.parametrize("question", OFF_TOPIC)
def test_what_no_paper_is_about_is_not_answerable(question: str, rank: Rank) -> None:
    assert not is_answerable(rank(question))


@pytest.mark.parametrize("question", ON_TOPIC)
def test_what_a_paper_is_about_is(question: str, rank: Rank) -> None:
    assert is_answerable(rank(question))


@pytest.mark.parametrize(
    ("name", "paper"),
    [
        *(("BRED-M", "000-05"), ("SA-BCD", "000-10"), ("P-STBP", "000-15"), ("ToLs", "001-13")),
        *(("PCMCI", "001-03"), ("QINCo", "001-12"), ("OmniZip", "000-17"), ("GRPO", "001-15")),
        *(("CoSApien", "000-09"), ("dynabench", "000-09"), ("4DMatch", "000-01")),
    ],
)
@pytest.mark.parametrize(
    "asked", ["What is {}?", "{}?", "what does {} mean", "what does {} stand for?"]
)
def test_a_rare_name_that_one_abstract_writes_is(
    asked: str, name: str, paper: str, rank: Rank
) -> None:
    ranking = rank(asked.format(name))
    assert is_answerable(ranking)
    assert first_paper(ranking).paper.id == paper


@pytest.mark.xfail(reason="a part of the name IQA-Spider is taken for the word", strict=True)
def test_a_part_of_a_name_is_not_the_word(rank: Rank) -> None:
    assert not is_answerable(rank("How many legs does a spider have?"))


def test_a_named_paper_is_what_is_asked_about_whatever_the_question(rank: Rank) -> None:
    ranking = rank("What does RelayCaching say about baking pizza?")
    assert is_answerable(ranking)
    assert first_paper(ranking).paper.id == "001-17"


def test_nothing_found_is_not_answerable(rank: Rank) -> None:
    assert not is_answerable(rank("RelayCaching", where={"year": 1999}))
    assert not is_answerable(Ranking(rank("x").query, (), 0, 0))


def test_the_paper_of_a_fact_is_chosen_among_the_best(rank: Rank) -> None:
    ranking = rank("What reaches 10.33 times speed-up?")
    assert first_paper(ranking).paper.id == "001-19"
    assert first_paper(ranking) in ranking.items[:8]


@given(question=any_text | abstract_like)
@settings(max_examples=25)
def test_any_question_can_be_decided(question: str, rank: Rank) -> None:
    ranking = rank(question)
    assert is_answerable(ranking) in (True, False)
    assert set(answerable_features(ranking)) >= {"relevance", "lead", "words"}
    chance, sentence = first_features(first_paper(ranking))
    assert chance == chance
    assert 0 <= sentence <= 1.0001


def test_the_features_of_one_paper_have_no_rival(rank: Rank, tmp_path: Path) -> None:
    ranking = rank("KV caches", where={"id": "001-17"})
    features = answerable_features(ranking)
    assert features["lead"] == features["relevance"] == ranking.items[0].relevance
