"""OpenAlex: abstracts as an index of words, names under other names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.corpus.reading import ReadResult, read_paths

FIRST = "We study how caches of large models can be kept small without loss."
A = {"title": "A", "abstract": FIRST}


def read(folder: Path, content: object) -> ReadResult:
    (folder / "works.json").write_text(json.dumps(content), encoding="utf-8")
    return read_paths([folder / "works.json"])


def reasons(found: ReadResult) -> list[tuple[int, str]]:
    return [(skipped.place, skipped.reason) for skipped in found.skipped]


def test_an_index_of_words_is_put_in_order(tmp_path: Path) -> None:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(FIRST.split()):
        places.setdefault(word, []).append(place)
    work = {
        "id": "https://openalex.org/W1",
        "title": None,
        "display_name": "Small caches",
        "publication_year": 2024,
        "abstract_inverted_index": places,
        "authorships": [{"author": {"id": "A1", "display_name": "Ada Lovelace"}}],
        "primary_location": {
            "landing_page_url": "https://a.b/c",
            "source": {"display_name": "NeurIPS"},
        },
        "topics": [{"id": "T1", "display_name": "Caches"}],
    }
    without = {**work, "id": "https://openalex.org/W2", "abstract_inverted_index": None}
    found = read(tmp_path, {"meta": {"count": 2}, "results": [work, without]})
    (paper,) = found.papers
    assert (paper.abstract, paper.title, paper.authors) == (
        FIRST,
        "Small caches",
        ("Ada Lovelace",),
    )
    assert (paper.venue, paper.year, paper.url) == ("NeurIPS", 2024, "https://a.b/c")
    assert reasons(found) == [(2, "no abstract")]


@pytest.mark.parametrize("index", [{"a": 1}, {"a": ["b"]}, {"a": [True]}, {"name": "x"}, {}])
def test_what_only_looks_like_an_index_is_no_abstract(index: object, tmp_path: Path) -> None:
    found = read(tmp_path, [A, {"title": "B", "abstract_inverted_index": index}])
    assert len(found.papers) == 1
    assert len(found.skipped) == 1
