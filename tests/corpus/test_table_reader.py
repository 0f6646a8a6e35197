"""CSV and TSV as spreadsheets, databases and reference managers write them."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.reading import ReadResult, read_paths
from assistant.errors import InputError
from tests.texts import paragraph

FIRST = "We study how caches of large models can be kept small without loss."
SECOND = "We study how point clouds are aligned when the objects bend and move."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


def read(folder: Path, content: str | bytes, name: str = "papers.csv", **more: Any) -> ReadResult:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_paths([folder / name], **more)


def reasons(found: ReadResult) -> list[tuple[int, str]]:
    return [(skipped.place, skipped.reason) for skipped in found.skipped]


@given(
    st.lists(st.tuples(st.sampled_from(['A "B"', "a;b,c|d", "Ü"]), paragraph()), min_size=1),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_what_a_csv_writer_wrote_comes_back(
    folder: Path, rows: list[tuple[str, str]], mark: str, end: str, quoted: bool
) -> None:
    file = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(file, delimiter=mark, lineterminator=end, quoting=quoting)
    writer.writerows([("title", "abstract", "year"), *((*row, 2020) for row in rows)])
    found = read(folder, file.getvalue())
    assert found.skipped == ()
    assert [(p.title, p.abstract, p.year) for p in found.papers] == [
        (title, abstract.strip(), 2020) for title, abstract in rows
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "Title,Abstract,Authors,Year,Source title",
        "Article Title,Abstract,Author Names,Publication Year,Conference Name",
        "title,abstractNote,author,date,publicationTitle",
        "TITLE , ABSTRACT , AUTHORS , YEAR , VENUE",
        '"paper_title","paper abstract","author list","pub-year","journal"',
    ],
)
def test_columns_are_known_by_many_names(tmp_path: Path, heading: str) -> None:
    (paper,) = read(tmp_path, f'{heading}\nA,"{FIRST}","Löwe, A.; Li, C.",2020,J\n').papers
    assert (paper.title, paper.abstract, paper.year, paper.venue) == ("A", FIRST, 2020, "J")
    assert paper.authors == ("A. Löwe", "C. Li")


@pytest.mark.parametrize("before", ["", "\ufeff", "\n\n", "sep=;\n", "\ufeffsep=;\r\n"])
def test_what_spreadsheets_put_before_the_columns_is_no_record(tmp_path: Path, before: str) -> None:
    found = read(tmp_path, f"{before}Title;Abstract\r\nA;{FIRST}\r\n")
    assert [paper.title for paper in found.papers] == ["A"]
    assert found.skipped == ()


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.tab", "noending"])
def test_what_stands_between_columns_is_found_out_whatever_the_ending(
    tmp_path: Path, name: str
) -> None:
    for mark in ",;\t|":
        found = read(tmp_path, f"title{mark}abstract\nA{mark}{FIRST}\n", name)
        assert [paper.title for paper in found.papers] == ["A"]


def test_records_over_several_lines_keep_their_lines_and_their_place(tmp_path: Path) -> None:
    content = f'title,abstract\nA,"{FIRST}\r\n\r\n{SECOND}"\nB,short\nC,"{SECOND}"\n'
    found = read(tmp_path, content)
    assert [paper.abstract for paper in found.papers] == [f"{FIRST}\n\n{SECOND}", SECOND]
    assert reasons(found) == [(5, "too short to be an abstract: 'short'")]


def test_a_very_long_cell_does_not_stop_the_rest(tmp_path: Path) -> None:
    found = read(tmp_path, f'title,abstract\nA,"{"x " * 200_000}"\nB,{FIRST}\n')
    assert [paper.title for paper in found.papers] == ["B"]
    assert reasons(found) == [(2, "too long to be an abstract: more than 100,000 characters")]


def test_rows_with_cells_too_many_or_too_few(tmp_path: Path) -> None:
    rows = [f"A,{FIRST}", f"B,{FIRST},2020,,", f"C,{FIRST},2020,x", "", ",,", f"D,{SECOND},2021"]
    found = read(tmp_path, "\n".join(["title,abstract,year", *rows]))
    assert [paper.title for paper in found.papers] == ["A", "B", "D"]
    assert reasons(found) == [(4, "has 4 columns where the first line has 3")]


def test_a_quote_left_open_costs_its_own_record_alone(tmp_path: Path) -> None:
    content = f'title,abstract,year\nA,"{FIRST},2020\nB,"{SECOND}",2021\nC,"{FIRST}",2022\n'
    found = read(tmp_path, content)
    assert [(paper.title, paper.year) for paper in found.papers] == [("B", 2021), ("C", 2022)]
    assert [place for place, _ in reasons(found)] == [2]
    unquoted = read(tmp_path, f'title,abstract\nA,"{FIRST}\nB,{SECOND}\nC,{FIRST} Too.\n')
    assert [paper.title for paper in unquoted.papers] == ["B", "C"]


def test_many_open_quotes_end_in_a_word_and_not_in_hours(tmp_path: Path) -> None:
    found = read(tmp_path, "title,abstract\n" + 'A,"open\nB,"open"x\n' * 4_000)
    assert found.papers == ()
    assert found.skipped[-1].partial
    assert "too many quotes" in found.skipped[-1].reason


def test_a_table_cut_in_a_quoted_cell_keeps_what_came_before(tmp_path: Path) -> None:
    found = read(tmp_path, f'title,abstract\nA,"{FIRST}"\nB,"{SECOND}')
    assert [paper.title for paper in found.papers] == ["A"]
    assert reasons(found) == [
        (3, "a quote is never closed: the file ends in the middle of a record")
    ]


def test_a_row_in_another_encoding_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    rows = [f"A,{FIRST}".encode(), b"B,\x81\x8d " + FIRST.encode(), f"Ü,{SECOND}".encode()]
    found = read(tmp_path, b"title,abstract\n" + b"\n".join(rows))
    assert [paper.title for paper in found.papers] == ["A", "Ü"]
    assert reasons(found) == [
        (3, "bad encoding: neither UTF-8 nor Windows-1252; save the file as UTF-8")
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_encodings_of_spreadsheets(tmp_path: Path, encoding: str) -> None:
    found = read(tmp_path, f"title,abstract\nCafé,Ein Résumé: {FIRST}\n".encode(encoding))
    assert [paper.title for paper in found.papers] == ["Café"]


def test_columns_that_cannot_be_guessed_are_asked_for(tmp_path: Path) -> None:
    content = f"Name,Inhalt\nA,{FIRST}\n"
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    assert "it has: 'Name', 'Inhalt'. Name it, as in --map abstract=NAME" in str(caught.value)
    assert read(tmp_path, content, mapping={"abstract": " inhalt"}).papers[0].title == "A"
    with pytest.raises(InputError, match=r"papers\.csv has no column 'Inhlt'; it has: 'Name'"):
        read(tmp_path, content, mapping={"abstract": "Inhlt"})


def test_a_table_without_rows_holds_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "title,abstract\n") == read(tmp_path, "") == ReadResult(())


def test_columns_of_one_name_do_not_hide_each_other(tmp_path: Path) -> None:
    (paper,) = read(tmp_path, f"abstract,abstract,\n{FIRST},other,x\n").papers
    assert paper.abstract == FIRST
