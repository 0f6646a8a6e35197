"""Years, venues and authors in a question, asked for or ruled out."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.corpus.paper import Paper
from assistant.index.index import Index
from assistant.index.snapshot import Snapshot
from assistant.retrieval.query import understand
from tests.index.stand_in import StandIn, settings_in

PAPERS = [
    Paper(
        id="p-1",
        abstract="We teach robots to walk on ice with two legs.",
        authors=("Ada Lovelace", "Bob de Vries"),
        venue="International Conference on Machine Learning",
        year=2024,
    ),
    Paper(
        id="p-2",
        abstract="We sort letters of the alphabet by their colour.",
        authors=("Łukasz Müller",),
        venue="ICLR",
        year=2025,
    ),
    Paper(id="p-3", abstract="We count clouds over the sea every single day."),
]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder: Path = tmp_path_factory.mktemp("filtering")
    with Index(settings_in(folder), StandIn()) as index:
        index.sync(PAPERS, source="some")
        return index.snapshot()


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("papers by Ada Lovelace", {"author": "Ada Lovelace"}),
        ("Which papers did Ada Lovelace write?", {"author": "Ada Lovelace"}),
        ("How many papers has Lovelace written?", {"author": "Lovelace"}),
        ("What did Bob de Vries publish?", {"author": "Bob de Vries"}),
        ("List Lovelace's papers", {"author": "Lovelace"}),
        ("papers by Lukasz Muller", {"author": "Lukasz Muller"}),
        ("papers by Li", {"author": "Li"}),
        ("papers by Ada Lovelace from 2024", {"author": "Ada Lovelace", "year": 2024}),
        ("Which papers are in ICML?", {"venue": "ICML"}),
        ("Which papers are not in ICML?", {"not": {"venue": "ICML"}}),
        ("How many papers are not from 2024?", {"not": {"year": 2024}}),
        ("Which papers aren't by Ada Lovelace?", {"not": {"author": "Ada Lovelace"}}),
        ("Which papers were published since 2024?", {"year": {"gte": 2024}}),
        ("papers that appeared after 2023", {"year": {"gte": 2024}}),
        ("Which papers have been accepted in 2024?", {"year": 2024}),
        ("everything that came out before 2025", {"year": {"lte": 2024}}),
        ("Which papers were released until 2024?", {"year": {"lte": 2024}}),
        ("Has Ada Lovelace written anything on robots?", {"author": "Ada Lovelace"}),
        ("Does Ada Lovelace have a paper here?", {"author": "Ada Lovelace"}),
        ("papers of Ada Lovelace", {"author": "Ada Lovelace"}),
        ("papers co-authored by Ada Lovelace", {"author": "Ada Lovelace"}),
        ("papers of Interest", {}),
        ("Which papers are improved by Transformers?", {}),
        ("Which papers study walking?", {}),
    ],
)
def test_what_papers_are_asked_by(
    question: str, where: dict[str, object], snapshot: Snapshot
) -> None:
    assert understand(question, snapshot).where == where


def test_what_is_ruled_out_is_left_out(snapshot: Snapshot) -> None:
    def ids(where: dict[str, object]) -> list[str]:
        return [snapshot.paper(int(row)).id for row in snapshot.rows_where(where)]

    assert ids({"not": {"venue": "ICML"}}) == ["p-2", "p-3"]
    assert ids({"not": {"year": {"gte": 2025}}, "author": "Ada"}) == ["p-1"]
    assert ids({"author": "Bob"}) == ["p-1"]
    assert ids({"author": "ries"}) == []


def test_a_paper_is_named_by_its_id(snapshot: Snapshot) -> None:
    assert understand("What does p-1 teach?", snapshot).focus == ()
    seeds = [Paper(id="2401.00017", abstract="We sort many letters by their colour and size.")]
    with Index(settings_in(Path(snapshot.folder) / "ids"), StandIn()) as index:
        index.sync(seeds, source="some")
        assert understand("What does 2401.00017 say?", index.snapshot()).focus == (0,)
