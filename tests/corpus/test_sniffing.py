"""Text files that hold another format, and texts that only begin like one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.corpus.reading import ReadResult, read_paths

FIRST = "We study how caches of large models can be kept small without loss."
SECOND = "We study how point clouds are aligned when the objects bend and move."
A, B = {"title": "A", "abstract": FIRST}, {"title": "B", "abstract": SECOND}


def read(folder: Path, text: str, name: str) -> ReadResult:
    (folder / name).write_text(text, encoding="utf-8")
    return read_paths([folder / name])


@pytest.mark.parametrize(
    "content", [json.dumps([A, B], indent=1), json.dumps(A) + "\n" + json.dumps(B)]
)
def test_records_in_a_text_file_are_records(content: str, tmp_path: Path) -> None:
    assert [paper.title for paper in read(tmp_path, content, "export.txt").papers] == ["A", "B"]


@pytest.mark.parametrize("before", ["[1] ", "[Background] ", "{x: y} is a set. ", '["quoted"] '])
def test_a_text_that_begins_with_a_bracket_is_a_text(before: str, tmp_path: Path) -> None:
    (paper,) = read(tmp_path, before + FIRST, "notes.txt").papers
    assert paper.abstract == before + FIRST


def test_a_table_in_a_text_file_is_a_table(tmp_path: Path) -> None:
    (tmp_path / "export.txt").write_text(f"Title\tYear\tAbstract\nCaches\t2024\t{FIRST}\n")
    (paper,) = read_paths([tmp_path / "export.txt"]).papers
    assert (paper.title, paper.year, paper.abstract) == ("Caches", 2024, FIRST)


def test_a_text_with_commas_in_its_first_line_is_a_text(tmp_path: Path) -> None:
    text = f"Abstract, and a summary of it\n\n{FIRST}\n"
    (tmp_path / "notes.txt").write_text(text)
    assert FIRST in [paper.abstract for paper in read_paths([tmp_path / "notes.txt"]).papers]
