"""What a question asks of a paper that its abstract does not give; and nothing is missed wrongly."""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import example, given

from assistant.answering.missing import Missing, missing
from assistant.corpus.paper import Paper
from assistant.corpus.reading import read_paths
from assistant.resources import seeds_dir
from tests.conftest import ROOT
from tests.texts import abstract_like, any_text


@cache
def seeds() -> dict[str, Paper]:
    return {paper.id: paper for paper in read_paths([seeds_dir()]).papers}


def lacking(question: str, paper: Paper) -> Missing | None:
    return missing(question, paper)


@pytest.mark.parametrize(
    ("paper_id", "question", "what"),
    [
        ("001-17", "Who wrote the RelayCaching paper?", "its authors"),
        ("001-17", "Which university are the authors from?", "where its authors work"),
        ("001-17", "Who funded the work?", "who funded it"),
        ("001-17", "On which GPUs was it run?", "the hardware it ran on"),
        ("000-10", "What learning rate is used?", "a learning rate"),
        ("000-10", "What is the batch size?", "a batch size"),
        ("000-10", "For how many epochs was it trained?", "how many epochs"),
        ("000-16", "Which optimizer is used?", "the optimiser"),
        ("000-14", "How many parameters does the network have?", "a number of parameters"),
        ("000-14", "How long does training take?", "how long training takes"),
        ("001-05", "How much did the study cost in dollars?", "what it cost"),
        ("001-05", "How much were the experts paid?", "what the people were paid"),
        ("001-05", "Under which licence is the dataset released?", "a licence"),
        ("001-11", "What was the inter-annotator agreement?", "an agreement between annotators"),
        ("001-11", "How often was the paper cited?", "how often it was cited"),
        ("001-11", "Did the paper win an award?", "whether it won an award"),
        ("001-01", "What is the e-mail address of the first author?", ""),
        ("001-14", "How much electricity did it take?", "a carbon footprint"),
    ],
)
def test_a_kind_of_fact_that_the_abstract_does_not_give(
    paper_id: str, question: str, what: str
) -> None:
    found = lacking(question, seeds()[paper_id])
    assert found is not None
    assert found.kind == "attribute"
    assert found.what.startswith(what)
    assert found.span is None


@pytest.mark.parametrize(
    ("paper_id", "question"),
    [
        ("000-18", "On how many GPUs does DistFlow scale?"),
        ("000-17", "How many parameters does OmniSIFT add?"),
        ("001-17", "By how much is TTFT reduced?"),
        ("001-03", "How many days of calibration are needed?"),
        ("001-05", "Do the authors release a dataset?"),
        ("001-12", "Where is the implementation available?"),
        ("001-14", "On which simulator are the robots tested?"),
    ],
)
def test_a_kind_of_fact_that_it_does_give(paper_id: str, question: str) -> None:
    assert lacking(question, seeds()[paper_id]) is None


@pytest.mark.parametrize(
    ("paper_id", "question", "what"),
    [
        ("001-17", "How does RelayCaching do on GSM8K?", "GSM8K"),
        ("001-17", "How does RelayCaching compare with PagedAttention-2?", "PagedAttention-2"),
        ("001-17", "How does RelayCaching reach a 9.9x lower TTFT?", "9.9x"),
        ("000-09", "How is 99.9% F1 reached on CoSApien?", "99.9%"),
        ("000-15", "What does the SMM Transformer save on CIFAR-10?", "CIFAR-10"),
    ],
)
def test_a_name_or_figure_that_the_abstract_never_mentions(
    paper_id: str, question: str, what: str
) -> None:
    named = [(question.find(name), question.find(name) + len(name)) for name in ("RelayCaching",)]
    paper = seeds()[paper_id]
    spans = [span for span in named if span[0] >= 0]
    found = missing(question, paper, named=spans)
    assert found == Missing(what, "mention")


@pytest.mark.parametrize(
    ("paper_id", "question", "said"),
    [
        ("001-17", "Why does RelayCaching lose accuracy?", "preserves model accuracy"),
        ("001-19", "Why does SparseInfer need an MLP to predict neurons?", "MLP-free"),
        ("001-02", "Which rehearsal buffer does MoCL use?", "rehearsal-free"),
    ],
)
def test_the_opposite_of_what_a_question_takes_for_granted(
    paper_id: str, question: str, said: str
) -> None:
    paper = seeds()[paper_id]
    found = lacking(question, paper)
    assert found is not None
    assert found.kind == "premise"
    assert found.span is not None
    assert said in paper.abstract[slice(*found.span)]


@pytest.mark.parametrize(
    ("paper_id", "question"),
    [
        ("001-17", "How does RelayCaching avoid training?"),
        ("001-17", "Is RelayCaching training-free?"),
        ("001-17", "Does RelayCaching need training?"),
        ("000-01", "How are 3D scans aligned?"),
        ("001-13", "Why are LLMs easier to understand with it?"),
        ("000-03", "What happens when L0 is too low?"),
        ("000-17", "How well does it do on Qwen2.5-Omni-7B?"),
        ("001-12", "Why is QINCo slow to decode?"),
        ("001-01", "Why do semantic encoders degrade relighting?"),
        ("001-04", "Why can't averaging low-rank updates recover the true update?"),
        ("001-02", "Why do projected gradients deviate in continual learning?"),
        ("000-15", "Why is softmax attention a problem for spiking networks?"),
        ("000-18", "Why do centralized RL frameworks become slow?"),
        ("000-11", "Why does label noise hurt evolutionary multi-view classification?"),
        ("000-14", "Why does truncating trajectories distort the distribution of molecules?"),
        ("000-05", "Why doesn't Exact Diffusion combine well with robust aggregators?"),
        ("001-06", "Why do existing methods scale poorly?"),
        ("001-03", "What does MPC stand for?"),
        ("001-15", "How does ACTIVE-O3 use GRPO?"),
        ("001-17", "Why does TTFT rise in multi-agent systems?"),
        ("001-17", "How much of the KV-cache is reused, 80%?"),
        ("001-18", "Why do existing attribution methods fail?"),
    ],
)
def test_nothing_is_missed_that_is_there(paper_id: str, question: str) -> None:
    assert lacking(question, seeds()[paper_id]) is None


def questions() -> list[tuple[str, str]]:
    path = ROOT / "tests" / "data" / "seed_questions.jsonl"
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(row["paper"], row["question"]) for row in rows]


@pytest.mark.parametrize(("paper_id", "question"), questions())
def test_no_question_that_a_paper_answers_is_refused(paper_id: str, question: str) -> None:
    assert lacking(question, seeds()[paper_id]) is None


def test_authors_that_the_record_knows_are_not_missing() -> None:
    paper = Paper("x", "We study caches.", authors=("Ada Lovelace",))
    assert lacking("Who are the authors?", paper) is None


@given(any_text | abstract_like, any_text | abstract_like)
@example("Why does it need **x** (y*)?", "It is **x**-free (y*).")
@example("Why " * 300, "It is not so. " * 50)
def test_any_question_of_any_paper(question: str, abstract: str) -> None:
    paper = Paper("x", abstract)
    found = lacking(question, paper)
    if found is not None and found.span is not None:
        assert abstract[slice(*found.span)].strip()


@pytest.mark.parametrize(
    "question", ["does it use Qwen 2.5?", "is it run with a 7B model?", "a 7 billion model?"]
)
def test_a_figure_inside_a_name_stands_in_the_abstract(question: str) -> None:
    paper = Paper("p", "Notably, for Qwen2.5-Omni-7B, our method adds few parameters.")
    assert missing(question, paper) is None


def test_a_figure_that_is_part_of_another_one_does_not() -> None:
    paper = Paper("p", "Our method is 14.75 times faster and keeps 127 of 130 tasks intact.")
    found = missing("is it 4.7 times faster?", paper)
    assert found is not None
    assert found.kind == "mention"


@pytest.mark.parametrize(
    ("question", "abstract"),
    [
        (
            "What does BeeNet use?",
            "BeeNet uses maps. Counts fall when a part of BeeNet is removed.",
        ),
        ("Why do counters fail in BeeNet?", "BeeNet shows where counters struggle and err."),
        ("Why is BeeNet worse than WaspNet?", "WaspNet clearly outperforms BeeNet on all hives."),
    ],
)
def test_what_agrees_or_tells_of_the_paper_itself_is_no_contradiction(
    question: str, abstract: str
) -> None:
    at = question.index("BeeNet")
    assert missing(question, Paper("x", abstract), named=[(at, at + 6)]) is None
