"""Quantities: one fact, many spellings."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.numbers import Quantity, normalise, numbers, same, stands
from assistant.answering.plaintext import plain


def only(text: str) -> Quantity:
    found = numbers(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    "forms",
    [
        ("4.7×", "4.7x", "4.7 x", "$4.7\\times$", "4.7 times", "4.7-fold", "4.7 ×", "4.70x"),
        ("80%", "80 %", "80\\%", "$80$\\%", "80 percent", "80 per cent", "80％"),
        ("five", "5", "Five"),
        ("23,040", "23040", "23{,}040", "**23,040**"),
        ("5-10%", "5–10 %", "5\\%--10\\%", "5 to 10 percent", "5% to 10%", "5 - 10%"),
        ("2--3 days", "2–3 days", "two to three days", "2-3 days"),
        ("4.85M", "4.85 million", "4,850,000"),
        ("4/5", "four out of five", "4 of 5", "four of the five", "4 out of 5", "four of its five"),
        ("6×–14×", "6-14x", "6x to 14x", "6 to 14 times"),
        ("3D", "3-D", "three-dimensional", "3-dimensional"),
        ("10^{-3}", "10^-3", "1e-3", "0.001", "10⁻³"),
        ("$\\mathcal{O}\\left((1-\\lambda)^{-2}\\right)$", "O((1-λ)^-2)", "O((1−λ)⁻²)"),
        ("O((1-λ)^-2)", "O(1/(1-λ)^2)", "O( (1 - lambda)^{-2} )"),
        ("O(δ²(1−λ)⁻⁴)", "$\\mathcal{O}\\left(\\delta^2(1-\\lambda)^{-4}\\right)$"),
        ("224×224", "224x224", "$224 \\times 224$"),
        ("twenty-five", "25"),
        ("twice", "2x", "two-fold", "doubles"),
        ("II stages", "two stages"),
    ],
    ids=lambda forms: forms[0],
)
def test_all_spellings_of_a_quantity_are_one(forms: tuple[str, ...]) -> None:
    first, rest = only(forms[0]), [only(form) for form in forms[1:]]
    assert all(same(first, other) and same(other, first) for other in rest)
    assert len({normalise(form).split()[0] for form in forms}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("4.7x", "4.9x"),
        ("80%", "80x"),
        ("80%", "0.08"),
        ("4.7x", "4.7%"),
        ("5-10%", "5-12%"),
        ("2-3 days", "2-3 weeks"),
        ("4.85M", "4.85B"),
        ("4/5", "3/5"),
        ("3D", "2D"),
        ("O((1-λ)^-2)", "O((1-λ)^-3)"),
        ("-6", "6"),
        ("512", "5.12"),
        ("5", "5-10%"),
        ("4/5", "5/4"),
    ],
)
def test_other_quantities_are_not_the_same(one: str, other: str) -> None:
    assert not same(numbers(one)[0], numbers(other)[0])
    assert not same(numbers(other)[0], numbers(one)[0])


@pytest.mark.parametrize(
    ("one", "other"), [("88%", "0.88"), ("4/5", "80%"), ("4/5", "0.8"), ("half of", "50%")]
)
def test_shares_are_equal_as_percentage_fraction_and_ratio(one: str, other: str) -> None:
    assert same(only(one), only(other))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("GPT-4 and Qwen2.5-Omni-7B on CIFAR-10, 4DMatch and L0", []),
        ("no one knew one of them at the first try", []),
        ("(1) What causes it? (2) What follows?", []),
        ("see https://example.org/ICML-2026-code for all 38", ["38"]),
        ("version 2.5.1", []),
        ("rank-1 and top-5", ["1", "5"]),
        ("from -6 to -4", ["-6", "-4"]),
        ("0.478 vs. 0.311", ["0.478", "0.311"]),
        ("ConservationBench 包含23,040道题", ["23040"]),
        ("a 7B model and 1.5 billion more", ["7000000000", "1500000000"]),
        ("gains up to 3.2x on Ant and nearly 9x on Swimmer", ["3.2x", "9x"]),
        ("2019-2021", ["2019-2021"]),
        ("a third party, the third time, a third of all", ["1/3"]),
        ("99.5%.", ["99.5%"]),
    ],
)
def test_what_counts_as_a_number(text: str, found: list[str]) -> None:
    assert [quantity.canonical for quantity in numbers(text)] == found


def test_offsets_point_into_the_text_as_it_stands() -> None:
    text = r"It reuses over $80$\% of caches and cuts TTFT by up to $4.7\times$."
    assert [text[q.start : q.end] for q in numbers(text)] == ["80$\\%", "4.7\\times"]
    assert all(text[q.start : q.end] == q.text for q in numbers(text))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("80", "$80$\\%"),
        ("14x", "6×–14×"),
        ("five", "four out of five"),
        ("between 0.311 and 0.478", "(0.478 vs. 0.311)"),
        ("(1-λ)^-2", "O((1-λ)^-2)"),
        ("an exponent of -6", "O((1-λ)^-6)"),
        ("four of the six data sets", "best on four of them; six data sets"),
        ("5 points", "5%"),
    ],
)
def test_a_claim_stands_where_its_source_says_more(claim: str, source: str) -> None:
    assert all(stands(quantity, numbers(source)) for quantity in numbers(claim))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("4.9x", "4.7x"),
        ("15%", "15 datasets"),
        ("9x", "9 tasks"),
        ("five out of five", "four out of five tasks"),
        ("2-3 weeks", "2--3 days"),
        ("(1-λ)^-3", "O((1-λ)^-2)"),
        ("6 to 16 times", "6×–14×"),
    ],
)
def test_a_claim_does_not_stand(claim: str, source: str) -> None:
    assert not all(stands(quantity, numbers(source)) for quantity in numbers(claim))


def test_decimal_commas_are_read_where_a_language_has_them() -> None:
    found = numbers("4,7-mal so schnell, 23.040 Fragen, 0.478", decimal_comma=True)
    assert [quantity.canonical for quantity in found] == ["4.7", "23040", "0.478"]


VALUES = st.one_of(
    st.integers(0, 10**7).map(str),
    st.decimals(0, 10**4, places=2).map(lambda value: f"{value:f}"),
)
UNITS = st.sampled_from(["", "%", "x", " days", " ms", " GB", "D"])


@given(VALUES, UNITS)
def test_a_number_survives_its_canonical_form(value: str, unit: str) -> None:
    found = only(value + unit)
    assert same(found, only(found.canonical))
    assert found.value == pytest.approx(float(value))


@given(VALUES, st.sampled_from([" %", "\\%", "$\\%$", " percent", " per cent", "％"]))
def test_percentages_are_equal_however_they_are_written(value: str, unit: str) -> None:
    assert same(only(value + unit), only(value + "%"))
    assert normalise(value + unit) == normalise(value + "%")


@given(st.integers(1, 10**9))
def test_thousands_commas_do_not_count(value: int) -> None:
    assert normalise(f"{value:,}") == normalise(str(value))


@given(st.text(alphabet=string.printable + "×–−‑%{}$\\λ⁻²五\u00a0", max_size=80))
def test_any_text_is_read_without_harm(text: str) -> None:
    for quantity in numbers(text):
        assert text[quantity.start : quantity.end] == quantity.text
        assert 0 <= quantity.start < quantity.end <= len(text)
        assert same(quantity, quantity)
    made = plain(text)
    assert len(made.starts) == len(made.ends) == len(made.text)


@given(st.lists(st.sampled_from("4.7× 80 % five to and - / of 23,040 2--3 days O(n^2) 9".split())))
def test_normalising_twice_changes_nothing(words: list[str]) -> None:
    once = normalise(" ".join(words))
    assert normalise(once) == once
