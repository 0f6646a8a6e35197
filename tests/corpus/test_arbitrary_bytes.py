"""Whatever a file holds: papers, reasons, or one line, and never another exception."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assistant.corpus.paper import Paper
from assistant.corpus.reading import read_paths, readers
from assistant.errors import InputError

FIRST = "We study how caches of large models can be kept small without loss."
SECOND = "We study how point clouds are aligned when the objects bend and move."
THIRD = "We show that naïve résumés of $O(n^2)$ long texts are wrong in 53\\% of cases."

ENDINGS = [*sorted(readers()), "", ".jsonl.gz", ".dat"]

SAMPLES = {
    ".json": json.dumps(
        {"papers": [{"title": "A", "abstract": FIRST}, {"title": "B", "abstract": SECOND}]}
    ),
    ".jsonl": "\n".join(json.dumps({"abstract": text}) for text in (FIRST, SECOND, THIRD)),
    ".csv": f'title,abstract,year\nA,"{FIRST}",2020\nB,"{SECOND}\nmore",2021\nC,{THIRD},2022\n',
    ".bib": (
        f"@string{{x = {{X}}}}\n@article{{a, title={{A}}, abstract={{{FIRST}}}, journal=x}}\n"
        f"@article{{b, author={{Doe, J. and Roe, K.}}, abstract = {{{SECOND}}}}}\n"
    ),
    ".ris": (
        f"TY  - JOUR\nTI  - A\nAB  - {FIRST}\nER  - \n\nTY  - JOUR\nAU  - B, C\nN2  - {SECOND}\nER  - \n"
    ),
    ".txt": f"ICML 2026 Papers\n\n{FIRST}\n\n{SECOND}\n\n{THIRD}\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bytes")


def read(path: Path, content: bytes) -> list[Paper]:
    """Read it; whatever comes out is sound."""
    path.write_bytes(content)
    try:
        found = read_paths([path])
    except InputError:
        return []
    for paper in found.papers:
        assert 40 <= len(paper.abstract) <= 100_000
        assert paper.abstract.encode()
        assert 0 < len(paper.id) <= 128 + 9
        assert paper.id.isprintable()
        assert paper.title is None or paper.title.isprintable() or paper.title.strip()
        assert paper.year is None or 1500 <= paper.year < 2100
        assert paper.source is not None
        assert paper.source.file == path.name
        assert paper.source.ordinal >= 1
        assert Paper.from_dict(json.loads(json.dumps(paper.to_dict()))) == paper
    assert all(skipped.file == path.name and skipped.reason for skipped in found.skipped)
    return list(found.papers)


@pytest.mark.parametrize("ending", ENDINGS)
@given(content=st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
@example(content=b"\x1f\x8b")
@example(content=b"\x1f\x8b\x08\x00")
@example(content=b"[" * 20_000)
@example(content=b'{"a":' * 20_000)
@example(content=b'{"papers": [')
@example(content=b"@article{")
@example(content=b"TY  - \nno tag\nER  - ")
@example(content=b'a,b\n"')
@example(content=b"\xff\xfe\x00")
@example(content=b"[" + b"9" * 5_000 + b"]")
def test_any_bytes(folder: Path, ending: str, content: bytes) -> None:
    read(folder / f"any{ending}", content)


@pytest.mark.parametrize("ending", SAMPLES)
@given(
    at=st.integers(0, 400),
    length=st.integers(0, 5),
    instead=st.binary(max_size=6) | st.sampled_from([b'"', b"{", b"}", b"\n", b"\\", b",", b"@"]),
)
def test_a_few_bytes_changed_anywhere(
    folder: Path, ending: str, at: int, length: int, instead: bytes
) -> None:
    content = SAMPLES[ending].encode()
    read(folder / f"changed{ending}", content[:at] + instead + content[at + length :])


@pytest.mark.parametrize("ending", SAMPLES)
def test_what_stands_before_a_cut_is_kept(folder: Path, ending: str) -> None:
    content = SAMPLES[ending].encode()
    whole = read(folder / f"cut{ending}", content)
    assert len(whole) >= 2
    for at in range(len(content)):
        papers = read(folder / f"cut{ending}", content[:at])
        # Only plain text and the last cell of a table cannot show that they were cut.
        assert [paper.abstract for paper in papers[:-1]] == [
            paper.abstract for paper in whole[: max(0, len(papers) - 1)]
        ]
        kept = content[:at].count(b"without loss.") and (
            ending != ".json" or b"}, {" in content[:at]
        )
        if at > content.index(FIRST.encode()) + len(FIRST) + 30 and kept:
            assert papers[0].abstract == FIRST


@given(cut=st.integers(20, 20_000))
def test_a_compressed_file_cut_anywhere_gives_what_came_before(folder: Path, cut: int) -> None:
    lines = [json.dumps({"abstract": f"{FIRST} {i * 7919 % 10_007} {i}"}) for i in range(3_000)]
    packed = gzip.compress("\n".join(lines).encode())
    path = folder / "cut.jsonl.gz"
    path.write_bytes(packed[:cut])
    try:
        found = read_paths([path])
    except InputError:
        assert cut < 600
        return
    assert [paper.source and paper.source.ordinal for paper in found.papers] == [
        *range(1, len(found.papers) + 1)
    ]
    if cut < len(packed):
        assert found.skipped[-1].partial
        assert "damaged or cut off" in found.skipped[-1].reason


@pytest.mark.parametrize("kind", ["list.json", "lines.jsonl", "some.txt", "some.csv", "some.ris"])
def test_a_cut_compressed_file_of_any_format_gives_what_came_before(
    folder: Path, kind: str
) -> None:
    abstracts = [f"{FIRST} {i * 7919 % 10_007} {i}." for i in range(2_000)]
    written = {
        "list.json": json.dumps([{"abstract": each} for each in abstracts]),
        "lines.jsonl": "\n".join(json.dumps({"abstract": each}) for each in abstracts),
        "some.txt": "\n\n".join(abstracts),
        "some.csv": "abstract\n" + "\n".join(abstracts),
        "some.ris": "".join(f"TY  - JOUR\nAB  - {each}\nER  - \n" for each in abstracts),
    }
    packed = gzip.compress(written[kind].encode())
    path = folder / f"{kind}.gz"
    path.write_bytes(packed[: len(packed) // 2])
    found = read_paths([path])
    assert len(found.papers) > 600
    assert [paper.abstract for paper in found.papers[:-1]] == abstracts[: len(found.papers) - 1]
    assert found.skipped[-1].partial
    assert "is damaged or cut off here" in found.skipped[-1].reason


def test_a_compressed_file_of_which_nothing_is_left_does_not_say_that_anything_was_read(
    folder: Path,
) -> None:
    path = folder / "one.json.gz"
    path.write_bytes(gzip.compress(json.dumps([{"abstract": FIRST * 50}]).encode())[:-20])
    found = read_paths([path])
    assert not found.papers
    (told,) = found.skipped
    assert told.partial
    assert told.reason == "is damaged or cut off here"


LONG = 100_000
HOSTILE = {
    "blank lines": (".txt", "\n" * 250_000 + FIRST),
    "blanks": (".json", json.dumps([{"abstract": f"<p>{' ' * LONG}x</p>"}])),
    "tags": (".json", json.dumps([{"abstract": "<p>" + "<p " * (LONG // 4) + "</p>"}])),
    "lists in lists": (
        ".json",
        f'[{{"abstract": "{FIRST}", "url": {"[" * 900}{"]" * 900}}}]',
    ),
    "records in records": (".json", '{"a":' * 900 + "1" + "}" * 900),
    "openings of mathematics": (".bib", "@misc{k, abstract={" + "\\( \\'e" * (LONG // 8) + "}}"),
    "dollars": (".bib", "@misc{k, abstract={" + "\\'e$" * (LONG // 5) + "}}"),
    "braces": (".bib", "@misc{k, title={" + "{" * 900 + "}" * 900 + "}, abstract={x}}"),
    "at signs": (".bib", "@a{" * (LONG // 9)),
    "ands": (".bib", "@misc{k, author={" + " and " * (LONG // 5) + "}, abstract={x}}"),
    "commas": (".json", json.dumps([{"abstract": FIRST, "authors": ", " * LONG}])),
    "quotes": (".csv", "title,abstract\n" + '"' * LONG),
    "broken records": (".json", "[" + '{"abstract": "x" 1}, ' * (LONG // 20)),
    "starts": (".json", "[" + '{"a": ' * (LONG // 6)),
    "tags of RIS": (".ris", "TY  - \n" * (LONG // 7)),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", HOSTILE)
def test_nothing_takes_longer_than_its_length_asks_for(folder: Path, kind: str) -> None:
    ending, content = HOSTILE[kind]
    read(folder / f"hostile{ending}", content.encode())


def test_an_endless_list_of_authors_is_read(folder: Path) -> None:
    names = [f"A. Name{i}" for i in range(3_000)]
    records = [{"abstract": FIRST, "authors": ", ".join(names)}]
    (paper,) = read(folder / "authors.json", json.dumps(records).encode())
    assert list(paper.authors) == names
