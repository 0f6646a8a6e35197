"""An embedder that costs nothing and always gives the same vector for the same text."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.paper import Paper, Source
from assistant.errors import ModelError
from assistant.index.index import Index
from assistant.index.mark import current_folder
from assistant.index.snapshot import Snapshot
from assistant.settings import Settings


@dataclass
class StandIn:
    """Vectors drawn from the text's own hash.

    Args:
        dimension: numbers per vector.
        name: as the index knows it.
        revision: as the index knows it.
        max_tokens: words a text may have.
        batch: texts per call.
        fail_after: texts after which it fails, as a server without credit does.
    """

    dimension: int | None = 16
    name: str = "stand-in"
    revision: str = "1"
    max_tokens: int = 256
    batch: int = 8
    fail_after: int | None = None
    embedded: list[str] = field(default_factory=list)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.fail_after is not None and len(self.embedded) + len(texts) > self.fail_after:
            raise ModelError("the stand-in has no credit left: add some")
        self.embedded.extend(texts)
        return np.stack([self._vector(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._vector(text)

    def _vector(self, text: str) -> NDArray[np.float32]:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        drawn = np.random.default_rng(seed).normal(size=self.dimension or 1).astype(np.float32)
        unit: NDArray[np.float32] = drawn / np.linalg.norm(drawn)
        return unit


def settings_in(folder: Path, collection: str = "papers") -> Settings:
    """Settings whose index stands in a folder."""
    return Settings(data_dir=folder, collection=collection)


def some_papers(count: int, *, words: str = "about", start: int = 0) -> list[Paper]:
    """Papers with an abstract each of its own, some with a full record and some with none."""
    return [
        Paper(
            id=f"p{i}",
            abstract=f"Abstract number {i} {words} topic{i % 7}. It has a second sentence.",
            title=f"Title {i}" if i % 2 else None,
            authors=("Ada Lovelace", f"Person {i}") if i % 3 == 0 else (),
            venue="ICML" if i % 2 else None,
            year=2020 + i % 5 if i % 3 else None,
            keywords=("Graph Learning",) if i % 4 == 0 else (),
            source=Source("some.json", i + 1),
        )
        for i in range(start, start + count)
    ]


def in_chroma(snapshot: Snapshot) -> dict[str, str]:
    """What Chroma holds of an index, here or on a server: text by passage."""
    if snapshot.remote is None:
        got = snapshot.store._open.get(include=["documents"])
    else:
        name, server = snapshot.remote._name, snapshot.remote.server
        found = server.use(name, lambda c: c.get(include=["documents"]), otherwise=None)
        assert found is not None
        got = found
    return dict(zip(got["ids"], got["documents"] or [], strict=True))


def generations(index: Index) -> list[str]:
    return sorted(path.name for path in (index.folder / "generations").iterdir())


def current(index: Index) -> Path:
    folder = current_folder(index.folder)
    assert folder is not None
    return folder
