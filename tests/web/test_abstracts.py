"""Marks in abstracts: cut exactly, whatever stands around them."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.sentences import sentence_spans
from assistant.web.abstracts import Highlight, abstract_html, inline_html
from assistant.web.escaping import visible
from tests.web.stand_in import seed_papers

LETTERS = st.text(alphabet="abc .,<>&\"'é†")


def text_of(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def marked(markup: str) -> list[str]:
    return [text_of(found) for found in re.findall(r"<mark[^>]*>(.*?)</mark>", markup)]


@given(LETTERS, st.integers(0, 60), st.integers(0, 60))
def test_a_mark_is_cut_at_its_offsets(text: str, start: int, end: int) -> None:
    shown = abstract_html(text, [Highlight(start, end)])
    assert text_of(shown) == text
    assert "".join(marked(shown)) == text[start : max(start, end)]


def test_every_sentence_of_the_seeds_is_marked_exactly() -> None:
    for paper in seed_papers():
        whole = text_of(abstract_html(paper.abstract))
        for start, end in sentence_spans(paper.abstract):
            shown = abstract_html(paper.abstract, [Highlight(start, end)])
            assert text_of(shown) == whole
            assert len(marked(shown)) == 1
            assert marked(shown)[0] == text_of(abstract_html(paper.abstract[start:end]))


def test_a_mark_that_ends_inside_a_formula_takes_all_of_it() -> None:
    text = "We reach $x^2 + y$ at last."
    (found,) = marked(abstract_html(text, [Highlight(0, text.index("+"))]))
    assert "x^2 + y" in found
    assert "at last" not in found


def test_a_mark_that_ends_inside_bold_is_cut_there() -> None:
    text = "one **two three** four"
    shown = abstract_html(text, [Highlight(4, text.index(" three"))])
    assert "".join(marked(shown)) == "two"
    assert shown.count("<strong>") == shown.count("</strong>") == 1


def test_overlapping_marks_are_one_and_keep_the_better_verdict() -> None:
    shown = abstract_html(
        "one two three", [Highlight(0, 7, "unsupported"), Highlight(4, 13, "supported")]
    )
    assert marked(shown) == ["one two three"]
    assert "ap-supported" in shown


def test_marks_of_two_verdicts_differ() -> None:
    shown = abstract_html("one two", [Highlight(0, 3, "partial"), Highlight(4, 7)])
    assert re.findall(r'class="ap-mark ap-(\w+)"', shown) == ["partial", "supported"]


def test_a_line_break_or_heading_mark_stays_text() -> None:
    assert abstract_html("# One\n\n1. two") == "# One  1. two"


def test_invisible_and_reversing_characters_are_dropped() -> None:
    assert visible("a\u202eb\u2063c\x00d\ue000e\r\nf") == "abcde  f"


def test_a_title_has_math_but_no_links() -> None:
    shown = inline_html("On $n^2$ and https://a.b")
    assert "ap-math" in shown
    assert "<a" not in shown
