"""Files, folders, patterns and standard input: what is found, and what is left alone."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from pathlib import Path

import pytest

from assistant.corpus.locating import located
from assistant.corpus.reading import read_paths, read_records
from assistant.errors import InputError

FIRST = "We study how caches of large models can be kept small without loss."
SECOND = "We study how point clouds are aligned when the objects bend and move."
A, B = json.dumps({"title": "A", "abstract": FIRST}), json.dumps({"title": "B", "abstract": SECOND})


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def titles(*paths: str | Path) -> list[str | None]:
    return [paper.title for paper in read_paths(paths).papers]


def test_patterns_find_files_at_any_depth_in_a_stable_order(tmp_path: Path) -> None:
    write(tmp_path / "p" / "b.json", A)
    write(tmp_path / "p" / "a.json", B)
    write(tmp_path / "p" / "deep" / "c.json", A)
    write(tmp_path / "p" / "d.txt", FIRST)
    assert titles(f"{tmp_path}/p/*.json") == ["B", "A"]
    assert titles(f"{tmp_path}/p/**/*.json") == ["B", "A", "A"]
    assert titles(f"{tmp_path}/*") == ["B", "A", None, "A"]
    assert titles(f"{tmp_path}/p/[ab].json") == ["B", "A"]


def test_a_home_folder_may_stand_in_a_pattern(isolated_home: Path) -> None:
    write(isolated_home / "papers" / "a.json", A)
    assert titles("~/papers/*.json") == ["A"]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    write(tmp_path / "a[1].json", A)
    write(tmp_path / "a1.json", B)
    assert titles(tmp_path / "a[1].json") == ["A"]


def test_a_pattern_without_a_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\*\.json matches no file; quote the pattern"):
        read_records([f"{tmp_path}/*.json"])


def test_what_does_not_exist_is_told_before_anything_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", A)
    with pytest.raises(InputError, match="does not exist"):
        read_records([path, tmp_path / "b.json"])
    with pytest.raises(InputError, match="does not exist"):
        read_records(["a\0b"])


def test_a_file_reached_in_several_ways_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / "p" / "a.json", A)
    (tmp_path / "p" / "link.json").symlink_to(path)
    (tmp_path / "q").symlink_to(tmp_path / "p")
    assert titles(path, tmp_path, f"{tmp_path}/p/*", tmp_path / "q", path) == ["A"]


def test_hidden_files_and_loops_of_links_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "a.json", A)
    write(tmp_path / ".git" / "objects.json", B)
    write(tmp_path / ".hidden.json", B)
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "self.json").symlink_to("self.json")
    (tmp_path / "dangling.json").symlink_to("nothing.json")
    os.mkfifo(tmp_path / "pipe.json")
    found = read_paths([tmp_path])
    assert [paper.title for paper in found.papers] == ["A"]
    assert found.skipped == ()
    # A hidden folder that is named is meant.
    assert titles(tmp_path / ".git") == ["B"]


def test_what_a_folder_holds_beside_papers_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    write(tmp_path / "a.json", A)
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.7 \x80\x81")
    (tmp_path / "c.csv").write_bytes(b"PK\x03\x04")
    write(tmp_path / "d.csv", f"Name,Inhalt\nA,{FIRST}\n")
    write(tmp_path / "LICENSE", "Some licence of many words.\n\n" * 3)
    write(tmp_path / "z.json", B)
    found = read_paths([tmp_path])
    assert [paper.title for paper in found.papers] == ["A", "B"]
    told = {
        skipped.file: (skipped.place, skipped.reason.split(";")[0]) for skipped in found.skipped
    }
    assert told == {
        "LICENSE": (0, "has no reader"),
        "b.pdf": (0, "has no reader"),
        "c.csv": (0, "is a ZIP archive or an Office file: unpack it, or save the table as CSV"),
        "d.csv": (0, "has no field that is known to hold abstracts"),
    }
    # What may hold papers that were not read is marked, so that none is taken for gone.
    assert {skipped.file for skipped in found.skipped if skipped.partial} == {"c.csv", "d.csv"}


def test_a_folder_that_holds_no_paper_at_all_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.7")
    with pytest.raises(InputError, match="holds no file to read; known: "):
        read_paths([tmp_path])
    (tmp_path / "c.csv").write_bytes(b"PK\x03\x04")
    with pytest.raises(
        InputError, match=r"^c\.csv is a ZIP .* \(1 more could not be read either\)$"
    ):
        read_paths([tmp_path])


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is empty: it holds no file to read"):
        read_records([tmp_path])


@pytest.mark.parametrize(
    "content",
    [
        A,
        f"[{A}]",
        f'{{"papers": [{A}]}}',
        f"title,abstract\nA,{FIRST}\n",
        f"title\tabstract\nA\t{FIRST}\n",
        f"@misc{{x, title={{A}}, abstract={{{FIRST}}}}}",
        f"% a library\n\n@misc{{x, title={{A}}, abstract={{{FIRST}}}}}",
        f"TY  - JOUR\nTI  - A\nAB  - {FIRST}\nER  - \n",
        f"ICML 2026 Papers\n\n{FIRST}\n",
        FIRST,
    ],
    ids=["lines", "list", "object", "csv", "tsv", "bib", "bib 2", "ris", "heading", "text"],
)
@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_is_known_by_its_content(
    monkeypatch: pytest.MonkeyPatch, content: str, packed: bool
) -> None:
    raw = gzip.compress(content.encode()) if packed else content.encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    (paper,) = read_paths(["-"]).papers
    assert paper.abstract == FIRST
    assert paper.source is not None
    assert paper.source.file == "standard input"


def test_standard_input_stands_among_files_and_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(A.encode())))
    assert titles("-", write(tmp_path / "b.json", B), "-") == ["A", "B"]


def test_there_may_be_no_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="there is no standard input to read"):
        read_paths(["-"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert read_paths(["-"]).papers == ()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("export", f"[{A}, {B}]"),
        ("export.dat", f"{A}\n{B}"),
        ("papers-v1.2", f"{FIRST}\n\n{SECOND}"),
        ("list.out", f"title,abstract\nA,{FIRST}\nB,{SECOND}"),
        ("refs.txt", f"@misc{{x, abstract={{{FIRST}}}}}\n@misc{{y, abstract={{{SECOND}}}}}"),
        ("p.json.gz", f"[{A}, {B}]"),
        ("p.txt.GZ", f"{FIRST}\n\n{SECOND}"),
        ("p.csv.gz", f"title;abstract\nA;{FIRST}\nB;{SECOND}"),
        ("p.bib.gz", f"@misc{{x, abstract={{{FIRST}}}}}\n@misc{{y, abstract={{{SECOND}}}}}"),
        ("p.gz", f"{A}\n{B}"),
        ("p.jsonl", f"{A}\n{B}"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_endings_that_say_nothing_or_too_much(
    tmp_path: Path, name: str, content: str, packed: bool
) -> None:
    raw = content.encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if packed else raw)
    found = read_paths([tmp_path / name])
    assert [paper.abstract for paper in found.papers] == [FIRST, SECOND]
    assert {paper.source.file for paper in found.papers if paper.source} == {name}


def test_a_file_of_no_known_kind_is_refused(tmp_path: Path) -> None:
    for name, content in (("a.html", f"<p>{FIRST}</p>"), ("a.py", "x = 1\n\ny = 2\n")):
        with pytest.raises(InputError, match=r"has no reader; known formats: \.bib "):
            read_paths([write(tmp_path / name, content)])


def test_records_come_one_at_a_time(tmp_path: Path) -> None:
    """Nothing behind the first record is needed to give it."""
    write(tmp_path / "a.jsonl", f"{A}\n{B}\n" * 2_000)
    (tmp_path / "b.json").write_bytes(b"\x80" * 100)
    records = read_records([tmp_path])
    assert getattr(next(records), "title", None) == "A"
    (tmp_path / "b.json").unlink()
    (tmp_path / "a.jsonl").unlink()
    rest = list(records)
    assert "cannot be read: No such file" in str(rest[-1])


def test_the_places_keep_the_order_they_were_named_in(tmp_path: Path) -> None:
    b, a = write(tmp_path / "b.json", B), write(tmp_path / "a.json", A)
    assert [place.name for place in located([b, a, tmp_path])] == ["b.json", "a.json"]
