"""Quotes inside Markdown: what a paper says can be shown and can do nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import example, given
from markdown_it import MarkdownIt
from markdown_it.token import Token

from assistant.answering.quoting import cited, label_text, quoted
from assistant.corpus.reading import read_paths
from assistant.corpus.sentences import sentence_spans
from assistant.resources import seeds_dir
from tests.texts import abstract_like, any_text

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HARMLESS = {"paragraph_open", "paragraph_close", "inline", "text", "text_special", "softbreak"}
EMPHASIS = {"em_open", "em_close", "strong_open", "strong_close", "s_open", "s_close"}
FORMULA = re.compile(r"\$|\\\(|\\\[")


def tokens(parsed: Sequence[Token]) -> Iterator[Token]:
    for token in parsed:
        yield token
        yield from tokens(token.children or [])


def kinds(text: str) -> set[str]:
    return {token.type for token in tokens(MARKDOWN.parse(text))}


def shown(text: str) -> str:
    return "".join(
        token.content for token in tokens(MARKDOWN.parse(text)) if token.type.startswith("text")
    )


ATTACKS = [
    "[click](http://a.example)",
    "![x](http://a.example/x.png)",
    "\\![x](http://a.example/x.png)",
    "\\[x\\](http://a.example)",
    "\\\\[x\\\\](http://a.example)",
    "[x\\](http://a.example)",
    "[x]: http://a.example",
    "[x][1]",
    "<img src=x onerror=alert(1)>",
    "\\<img src=x onerror=alert(1)>",
    "\\\\<script>alert(1)</script>",
    "<!-- x -->",
    "<http://a.example>",
    "<a.b@c.example>",
    "$[x](http://a.example)$",
    "$ ![x](http://a.example/x.png) $",
    "\\(![x](http://a.example/x.png)\\)",
    "\\[ <img src=x> \\]",
    "$<img src=x>$ and $a$",
    "$`$ <b>x</b> $`$",
    "`code`",
    "```\ncode\n```",
    "~~~\ncode\n~~~",
    "# heading",
    "text\n===",
    "text\n---",
    "> quote",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "12) item",
    "***",
    "___",
    "- - -",
    "    code",
    "\tcode",
    "| a | b |\n|---|---|\n| c | d |",
    "&lt;b&gt; &#60;b&#62; &nbsp;",
    "line  \nbreak",
    "line\\\nbreak",
    "[1] and [2, 3]",
    "*em* **bold** _em_ __bold__ ~~gone~~",
    "RRT*, A* and O*(n)",
    "\x1b[31mred\x1b[0m \x9b31m \x07",
]


@given(any_text | abstract_like)
@example("")
@example(" ".join(ATTACKS))
@example("\n".join(ATTACKS))
def test_whatever_a_paper_says_is_text(text: str) -> None:
    active = kinds(quoted(text)) - HARMLESS
    # In a reader that knows no formulas, their signs may look like emphasis; nothing worse.
    assert active <= (EMPHASIS if FORMULA.search(text) else set())


@pytest.mark.parametrize("text", ATTACKS)
def test_no_attack_survives(text: str) -> None:
    for made in (quoted(text), cited(text, 1), f"- **{label_text(text)}** — {cited(text, 2)}"):
        assert not {
            "link_open",
            "image",
            "html_inline",
            "html_block",
            "fence",
            "code_block",
        } & kinds(made)
        assert not {"code_inline", "heading_open", "blockquote_open", "table_open", "hr"} & kinds(
            made
        )
        assert "\n" not in made
    assert kinds(f"x {quoted(text)}") <= HARMLESS | EMPHASIS


@pytest.mark.parametrize("text", ATTACKS)
def test_only_the_last_number_is_a_citation(text: str) -> None:
    made = re.sub(r"\\.", "", re.sub(r"\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]", "", cited(text, 7)))
    assert re.findall(r"\[(\d+)\]", made) == ["7"]


@given(any_text | abstract_like)
def test_a_terminal_is_never_commanded(text: str) -> None:
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", quoted(text + "\x1b[2J"))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\\textbf{SparseInfer} is fast", "SparseInfer is fast"),
        ("**UniFLoW**(Universal) and ***bold***", "UniFLoW(Universal) and bold"),
        ("*one* and (*two*)", "one and (two)"),
        ("a **p**rompt **o**ptimizer", "a prompt optimizer"),
        ("RRT*, A* and DPA*", "RRT*, A* and DPA*"),
        ("256*256*144 and x**2 + y**2", "256*256*144 and x**2 + y**2"),
        ("53\\% at \\url{https://a.example/x_y}", "53% at https://a.example/x_y"),
        ("\\href{https://a.example}{https://a.example}", "https://a.example"),
        ("\\href{https://a.example}{our page}", "our page"),
        ("_adaptive_ snake_case __init__", "_adaptive_ snake_case __init__"),
        ("P\\'{o}lya", "P\\'{o}lya"),
        ("a \\\\ b", "a \\\\ b"),
        ("see [2, 3] & <b>", "see [2, 3] & <b>"),
        ("2. It begins with a number", "2. It begins with a number"),
        ("in 2026. Then", "in 2026. Then"),
        ("a  b\nc\td", "a b c d"),
    ],
)
def test_what_is_seen_is_what_the_paper_says(text: str, seen: str) -> None:
    assert shown(quoted(text)) == seen


@pytest.mark.parametrize(
    "formula",
    [
        "$4.7\\times$",
        "$\\mathcal{O}\\left((1-\\lambda)^{-6}\\right)$",
        "\\(x_1\\)",
        "\\[x^2\\]",
        "$a[i]$",
    ],
)
def test_formulas_are_left_as_they_are(formula: str) -> None:
    assert formula in quoted(f"It is {formula} here.")


def test_the_shipped_abstracts_lose_no_word() -> None:
    def words(text: str) -> list[str]:
        return re.findall(r"[^\W_]+", re.sub(r"\\(?:textbf|textit|emph|url|href)\b", "", text))

    for paper in read_paths([seeds_dir()]).papers:
        for start, end in sentence_spans(paper.abstract):
            sentence = paper.abstract[start:end]
            missing = set(words(sentence)) - set(words(quoted(sentence)))
            assert missing == set(), paper.id
