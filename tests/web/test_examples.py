"""Questions to start from."""

from __future__ import annotations

from assistant.corpus.paper import Paper
from assistant.web.examples import EXAMPLES, examples_of
from tests.web.stand_in import seed_papers


def titled(*titles: str) -> list[Paper]:
    return [
        Paper(str(n), f"We introduce {title.partition(':')[0]}, which helps.", title=title)
        for n, title in enumerate(titles)
    ]


def test_the_shipped_papers_have_their_own() -> None:
    assert examples_of(seed_papers()) == EXAMPLES


def test_another_collection_is_asked_about_what_is_in_it() -> None:
    papers = titled(
        "FoldNet: Protein Folding at Scale",
        "BidBot: Auctions by Machines",
        "Docker2: Protein Docking",
        "Glaciers Melt",
        "Stars Shine",
        "Rivers Run",
    )
    assert examples_of(papers) == (
        "Which papers are about protein?",
        "What does FoldNet do?",
        "How do BidBot and Docker2 differ?",
    )


def test_keywords_say_best_what_papers_are_about() -> None:
    papers = [
        Paper(str(n), "x", title="Some Title", keywords=("Causal Inference", f"other {n}"))
        for n in range(2)
    ] + [Paper(str(n), "y") for n in range(2, 8)]
    assert examples_of(papers) == ("Which papers are about Causal Inference?",)


def test_two_words_say_more_than_one_and_nothing_is_asked_twice() -> None:
    papers = titled(
        "Deep Protein Folding",
        "Protein Folding for All",
        "Protein-Folding Machines",
        "Protein Docking",
        "River Deltas in Winter",
        "A River Delta",
        *("Something Else" for _ in range(6)),
    )
    assert [text for text in examples_of(papers) if "about" in text] == [
        "Which papers are about protein folding?",
        "Which papers are about river deltas?",
    ]


def test_nothing_is_asked_of_nothing() -> None:
    assert examples_of([]) == ()
