"""Two machines write and two read, each in a process of its own, at the same time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from assistant.index.index import Index
from tests.chroma_server import ChromaServer
from tests.index.stand_in import StandIn, in_chroma, settings_in, some_papers

ROOT = Path(__file__).parents[3]
PER_WRITER = 600
WRITER = """
import pathlib, sys
from assistant.index.index import Index
from tests.index.stand_in import StandIn, settings_in, some_papers
index = Index(settings_in(pathlib.Path(sys.argv[1])), StandIn(dimension=64, batch=64))
first = int(sys.argv[2])
for count in (200, 600):
    index.sync(some_papers(count, start=first), source=sys.argv[1])
"""
READER = """
import json, pathlib, sys, time
from assistant.index.index import Index
from tests.index.stand_in import StandIn, settings_in
embedder = StandIn(dimension=64)
index = Index(settings_in(pathlib.Path(sys.argv[1])), embedder)
end, seen, query = time.monotonic() + 90, set(), embedder.embed_query("q")
while time.monotonic() < end:
    if index.exists():
        snapshot = index.snapshot()
        cosines = snapshot.cosines(query)
        assert len(cosines) == len(snapshot) == len(list(snapshot.papers()))
        assert len({p.id for p in snapshot.papers()}) == len(snapshot)
        seen.add(len(snapshot))
        if len(snapshot) == int(sys.argv[2]) == snapshot.vectors_ready:
            break
    time.sleep(0.1)
print(json.dumps({"seen": sorted(seen), "papers": [p.id for p in index.snapshot().papers()]}))
"""


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_write_and_two_read(
    on_server: ChromaServer, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    total = 2 * PER_WRITER
    running = [
        *(start(WRITER, str(tmp_path / f"writer{i}"), str(i * 1_000)) for i in range(2)),
        *(start(READER, str(tmp_path / f"reader{i}"), str(total)) for i in range(2)),
    ]
    told = []
    for process in running:
        out, complaints = process.communicate(timeout=110)
        assert (process.returncode, complaints) == (0, "")
        told.append(out)
    readers = [json.loads(out) for out in told[2:]]
    embedded = {f"p{i * 1_000 + j}" for i in range(2) for j in range(PER_WRITER)}
    for reader in readers:
        assert set(reader["papers"]) == embedded
        # Whole syncs alone were ever seen: 200 or 600 of either writer.
        assert set(reader["seen"]) <= {0, 200, 400, 600, 800, 1_200}
    assert readers[0]["papers"] == readers[1]["papers"]

    embedder = StandIn(dimension=64)
    with Index(settings_in(tmp_path / "reader0"), embedder) as index:
        snapshot = index.snapshot()
        assert len(in_chroma(snapshot)) == snapshot.mark.passages == total
        assert index.check(deep=True) == []
        recall = _recall_at_10(index, embedder)
    record_property("recall@10 of the server's own search", recall)
    assert recall >= 0.99


def _recall_at_10(index: Index, embedder: StandIn) -> float:
    """The server's ten nearest against the ten nearest of all, for passages slightly moved."""
    snapshot = index.snapshot()
    assert snapshot.remote is not None
    rng = np.random.default_rng(7)
    hits = 0
    for paper in some_papers(50):
        near = embedder.embed_query(paper.indexed_text)
        query = near + 0.1 * rng.standard_normal(len(near)).astype(np.float32)
        query /= np.linalg.norm(query)
        exact = np.argsort(-snapshot.cosines(query, dense="exact"))[:10]
        named = {name.partition("#")[0] for name, _ in snapshot.remote.nearest(query, 10)}
        hits += len(named & {snapshot.paper(int(row)).id for row in exact})
    return hits / 500
