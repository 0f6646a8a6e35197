"""What questions for papers leave out."""

from __future__ import annotations

import pytest

from assistant.retrieval.negation import denied_in, denies


@pytest.mark.parametrize(
    ("question", "what", "rest"),
    [
        ("which papers do not use LLMs?", "LLMs", "which papers ?"),
        ("papers on bees without simulation", "simulation", "papers on bees"),
        ("which papers on bees don't use cameras?", "cameras", "which papers on bees ?"),
        ("methods that do not need training", "training", "methods"),
        ("which papers are not about language models", "language models", "which papers"),
        ("papers not using attention", "attention", "papers"),
        ("works on bees that never rely on labels", "labels", "works on bees"),
        ("papers on RL but which do not study games", "games", "papers on RL"),
        ("papers on bees without using drones", "drones", "papers on bees"),
        ("which abstracts do not mention code?", "code", "which abstracts ?"),
        ("which papers use no language model?", "language model", "which papers ?"),
        ("papers on bees with no simulation", "simulation", "papers on bees"),
        ("papers on bees that avoid drones", "drones", "papers on bees"),
        ("which works on bees avoid using cameras?", "cameras", "which works on bees ?"),
    ],
)
def test_what_is_denied_of_papers(question: str, what: str, rest: str) -> None:
    found = denied_in(question)
    assert found is not None
    assert found.what == what
    assert " ".join(found.rest.split()) == rest


@pytest.mark.parametrize(
    "question",
    [
        "Why does it not work?",
        "which papers are about bees?",
        "which methods get by without human labels?",
        "which methods work without training?",
        "which of them gets by without more annotation?",
        "which papers cannot be reproduced?",
        "which methods need no training?",
    ],
)
def test_a_claim_of_doing_without_is_no_topic_left_out(question: str) -> None:
    assert denied_in(question) is None


def test_an_abstract_that_says_it_does_without_does_not_state_it() -> None:
    lacks = denies("training")
    assert lacks(["A training-free method.", "It is fast."])
    assert lacks(["It works without any training."])
    assert not lacks(["It needs training.", "A training-free start."])
    assert not lacks(["It is fast."])
