"""From paths to papers: what is found, what is refused, and in which words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistant.corpus.paper import Paper
from assistant.corpus.reading import Skipped, read_paths, readers
from assistant.errors import InputError
from assistant.resources import seeds_dir

FIRST = "We study how caches of large models can be kept small without loss."
SECOND = "We study how point clouds are aligned when the objects bend and move."


def write(path: Path, *abstracts: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(abstracts) + "\n", encoding="utf-8")
    return path


def test_plain_text_has_a_reader() -> None:
    assert {".txt", ".md"} <= set(readers())


def test_the_shipped_papers_are_38_with_what_is_known_of_them() -> None:
    read = read_paths([seeds_dir()])
    assert read.skipped == ()
    wanted = [f"{file:03d}-{number:02d}" for file in (0, 1) for number in range(1, 20)]
    assert [paper.id for paper in read.papers] == wanted
    assert {(paper.venue, paper.year) for paper in read.papers} == {("ICML", 2026)}
    untitled = [paper.id for paper in read.papers if paper.title is None]
    assert untitled == ["000-14"]
    for paper in read.papers:
        assert paper.source is not None
        assert paper.source.ordinal == int(paper.id[-2:])
        assert paper.source.file.startswith(f"{paper.id[:3]}_")
        assert (
            paper.url is None
            or paper.url.startswith("https://arxiv.org/abs/26")
            or (paper.url.startswith("https://arxiv.org/abs/25"))
        )
    assert sum(paper.url is not None for paper in read.papers) == 26


def test_the_shipped_abstracts_stand_in_their_files_letter_for_letter() -> None:
    for paper in read_paths([seeds_dir()]).papers:
        assert paper.source is not None
        raw = (seeds_dir() / paper.source.file).read_bytes()
        assert raw.count(paper.abstract.encode()) == 1


def test_folders_are_read_to_the_bottom_in_a_stable_order(tmp_path: Path) -> None:
    write(tmp_path / "b.txt", FIRST)
    write(tmp_path / "a" / "deep" / "c.MD", SECOND)
    write(tmp_path / "a" / "notes.pdf", FIRST)
    found = read_paths([tmp_path]).papers
    assert [paper.abstract for paper in found] == [SECOND, FIRST]
    assert found == read_paths([str(tmp_path)]).papers


def test_a_home_folder_may_be_written_with_a_tilde(isolated_home: Path) -> None:
    write(isolated_home / "papers.txt", FIRST)
    assert len(read_paths(["~/papers.txt"]).papers) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nowhere.txt", "nowhere.txt does not exist; give a file or a folder"),
        ("", "holds no file to read; known: "),
        ("picture.png", "picture.png has no reader; known formats: "),
        ("~nobody-of-that-name/x.txt", "does not exist"),
        ("We propose a method " * 40 + ".txt", "cannot be read: "),
        ("loop.txt", "does not exist"),
    ],
    ids=["missing", "empty folder", "unknown format", "unknown user", "too long", "loop"],
)
def test_what_cannot_be_read_is_said_in_one_line(tmp_path: Path, given: str, said: str) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    path = given if given.startswith("~") else tmp_path / given
    with pytest.raises(InputError) as caught:
        read_paths([path])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file no one can read")
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory.txt").symlink_to("/proc/self/mem")
    with pytest.raises(InputError, match=r"memory\.txt cannot be read: "):
        read_paths([tmp_path])


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="root may read everything")
def test_a_file_without_permission_is_named(tmp_path: Path) -> None:
    write(tmp_path / "closed.txt", FIRST).chmod(0)
    with pytest.raises(InputError, match=r"closed\.txt cannot be read: Permission denied"):
        read_paths([tmp_path])


def test_a_record_too_short_to_be_an_abstract_is_left_out_and_told(tmp_path: Path) -> None:
    read = read_paths([write(tmp_path / "a.txt", FIRST, "See above.", SECOND)])
    assert [paper.abstract for paper in read.papers] == [FIRST, SECOND]
    assert [str(skipped) for skipped in read.skipped] == [
        "a.txt:3: too short to be an abstract: 'See above.'"
    ]
    assert read.skipped[0] == Skipped("a.txt", 3, "too short to be an abstract: 'See above.'")
    assert [paper.source and paper.source.ordinal for paper in read.papers] == [1, 3]


def test_papers_that_claim_one_id_keep_their_own(tmp_path: Path) -> None:
    """Two files of the same number hold different papers: neither may hide the other."""
    write(tmp_path / "x" / "007_0123456789abcdef.txt", FIRST)
    write(tmp_path / "y" / "007_0123456789abcdef.txt", SECOND)
    found = read_paths([tmp_path]).papers
    assert [paper.abstract for paper in found] == [FIRST, SECOND]
    assert found[0].id == "007-01"
    assert found[1].id.startswith("007-01-")


def test_the_same_text_has_the_same_id_wherever_it_stands(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", FIRST, SECOND)
    write(tmp_path / "b.txt", f"  {FIRST.upper()}  ")
    first, _, again = read_paths([tmp_path]).papers
    assert isinstance(first, Paper)
    assert first.id == again.id
