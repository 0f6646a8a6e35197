"""Which papers a text names."""

from __future__ import annotations

import pytest
from hypothesis import given

from assistant.corpus.paper import Paper
from assistant.index.lexical import LexicalIndex
from assistant.index.snapshot import Snapshot
from assistant.retrieval.naming import candidate_rows, names_in
from tests.texts import abstract_like, any_text


def named(text: str, snapshot: Snapshot) -> list[str]:
    rows = candidate_rows(text, snapshot.lexical)
    found = names_in(text, ((row, snapshot.paper(row)) for row in rows), snapshot.lexical)
    for each in found:
        assert 0 <= each.start < each.end <= len(text)
    return [snapshot.paper(each.row).id for each in found]


@pytest.mark.parametrize(
    "written",
    [
        "relaycaching?",
        "RELAYCACHING!",
        "(RelayCaching)",
        '"RelayCaching,"',
        "Relay-Caching",
        "relay caching",
        "what is RelayCaching's speed-up",
        "RelayCachng",
        "Relaycahing?",
        "**RelayCaching**",
    ],
)
def test_a_name_is_found_however_it_is_written(written: str, snapshot: Snapshot) -> None:
    assert named(written, snapshot) == ["001-17"]


@pytest.mark.parametrize(
    ("text", "papers"),
    [
        ("Compare SAIM and MoCL", ["000-10", "001-02"]),
        ("Compare MoCL with SAIM, please", ["001-02", "000-10"]),
        ("how do TASM, RelayCaching and OmniSIFT differ?", ["001-10", "001-17", "000-17"]),
        ("What is RGGT?", ["000-01"]),
        ("HCA", ["001-03"]),
        ("hca", ["001-03"]),
        ("TBPO vs. DPO", ["001-16"]),
        ("ACTIVE-o3 or active o3?", ["001-15"]),
        ("What does Model-Dowser keep?", ["001-06"]),
        ("what does the SMM Transformer save?", ["000-15"]),
        ("SparseInfer and SparseInfer again", ["001-19"]),
        ("which papers study LLMs?", []),
        ("What is an MLP?", []),
        ("my friend ali met Bob", []),
        ("", []),
    ],
)
def test_papers_are_named_in_the_order_of_the_text(
    text: str, papers: list[str], snapshot: Snapshot
) -> None:
    assert named(text, snapshot) == papers


def test_a_name_that_many_papers_share_names_none() -> None:
    papers = [
        Paper(f"p{i}", f"We propose ZetaNet, the version number {i} of it. It is good.")
        for i in range(4)
    ]
    lexical = LexicalIndex.build([paper.indexed_text for paper in papers])
    assert names_in("what is ZetaNet?", list(enumerate(papers)), lexical) == []


@given(any_text | abstract_like)
def test_any_text_can_be_searched_for_names(text: str) -> None:
    papers = [Paper("a", "We propose RelayCaching, a method."), Paper("b", "We introduce SAIM.")]
    lexical = LexicalIndex.build([paper.indexed_text for paper in papers])
    rows = candidate_rows(text, lexical)
    assert rows == sorted(set(rows))
    found = names_in(text, list(enumerate(papers)), lexical)
    assert len({each.row for each in found}) == len(found)
    for each in found:
        assert 0 <= each.start < each.end <= len(text)


@given(any_text | abstract_like)
def test_what_a_paper_says_of_itself_never_breaks_a_search(abstract: str) -> None:
    paper = Paper("x", f"We propose {abstract}")
    lexical = LexicalIndex.build([paper.indexed_text])
    for text in (abstract, "We propose X", ""):
        assert len(names_in(text, [(0, paper)], lexical)) <= 1
