"""Answers as text, Markdown and BibTeX."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from assistant.answering.answer import Answer, Citation
from assistant.answering.exporting import bibtex
from assistant.corpus.paper import Paper
from tests.texts import abstract_like, any_text

TITLED = Paper(
    "001-17",
    "We propose RelayCaching. It cuts latency by $4.7\\times$.",
    title="Relay & Co: 100% of {LLMs} #1_x",
    authors=("Ada Lovelace", "Kurt Gödel"),
    venue="ICML",
    year=2026,
    url="https://arxiv.org/abs/2603.13289",
)
BARE = Paper("p2", "We study caches and nothing else in this very short abstract of ours.")


def answer(text: str, *papers: Paper, warnings: tuple[str, ...] = ()) -> Answer:
    citations = tuple(
        Citation(number, paper, paper.abstract[:10], 0, 10)
        for number, paper in enumerate(papers, start=1)
    )
    return Answer(
        text,
        "q",
        "q",
        "fact",
        "extractive",
        citations=citations,
        papers=papers,
        warnings=warnings,
    )


def test_text_has_its_references_below_it() -> None:
    said = str(answer("**Relay**: “It is fast.” [1] “So is this.” [2]", TITLED, BARE))
    assert said.splitlines() == [
        "Relay: “It is fast.” [1] “So is this.” [2]",
        "",
        "[1] Relay & Co: 100% of {LLMs} #1_x. ICML 2026. https://arxiv.org/abs/2603.13289 (001-17)",
        "[2] We study caches and nothing else in this … (title unknown) (p2)",
    ]


def test_a_paper_cited_twice_has_one_reference() -> None:
    twice = answer("“a” [1] “b” [1]", BARE)
    cited = (*twice.citations, Citation(1, BARE, BARE.abstract[3:9], 3, 9))
    said = str(Answer("“a” [1] “b” [1]", "q", "q", "fact", "extractive", citations=cited))
    assert said.count("(p2)") == 1


def test_an_answer_without_citations_has_no_references() -> None:
    assert str(answer("No abstract says this.")) == "No abstract says this."
    assert answer("No abstract says this.").to_markdown() == "No abstract says this."
    assert answer("No abstract says this.").to_bibtex() == ""


def test_warnings_are_told_everywhere() -> None:
    warned = answer("Text.", BARE, warnings=("Search is by *words* alone.",))
    assert "Note: Search is by *words* alone." in str(warned)
    assert "> Search is by words alone." in warned.to_markdown()


def test_a_notebook_shows_the_markdown() -> None:
    shown = answer("Text [1].", BARE)
    assert shown._repr_markdown_() == shown.to_markdown()
    assert shown.to_markdown().endswith(
        "1. We study caches and nothing else in this … (title unknown) (p2)"
    )


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("“see \\[2\\] and a\\*b\\*” [1]", "“see [2] and a*b*” [1]"),
        ("\\_x\\_ \\# \\> \\| \\` \\~~ \\<b>", "_x_ # > | ` ~~ <b>"),
        ("a \\\\ b \\\\\\[", "a \\ b \\["),
        ("$4.7\\times$ \\(x\\)", "$4.7\\times$ \\(x\\)"),
    ],
)
def test_a_terminal_shows_no_escapes(markdown: str, plain: str) -> None:
    assert str(answer(markdown)) == plain


def test_unknown_facts_are_absent_never_none() -> None:
    for said in (
        str(answer("Text [1].", BARE)),
        answer("Text [1].", BARE).to_markdown(),
        answer("Text [1].", BARE).to_bibtex(),
    ):
        assert "None" not in said


def test_bibtex_of_exactly_the_papers_cited() -> None:
    entries = answer("Text [1].", TITLED, BARE).to_bibtex()
    assert re.findall(r"^@(\w+)\{([^,]+),$", entries, re.MULTILINE) == [
        ("inproceedings", "001-17"),
        ("misc", "p2"),
    ]
    assert (
        r"title = {{Relay \& Co: 100\% of \textbraceleft{}LLMs\textbraceright{} \#1\_x}}" in entries
    )
    assert "author = {Ada Lovelace and Kurt Gödel}" in entries
    assert "year = {2026}" in entries
    assert "note = {We study caches" in entries
    assert entries.count("  title =") == 1


def test_the_whole_answer_is_plain_data() -> None:
    data = answer("Text [1].", TITLED).to_dict()
    assert data["citations"][0] == {
        "number": 1,
        "quote": "We propose",
        "start": 0,
        "end": 10,
        "support": "supported",
        "paper": TITLED.to_dict(),
    }
    assert data["mode"] == "extractive"
    assert data["abstained"] is False


texts = any_text | abstract_like
papers = st.builds(
    Paper,
    id=texts.map(lambda text: text[:20] or "x"),
    abstract=texts,
    title=st.none() | texts,
    authors=st.lists(texts, max_size=2).map(tuple),
    venue=st.none() | texts,
    year=st.none() | st.integers(1900, 2100),
    url=st.none() | texts,
)


@given(st.lists(papers, max_size=4))
def test_any_papers_make_balanced_entries_with_keys_of_their_own(given_papers: list[Paper]) -> None:
    entries = bibtex(given_papers)
    depth = 0
    for char in entries:
        depth += (char == "{") - (char == "}")
        assert depth >= 0
    assert depth == 0
    keys = re.findall(r"^@(?:inproceedings|misc)\{([A-Za-z0-9:._-]+),$", entries, re.MULTILINE)
    assert len(keys) >= len(given_papers)
    assert len(set(keys)) == len(keys)


@given(papers)
def test_references_of_any_paper_are_text(paper: Paper) -> None:
    parser = MarkdownIt("commonmark")
    made = answer("Text [1].", paper).to_markdown()
    for token in parser.parse(made):
        assert token.type not in ("html_block", "heading_open", "fence", "code_block")
        for child in token.children or ():
            assert child.type not in ("link_open", "image", "html_inline", "code_inline")
    assert str(answer("Text [1].", paper)).startswith("Text [1].")
