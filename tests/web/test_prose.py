"""An answer's Markdown: what becomes markup, what stays text, and which sentences are marked."""

from __future__ import annotations

import html
import re

import pytest

from assistant.answering.answer import Sentence
from assistant.answering.drafts import UNVERIFIED
from assistant.web.prose import Prose, citation_counts, prose_html

LINKS = {1: "<a class=one>[1]</a>", 2: "<a class=two>[2]</a>"}


def prose(text: str, *sentences: Sentence, draft: bool = False) -> Prose:
    return prose_html(
        text, links={n: (link,) for n, link in LINKS.items()}, sentences=sentences, draft=draft
    )


def said(shown: str, verdict: str) -> str:
    found = re.findall(rf'<span class="ap-said ap-{verdict}">(.*?)</span>', shown)
    return "".join(html.unescape(re.sub(r"<[^>]*>", "", part)) for part in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a [1]", f"<p>a {LINKS[1]}</p>"),
        ("a [1, 2].", f"<p>a {LINKS[1]}{LINKS[2]}.</p>"),
        ("a [1][2]", f"<p>a {LINKS[1]}{LINKS[2]}</p>"),
        ("a [2,1,].", f"<p>a {LINKS[2]}{LINKS[1]}.</p>"),
        ("**a [1]** *b [2]*", f"<p><strong>a {LINKS[1]}</strong> <em>b {LINKS[2]}</em></p>"),
        ("- a [1]\n- b", f"<ul><li>a {LINKS[1]}</li><li>b</li></ul>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("a [7] and [2024 report] and [1", "<p>a [7] and [2024 report] and [1</p>"),
        ("x in [0, 1]", "<p>x in [0, 1]</p>"),
        ("a \\[1\\] b", "<p>a [1] b</p>"),
        ("in \\[0, 1\\] [1]", f"<p>in [0, 1] {LINKS[1]}</p>"),
        ("`a [1]`", "<p><code>a [1]</code></p>"),
        ("# Head\n\ntext", "<h4>Head</h4><p>text</p>"),
        ("a\nb", "<p>a b</p>"),
        ("94.6\\% of $5 and $10", "<p>94.6% of $5 and $10</p>"),
        ("\\textbf{x} & y", "<p><strong>x</strong> &amp; y</p>"),
        ("```\na\n\nb\n```", "<pre><code>a<br><br>b</code></pre>"),
        ("[1]: https://evil.example", f"<p>{LINKS[1]}: https://evil.example</p>"),
        ("![i](https://evil.example/a.png)", "<p>![i](https://evil.example/a.png)</p>"),
        ("[t](https://evil.example)", "<p>[t](https://evil.example)</p>"),
        ("<https://evil.example>", "<p>&lt;https://evil.example&gt;</p>"),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"),
    ],
)
def test_what_becomes_of_an_answer(text: str, expected: str) -> None:
    assert prose(text).html == expected


def test_a_table_scrolls_and_keeps_its_citations() -> None:
    shown = prose("| a | b |\n|---|--:|\n| x [1] | y |").html
    assert f"<td>x {LINKS[1]}</td>" in shown
    assert '<td class="ap-right">y</td>' in shown
    assert shown.startswith('<div class="ap-table"><table><thead>')


def test_math_loses_no_backslash_and_no_underscore() -> None:
    shown = prose("so $\\mathcal{O}(n_1^2)$ and \\(a_b\\) and $x_i$ .. $y_j$").html
    for body in ("\\mathcal{O}(n_1^2)", "a_b", "x_i", "y_j"):
        assert body in shown
    assert "<em>" not in shown


def test_only_addresses_of_the_sources_are_links() -> None:
    text = "code at https://a.b/c_d and https://evil.example."
    shown = prose_html(text, links={}, urls=frozenset(["https://a.b/c_d"])).html
    assert re.findall(r'href="([^"]*)"', shown) == ["https://a.b/c_d"]
    assert "https://evil.example." in shown


def test_an_unproven_sentence_is_marked_where_it_stands_and_says_why() -> None:
    text = "Fine [1]. It is **very** fast, $x^2$ [2]. End."
    shown = prose(
        text,
        Sentence("Fine [1].", "supported", (1,)),
        Sentence("It is **very** fast, $x^2$ [2].", "partial", (2,), "<x> is not there"),
    ).html
    assert said(shown, "partial").startswith("It is very fast, ")
    assert "Fine" not in said(shown, "partial")
    assert "End" not in said(shown, "partial")
    assert 'ap-verdict ap-partial">partly supported: &lt;x&gt; is not there</span> End.' in shown


def test_marks_survive_lists_tables_and_bold() -> None:
    text = "- **A (b)**: one [1]\n- **C**: two [2]\n\n| p | q |\n|---|---|\n| r | s |"
    shown = prose(
        text,
        Sentence("- **A (b)**: one [1]", "unsupported", (1,)),
        Sentence("| r | s |", "partial"),
    ).html
    assert "<strong><span" in shown
    assert said(shown, "unsupported") == "A (b): one [1]"
    assert said(shown, "partial") == "rs"
    assert shown.count("<td>") == 2


def test_a_repeated_sentence_is_marked_in_its_own_place() -> None:
    shown = prose("Same. Same.", Sentence("Same.", "supported"), Sentence("Same.", "partial")).html
    assert shown.startswith('<p>Same. <span class="ap-said ap-partial">Same.</span>')


def test_an_unproven_sentence_that_is_not_in_the_text_is_handed_back() -> None:
    lost = Sentence("Not there.", "unsupported")
    assert prose("Text.", lost, Sentence("Nor this.", "supported")).unplaced == (lost,)


def test_a_draft_shows_what_is_not_yet_checked() -> None:
    shown = prose("One [1]. Two.", Sentence("One [1].", "supported"), draft=True).html
    assert said(shown, "pending") == "Two."
    listed = prose("- a\n- b", draft=True).html
    assert said(listed, "pending") == "ab"
    assert "<ul>" in listed


def test_signs_of_our_own_in_a_text_are_dropped() -> None:
    assert prose("a \u2e22b\u2e23 c").html == "<p>a b c</p>"


def test_the_chip_takes_the_place_of_the_bracket_in_the_text() -> None:
    text = f"It flies {UNVERIFIED}. It lands [1]."
    shown = prose(text, Sentence(f"It flies {UNVERIFIED}.", "unsupported")).html
    assert said(shown, "unsupported") == "It flies."
    assert UNVERIFIED not in shown


def test_a_draft_finds_a_sentence_whose_mark_still_stands_behind_its_full_stop() -> None:
    text = "It is small. [1][2] It is fast"
    shown = prose(text, Sentence("It is small [1].", "supported", (1,)), draft=True).html
    assert said(shown, "pending") == "It is fast"


def test_each_mark_of_a_number_gets_its_own_link_and_the_last_one_serves_the_rest() -> None:
    links = {1: ("<a>first</a>", "<a>second</a>")}
    shown = prose_html("a [1] b [1] c [1]", links=links).html
    assert shown == "<p>a <a>first</a> b <a>second</a> c <a>second</a></p>"


def test_marks_are_counted_without_escaped_ones() -> None:
    assert citation_counts("a [1] \\[1\\] b [1, 2][3]") == {1: 2, 2: 1, 3: 1}
