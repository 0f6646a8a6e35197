"""RIS as reference managers and libraries export it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.reading import ReadResult, read_paths
from tests.texts import paragraph

FIRST = "We study how caches of large models can be kept small without loss."
SECOND = "We study how point clouds are aligned when the objects bend and move."

LINE = paragraph().map(lambda text: " ".join(text.split())).filter(lambda text: len(text) > 40)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ris")


def read(folder: Path, content: str, name: str = "papers.ris") -> ReadResult:
    (folder / name).write_text(content, encoding="utf-8", newline="")
    return read_paths([folder / name])


def reasons(found: ReadResult) -> list[tuple[int, str]]:
    return [(skipped.place, skipped.reason) for skipped in found.skipped]


@given(st.lists(LINE, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n", "\r"]))
def test_abstracts_come_back_letter_for_letter(
    folder: Path, abstracts: list[str], end: str
) -> None:
    lines = [
        line
        for i, text in enumerate(abstracts)
        for line in ("TY  - JOUR", f"TI  - T{i}", f"AB  - {text}", "ER  - ", "")
    ]
    found = read(folder, end.join(lines))
    assert found.skipped == ()
    assert [(p.title, p.abstract) for p in found.papers] == [
        (f"T{i}", text) for i, text in enumerate(abstracts)
    ]


def test_a_record_with_all_that_ris_has(tmp_path: Path) -> None:
    content = f"""\ufeff
TY  - CONF
ID  - loewe2024
AU  - Löwe, Ada
AU  - Li, Chen
TI  - A title
T2  - Conference on Caches
PY  - 2024/05/01/
AB  - {FIRST}
 It goes on in another line.
KW  - caches
KW  - models
DO  - 10.1000/x
UR  - https://a.example/x
ZZ  - of no meaning
ER  -\u0020
"""
    (paper,) = read(tmp_path, content).papers
    assert paper.to_dict() == {
        "id": "loewe2024",
        "title": "A title",
        "label": "A title",
        "abstract": f"{FIRST} It goes on in another line.",
        "authors": ["Ada Löwe", "Chen Li"],
        "venue": "Conference on Caches",
        "year": 2024,
        "url": "https://a.example/x",
        "keywords": ["caches", "models"],
        "source": {"file": "papers.ris", "ordinal": 1},
    }


def test_the_older_tags_are_known(tmp_path: Path) -> None:
    content = f"TY  - JOUR\nT1  - A\nA1  - Li, C.\nY1  - 2001//\nJO  - J\nN2  - {FIRST}\nER  - \n"
    (paper,) = read(tmp_path, content).papers
    assert (paper.title, paper.authors, paper.year, paper.venue) == ("A", ("C. Li",), 2001, "J")
    assert paper.id == paper.content_hash[:16]


def test_paragraphs_of_one_abstract_are_all_kept(tmp_path: Path) -> None:
    (paper,) = read(tmp_path, f"TY  - JOUR\nAB  - {FIRST}\nAB  - {SECOND}\nER  - \n").papers
    assert paper.abstract == f"{FIRST}\n{SECOND}"


def test_records_that_are_no_papers_are_told_by_their_line(tmp_path: Path) -> None:
    content = f"""words before
TY  - JOUR
AB  - {FIRST}
ER  -
TY  - JOUR
TI  - no abstract
ER  -
TY  - JOUR
AB  - {SECOND}
TY  - JOUR
AB  - short
ER  -
ER  -
TY  - JOUR
AB  - {FIRST} And cut"""
    found = read(tmp_path, content)
    assert [paper.abstract for paper in found.papers] == [FIRST, SECOND]
    assert reasons(found) == [
        (5, "no abstract"),
        (10, "too short to be an abstract: 'short'"),
        (14, "the file ends inside this record: it has no ER line"),
    ]


@pytest.mark.parametrize("name", ["export.txt", "export", "export.dat"])
def test_ris_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, f"TY  - JOUR\nTI  - A\nAB  - {FIRST}\nER  - \n", name)
    assert [paper.title for paper in found.papers] == ["A"]
    assert read(tmp_path, f"TY - JOUR\nTI - A\nAB - {FIRST}\nER - \n").papers[0].title == "A"
