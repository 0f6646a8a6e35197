"""Names, years, addresses and text that is none, as exports hold them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.fields import flat, plan
from assistant.corpus.people import author_names, keyword_list
from assistant.corpus.values import (
    arxiv_id,
    doi_of,
    is_nothing,
    one_line,
    paper_id,
    text_of,
    web_address,
    without_markup,
    year_of,
)

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["value", "name", "first", "last", "date-parts", "url", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(ANYTHING)
def test_no_value_is_too_strange(value: Any) -> None:
    text = text_of(value)
    assert text is None or (text == text.strip() and not is_nothing(text))
    line = one_line(value)
    assert line is None or "\n" not in line
    year = year_of(value)
    assert year is None or 1500 <= year < 2100
    url = web_address(value)
    assert url is None or url.lower().startswith(("http://", "https://"))
    assert all(author_names(value))
    assert all(keyword_list(value))
    assert len(paper_id(value) or "") <= 128
    arxiv_id(value)
    doi_of(value)
    assert flat({"content": value, "externalIds": value}) is not None


@pytest.mark.parametrize(
    "text",
    "| \n|None|NULL|n/a|N.A.|nan|NaN|-|—|...|?|[]|No abstract.|(no abstract available)|"
    "Abstract not available|TBA|<NA>|#N/A|undefined".split("|"),
)
def test_words_that_say_nothing(text: str) -> None:
    assert is_nothing(text)


@pytest.mark.parametrize("text", ["None of the above is true", "Nano", "Null models", "0", "NASA"])
def test_words_that_say_something(text: str) -> None:
    assert not is_nothing(text)


@pytest.mark.parametrize(
    ("given_", "names"),
    [
        ("Ada Löwe; Chen Li", ["Ada Löwe", "Chen Li"]),
        ("Löwe, Ada; Li, C.", ["Ada Löwe", "C. Li"]),
        ("A and B; C", ["A", "B", "C"]),
        ("Löwe, Ada and Li, Chen", ["Ada Löwe", "Chen Li"]),
        ("Ada Löwe, Chen Li and Émile Zola", ["Ada Löwe", "Chen Li", "Émile Zola"]),
        ("Ada Löwe, Chen Li, and Émile Zola", ["Ada Löwe", "Chen Li", "Émile Zola"]),
        ("Ada Löwe, Chen Li", ["Ada Löwe", "Chen Li"]),
        ("Löwe, Ada", ["Ada Löwe"]),
        ("Löwe, A., Li, C. D.", ["A. Löwe", "C. D. Li"]),
        ("Plato", ["Plato"]),
        ("Alexander Sandoval", ["Alexander Sandoval"]),
        (["Ada Löwe", "Li, Chen", "", None, "nan"], ["Ada Löwe", "Chen Li"]),
        ([{"name": "Ada Löwe"}, {"given": "Chen", "family": "Li"}], ["Ada Löwe", "Chen Li"]),
        ([{"first": "A", "middle": ["B", "C"], "last": "D"}], ["A B C D"]),
        ([{"author": {"name": "Ada"}}], ["Ada"]),
        ([["Bal\\'azs", "C.", ""], ["Li", "Chen", "III"]], ["C. Balázs", "Chen Li III"]),
        ({"value": ["Ada Löwe"]}, ["Ada Löwe"]),
        ({"name": "Ada Löwe"}, ["Ada Löwe"]),
        ("None", []),
        (None, []),
        (float("nan"), []),
    ],
)
def test_authors(given_: Any, names: list[str]) -> None:
    assert author_names(given_) == tuple(names)


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ("a b;c, d; a b", ["a b", "c, d"]),
        ("a b, c", ["a b", "c"]),
        ("a|b", ["a", "b"]),
        ("one phrase", ["one phrase"]),
        ("cs.LG stat.ML hep-ph", ["cs.LG", "stat.ML", "hep-ph"]),
        (["a, b", "c"], ["a, b", "c"]),
        ([{"name": "a"}, {"display_name": "b"}], ["a", "b"]),
        ({"value": ["a"]}, ["a"]),
        (["None", "", None], []),
        (None, []),
    ],
)
def test_keywords(given_: Any, words: list[str]) -> None:
    assert keyword_list(given_) == tuple(words)


@pytest.mark.parametrize(
    ("given_", "year"),
    [
        (2025, 2025),
        (2025.0, 2025),
        ("2025", 2025),
        (" 2025 ", 2025),
        ("2025.0", 2025),
        ("2025-07-01", 2025),
        ("2025-07-01T10:00:00Z", 2025),
        ("01/07/2025", 2025),
        ("1 July 2025", 2025),
        ("20250701", 2025),
        ("Mon, 2 Apr 2007 19:18:42 GMT", 2007),
        (1_736_000_000_000, 2025),
        (1_736_000_000, 2025),
        ([[2020, 5, 1]], 2020),
        ({"date-parts": [[2020, 5]]}, 2020),
        ([{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}], 2007),
        ("in press", None),
        ("12345", None),
        (20, None),
        (True, None),
        (float("inf"), None),
        (10**400, None),
        (None, None),
        ([], None),
    ],
)
def test_years(given_: Any, year: int | None) -> None:
    assert year_of(given_) == year


def test_only_addresses_of_the_web_are_links() -> None:
    assert web_address("see https://a.example/x?y=1 or so") == "https://a.example/x?y=1"
    assert web_address(["/pdf/x.pdf", "http://a.example"]) == "http://a.example"
    assert web_address({"url": "http://a.example/x.pdf"}) == "http://a.example/x.pdf"
    for text in ("javascript:alert(1)", "/pdf/x.pdf", "a.example", "ftp://a.example", "", None, 5):
        assert web_address(text) is None
    assert web_address('https://a.example/"><script>') == "https://a.example/"


def test_numbers_of_arxiv_and_of_publishers() -> None:
    for text in ("2507.01234v2", "arXiv:2507.01234", "https://arxiv.org/pdf/2507.01234v1.pdf"):
        assert arxiv_id(text) == "2507.01234"
    assert arxiv_id("hep-ph/0101001") == "hep-ph/0101001"
    assert arxiv_id("AbCdE12345") is None
    assert doi_of("https://doi.org/10.1000/x-y") == doi_of("10.1000/x-y") == "10.1000/x-y"
    assert doi_of("10.1") is None


@pytest.mark.parametrize(
    ("abstract", "shown"),
    [
        ("<jats:p>It is A &amp; B.</jats:p>", "It is A & B."),
        ("<jats:sec><jats:title>Aim</jats:title><jats:p>X</jats:p></jats:sec>", "Aim\nX"),
        ("<p>One.</p>\n<p>Two <i>x</i><sub>2</sub>.</p>", "One.\nTwo x2."),
        ("<p>a &lt; b</p>", "a < b"),
        ("<b>Bold</b> words and 5 < 6 > 4", "<b>Bold</b> words and 5 < 6 > 4"),
        ("We use <b>bold</b> &amp; more", "We use <b>bold</b> &amp; more"),
        ("<s>-token models are <unk>", "<s>-token models are <unk>"),
        ("<think>We reason.</think>", "<think>We reason.</think>"),
        ("a < b and c > d", "a < b and c > d"),
    ],
)
def test_only_an_abstract_that_is_markup_as_a_whole_loses_its_tags(
    abstract: str, shown: str
) -> None:
    assert without_markup(abstract) == shown


def test_a_summary_in_one_line_is_no_abstract_and_a_description_only_for_want_of_one() -> None:
    assert "abstract" not in plan(("tldr", "TL;DR", "TLDR"))
    assert plan(("description", "abstract"))["abstract"] == ("abstract",)
    assert plan(("description", "Summary"))["abstract"] == ("Summary",)
    assert plan(("description",))["abstract"] == ("description",)
    assert plan(("content.abstract.value", "dc:title")) == {
        "abstract": ("content.abstract.value",),
        "title": ("dc:title",),
    }
