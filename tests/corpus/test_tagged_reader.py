"""Exports of PubMed and of the Web of Science, whatever their file is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.corpus.paper import Paper
from assistant.corpus.reading import read_paths
from assistant.errors import InputError

FIRST = "Nurses and robots share a ward for a year, and nobody falls more often than before."
SECOND = "Sparse attention halves the memory that a long context needs, at no cost in accuracy."
PUBMED = """
PMID- 101
OWN - NLM
TI  - Robots in
      hospitals
LID - 10.1000/ward [doi]
AB  - Nurses and robots share a ward for a year, and nobody
      falls more often than before.
FAU - Lovelace, Ada
AU  - Lovelace A
FAU - Gödel, Kurt
OT  - robots
OT  - *nursing
DP  - 2021 Jan
JT  - The Lancet

PMID- 102
TI  - No abstract here
FAU - Nobody, No

PMID- 103
TI  - Attention
AB  - Sparse attention halves the memory that a long context needs, at no cost in accuracy.
"""
WEB_OF_SCIENCE = f"""FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Lovelace, A
   Godel, K
AF Lovelace, Ada
   Gödel, Kurt
TI Robots in
   hospitals
SO LANCET
DE robots; nursing
AB {FIRST}
PY 2021
DI 10.1000/ward
UT WOS:000101
ER

PT J
TI Attention
AB {SECOND}
UT WOS:000103
ER

EF
"""


def read(folder: Path, name: str, content: str) -> tuple[list[Paper], list[tuple[int, str]]]:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    found = read_paths([path])
    return list(found.papers), [(each.place, each.reason) for each in found.skipped]


@pytest.mark.parametrize(
    ("name", "content", "record", "url", "left_out"),
    [
        *(
            (
                name,
                PUBMED,
                ("101", "Robots in hospitals", "The Lancet", 2021),
                "https://pubmed.ncbi.nlm.nih.gov/101/",
                [(17, "no abstract")],
            )
            for name in ("export.nbib", "pubmed-robots.txt")
        ),
        *(
            (
                name,
                WEB_OF_SCIENCE,
                ("WOS:000101", "Robots in hospitals", "LANCET", 2021),
                "https://doi.org/10.1000/ward",
                [],
            )
            for name in ("savedrecs.ciw", "savedrecs.txt")
        ),
    ],
)
def test_an_export_of_either_kind(
    name: str,
    content: str,
    record: tuple[str, str, str, int],
    url: str,
    left_out: list[tuple[int, str]],
    tmp_path: Path,
) -> None:
    papers, skipped = read(tmp_path, name, content)
    assert [paper.abstract for paper in papers] == [FIRST, SECOND]
    first = papers[0]
    assert (first.id, first.title, first.venue, first.year) == record
    assert first.authors == ("Ada Lovelace", "Kurt Gödel")
    assert first.keywords == ("robots", "nursing")
    assert first.url == url
    assert skipped == left_out


def test_an_export_without_abstracts_says_what_it_has(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no field that is known to hold abstracts.*'title'"):
        read(tmp_path, "x.nbib", "PMID- 1\nTI  - A title\n\nPMID- 2\nTI  - Another\n")


def test_a_record_that_never_ends_is_kept(tmp_path: Path) -> None:
    papers, skipped = read(tmp_path, "cut.nbib", PUBMED.rstrip()[:-10])
    assert [paper.id for paper in papers] == ["101", "103"]
    assert len(skipped) == 1
