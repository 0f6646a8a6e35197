"""Several machines share a collection: each has a folder of its own and the same server."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from assistant.corpus.paper import Paper
from assistant.errors import InputError, ModelError
from assistant.index import snapshot as snapshots
from assistant.index.index import Index
from assistant.index.report import SyncReport
from assistant.index.shared.passages import RemotePassages
from tests.chroma_server import ChromaServer
from tests.index.stand_in import StandIn, current, in_chroma, settings_in, some_papers

ROOT = Path(__file__).parents[3]
Machine = Callable[..., Index]


@pytest.fixture
def machine(tmp_path: Path, on_server: ChromaServer) -> Iterator[Machine]:
    """Gives a machine's index; a name stands for a machine."""
    opened: list[Index] = []

    def open_machine(name: str, embedder: StandIn | None = None, *, dense: bool = True) -> Index:
        made = embedder or (StandIn() if dense else None)
        opened.append(Index(settings_in(tmp_path / name), made))
        return opened[-1]

    yield open_machine
    for index in opened:
        index.close()


def made(index: Index) -> list[str]:
    assert isinstance(index.embedder, StandIn)
    return index.embedder.embedded


def rows(index: Index) -> list[Paper]:
    return list(index.snapshot().papers())


class TestSharing:
    def test_what_one_writes_the_other_finds(self, machine: Machine) -> None:
        one, other = machine("one"), machine("other")
        assert not other.exists()
        assert one.sync(some_papers(20), source="a").added == 20
        assert rows(other) == some_papers(20)
        assert other.snapshot().vectors_ready == 20
        assert made(other) == []
        assert other.check(deep=True) == one.check(deep=True) == []

    def test_an_empty_server_says_what_to_do(self, machine: Machine) -> None:
        with pytest.raises(
            InputError, match=r"'papers' holds no papers on http.*: run `assistant sync"
        ):
            machine("one").snapshot()

    def test_only_what_is_new_is_embedded_and_only_by_one(self, machine: Machine) -> None:
        one, other = machine("one"), machine("other")
        one.sync(some_papers(20), source="a")
        report = other.sync(some_papers(10, start=15), source="b")
        assert report == SyncReport(added=5, unchanged=5, papers=25)
        assert len(made(other)) == 5
        assert other.sync(some_papers(10, start=15), source="b").unchanged == 10
        assert len(rows(one)) == 25
        assert len(made(one)) == 20

    def test_a_repeated_run_on_another_machine_changes_nothing(self, machine: Machine) -> None:
        one, other = machine("one"), machine("other")
        one.sync(some_papers(12), source="a")
        before = rows(one)
        generation = one.snapshot().generation
        assert other.sync(some_papers(12), source="a").unchanged == 12
        assert made(other) == []
        assert rows(one) == before
        assert one.snapshot().generation == generation

    def test_a_paper_stays_while_another_source_lists_it(self, machine: Machine) -> None:
        one, other = machine("one"), machine("other")
        one.sync(some_papers(6), source="a")
        other.sync(some_papers(6, start=3), source="b")
        assert one.sync([], source="a").removed == 3
        assert [p.id for p in rows(other)] == ["p3", "p4", "p5", "p6", "p7", "p8"]
        assert len(in_chroma(other.snapshot())) == 6
        assert other.sync([], source="b").removed == 6
        assert rows(one) == []
        assert in_chroma(one.snapshot()) == {}
        assert one.exists()

    def test_two_sources_that_disagree_do_not_quarrel(self, machine: Machine) -> None:
        one, other = machine("one"), machine("other")
        mine = Paper(id="x", abstract="The text.", title="As the first file has it")
        theirs = Paper(id="x", abstract="The text.", title="As the second file has it")
        one.sync([mine], source="a")
        assert other.sync([theirs], source="b").changed == 1
        assert rows(one) == rows(other) == [theirs]
        assert one.sync([mine], source="a").unchanged == 1
        assert other.sync([theirs], source="b").unchanged == 1
        assert rows(one) == rows(other) == [theirs]
        other.sync([], source="b")
        assert rows(one) == rows(other) == [mine]
        one.sync([mine], source="a")
        assert machine("third").snapshot().vectors_ready == 1

    def test_a_paper_listed_while_it_is_removed_keeps_its_passages(
        self, machine: Machine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, other = machine("one"), machine("other")
        one.sync(some_papers(4), source="a")
        assert len(rows(other)) == 4
        take_out = RemotePassages.take_out

        def late(self: RemotePassages, papers: Sequence[str]) -> dict[str, list[Any]]:
            # The other machine finds the passages still there, so it writes the record alone.
            patch.setattr(RemotePassages, "take_out", take_out)
            other.sync(some_papers(4), source="b")
            return take_out(self, papers)

        with monkeypatch.context() as patch:
            patch.setattr(RemotePassages, "take_out", late)
            assert one.sync(some_papers(1), source="a").removed == 3
        assert len(rows(one)) == 4
        assert set(in_chroma(one.snapshot())) == {"p0#0", "p1#0", "p2#0", "p3#0"}
        assert machine("third").snapshot().vectors_ready == 4
        assert len(made(other)) == 0

    def test_removed_by_name_is_removed_for_everybody(self, machine: Machine) -> None:
        one, other = machine("one"), machine("other")
        one.sync(some_papers(6), source="a")
        other.sync(some_papers(3), source="b")
        assert other.remove(["p1", "p5", "unknown"]) == 2
        assert [p.id for p in rows(one)] == ["p0", "p2", "p3", "p4"]
        assert set(in_chroma(one.snapshot())) == {"p0#0", "p2#0", "p3#0", "p4#0"}
        assert one.check(deep=True) == other.check(deep=True) == []

    def test_filters_know_every_source(self, machine: Machine) -> None:
        one, other = machine("one"), machine("other")
        one.sync(some_papers(4), source="mine.json")
        other.sync(some_papers(4, start=2), source="theirs.json")
        for index in (one, other):
            found = index.snapshot().rows_where({"source": "theirs.json"})
            assert found.tolist() == [2, 3, 4, 5]

    def test_a_paper_that_shrinks_leaves_no_passage_behind(self, machine: Machine) -> None:
        text = " ".join(f"Sentence {i} has six words." for i in range(60))
        one = machine("one", StandIn(max_tokens=60))
        one.sync([Paper(id="x", abstract=text)], source="a")
        assert len(in_chroma(one.snapshot())) > 3
        one.sync([Paper(id="x", abstract="Short now.")], source="a")
        assert in_chroma(one.snapshot()) == {"x#0": "Short now."}
        other = machine("other", StandIn(max_tokens=60))
        assert other.snapshot().mark.passages == 1
        assert other.check(deep=True) == []


class TestSameEverywhere:
    def test_rows_and_cosines_do_not_depend_on_the_machine(self, machine: Machine) -> None:
        early, late = machine("early"), machine("late")
        early.sync(some_papers(5, start=10), source="b")
        late.sync(some_papers(5), source="a")
        early.sync([*some_papers(3, start=10), *some_papers(4, start=20)], source="b")
        late.sync(some_papers(7), source="a")
        newcomer = machine("newcomer")
        query = StandIn().embed_query("a question")
        first = early.snapshot()
        for index in (late, newcomer):
            snapshot = index.snapshot()
            assert list(snapshot.papers()) == list(first.papers())
            # Bit by bit: a tie must be the same tie everywhere.
            assert snapshot.cosines(query).tobytes() == first.cosines(query).tobytes()
            assert snapshot.passage_spans.tolist() == first.passage_spans.tolist()
            mine, others = (s.lexical.scores(["topic3"]) for s in (first, snapshot))
            assert np.array_equal(mine, others)

    def test_a_clock_that_runs_behind_does_not_part_the_rows(
        self, machine: Machine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, other = machine("one"), machine("other")
        one.sync(some_papers(4), source="a")
        assert len(rows(other)) == 4
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda: 1_000.0)
            other.sync(some_papers(4, start=10), source="b")
        assert rows(one) == rows(other) == rows(machine("third"))
        assert one.check(deep=True) == []

    def test_above_the_limit_the_server_is_asked(
        self, machine: Machine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one = machine("one")
        one.sync(some_papers(30), source="a")
        query = StandIn().embed_query("a question")
        exact = one.snapshot().cosines(query)
        monkeypatch.setattr(snapshots, "EXACT_LIMIT", 10)
        monkeypatch.setattr(snapshots, "_CHROMA_CANDIDATES", 5)
        other = machine("other").snapshot()
        named = other.cosines(query)
        best = np.argsort(-exact)[:5]
        assert sorted(np.flatnonzero(named)) == sorted(best)
        assert np.allclose(named[best], exact[best], atol=1e-5)
        # A server that is ahead names what is not in this copy yet.
        one.sync([Paper(id="p0", abstract="Another."), *some_papers(40, start=1)], source="a")
        assert np.isfinite(other.cosines(query)).all()


class TestEmbedders:
    def test_vectors_of_two_embedders_never_meet(self, machine: Machine) -> None:
        one, other = machine("one"), machine("other", StandIn(revision="2"))
        one.sync(some_papers(5), source="a")
        assert len(rows(other)) == 5
        assert other.mismatch is not None
        assert "`assistant sync --rebuild`" in other.mismatch
        assert other.sync(some_papers(6), source="b").added == 1
        # All six of them: the five of the first machine have no vectors of the second embedder.
        assert len(made(other)) == 6
        assert other.mismatch is None
        assert one.mismatch is None
        assert len(rows(one)) == 6
        assert one.snapshot().vectors_ready == 5
        one.sync(some_papers(5), source="a")
        assert len(made(one)) == 6
        assert (one.snapshot().vectors_ready, other.snapshot().vectors_ready) == (6, 6)
        assert one.check(deep=True) == other.check(deep=True) == []

    def test_without_an_embedder_papers_are_shared_and_found_by_words(
        self, machine: Machine
    ) -> None:
        words, dense = machine("words", dense=False), machine("dense")
        assert words.sync(some_papers(5), source="a").added == 5
        assert (len(rows(dense)), dense.snapshot().vectors_ready) == (5, 0)
        assert dense.mismatch is not None
        dense.sync([], source="b")
        assert dense.snapshot().vectors_ready == 5
        assert words.snapshot().vectors_ready == 5

    def test_a_collection_of_ones_own_is_shared_without_embedding_again(
        self, machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.delenv("CHROMA_URL")
            Index(settings_in(tmp_path / "one"), StandIn()).sync(some_papers(9), source="a")
        one = machine("one")
        assert one.sync(some_papers(9), source="a").added == 9
        assert made(one) == []
        assert machine("other").snapshot().vectors_ready == 9


class TestCutOff:
    def test_what_was_embedded_before_is_not_embedded_again(self, machine: Machine) -> None:
        one = machine("one", StandIn(fail_after=24))
        with pytest.raises(ModelError, match="24 of 60"):
            one.sync(some_papers(60), source="a")
        other = machine("other")
        assert (len(rows(other)), other.snapshot().vectors_ready) == (60, 24)
        assert other.sync(some_papers(60), source="a").unchanged == 60
        assert len(made(other)) == 36
        assert one.snapshot().vectors_ready == 60

    @pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
    def test_killed_while_it_writes_nothing_is_half(self, machine: Machine, tmp_path: Path) -> None:
        reader = machine("reader")
        machine("writer").sync(some_papers(300), source="a")
        assert len(rows(reader)) == 300
        wanted = some_papers(310, words="as corrected, about")
        for stage in ("embedding", "storing", "indexing"):
            child = _killed_at(stage, tmp_path / "writer")
            assert child == -9
            # All of the old version or all of the new one.
            found = rows(reader)
            assert found in (some_papers(300), wanted), f"{len(found)} papers after {stage}"
        writer = machine("writer")
        report = writer.sync(wanted, source="a")
        assert report.papers == 310
        assert made(writer) == []
        assert rows(reader) == rows(machine("newcomer")) == wanted
        assert reader.check(deep=True) == []

    def test_a_copy_that_is_damaged_is_fetched_again(self, machine: Machine) -> None:
        one = machine("one")
        one.sync(some_papers(8), source="a")
        one.close()
        for path in one.folder.glob("catalogue.sqlite*"):
            path.write_bytes(b"no database")
        (current(one) / "vectors.npy").unlink()
        again = machine("one")
        assert len(rows(again)) == 8
        assert "fetched again" in again.notices[0]
        shutil.rmtree(again.folder)
        assert len(rows(again)) == 8
        assert again.check(deep=True) == []

    def test_passages_that_the_server_lost_are_written_again(self, machine: Machine) -> None:
        one = machine("one")
        one.sync(some_papers(8), source="a")
        remote = one.snapshot().remote
        assert remote is not None
        remote.take_out(["p3"])
        assert one.check() == []
        (finding,) = one.check(deep=True)
        assert "1 of 8 passages" in finding
        assert one.rebuild() == 8
        assert one.check(deep=True) == []
        assert machine("other").snapshot().vectors_ready == 8
        assert len(made(one)) == 8

    def test_a_server_set_up_anew_is_filled_without_embedding(self, machine: Machine) -> None:
        one = machine("one")
        one.sync(some_papers(8), source="a")
        assert one.shared is not None
        records, where = one.shared.target.records, one.shared.address
        for name in (records._records, records._summary):
            database = f"{where.url}/api/v2/tenants/{where.tenant}/databases/{where.database}"
            httpx.delete(f"{database}/collections/{name}").raise_for_status()
        one.shared._watch.close()
        one.shared._watch._next = 0.0
        # Its copy goes on answering, and says what it is.
        assert rows(one) == some_papers(8)
        (notice,) = one.notices
        assert notice.startswith("this is the state of 20")
        assert f"{where.place} no longer holds the collection 'papers'" in notice
        assert one.check() == one.check(deep=True) == [notice.partition(": ")[2]]
        with pytest.raises(InputError, match=f"holds no papers on {re.escape(where.place)}"):
            machine("other").snapshot()
        assert one.sync(some_papers(8), source="a").added == 8
        assert len(made(one)) == 8
        assert one.notices == one.check(deep=True) == []
        assert rows(machine("third")) == some_papers(8)


def _killed_at(stage: str, folder: Path) -> int:
    """Sync in a process that is killed in the middle of a stage."""
    code = (
        "import os, pathlib, signal, sys\n"
        "from assistant.index.index import Index\n"
        "from tests.index.stand_in import StandIn, settings_in, some_papers\n"
        "def tell(stage, done, total):\n"
        "    if stage == sys.argv[2] and done >= total // 2:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "index = Index(settings_in(pathlib.Path(sys.argv[1])), StandIn())\n"
        "index.sync(some_papers(310, words='as corrected, about'), source='a', progress=tell)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), stage], cwd=ROOT, check=False, timeout=60
    )
    return done.returncode
