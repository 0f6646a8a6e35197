"""When two abstracts are one, and when a figure, a name or a title tells them apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.likeness import Likeness, compare, marks, title_mark
from assistant.corpus.paper import Paper

TEXT = (
    'We study $\\alpha$-stable Schr\\"odinger bridges and show that \\textbf{our} method, called '
    "FooNet, gives a 35\\% gain over state-of-the-art baselines on many tasks. It uses much less "
    "memory than before, runs faster on small devices, and does so without a second network. We "
    "prove that it converges under mild conditions, and measure it on images, speech and text."
)


def paper(abstract: str, title: str | None = None) -> Paper:
    return Paper("x", abstract, title=title)


def share_a_mark(first: Paper, second: Paper) -> bool:
    ours, theirs = marks(first), marks(second)
    return ours.whole == theirs.whole or bool(set(ours.bands) & set(theirs.bands))


@pytest.mark.parametrize(
    "other",
    [
        TEXT.upper().replace("\\ALPHA", "\\alpha").replace("\\TEXTBF", "\\textbf"),
        TEXT.replace("Schr\\\"odinger", "Schrödinger"),
        TEXT.replace("$\\alpha$", "α"),
        TEXT.replace("\\textbf{our}", "our").replace("\\%", "%"),
        TEXT.replace("state-of-the-art", "state of the art").replace(",", ""),
        TEXT.replace("-", "–").replace(" ", "\u00a0"),
        TEXT + " Code is available at https://github.com/a/b.",
        TEXT + " Our code and data are publicly available.",
        TEXT + " Project page: https://a.github.io/foo",
    ],
    ids="case accent greek markup hyphens dashes code data page".split(),
)  # fmt: skip
def test_how_it_was_typed_does_not_count(other: str) -> None:
    assert compare(paper(TEXT, "One title"), paper(other, "Another title")) is Likeness.SAME
    assert marks(paper(TEXT)).whole == marks(paper(other)).whole


@pytest.mark.parametrize(
    ("old", "new"), [("many", "several"), ("measure it", "evaluate it"), ("does so", "so")]
)
def test_one_changed_word_does_not_count(old: str, new: str) -> None:
    other = paper(TEXT.replace(old, new))
    assert compare(paper(TEXT), other) is Likeness.SAME
    assert share_a_mark(paper(TEXT), other)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("35", "53"),
        ("FooNet", "BarNet"),
        ("second", "third"),
        ("gives", "never gives"),
        ("speech", "German"),
        ("many", "7"),
    ],
)
def test_a_figure_a_name_or_a_denial_tells_them_apart(old: str, new: str) -> None:
    other = paper(TEXT.replace(old, new))
    assert compare(paper(TEXT), other) is Likeness.VERSION
    assert share_a_mark(paper(TEXT), other)


def test_more_changed_words_need_one_title() -> None:
    other = TEXT.replace("many", "several").replace("mild", "weak")
    assert compare(paper(TEXT, "A"), paper(other, "a")) is Likeness.SAME
    assert compare(paper(TEXT, "A"), paper(other)) is Likeness.SAME
    assert compare(paper(TEXT, "A"), paper(other, "B")) is Likeness.VERSION


def test_a_template_filled_in_twice_is_two() -> None:
    text = (
        "Provides an abstract for each of the {} presentations and may include a brief "
        "professional biography of each presenter. The complete presentations were not made "
        "available for publication as part of the proceedings."
    )
    plenary, forum = text.format("plenary"), text.format("forum")
    assert compare(paper(plenary, "Plenary talks"), paper(forum, "Forums")) is Likeness.VERSION


def test_short_texts_are_the_same_only_to_the_word() -> None:
    assert compare(paper("A first, short one."), paper("a first short one")) is Likeness.SAME
    assert compare(paper("A first short one."), paper("A second short one.")) is Likeness.OTHER


def test_titles_are_compared_as_abstracts_are() -> None:
    assert title_mark(paper("x", "Schrödinger: Bridges")) == title_mark(
        paper("y", 'schr\\"odinger bridges')
    )
    assert title_mark(paper("x")) is None
    assert title_mark(paper("x", "…")) is None
    assert title_mark(paper("x", "A")) != title_mark(paper("x", "B"))


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_compared(first: str, second: str) -> None:
    assert compare(paper(first), paper(first)) is Likeness.SAME
    assert compare(paper(first), paper(second)) is compare(paper(second), paper(first))
    for key in (marks(paper(first)).whole, *marks(paper(second)).bands):
        assert -(2**63) <= key < 2**63
