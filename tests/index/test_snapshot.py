from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.chunking import embedded_text
from assistant.corpus.paper import Paper, Passage
from assistant.errors import IndexDamagedError, InputError, ModelError
from assistant.index import snapshot as snapshots
from assistant.index.filters import fold, sql_condition
from assistant.index.index import Index
from assistant.index.mark import current_folder
from assistant.index.snapshot import Snapshot
from tests.index.servers import use_server
from tests.index.stand_in import StandIn, settings_in, some_papers

DAMAGES = ("cut", "gone", "longer")
LONG = Paper(id="long", abstract=" ".join(f"Sentence {i} has six words." for i in range(60)))


def index_of(folder: Path, papers: list[Paper], embedder: StandIn | None = None) -> Index:
    index = Index(settings_in(folder), embedder)
    index.sync(papers, source="some")
    return index


def generation(index: Index) -> Path:
    folder = current_folder(index.folder)
    assert folder is not None
    return folder


@pytest.fixture(scope="module")
def embedder() -> StandIn:
    return StandIn(max_tokens=60)


@pytest.fixture(scope="module", params=["local", "server", "another machine"])
def snapshot(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, embedder: StandIn
) -> Snapshot:
    """The same papers in an index of this machine, on a server, and as another machine has them."""
    folder = tmp_path_factory.mktemp("data")
    papers = [*some_papers(20), LONG, *some_papers(3, start=30)]
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "local":
            use_server(request.getfixturevalue("chroma_server"), patch)
        index = index_of(folder, papers, embedder)
        if request.param == "another machine":
            index = Index(settings_in(tmp_path_factory.mktemp("other")), embedder)
        return index.snapshot()


class TestPapers:
    def test_rows_follow_the_order_of_arrival(self, snapshot: Snapshot) -> None:
        expected = [*some_papers(20), LONG, *some_papers(3, start=30)]
        assert [snapshot.paper(row) for row in range(len(snapshot))] == expected
        assert list(snapshot.papers()) == expected
        assert [snapshot.row(p.id) for p in expected] == list(range(24))
        assert snapshot.row("unknown") is None
        assert len(snapshot.lexical) == 24

    def test_a_row_that_is_not_there(self, snapshot: Snapshot) -> None:
        with pytest.raises(IndexError):
            snapshot.paper(24)

    def test_passages_are_exact_pieces_in_order(self, snapshot: Snapshot) -> None:
        assert list(np.unique(snapshot.passage_papers)) == list(range(24))
        of_long = snapshot.passage_spans[snapshot.passage_papers == 20]
        assert len(of_long) > 3
        assert snapshot.passage_spans.dtype == snapshot.passage_papers.dtype == np.int32
        covered = "".join(LONG.abstract[start:end] for start, end in of_long)
        assert covered.replace(" ", "") == LONG.abstract.replace(" ", "")


class TestCosines:
    def test_the_best_passage_of_each_paper_counts(
        self, snapshot: Snapshot, embedder: StandIn
    ) -> None:
        query = embedder.embed_query("a question")
        expected = []
        for row in range(len(snapshot)):
            paper = snapshot.paper(row)
            texts = [
                embedded_text(paper, Passage(paper.id, paper.abstract[s:e], s, e))
                for s, e in snapshot.passage_spans[snapshot.passage_papers == row]
            ]
            expected.append(max(float(query @ embedder.embed_query(text)) for text in texts))
        found = snapshot.cosines(3 * query)
        assert found.dtype == np.float32
        assert np.allclose(found, expected, atol=1e-6)

    def test_chroma_finds_the_same(self, snapshot: Snapshot, embedder: StandIn) -> None:
        query = embedder.embed_query("a question")
        exact = snapshot.cosines(query, dense="exact")
        assert np.allclose(snapshot.cosines(query, dense="chroma"), exact, atol=1e-5)

    def test_above_the_limit_chroma_is_asked_and_may_be_missing(
        self, tmp_path: Path, embedder: StandIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        index = index_of(tmp_path, some_papers(30), embedder)
        query = embedder.embed_query("a question")
        exact = index.snapshot().cosines(query)
        monkeypatch.setattr(snapshots, "EXACT_LIMIT", 10)
        monkeypatch.setattr(snapshots, "_CHROMA_CANDIDATES", 5)
        named = index.snapshot().cosines(query)
        best = np.argsort(-exact)[:5]
        assert sorted(np.flatnonzero(named)) == sorted(best)
        assert np.allclose(named[best], exact[best], atol=1e-5)

        old = Snapshot(generation(index))
        index.remove(["p0"])
        assert np.allclose(old.cosines(query), exact)
        assert "every vector was compared" in old.notices[0]
        with pytest.raises(IndexDamagedError, match="no Chroma store"):
            old.cosines(query, dense="chroma")

    def test_a_query_of_another_embedder_is_named(self, snapshot: Snapshot) -> None:
        with pytest.raises(InputError, match="another embedder"):
            snapshot.cosines(np.ones(8, dtype=np.float32))

    def test_a_papers_own_vector_is_the_mean_of_its_passages(
        self, snapshot: Snapshot, embedder: StandIn
    ) -> None:
        paper = snapshot.paper(2)
        vector = snapshot.vector(2)
        assert vector is not None
        assert np.allclose(vector, embedder.embed_query(paper.indexed_text), atol=1e-6)
        mean = snapshot.vector(20)
        assert mean is not None
        assert float(np.linalg.norm(mean)) == pytest.approx(1, abs=1e-5)

    def test_without_an_embedder_nothing_is_known(self, tmp_path: Path) -> None:
        with index_of(tmp_path, some_papers(3)) as index:
            snapshot = index.snapshot()
        assert snapshot.embedder_name is None
        assert snapshot.vectors_ready == 0
        assert np.isnan(snapshot.cosines(np.ones(4, dtype=np.float32))).tolist() == [True] * 3
        assert snapshot.vector(0) is None

    def test_where_vectors_are_missing_still_the_cosine_is_not_a_number(
        self, tmp_path: Path
    ) -> None:
        embedder = StandIn(batch=4, fail_after=8)
        index = Index(settings_in(tmp_path), embedder)
        with pytest.raises(ModelError, match="8 of 12"):
            index.sync(some_papers(12), source="some")
        snapshot = index.snapshot()
        query = embedder.embed_query("q")
        for cosines in (snapshot.cosines(query), snapshot.cosines(query, dense="chroma")):
            assert int(np.isnan(cosines).sum()) == 4
        assert snapshot.vectors_ready == 8
        assert sum(snapshot.vector(row) is None for row in range(12)) == 4


WHERE = st.fixed_dictionaries(
    {},
    optional={
        "venue": st.sampled_from(["ICML", "icml ", ["ICML", "ACL"], "ACL", [], None]),
        "year": st.one_of(
            st.integers(2019, 2026),
            st.just("2023"),
            st.lists(st.integers(2019, 2026), max_size=3),
            st.fixed_dictionaries(
                {}, optional={"gte": st.integers(2019, 2026), "lte": st.integers(2019, 2026)}
            ).filter(bool),
        ),
        "author": st.sampled_from(["lovelace", "ADA", "person 3", ["Person 9", "Person 6"], "x"]),
        "keyword": st.sampled_from(["graph learning", "Graph", ["x", "GRAPH  LEARNING"]]),
        "id": st.one_of(st.sampled_from(["p3", "P3"]), st.lists(st.sampled_from(["p1", "p9"]))),
        "source": st.sampled_from(["some", "some.json", "Some", "other"]),
    },
)


def passes(paper: Paper, where: Mapping[str, object]) -> bool:
    """The filter as the documentation says it."""

    def listed(value: object) -> list[object]:
        return list(value) if isinstance(value, list) else [value]

    def one(key: str, value: object) -> bool:
        if key == "year" and isinstance(value, dict):
            return paper.year is not None and (
                value.get("gte", 0) <= paper.year <= value.get("lte", 9_999)
            )
        if key == "year":
            return paper.year in [int(str(item)) for item in listed(value)]
        items = [str(item) for item in listed(value)]
        if key == "id":
            return paper.id in items
        folded = [fold(item) for item in items]
        if key == "author":
            every = " ".join(["", *map(fold, paper.authors), ""])
            return any(f" {item}{' ' * (len(item) < 4)}" in every for item in folded)
        if key == "venue":
            return paper.venue is not None and fold(paper.venue) in folded
        known = (
            paper.keywords
            if key == "keyword"
            else ("some", "some.json" if paper.source else "some")
        )
        return any(fold(name) in folded for name in known)

    return all(value is None or one(key, value) for key, value in where.items())


class TestFilters:
    @given(WHERE)
    def test_like_the_documentation(self, snapshot: Snapshot, where: dict[str, object]) -> None:
        expected = [r for r in range(len(snapshot)) if passes(snapshot.paper(r), where)]
        assert snapshot.rows_where(where).tolist() == expected

    def test_a_venue_is_found_by_its_abbreviation(self, tmp_path: Path) -> None:
        papers = [
            Paper(id="a", abstract="One.", venue="Second Conference on Language Modeling"),
            Paper(id="b", abstract="Two.", venue="International Conference on Machine Learning"),
            Paper(id="c", abstract="Three.", venue="ICML"),
            Paper(id="d", abstract="Four."),
        ]
        with index_of(tmp_path, papers) as index:
            rows = index.snapshot().rows_where
            assert rows({"venue": "COLM"}).tolist() == [0]
            assert rows({"venue": ["icml"]}).tolist() == [1, 2]
            assert rows({"venue": "learning"}).tolist() == []

    def test_accents_do_not_count(self, tmp_path: Path) -> None:
        paper = Paper(id="x", abstract="Text.", authors=("Bernhard Schölkopf",))
        with index_of(tmp_path, [paper]) as index:
            assert index.snapshot().rows_where({"author": "scholkopf"}).tolist() == [0]
            assert index.snapshot().rows_where({"author": "SCHÖLKOPF"}).tolist() == [0]

    @pytest.mark.parametrize(
        "where",
        [
            {"venues": "ICML"},
            {"year": "soon"},
            {"year": {"from": 2020}},
            {"venue": 7},
            {"year": True},
        ],
    )
    def test_what_cannot_be_meant_is_refused(self, where: dict[str, object]) -> None:
        with pytest.raises(InputError):
            sql_condition(where)

    def test_the_refusal_names_the_keys(self, snapshot: Snapshot) -> None:
        for no_filter in ([("year", 2025)], "year", 7):
            with pytest.raises(InputError, match="a filter is a mapping"):
                snapshot.rows_where(no_filter)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="venue, year, author, keyword, id, source"):
            sql_condition({"journal": "x"})

    def test_what_looks_like_sql_is_a_name(self, snapshot: Snapshot) -> None:
        hostile = "x' OR 1=1; DROP TABLE papers; --"
        for key in ("venue", "author", "keyword", "id", "source"):
            assert snapshot.rows_where({key: hostile}).size == 0
        assert len(list(snapshot.papers())) == 24


class TestOpening:
    @pytest.mark.parametrize(
        ("name", "damage"),
        [
            *itertools.product(("rows.npz", "vectors.npy", "papers.sqlite"), DAMAGES),
            *itertools.product(("complete.json", "chroma/chroma.sqlite3"), ("cut", "gone")),
        ],
    )
    def test_a_damaged_file_is_found(self, tmp_path: Path, name: str, damage: str) -> None:
        with index_of(tmp_path, some_papers(5), StandIn()) as index:
            path = generation(index) / name
        content = path.read_bytes()
        if damage == "gone":
            path.unlink()
        else:
            path.write_bytes(content + b"x" if damage == "longer" else content[: len(content) // 2])
        with pytest.raises(IndexDamagedError):
            Snapshot(path.parents[1] if "/" in name else path.parent)

    def test_scrambled_vectors_are_found(self, tmp_path: Path) -> None:
        with index_of(tmp_path, some_papers(5), StandIn()) as index:
            path = generation(index) / "vectors.npy"
        content = path.read_bytes()
        path.write_bytes(content[:-8] + b"\xff\x7f\x00\x45" * 2)
        with pytest.raises(IndexDamagedError, match="length 1"):
            Snapshot(path.parent)

    def test_it_outlives_its_generation(self, tmp_path: Path) -> None:
        embedder = StandIn()
        index = index_of(tmp_path, some_papers(5), embedder)
        old, folder = index.snapshot(), generation(index)
        index.sync(some_papers(2), source="some")
        assert not folder.exists()
        assert len(index.snapshot()) == 2
        assert [old.paper(row).id for row in range(5)] == ["p0", "p1", "p2", "p3", "p4"]
        assert old.rows_where({"id": "p4"}).tolist() == [4]
        assert np.isfinite(old.cosines(embedder.embed_query("q"))).all()

    def test_chroma_is_not_imported(self, tmp_path: Path) -> None:
        index_of(tmp_path, some_papers(5), StandIn()).close()
        code = (
            "import sys, pathlib, numpy\n"
            "from assistant.index.index import Index\n"
            "from tests.index.stand_in import StandIn, settings_in\n"
            f"index = Index(settings_in(pathlib.Path({str(tmp_path)!r})), StandIn())\n"
            "snapshot = index.snapshot()\n"
            "assert snapshot.cosines(numpy.ones(16, 'float32')).shape == (5,)\n"
            "snapshot.paper(0), snapshot.rows_where({'year': 2021})\n"
            "heavy = {'chromadb', 'onnxruntime', 'openai', 'langchain', 'gradio'}\n"
            "print(sorted(heavy & set(sys.modules)))\n"
        )
        root = Path(__file__).parents[2]
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60
        )
        assert (done.stdout.strip(), done.stderr) == ("[]", "")
