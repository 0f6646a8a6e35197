"""Keyless answers: sentences of the abstracts, verbatim, with one number a paper."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assistant.answering.answer import Answer
from assistant.answering.extractive import Draft
from assistant.answering.quoting import cited, label_text
from assistant.api import Assistant
from assistant.corpus.paper import Paper
from assistant.settings import Settings
from tests.conftest import ROOT
from tests.texts import abstract_like, any_text

FORMULA = re.compile(r"\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]")


def numbers_in(text: str) -> list[int]:
    """The citations of a text; what the papers write in brackets is escaped or in formulas."""
    return [int(found) for found in re.findall(r"(?<!\\)\[(\d+)\]", FORMULA.sub("", text))]


def cited_ids(answer: Answer) -> list[str]:
    return list(dict.fromkeys(citation.paper.id for citation in answer.citations))


def check(answer: Answer) -> None:
    """What must hold of every keyless answer."""
    assert answer.text
    assert answer.mode == "extractive"
    assert answer.model is None
    for citation in answer.citations:
        assert citation.paper.abstract[citation.start : citation.end] == citation.quote
        assert citation.support == "supported"
        assert citation.paper in answer.papers
    numbers = [citation.number for citation in answer.citations]
    assert sorted(set(numbers)) == list(range(1, len(set(numbers)) + 1))
    assert numbers == sorted(numbers)
    papers = {citation.number: citation.paper.id for citation in answer.citations}
    assert len(set(papers.values())) == len(papers)
    assert set(numbers_in(answer.text)) == set(papers)
    for sentence in answer.sentences:
        assert sentence.text in answer.text
        assert bool(sentence.citations) == (sentence.verdict == "supported")
        assert set(sentence.citations) <= set(papers)
    assert answer.judged <= answer.candidates
    assert answer.history[-1]["role"] == "assistant"
    json.dumps(answer.to_dict())


# --- the main job


def test_which_papers_study_kv_caches(seed_assistant: Assistant) -> None:
    answer = seed_assistant.ask("which papers study KV caches?")
    check(answer)
    assert sorted(cited_ids(answer)) == ["001-10", "001-17"]
    assert sorted(paper.id for paper in answer.papers) == ["001-10", "001-17"]
    assert answer.kind == "list"
    assert not answer.abstained
    assert (answer.judged, answer.candidates) == (38, 38)
    assert "38 judged" in answer.text
    for citation in answer.citations:
        assert "KV" in citation.quote
        assert cited(citation.quote, citation.number) in answer.text


def questions() -> list[tuple[str, str]]:
    path = ROOT / "tests" / "data" / "seed_questions.jsonl"
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(row["paper"], row["question"]) for row in rows]


def test_there_is_a_question_about_each_of_the_shipped_papers(seed_assistant: Assistant) -> None:
    assert [paper for paper, _ in questions()] == [paper.id for paper in seed_assistant.papers()]
    for paper, question in zip(seed_assistant.papers(), questions(), strict=True):
        name = re.match(r"[\w-]+(?=:)", paper.title or paper.label)
        assert name is None or name.group().lower() not in question[1].lower()


SECOND = {"000-12", "001-11", "001-19"}
"""Papers that come second to another one for their question: its words are all others than theirs."""


@pytest.mark.parametrize(
    ("paper_id", "question"),
    [
        pytest.param(paper, question, marks=[pytest.mark.xfail(strict=True)] * (paper in SECOND))
        for paper, question in questions()
    ],
)
def test_each_paper_is_cited_first_for_a_question_about_it(
    paper_id: str, question: str, seed_assistant: Assistant
) -> None:
    answer = seed_assistant.ask(question)
    check(answer)
    assert not answer.abstained
    assert cited_ids(answer)[0] == paper_id


@pytest.mark.parametrize(("paper_id", "question"), questions())
def test_each_paper_is_among_the_first_two_found(
    paper_id: str, question: str, seed_assistant: Assistant
) -> None:
    found = [evidence.paper.id for evidence in seed_assistant.ask(question).evidence[:2]]
    assert paper_id in found


@pytest.mark.parametrize(
    ("question", "paper", "fact"),
    [
        ("By how much does RelayCaching cut the time to first token?", "001-17", "4.7\\times"),
        ("How much of the cache does RelayCaching reuse?", "001-17", "$80$"),
        ("What F1 does CSRM reach on CoSApien?", "000-09", "94.6"),
        ("How many questions does ConservationBench ask?", "001-11", "23,040"),
        ("How well does DistFlow scale?", "000-18", "512 GPUs"),
        ("Who releases preference votes about spreadsheets?", "001-05", "preference votes"),
        ("Where is the code of SAIM?", "000-10", "Yangqun123456"),
    ],
)
def test_a_fact_is_quoted(question: str, paper: str, fact: str, seed_assistant: Assistant) -> None:
    answer = seed_assistant.ask(question)
    check(answer)
    assert cited_ids(answer) == [paper]
    assert any(fact in citation.quote for citation in answer.citations)


# --- what is not there


@pytest.mark.parametrize(
    "question",
    [
        "How do I bake pizza?",
        "Who won the 2022 World Cup?",
        "Explain FlashAttention-9",
        "which papers study quantum error correction?",
        "How many papers are about cryptography?",
        "Compare the two papers on astronomy.",
    ],
)
def test_what_the_collection_does_not_hold_is_declined(
    question: str, seed_assistant: Assistant
) -> None:
    answer = seed_assistant.ask(question)
    check(answer)
    assert answer.abstained
    assert answer.citations == ()
    assert answer.text.startswith("No abstract")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who are the authors of RelayCaching?", "does not give its authors"),
        ("Which learning rate does SAIM use?", "does not give a learning rate"),
        ("How does RelayCaching do on GSM8K?", "does not mention GSM8K"),
    ],
)
def test_an_abstract_that_does_not_tell_is_named(
    question: str, said: str, seed_assistant: Assistant
) -> None:
    answer = seed_assistant.ask(question)
    check(answer)
    assert answer.abstained
    assert said in answer.text
    assert answer.citations == ()


def test_a_false_premise_is_answered_with_what_the_abstract_says(
    seed_assistant: Assistant,
) -> None:
    answer = seed_assistant.ask("Why does SparseInfer need an MLP to predict neurons?")
    check(answer)
    assert answer.abstained
    assert "says otherwise" in answer.text
    assert "MLP-free" in answer.citations[0].quote


@pytest.mark.parametrize(
    ("question", "where", "said"),
    [
        ("which papers from 2019 study KV caches?", None, "the filter year 2019"),
        ("papers before 2025 about robots", None, "the filter year ≤ 2024"),
        ("which papers study KV caches?", {"venue": "ACL"}, "the filter venue ACL"),
        ("list all papers", {"year": [1999, 2000]}, "the filter year 1999 / 2000"),
        ("How many papers are there?", {"year": {"gte": 2030}}, "the filter year ≥ 2030"),
        ("What does RelayCaching do?", {"venue": "[x](http://a)"}, "\\[x\\](http://a)"),
    ],
)
def test_a_filter_that_no_paper_passes_is_told(
    question: str, where: dict[str, object] | None, said: str, seed_assistant: Assistant
) -> None:
    answer = seed_assistant.ask(question, where=where)
    check(answer)
    assert answer.abstained
    assert answer.text.startswith("No paper in this collection passes")
    assert said in answer.text


@pytest.mark.parametrize(
    ("question", "where", "count"),
    [
        ("list all papers", None, 38),
        ("Which papers do you have?", None, 38),
        ("which papers are from 2026?", None, 38),
        ("which ICML 2026 papers are there?", None, 38),
        ("how many papers are from ICML?", None, 38),
        ("list all papers", {"id": ["000-01", "001-17"]}, 2),
        ("How many papers are there?", {"id": ["000-01", "001-17"]}, 2),
    ],
)
def test_a_list_without_a_topic_holds_all_that_pass_the_filter_and_no_other(
    question: str, where: dict[str, object] | None, count: int, seed_assistant: Assistant
) -> None:
    answer = seed_assistant.ask(question, where=where)
    check(answer)
    assert not answer.abstained
    assert f"{count} papers" in answer.text
    if answer.papers:
        assert len(answer.papers) == count
        assert answer.text.count("\n- ") == count


# --- the record, comparisons, follow-ups


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Where was RelayCaching published?", "ICML 2026"),
        ("In which year was RelayCaching published?", "2026"),
        ("What is the arXiv link of RelayCaching?", "https://arxiv.org/abs/2603.13289"),
        ("What is the full title of the RelayCaching paper?", "Accelerating LLM Collaboration"),
    ],
)
def test_what_the_record_knows_is_told_with_its_paper(
    question: str, said: str, seed_assistant: Assistant
) -> None:
    answer = seed_assistant.ask(question)
    assert said in answer.text
    assert cited_ids(answer) == ["001-17"]
    assert not answer.abstained


def test_a_comparison_quotes_each_paper_in_the_order_of_the_question(
    seed_assistant: Assistant,
) -> None:
    answer = seed_assistant.ask("How do MoCL and SAIM fight forgetting?")
    check(answer)
    assert answer.kind == "compare"
    assert cited_ids(answer) == ["001-02", "000-10"]


def test_a_talk_about_one_paper(seed_assistant: Assistant) -> None:
    history: Sequence[dict[str, str]] = ()
    for question in (
        "What does RelayCaching do?",
        "How much does it cut TTFT?",
        "And its memory use?",
        "Does it need training?",
    ):
        answer = seed_assistant.ask(question, history)
        assert "001-17" in {item.paper.id for item in answer.evidence[:1]}
        assert set(cited_ids(answer)) <= {"001-17"}
        history = answer.history
    assert len(history) == 8


def test_a_talk_about_a_list(seed_assistant: Assistant) -> None:
    first = seed_assistant.ask("which papers study KV caches?")
    second = seed_assistant.ask("What does the second one propose?", first.history)
    assert cited_ids(second) == cited_ids(first)[1:2]
    both = seed_assistant.ask("which of those are training-free?", first.history)
    check(both)
    assert both.kind == "list"
    assert set(cited_ids(both)) == {"001-10", "001-17"}


def test_one_paper_has_one_number_however_often_it_is_cited() -> None:
    one, other = Paper("a", "First. Second."), Paper("b", "Third.")
    draft = Draft()
    shown = [draft.quote(one, 0, 6), draft.quote(other, 0, 6), draft.quote(one, 7, 14)]
    assert shown == ["“First.” [1]", "“Third.” [2]", "“Second.” [1]"]
    assert [citation.number for citation in draft.citations] == [1, 2, 1]
    assert [paper.id for paper in draft.papers] == ["a", "b"]
    assert draft.say("So it is.") == "So it is."
    assert draft.sentences[-1].verdict is None


# --- any collection, any question


@pytest.fixture(scope="module")
def changing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    """An assistant whose collection every example replaces."""
    folder = tmp_path_factory.mktemp("changing")
    with Assistant(Settings(data_dir=folder, model="none")) as assistant:
        yield assistant


QUESTIONS = st.sampled_from(
    [
        "which papers study caches?",
        "What is RelayCaching?",
        "How many papers are there?",
        "Why is it fast?",
        "Compare RelayCaching and SparseInfer",
        "papers",
    ]
)


@given(
    texts=st.lists(abstract_like.filter(str.strip), min_size=1, max_size=3),
    question=QUESTIONS | abstract_like.filter(lambda text: any(map(str.isalnum, text))),
)
@example(texts=["We propose X1. See [2] and **[3](http://a.example)**."], question="What is X1?")
@example(texts=["We study caches."] * 3, question="which papers study caches?")
@example(texts=["$[4]$ caches \\[5\\] \\([6]\\)."], question="which papers study caches?")
@settings(max_examples=20)
def test_every_quote_is_verbatim_whatever_is_indexed_and_asked(
    texts: list[str], question: str, changing: Assistant
) -> None:
    papers = [Paper(f"p{i}", text) for i, text in enumerate(texts)]
    report = changing.add(papers, source="test")
    assert report.papers == len(papers) - report.duplicates
    answer = changing.ask(question)
    for citation in answer.citations:
        assert citation.paper.abstract[citation.start : citation.end] == citation.quote
        assert citation.paper in papers
    for paper in answer.papers:
        assert label_text(paper.label) in answer.text
    numbers = {citation.number for citation in answer.citations}
    assert set(numbers_in(answer.text)) <= numbers


@given(question=any_text | abstract_like)
@settings(max_examples=40)
def test_any_question_of_the_shipped_papers_is_answered_soundly(
    question: str, seed_assistant: Assistant
) -> None:
    if question.strip().strip("\u200b\u200c\u200d\u2060\ufeff").strip():
        check(seed_assistant.ask(question))
