"""A collection on a Chroma server: writing, joining, asking, recall, room and memory.

    python -m benchmarks.shared --papers 10000

Starts `chroma run` on loopback. Papers are those of ASSISTANT_TEST_DATA where it is set, else made
up; vectors are laid out as in `benchmarks.dense`, so that nothing waits for an embedder. Each side
is a process of its own, as another machine would be.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.paper import Paper, text_hash
from assistant.index.index import Index
from assistant.settings import Settings
from benchmarks.tables import table

__all__ = ["Drawn", "main", "papers"]

_DIMENSION = 384
_DECAY = 0.4
_TOPIC_SHARE = 0.5
_COMMON = 0.155
_PER_TOPIC = 10
_QUERIES = 200
_CHANGED = 100

_ROWS = (
    ("sync", "first sync, vectors cost nothing, s", 1),
    ("rate", "the same, papers a second", 0),
    ("again", "sync again, nothing new, s", 1),
    ("new", f"sync of {_CHANGED} new ones, s", 1),
    ("first", "a new machine's first search, s", 1),
    ("seen", f"{_CHANGED} new ones of another machine are found after, s", 1),
    ("reopened", "a new process's first search, s", 2),
    ("p50", "search in a running process, p50, ms", 2),
    ("p95", "the same, p95, ms", 2),
    ("own", "Chroma's own search for 1,000, p50, ms", 1),
    ("recall", "recall@10 of it", 3),
    ("room", "the server's disk, MB", 0),
    ("server", "the server's memory, MB", 0),
    ("disk", "the machine's disk, MB", 0),
    ("memory", "peak memory of a sync, MB", 0),
)

Floats = NDArray[np.float32]


class Drawn:
    """An embedder that costs nothing: vectors around topics, the same for the same text.

    Args:
        topics: how many.
    """

    name = "drawn"
    revision = "1"
    max_tokens = 512
    batch = 512
    dimension: int | None = _DIMENSION

    def __init__(self, topics: int) -> None:
        self._topics = _weighted(np.random.default_rng(topics), topics)

    def count_tokens(self, text: str) -> int:
        """Count the words, and a third more.

        Args:
            text: the text.
        """
        return len(text.split()) * 4 // 3

    def embed(self, texts: Sequence[str]) -> Floats:
        """Draw a vector for each text.

        Args:
            texts: the texts.
        """
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Floats:
        """Draw the vector of one text.

        Args:
            text: the text.
        """
        seed = int(text_hash(text)[:16], 16)
        rng = np.random.default_rng(seed)
        row = np.sqrt(_TOPIC_SHARE) * self._topics[seed % len(self._topics)]
        row = row + np.sqrt(1 - _TOPIC_SHARE) * _weighted(rng, 1)[0]
        row[0] += np.sqrt(_COMMON)
        unit: Floats = (row / np.linalg.norm(row)).astype(np.float32)
        return unit


def papers(count: int) -> list[Paper]:
    """Read or make up papers.

    Args:
        count: how many.
    """
    given = os.environ.get("ASSISTANT_TEST_DATA")
    path = Path(given or "") / "abstracts.jsonl.gz"
    if given and path.is_file():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            read = [json.loads(line) for line in islice(lines, count)]
        return [
            Paper(id=f"r{i}", abstract=r["abstract"], title=r.get("title"), year=r.get("year"))
            for i, r in enumerate(read)
        ]
    words = "we study a method for this problem and show that it works on several data sets "
    return [
        Paper(id=f"m{i}", abstract=f"abstract {i} {words * 13}", title=f"On the number {i}")
        for i in range(count)
    ]


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--papers", type=int, default=10_000)
    parser.add_argument("--role", choices=["write", "join", "ask"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.role:
        print(json.dumps(_play(given.role, given.folder, given.papers)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with _Server(folder / "server") as server:
            os.environ["CHROMA_URL"] = server.url
            written = _role("write", folder / "one", given.papers)
            room, memory = server.megabytes(), server.memory()
            joined = _role("join", folder / "two", given.papers)
            joined |= _role("ask", folder / "two", given.papers)
            del os.environ["CHROMA_URL"]
        local = _role("write", folder / "own", given.papers)
        local |= _role("ask", folder / "own", given.papers)
    shared = {**written, **joined, "room": room, "server": memory}
    print(f"{given.papers:,} papers\n")
    print(
        table(
            ["", "server", "this machine alone"],
            [
                [words, *(_cell(side, name, digits) for side in (shared, local))]
                for name, words, digits in _ROWS
            ],
        )
    )


def _cell(side: dict[str, float], name: str, digits: int) -> str:
    return f"{side[name]:,.{digits}f}" if name in side else ""


def _role(role: str, folder: Path, count: int) -> dict[str, float]:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.shared", "--role", role),
            *("--folder", str(folder), "--papers", str(count)),
        ],
        check=True,
        stdout=subprocess.PIPE,
    )
    told: dict[str, float] = json.loads(done.stdout)
    return told


def _play(role: str, folder: Path, count: int) -> dict[str, float]:
    embedder = Drawn(max(10, count // _PER_TOPIC))
    found: dict[str, float] = {}
    if role == "write":
        some = papers(count)
        with _index(folder, embedder) as index:
            found["sync"] = _timed(lambda: index.sync(some, source="a"))
            found["rate"] = count / found["sync"]
            found["again"] = _timed(lambda: index.sync(some, source="a"))
            found["new"] = _timed(lambda: index.sync(_more("new", _CHANGED), source="b"))
    elif role == "join":
        with _index(folder, embedder) as index:
            query = embedder.embed_query("a first question")
            found["first"] = _timed(lambda: index.snapshot().cosines(query))
            before = len(index.snapshot())
            with _index(folder.with_name("third"), embedder) as other:
                other.snapshot()
                begun = time.perf_counter()
                other.sync(_more("seen", _CHANGED), source="c")
            while len(index.snapshot()) == before:
                time.sleep(0.05)
            found["seen"] = time.perf_counter() - begun
        found["memory"] = _peak()
    else:
        found |= _asked(folder, embedder)
        found["disk"] = _megabytes(folder)
    return found


def _asked(folder: Path, embedder: Drawn) -> dict[str, float]:
    with _index(folder, embedder) as index:
        query = embedder.embed_query("a first question")
        reopened = _timed(lambda: index.snapshot().cosines(query))
        queries = [embedder.embed_query(f"a question, number {i}") for i in range(_QUERIES)]
        warm = [_timed(lambda q=q: index.snapshot().cosines(q)) * 1e3 for q in queries]
        snapshot = index.snapshot()
        named = snapshot.remote.nearest if snapshot.remote is not None else snapshot.store.nearest
        own, hits = [], 0
        for q in queries:
            exact = np.argsort(-snapshot.cosines(q, dense="exact"))[:10]
            begun = time.perf_counter()
            nearest = named(q, 1_000)[:10]
            own.append((time.perf_counter() - begun) * 1e3)
            rows = {snapshot.row(name.rpartition("#")[0]) for name, _ in nearest}
            hits += len(rows.intersection(exact.tolist()))
        p50, p95 = np.percentile(warm, [50, 95])
    return {
        "reopened": reopened,
        "p50": float(p50),
        "p95": float(p95),
        "own": statistics.median(own),
        "recall": hits / (10 * len(queries)),
    }


def _index(folder: Path, embedder: Drawn) -> Index:
    return Index(Settings(data_dir=folder), embedder)


def _more(name: str, count: int) -> list[Paper]:
    return [Paper(id=f"{name}{i}", abstract=f"A late paper, {name} {i}.") for i in range(count)]


def _timed(task: object) -> float:
    assert callable(task)
    begun = time.perf_counter()
    task()
    return time.perf_counter() - begun


def _weighted(rng: np.random.Generator, count: int) -> Floats:
    weights = np.arange(1, _DIMENSION + 1, dtype=np.float32) ** -_DECAY
    weights *= np.sqrt(1 - _COMMON) / np.linalg.norm(weights)
    rows: Floats = rng.standard_normal((count, _DIMENSION), dtype=np.float32) * weights
    return rows


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def _peak() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000


class _Server:
    """`chroma run` on loopback."""

    def __init__(self, folder: Path) -> None:
        import socket

        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.folder = folder
        self.url = f"http://127.0.0.1:{port}"
        folder.mkdir(parents=True)
        chroma = Path(sys.executable).with_name("chroma")
        self._process = subprocess.Popen(
            [chroma, "run", "--path", folder, "--host", "127.0.0.1", "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )

    def __enter__(self) -> _Server:
        import httpx

        while self._process.poll() is None:
            try:
                if httpx.get(f"{self.url}/api/v2/heartbeat", timeout=1).is_success:
                    return self
            except httpx.HTTPError:
                time.sleep(0.1)
        raise RuntimeError("the server did not start")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(60)

    def megabytes(self) -> float:
        """Return the room its files take."""
        return _megabytes(self.folder)

    def memory(self) -> float:
        """Return its resident memory; 0 where the system does not tell."""
        status = Path(f"/proc/{self._process.pid}/status")
        if not status.is_file():
            return 0.0
        lines = status.read_text(encoding="ascii").splitlines()
        return next(float(line.split()[1]) / 1e3 for line in lines if line.startswith("VmRSS"))


if __name__ == "__main__":
    main()
