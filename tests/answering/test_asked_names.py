"""Names a question asks for, against what an abstract names."""

from __future__ import annotations

import pytest

from assistant.answering.asked_names import unnamed
from assistant.corpus.paper import Paper

PLAIN = Paper(
    "a",
    "We propose BarnNet, a network for pictures of barns. BarnNet beats recent baselines on several "
    "public data sets and needs no tuning.",
    title="BarnNet: Seeing Barns",
)
NAMED = Paper(
    "b",
    "We propose BarnNet, a network for pictures of barns. BarnNet beats ResNet-50 on ImageNet.",
    title="BarnNet: Seeing Barns",
)


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("Which data sets was BarnNet tried on?", "data sets"),
        ("On what public benchmarks does BarnNet win?", "public benchmarks"),
        ("What are the names of the baselines?", "baselines"),
        ("Name the baselines of BarnNet.", "baselines"),
        ("Which language model labels the barns?", "language model"),
    ],
)
def test_what_an_abstract_does_not_name_is_missing(question: str, what: str) -> None:
    assert unnamed(question, PLAIN) == f"a name for the {what} asked about"
    assert unnamed(question, NAMED) is None


@pytest.mark.parametrize(
    "question",
    [
        "What does BarnNet do?",
        "What kind of models does BarnNet beat?",
        "How large are the data sets?",
        "Why is BarnNet better than baselines?",
    ],
)
def test_what_is_not_asked_by_name_is_not_missing(question: str) -> None:
    assert unnamed(question, PLAIN) is None
