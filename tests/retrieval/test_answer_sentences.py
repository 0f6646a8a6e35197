"""Inside one paper: which sentence answers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings

from assistant.corpus.paper import Paper
from assistant.corpus.sentences import sentence_spans
from assistant.index.snapshot import Snapshot
from assistant.retrieval.answer_sentences import AnswerSentence, answer_sentences
from assistant.retrieval.query import understand
from assistant.retrieval.reading import Reader
from assistant.retrieval.retriever import Retriever
from tests.texts import abstract_like, any_text


def answers(
    question: str, paper: Paper, retriever: Retriever, reader: Reader, snapshot: Snapshot
) -> list[AnswerSentence]:
    asked = retriever.asked(question, snapshot)
    named = [(n.start, n.end) for n in understand(question, snapshot).named]
    return answer_sentences(asked, reader.read([paper]), named)


@pytest.mark.parametrize(
    ("paper_id", "question", "fact"),
    [
        ("001-17", "By how much does RelayCaching cut the time to first token?", "4.7"),
        ("001-17", "What share of the cache is reused by RelayCaching?", "$80$"),
        ("001-11", "How many questions does ConservationBench have?", "23,040"),
        ("000-18", "What throughput gain does DistFlow report?", "2.63x"),
        ("000-18", "On how many GPUs does DistFlow scale?", "512"),
        ("000-17", "How many parameters does OmniSIFT add?", "4.85M"),
        ("001-03", "By how much does HCA beat LIME?", "53\\%"),
        ("000-15", "How much energy does the SMM Transformer save?", "97\\%"),
        ("001-14", "How large is the gain of Debate2Create on Swimmer?", "nearly 9x"),
        ("000-19", "Where will the code of IQA-Spider be released?", "Helen1p/IQA-Spider"),
        ("000-01", "On which benchmarks was RGGT tested?", "4DMatch"),
        ("001-12", "How much faster does RQ-MoE decode?", "6×–14×"),
        ("000-10", "What are the two modules of SAIM?", "SA-BCD"),
        ("001-09", "Why does the modality gap arise?", "dimension collapse"),
    ],
)
def test_one_of_the_two_sentences_shown_holds_the_fact(
    paper_id: str,
    question: str,
    fact: str,
    retriever: Retriever,
    reader: Reader,
    snapshot: Snapshot,
) -> None:
    row = snapshot.row(paper_id)
    assert row is not None
    found = answers(question, snapshot.paper(row), retriever, reader, snapshot)
    assert any(fact in sentence.text for sentence in found[:2])


@given(question=any_text | abstract_like, text=abstract_like.filter(str.strip))
@settings(max_examples=15)
def test_every_sentence_is_ranked_once_with_its_chance(
    question: str, text: str, retriever: Retriever, reader: Reader, snapshot: Snapshot
) -> None:
    paper = Paper("x", text)
    found = answers(question, paper, retriever, reader, snapshot)
    assert sorted((each.start, each.end) for each in found) == sentence_spans(text)
    chances = [each.chance for each in found]
    assert chances == sorted(chances, reverse=True)
    assert all(0 <= chance <= 1 and math.isfinite(chance) for chance in chances)
    assert all(each.text == text[each.start : each.end] for each in found)
    assert answers(question, paper, retriever, reader, snapshot) == found
