"""Right numbers beside wrong names."""

from __future__ import annotations

import pytest

from assistant.answering.bindings import (
    misplaced,
    no_speed,
    overstated,
    wrong_owner,
    wrong_teller,
)
from assistant.answering.facts import facts_of
from assistant.corpus.paper import Paper


def paper(abstract: str) -> Paper:
    return Paper(id=abstract[:20], abstract=abstract)


RELAY = facts_of(paper("We present RelayCaching, which reuses KV caches and cuts TTFT by 4.7x."))
SPARSE = facts_of(
    paper("We introduce SparseInfer, which predicts core neurons: a 10.33x speed up.")
)


@pytest.mark.parametrize(
    ("sentence", "abstract"),
    [
        ("It gains 9x on Ant and 3.2x on Swimmer.", "gains of 3.2x on Ant and 9x on Swimmer"),
        ("CSRM scores 75.8% on CoSApien.", "CoSApien (94.6% F1) and DynaBench (75.8% F1)"),
        ("It uses 15 settings.", "on 15 datasets across 4 experimental settings"),
        ("It improves by 27.6% on MME-A.", "27.86% and 27.6% on MME-A and MME-B, respectively"),
    ],
)
def test_a_number_bound_to_another_partner_is_misplaced(sentence: str, abstract: str) -> None:
    assert misplaced(sentence, [facts_of(paper(abstract))])


@pytest.mark.parametrize(
    ("sentence", "abstract"),
    [
        ("It gains 3.2x on Ant and 9x on Swimmer.", "gains of 3.2x on Ant and 9x on Swimmer"),
        ("CSRM scores 75.8% on DynaBench.", "CoSApien (94.6% F1) and DynaBench (75.8% F1)"),
        ("It uses 15 data sets.", "on 15 datasets across 4 experimental settings"),
        ("It improves by 27.86% on MME-A.", "27.86% and 27.6% on MME-A and MME-B, respectively"),
        ("It was tried on 5 benchmarks.", "experiments on five datasets"),
        ("No number at all.", "experiments on five datasets"),
    ],
)
def test_a_number_in_its_place_is_not(sentence: str, abstract: str) -> None:
    assert misplaced(sentence, [facts_of(paper(abstract))]) is None


REUSE = "It achieves over 80% cache reuse, cuts TTFT by 4.7x, and needs 12% fewer tokens."


@pytest.mark.parametrize(
    ("sentence", "abstract"),
    [
        ("It claims a speed-up of over 80% in cache reuse.", REUSE),
        ("It is 12% faster.", REUSE),
    ],
)
def test_a_share_of_something_else_is_no_speed(sentence: str, abstract: str) -> None:
    assert no_speed(sentence, [facts_of(paper(abstract))])


@pytest.mark.parametrize(
    ("sentence", "abstract"),
    [
        ("It claims a speed-up of 4.7x in the time to first token.", REUSE),
        ("More than 80% of the cache is reused.", REUSE),
        ("It is 40% faster.", "It lowers wall-clock time by 40% on all models."),
        ("It is 40% faster.", "Decoding is accelerated by 40% over all baselines."),
        ("It has a speed-up of 2.63x.", "up to a 2.63x throughput improvement over others"),
        ("It has a speed-up of 9x.", "It halves memory."),
    ],
)
def test_a_speed_is_one(sentence: str, abstract: str) -> None:
    assert no_speed(sentence, [facts_of(paper(abstract))]) is None


def test_all_is_more_than_most() -> None:
    facts = [facts_of(paper("It is best on four out of five tasks."))]
    assert overstated("It is best on all five tasks.", facts)
    assert overstated("It is best on four of the five tasks.", facts) is None
    assert overstated("It was tried on five tasks.", facts) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "RelayCaching reaches 10.33x and SparseInfer 4.7x.",
        "The gains are 10.33x for RelayCaching and 4.7x for SparseInfer.",
        "RelayCaching and SparseInfer report 10.33x and 4.7x, respectively.",
        "RelayCaching and SparseInfer both reach 4.7x, SparseInfer 4.7x.",
    ],
)
def test_figures_exchanged_between_two_papers_are_found(sentence: str) -> None:
    assert wrong_owner(sentence, [RELAY, SPARSE])


@pytest.mark.parametrize(
    "sentence",
    [
        "RelayCaching reaches 4.7x and SparseInfer 10.33x.",
        "The gains are 4.7x for RelayCaching and 10.33x for SparseInfer.",
        "RelayCaching and SparseInfer report 4.7x and 10.33x, respectively.",
        "The 10.33x of SparseInfer exceed the 4.7x of RelayCaching.",
    ],
)
def test_figures_of_the_right_papers_are_not(sentence: str) -> None:
    assert wrong_owner(sentence, [RELAY, SPARSE]) is None


def test_doings_exchanged_between_two_papers_are_found() -> None:
    exchanged = "RelayCaching predicts core neurons, while SparseInfer reuses KV caches."
    right = "RelayCaching reuses KV caches, while SparseInfer predicts core neurons."
    assert wrong_teller(exchanged, [RELAY, SPARSE]) is not None
    assert wrong_teller(right, [RELAY, SPARSE]) is None
    assert wrong_teller(exchanged, [RELAY]) is None
