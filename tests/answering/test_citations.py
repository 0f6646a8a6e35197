"""Citations from model text; CIT entries of the reported troubles."""

from __future__ import annotations

import logging
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.citations import (
    CitationStream,
    numbers_in,
    renumbered,
    strip_reference_list,
    without_numbers,
)
from assistant.answering.marks import new_ids

IDS = ["Sa1b2", "Sc3d4", "Se5f6"]
ALIASES = {"000-01": 0, "2401.00001": 1, "7": 2}


def read(text: str, cuts: list[int] | None = None) -> tuple[str, CitationStream]:
    stream = CitationStream(IDS, aliases=ALIASES)
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts or [])})
    shown = "".join(stream.feed(text[start:end]) for start, end in pairwise(places))
    return shown + stream.finish(), stream


@pytest.mark.parametrize(
    ("text", "shown", "order", "unknown"),
    [
        ("A [Sc3d4]. B [Sa1b2]. C [Sc3d4].", "A [1]. B [2]. C [1].", [1, 0], 0),
        ("A [Sa1b2, Sc3d4].", "A [1][2].", [0, 1], 0),
        ("A [Sa1b2][Sc3d4] [Se5f6].", "A [1][2] [3].", [0, 1, 2], 0),
        ("A [Sa1b2; Sc3d4 and Se5f6].", "A [1][2][3].", [0, 1, 2], 0),
        ("A [source Sa1b2]. B [see: Sc3d4].", "A [1]. B [2].", [0, 1], 0),
        ("A (Sa1b2). In Sc3d4, B.", "A [1]. In [2], B.", [0, 1], 0),
        ("A [sA1B2].", "A [1].", [0], 0),
        # CIT-01
        ("A [2]. B [7].", "A [1]. B.", [1], 1),
        # CIT-02
        ("X [1, 2]. Y [1][3]. Z [2,3,].", "X [1][2]. Y [1][3]. Z [2][3].", [0, 1, 2], 0),
        # CIT-04
        ("**Main [1]**, *note [2]*\n- item [1]", "**Main [1]**, *note [2]*\n- item [1]", [0, 1], 0),
        ("| cell [2] |", "| cell [1] |", [1], 0),
        # CIT-05: one number a paper, however often it is named
        ("A [Sa1b2][Sa1b2] [Sa1b2].", "A [1].", [0], 0),
        ("A [1-3]. B [2–3].", "A [1][2][3]. B [2][3].", [0, 1, 2], 0),
        ("A [2-5].", "A [1][2].", [1, 2], 2),
        ("A【1】. B【2†source】.", "A[1]. B[2].", [0, 1], 0),
        ("A (1). B (1, 2).", "A [1]. B [1][2].", [0, 1], 0),
        ("A.¹ B methods².", "A.[1] B methods[2].", [0, 1], 0),
        ("A<sup>1</sup>. B<sup>[2]</sup>.", "A[1]. B[2].", [0, 1], 0),
        (r"A \[1\]. B [[2]]. C [^3].", "A [1]. B [2]. C [3].", [0, 1, 2], 0),
        ("A [000-01]. B [2401.00001].", "A [1]. B [2].", [0, 1], 0),
        # no source has the number 0
        ("A [1]. B [0]. C [٠].", "A [1]. B. C.", [0], 2),
        ("A in [0, 1].", "A in [0, 1].", [], 0),
        # an id that lost its end, and digits that are none
        ("A [Sa1b]. B [S625]. C [Seed].", "A [1]. B. C [Seed].", [0], 1),
        # a model that lies: invented ids, numbers where it cites by id
        ("A [Sdead1]. B [S9f9f, Sa1b2]. C [2].", "A. B [1]. C.", [0], 3),
        ("A [S9f9f] and B. S8e8e says C.", "A and B. says C.", [], 2),
        ("[7] starts. It ends [7]", "starts. It ends", [], 2),
        ("one\n[7] two\n- [7] three", "one\ntwo\n- three", [], 2),
        # where in a source, which is left out
        ("A [1, p. 3]. B [2, pp. 3-5].", "A [1]. B [2].", [0, 1], 0),
        ("A [Sa1b2, p. 3]. B [Sc3d4: abstract].", "A [1]. B [2].", [0, 1], 0),
        ("A [1, Sec. 3]. B [2, Table 1; 3, §2.1].", "A [1]. B [2][3].", [0, 1, 2], 0),
        ("A [1†L3-L5]. B【2:0†source】.", "A [1]. B[2].", [0, 1], 0),
        ("A [Sa1b2: FooNet, 2024]. B [Sc3d4 – its title].", "A [1]. B [2].", [0, 1], 0),
        # a name before the number
        ("A [Source 1]. B [Paper 2; Paper 3].", "A [1]. B [2][3].", [0, 1, 2], 0),
        ("A (Source 1). B (see source 2, p. 4).", "A [1]. B [2].", [0, 1], 0),
        ("A [cite: 1, 2]. B [doc 3]. C [Abstract 1].", "A [1][2]. B [3]. C [1].", [0, 1, 2], 0),
        ("A [see source Sa1b2]. B [source=Sc3d4].", "A [1]. B [2].", [0, 1], 0),
        ("A [S1]. B [S2, S3].", "A [1]. B [2][3].", [0, 1, 2], 0),
        ("A [S1-S3]. B [S1–2].", "A [1][2][3]. B [1][2].", [0, 1, 2], 0),
        ("A [Quelle 1]. B [fuente 2]. C [来源3]。", "A [1]. B [2]. C [3]。", [0, 1, 2], 0),
        # lists
        ("A [1; 2]. B [1,2-4].", "A [1][2]. B [1][2][3].", [0, 1, 2], 1),
        ("A (1; 2). B [1 and 3].", "A [1][2]. B [1][3].", [0, 1, 2], 0),
        ("A [Sa1b2-Sc3d4].", "A [1][2].", [0, 1], 0),
        # other brackets and clothes
        ("A {Sa1b2}. B \\cite{Sc3d4}. C \\citep{Se5f6}.", "A [1]. B [2]. C [3].", [0, 1, 2], 0),
        ('A [`Sa1b2`]. B ["Sc3d4"]. C [**Se5f6**].', "A [1]. B [2]. C [3].", [0, 1, 2], 0),
        ("A ［1］. B 〔2〕. C [@Se5f6].", "A [1]. B [2]. C [3].", [0, 1, 2], 0),
        ("A <source>Sa1b2</source>. B <cite>Sc3d4</cite>.", "A [1]. B [2].", [0, 1], 0),
        ("A (see [1]). B [2.]", "A (see [1]). B [2]", [0, 1], 0),
    ],
)
def test_marks(text: str, shown: str, order: list[int], unknown: int) -> None:
    got, stream = read(text)
    assert (got, stream.order, stream.unknown) == (shown, order, unknown)


@pytest.mark.parametrize(
    "text",
    [
        "see [2024 report] and [sic]",
        "values in [0, 1] and [0.5, 1]",
        "inputs of [224, 224]",
        "$[1, 2]$ is an interval",
        "O(1). (1) first, (2) second; see Eq. (2).",
        "n² and 10⁻² and R², FedA²",
        r"\[x_1\] and [](x) and [a](b)",
        "a <script> and S and S4 and S2ORC and [Sface]",
        "a scale [1-40]",
        "x ∈ [1, 2] and a vector [1, 2, 3] and x in [1, 2] and $x \\in [1, 3]$",
        "a shape of [3, 3] and values in [1, 2]",
        "the set {1} and {1, 2}, \\frac{1}{2}, \\mathbf{1}",
        "see [Figure 1], [Table 2], [Eq. 1], [1 of 3] and [Smith 2020]",
        "S1 and S2 are states; source 1 hums; f(1, 2) = 3",
        "(paper and pencil) (see below) (sources of light) (1-3)",
        "<b>1</b> and <1>",
    ],
)
def test_other_brackets_stay(text: str) -> None:
    got, stream = read(text)
    assert got == text
    assert stream.order == []
    assert stream.unknown == 0


def test_numbers_are_intervals_once_the_model_cites_by_id() -> None:
    assert read("A [Sa1b2] lies in [1, 2].")[0] == "A [1] lies in [1, 2]."


def test_a_link_behind_a_mark_is_no_link() -> None:
    assert read("A [1](https://evil.example/a). B [2](see there).")[0] == (
        "A [1]. B [2] (see there)."
    )


def test_the_mark_for_no_answer_is_taken_out() -> None:
    got, stream = read("[no-answer] The abstracts do not say.")
    assert got == "The abstracts do not say."
    assert stream.no_answer


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A [2", "A [2"),
        ("A [1, ", "A [1, "),
        ("A [Sa1b2", "A [1]"),
        ("A [Sa1", "A"),
        ("A [", "A ["),
    ],
)
def test_a_mark_the_end_cuts(text: str, shown: str) -> None:
    assert read(text)[0] == shown


def test_every_split_of_the_reported_case() -> None:
    # CIT-03
    text = "Good [1], see [2024 report] and [2"
    for cut in range(len(text) + 1):
        assert read(text, [cut])[0] == text


def test_ordinary_text_is_not_held_back() -> None:
    stream = CitationStream(IDS)
    assert stream.feed("see [2024") == "see [2024"
    assert stream.feed(" report] and") == " report] and"
    assert stream.feed(" x [S") == " x"
    assert stream.feed("a1b2") == ""
    assert stream.feed("].") == " [1]."


def test_a_raw_mark_never_shows() -> None:
    stream = CitationStream(IDS)
    shown = [stream.feed(piece) for piece in "It halves [Sa1b2, S9f9f] memory (Sc3d4)."]
    for piece in [*shown, stream.finish()]:
        assert "S" not in piece


def test_unknown_citations_leave_one_log_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        read("A [7]. B [8].")
    assert [record.getMessage() for record in caplog.records] == [
        "2 citations of sources that were not given: removed"
    ]


_FRAGMENTS = st.sampled_from(
    [
        *("It halves memory", " ", "  ", "\n", "\n- ", ".", ". ", ", ", "word", "1", "-", "$"),
        *("[", "]", "(", ")", "【", "】", "S", "Sa1", "<", "\\[", "\\", "†source"),
        *("[Sa1b2]", "[Sc3d4, Sa1b2]", "Se5f6", "[S9f9f]", "[1]", "[2, 3]", "[1-3]", "[9]"),
        *("(1)", "(2, 3)", "¹", "²³", "<sup>2</sup>", "[no-answer]", "[[2]]", "[000-01]"),
        *("(https://x.example/a)", "[2024 report]", "[0, 1]", "[1, p. 3]", "(Source 2)", "[S2]"),
        *("\\cite{", "}", "{", "Source ", ", p. 3", "†", "<cite>1</cite>", "[Sa1b2: x]", "∈ ", "`"),
    ]
)


@given(st.lists(_FRAGMENTS, max_size=12).map("".join), st.lists(st.integers(0, 200), max_size=12))
def test_the_outcome_does_not_depend_on_the_split(text: str, cuts: list[int]) -> None:
    whole, one = read(text)
    for split in (cuts, list(range(len(text)))):
        got, other = read(text, split)
        assert got == whole
        assert (other.order, other.unknown, other.no_answer) == (
            one.order,
            one.unknown,
            one.no_answer,
        )


@given(st.lists(_FRAGMENTS, max_size=12).map("".join))
def test_every_number_shown_by_a_mark_is_a_source(text: str) -> None:
    got, stream = read(text)
    known = set(range(1, len(stream.order) + 1))
    assert len(set(stream.order)) == len(stream.order)
    if "[Sa1b2]" in text or "[Sc3d4, Sa1b2]" in text:
        assert set(numbers_in(got)) & known
    assert not any(source in got for source in IDS)


@pytest.mark.parametrize(
    "piece", ["1 ", "1,", "Sa1b2 ", "Sa1b2, p. ", "see ", "`", "* ", "S1-", " "]
)
def test_a_bracket_without_end_costs_little(piece: str) -> None:
    begun = time.monotonic()
    for opening in ("[", "(", "\\cite{", "(Source "):
        read(opening + piece * 2_000)
    assert time.monotonic() - begun < 5


def test_new_ids_differ_and_are_not_words() -> None:
    ids = new_ids(200)
    assert len(set(ids)) == 200
    assert all(not name[1:].isdigit() and not name[1:].isalpha() for name in ids)


def test_helpers_on_numbered_text() -> None:
    assert numbers_in("A [2][1]. B [2].") == (2, 1)
    assert without_numbers("A [2][1]. B.") == "A. B."
    assert without_numbers("A [2][1].", [2]) == "A [1]."
    assert renumbered("A [2][1].", {1: 2, 2: 1}) == "A [1][2]."


@pytest.mark.parametrize(
    "tail",
    [
        "\n\nReferences:\n[1] RGGT\n[2] SAIM",
        "\n\n**Sources**\n- [1] RGGT\n",
        "\n## Quellen\n[1] RGGT",
    ],
)
def test_a_list_of_references_is_cut_off(tail: str) -> None:
    assert strip_reference_list("It halves memory [1]." + tail).strip() == "It halves memory [1]."


def test_a_heading_within_the_answer_is_no_list_of_references() -> None:
    text = "Two sources:\n- RGGT halves memory [1].\n- SAIM does not [2]."
    assert strip_reference_list(text) == text


def test_only_numbers_that_a_source_can_have_are_citations() -> None:
    assert numbers_in("A [0]. B [٣]. C [00]. D [2].") == (2,)
