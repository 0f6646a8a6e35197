"""Faults that people reported of similar software, each as a kind and not as one case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.paper import Paper
from assistant.corpus.reading import read_paths, readers
from assistant.resources import seeds_dir

FIRST = "We study how caches of large models can be kept small without loss."
SECOND = "We study how point clouds are aligned when the objects bend and move."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("troubles")


@given(
    st.sampled_from(sorted(path.name for path in seeds_dir().glob("*.txt"))),
    st.lists(st.sampled_from(["\n", "\r\n"]), min_size=1, max_size=7) | st.just(["\r"]),
    st.lists(st.sampled_from(["", "  ", "\t", "\u00a0", " \t\u3000"]), min_size=1, max_size=5),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le"]),
)
def test_line_ends_blanks_and_encoding_never_change_which_papers_a_text_holds(
    folder: Path, name: str, ends: list[str], blanks: list[str], encoding: str
) -> None:
    """Text cut at LF LF alone makes one giant record of a file from Windows."""
    lines = (seeds_dir() / name).read_text(encoding="utf-8").split("\n")
    changed = "".join(
        (line or blanks[i % len(blanks)]) + ends[i % len(ends)] for i, line in enumerate(lines)
    )
    (folder / name).write_bytes(changed.encode(encoding))
    (folder / "papers.tsv").write_bytes((seeds_dir() / "papers.tsv").read_bytes())
    expected = [
        paper
        for paper in read_paths([seeds_dir()]).papers
        if paper.source and paper.source.file == name
    ]
    assert len(expected) == 19
    found = read_paths([folder / name])
    assert list(found.papers) == expected
    assert found.skipped == ()


@pytest.mark.parametrize("kind", ["txt", "json", "jsonl", "csv", "bib", "ris"])
def test_the_same_abstract_twice_has_one_id_and_stops_nothing(tmp_path: Path, kind: str) -> None:
    """Ids made of the text collide within a batch, and the store refuses the whole batch."""
    texts = [FIRST, f"{FIRST} ", SECOND]
    (tmp_path / f"a.{kind}").write_text(written(kind, texts))
    (tmp_path / f"b.{kind}").write_text(written(kind, [f"  {FIRST}"]))
    found = read_paths([tmp_path])
    assert found.skipped == ()
    assert len(found.papers) == 4
    ids = {paper.id for paper in found.papers}
    hashes = {paper.content_hash for paper in found.papers}
    assert len(hashes) == 2
    assert len(ids) == (3 if kind == "bib" else 2)
    assert {paper.source.file for paper in found.papers if paper.source} == {
        f"a.{kind}",
        f"b.{kind}",
    }


def written(kind: str, texts: list[str]) -> str:
    match kind:
        case "json":
            return json.dumps([{"abstract": text} for text in texts])
        case "jsonl":
            return "\n".join(json.dumps({"abstract": text}) for text in texts)
        case "csv":
            return "\n".join(["title,abstract", *(f",{text}" for text in texts)])
        case "bib":
            # An entry has a key of its own: the same text under two keys is two papers.
            return "\n".join(
                f"@misc{{{'second' if SECOND in text else f'first{i > 0}'}, abstract={{{text}}}}}"
                for i, text in enumerate(texts)
            )
        case "ris":
            return "\n".join(f"TY  - JOUR\nAB  - {text}\nER  - " for text in texts)
        case _:
            return "\n\n".join(texts)


@pytest.mark.parametrize(
    "nothing", [None, "", "None", "nan", "N/A", [], {}, float("nan"), {"value": None}, "null"]
)
def test_what_is_not_known_is_absent_and_never_a_word(tmp_path: Path, nothing: object) -> None:
    """A None among the metadata makes the store refuse a batch; as text it is shown to people."""
    known = {
        "title": "T",
        "venue": "V",
        "year": 2020,
        "url": "https://a.example",
        "authors": ["A B"],
    }
    names = (*known, "keywords", "id")
    records = [
        {"abstract": FIRST, **known},
        {"abstract": SECOND},
        {"abstract": f"{FIRST} {SECOND}", **dict.fromkeys(names, nothing)},
    ]
    (tmp_path / "papers.json").write_text(json.dumps(records))
    full, bare, said = read_paths([tmp_path]).papers
    assert full.to_dict() | known == full.to_dict()
    for paper in (bare, said):
        data = paper.to_dict()
        assert [data[key] for key in ("title", "venue", "year", "url")] == [None] * 4
        assert data["authors"] == data["keywords"] == []
        assert paper.id == paper.content_hash[:16]
        # A neutral label made of the abstract's own words, no invented title.
        assert paper.label.removesuffix(" …") in paper.abstract
        assert Paper.from_dict(data) == paper


def test_every_reader_has_its_tests() -> None:
    assert set(readers()) == set(
        ".bib .bibtex .ciw .csv .json .jsonl .md .nbib .ndjson .ris .tab .text .tsv .txt".split()
    )
