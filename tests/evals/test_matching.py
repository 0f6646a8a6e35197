from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.cases import Fact, Term
from evals.matching import fold, holds, states


def term(words: str) -> Term:
    return Term.model_validate(words)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("4.7x", "reduces it by up to $4.7\\times$ in all"),
        ("4.7x", "it is 4.7× faster"),
        ("4.7x", "it is 4.7 times faster"),
        ("80 %", "over $80$\\% of it"),
        ("80%", "80 percent of it"),
        ("5-10 %", "5--10\\% higher"),
        ("primal-dual", "a primal–dual scheme"),
        ("primal dual", "a primal‑dual scheme"),
        ("core neuron", "the Core Neurons fire"),
        ("configur*", "explicitly configurable"),
        ("five tasks", "on 5 tasks"),
        ("four out of five", "in 4/5 tasks"),
        ("23,040", "一共 23040 道题"),
        ("O((1-λ)^-2)", "$\\mathcal{O}\\left((1-\\lambda)^{-2}\\right)$"),
        ("Straße", "die STRASSE"),
        ("缓存", "重用缓存。"),
    ],
)
def test_a_fact_is_found_in_whatever_form_it_is_written(fact: str, text: str) -> None:
    assert states(term(fact), text)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("4.7x", "it is 14.7x faster"),
        ("4.7x", "it is 4.7 % faster"),
        ("5", "in 15 tasks"),
        ("5", "5 % of them"),
        ("0.3", "from 0.311"),
        ("core", "the score rises"),
        ("80 %", "880 %"),
        ("primal-dual", "primal or dual"),
    ],
)
def test_a_fact_is_not_found_inside_another(fact: str, text: str) -> None:
    assert not states(term(fact), text)


def test_one_wording_of_a_fact_is_enough() -> None:
    fact = Fact.model_validate(["lookup", {"regex": r"\bToLs?\b"}])
    assert holds(fact, "as ToLs")
    assert holds(fact, "as lookups")
    assert not holds(fact, "as tolls")


def test_an_expression_sees_the_text_with_and_without_markup() -> None:
    found = Term(regex=r"4\.7×")
    assert states(found, "$4.7\\times$")
    assert states(Term(regex=r"\\times"), "$4.7\\times$")


@given(st.text(max_size=80))
def test_folding_twice_changes_no_letters(text: str) -> None:
    once = fold(text)
    assert once == " ".join(once.split())
