"""Plain text: whatever ends its lines, and whatever stands in its empty ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.paper import Paper
from assistant.corpus.reading import read_paths
from assistant.corpus.text_reader import FACTS_FILE
from assistant.errors import InputError
from assistant.resources import seeds_dir
from tests.texts import blank, paragraph

SEED = "001_a580f8545a033379.txt"
FIRST = "We study how caches of large models can be kept small without loss."
SECOND = "We study how point clouds are aligned when the objects bend and move."


def read(folder: Path, content: bytes, name: str = "papers.txt") -> list[Paper]:
    (folder / name).write_bytes(content)
    return list(read_paths([folder / name]).papers)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


@given(st.lists(paragraph(), min_size=1, max_size=5), st.lists(blank, min_size=3, max_size=3))
def test_any_text_between_empty_lines_comes_back_letter_for_letter(
    folder: Path, blocks: list[str], blanks: list[str]
) -> None:
    gap = "\n" + "".join(f"{each}\n" for each in blanks)
    papers = read(folder, gap.join(["", *blocks, ""]).encode())
    assert [paper.abstract for paper in papers] == blocks
    assert [paper.source and paper.source.ordinal for paper in papers] == [
        *range(1, len(blocks) + 1)
    ]


@given(
    st.lists(paragraph(), min_size=1, max_size=4),
    st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=1, max_size=8),
    blank,
    st.booleans(),
)
def test_line_ends_mark_and_blanks_change_neither_papers_nor_ids(
    folder: Path, blocks: list[str], ends: list[str], filling: str, mark: bool
) -> None:
    plain = "\n\n".join(blocks) + "\n"
    lines = f"\n{filling}\n".join(blocks).split("\n")
    other = "".join(line + ends[i % len(ends)] for i, line in enumerate(lines))
    expected = read(folder, plain.encode())
    assert read(folder, b"\xef\xbb\xbf" * mark + other.encode()) == expected


SEED_VARIANTS: dict[str, Callable[[str], bytes]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR": lambda text: text.replace("\n", "\r").encode(),
    "CRLF in its first half": lambda text: (
        text[: len(text) // 2].replace("\n", "\r\n") + text[len(text) // 2 :]
    ).encode(),
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "two spaces in empty lines": lambda text: text.replace("\n\n", "\n  \n").encode(),
    "a tab in empty lines": lambda text: text.replace("\n\n", "\n\t\n").encode(),
    "a no-break space in empty lines": lambda text: text.replace("\n\n", "\n\u00a0\n").encode(),
    "many empty lines": lambda text: text.replace("\n\n", "\n\n \n\n\t\r\n").encode(),
    "blanks behind every line": lambda text: text.replace("\n\n", "  \t\n\n").encode(),
    "no line end at the end": lambda text: text.rstrip().encode(),
    "form feeds between": lambda text: text.replace("\n\n", "\n\x0c\n").encode(),
}


@pytest.mark.parametrize("kind", SEED_VARIANTS)
def test_a_shipped_file_gives_the_same_19_papers(tmp_path: Path, kind: str) -> None:
    text = (seeds_dir() / SEED).read_text(encoding="utf-8")
    expected = read(tmp_path, text.encode(), SEED)
    assert len(expected) == 19
    assert not any("ICML 2026 Papers" in paper.abstract for paper in expected)
    assert read(tmp_path, SEED_VARIANTS[kind](text), SEED) == expected


@pytest.mark.parametrize(
    ("heading", "venue", "year"),
    [
        ("ICML 2026 Papers", "ICML", 2026),
        ("# NeurIPS 2025", "NeurIPS", 2025),
        ("ACL abstracts", "ACL", None),
        ("Robotics: Science and Systems 2024 Proceedings", None, None),
        ("My reading list", None, None),
        ("List of papers", None, None),
        ("Abstracts", None, None),
        ("2026", None, None),
        ("Things I read — and liked — last summer", None, None),
    ],
)
def test_a_heading_is_no_paper_and_gives_only_what_it_says(
    tmp_path: Path, heading: str, venue: str | None, year: int | None
) -> None:
    papers = read(tmp_path, f"{heading}\n\n{FIRST}\n\n{SECOND}\n".encode())
    assert [(p.abstract, p.venue, p.year) for p in papers] == [
        (FIRST, venue, year),
        (SECOND, venue, year),
    ]


@pytest.mark.parametrize(
    "first", [FIRST, "What causes the gap between the modalities?", f"{FIRST}\n{SECOND}", FIRST * 2]
)
def test_a_first_abstract_is_not_taken_for_a_heading(tmp_path: Path, first: str) -> None:
    papers = read(tmp_path, f"{first}\n\n{SECOND}\n".encode())
    assert [paper.abstract for paper in papers] == [first, SECOND]


def test_a_single_block_is_a_paper_even_without_a_full_stop(tmp_path: Path) -> None:
    text = "We study caches that are small and fast and never stale at all"
    assert [paper.abstract for paper in read(tmp_path, text.encode())] == [text]


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, b"") == read(tmp_path, b"\xef\xbb\xbf \r\n\t\n") == []


@pytest.mark.parametrize(
    "content",
    [
        f"A café: {FIRST}\n\n{SECOND}".encode("cp1252"),
        f"A café: {FIRST}\n\n{SECOND}".encode("utf-16"),
        f"A café: {FIRST}\n\n{SECOND}".encode("utf-16-le"),
        f"A café: {FIRST}\n\n{SECOND}".encode("utf-16-be"),
        f"A café: {FIRST}\n\n{SECOND}".encode("utf-32"),
    ],
    ids=["Windows-1252", "UTF-16", "UTF-16 LE without mark", "UTF-16 BE without mark", "UTF-32"],
)
def test_other_encodings_of_text_are_told_apart(tmp_path: Path, content: bytes) -> None:
    assert [paper.abstract for paper in read(tmp_path, content)] == [f"A café: {FIRST}", SECOND]


def test_a_file_that_holds_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"papers\.txt is no text: its bytes are neither UTF-8"):
        read(tmp_path, b"\x80" * 90)


@pytest.mark.parametrize(
    "damaged",
    [
        "Мы изучаем, как держать кэши малыми".encode("koi8-r"),
        "größe".encode() + b" caf\xe9",
        b"\x81\x8d\x8f",
        "cafÉé".encode("cp1252"),
    ],
    ids=["KOI8-R", "two encodings in one line", "no Windows-1252", "no word"],
)
def test_a_block_in_no_known_encoding_is_left_out_and_the_rest_is_read(
    tmp_path: Path, damaged: bytes
) -> None:
    blocks = [FIRST.encode() * 9, damaged + b" " + FIRST.encode(), SECOND.encode()]
    (tmp_path / "papers.txt").write_bytes(b"\n\n".join(blocks))
    found = read_paths([tmp_path])
    assert [paper.abstract for paper in found.papers] == [FIRST * 9, SECOND]
    assert [(skipped.place, skipped.reason.split(":")[0]) for skipped in found.skipped] == [
        (3, "bad encoding")
    ]


def test_an_endless_block_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "papers.txt").write_text(f"{'long ' * 30_000}\n\n{FIRST}\n")
    found = read_paths([tmp_path])
    assert [paper.abstract for paper in found.papers] == [FIRST]
    assert str(found.skipped[0]).startswith("papers.txt:1: too long to be an abstract")


def test_the_table_beside_it_adds_what_it_knows_and_nothing_else(tmp_path: Path) -> None:
    table = (
        "file\tnumber\ttitle\tarxiv_id\n"
        'papers.txt\t1\tCaches, "kept" small\t2601.00001\n'
        "papers.txt\t2\t\t\n"
        "other.txt\t2\tNot this one\t2601.00002\n"
    )
    (tmp_path / FACTS_FILE).write_text(table, encoding="utf-8")
    first, second = read(tmp_path, f"{FIRST}\n\n{SECOND}".encode())
    assert first.title == 'Caches, "kept" small'
    assert first.url == "https://arxiv.org/abs/2601.00001"
    assert (second.title, second.url) == (None, None)


@pytest.mark.parametrize(
    "table",
    [
        b"a\tb\n1\t2\n",
        b"file\tnumber\ttitle\tarxiv_id\npapers.txt\tone\tX\t\n",
        b"file\tnumber\ttitle\tarxiv_id\npapers.txt\t1\t\xe9\t\n",
        b"file\tnumber\ttitle\tarxiv_id\npapers.txt\t1\t" + b"x" * 200_000 + b"\t\n",
    ],
    ids=["other columns", "no number", "not UTF-8", "endless field"],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, table: bytes) -> None:
    (tmp_path / FACTS_FILE).write_bytes(table)
    with pytest.raises(InputError, match=r"papers\.tsv is not a table of papers: it needs"):
        read(tmp_path, FIRST.encode())


def test_files_of_the_shipped_kind_number_their_papers(tmp_path: Path) -> None:
    papers = read(tmp_path, f"{FIRST}\n\n{SECOND}".encode(), "004_0123456789abcdef.txt")
    assert [paper.id for paper in papers] == ["004-01", "004-02"]


def test_text_with_braces_and_markup_is_left_alone(tmp_path: Path) -> None:
    text = "We cite \\url{https://a.example} and {context} and <b>bold</b> and $\\{x\\}$ here."
    assert [paper.abstract for paper in read(tmp_path, text.encode())] == [text]


def test_a_collection_that_happens_to_have_the_tables_name_is_read_too(tmp_path: Path) -> None:
    (tmp_path / FACTS_FILE).write_text(f"title\tabstract\nA\t{SECOND}\n")
    (tmp_path / "more.txt").write_text(FIRST)
    found = read_paths([tmp_path])
    assert {paper.abstract for paper in found.papers} == {FIRST, SECOND}
    assert found.skipped == ()
