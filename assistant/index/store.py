"""Chroma: passages with their texts, metadata and vectors, filled from the catalogue.

Chroma 1.5 writes its vector files in place, so a kill at the wrong moment leaves them unreadable
(chroma-core/chroma 7238, 7510), and a second process does not see new vectors (3792). So a store
is only ever written in a folder that no one reads yet, and can be thrown away.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.paper import Paper, Passage
from assistant.errors import IndexDamagedError, SettingsError
from assistant.index.filters import storable

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.collection_configuration import CreateCollectionConfiguration
    from chromadb.api.models.Collection import Collection

__all__ = ["Entry", "PassageStore", "passage_id", "require_sqlite", "split_passage_id"]

SQLITE_NEEDED = (3, 35, 0)
_COLLECTION = "passages"
_HELD = "held.json"
"""What of each passage Chroma holds, beside it: reading it back out of Chroma takes longer than
all the rest of a small change."""

_TEXTS_AT_ONCE = 64 << 20
"""Bytes of the index over a batch's texts that are held in memory: more than a batch has."""

# How near the graph comes to the exact ten: docs/decisions/0003-exact-dense-search.md.
_CONFIGURATION: CreateCollectionConfiguration = {
    "hnsw": {"space": "cosine", "ef_construction": 100, "ef_search": 1_000}
}
_FINE: CreateCollectionConfiguration = {
    "hnsw": {"space": "cosine", "ef_construction": 200, "ef_search": 1_000}
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One passage as the store holds it.

    Args:
        id: `passage_id` of it.
        vector: float32 `[dimension]`.
        text: the passage.
        metadata: plain values; none of them None.
    """

    id: str
    vector: NDArray[np.float32]
    text: str
    metadata: dict[str, str | int]

    @property
    def key(self) -> str:
        """Another one for other metadata, which hold the hash of the text."""
        return _key(self.metadata)

    @classmethod
    def of(
        cls, paper: Paper, passage: Passage, ordinal: int, hashed: str, vector: NDArray[np.float32]
    ) -> Entry:
        """Describe a passage; what is not known of its paper is left out.

        Args:
            paper: the paper.
            passage: the passage.
            ordinal: its place among the paper's passages, from 0.
            hashed: hash of the text that was embedded: with it the entry is known to be current.
            vector: its vector.
        """
        known: dict[str, str | int | None] = {
            "paper": paper.id,
            "start": passage.start,
            "end": passage.end,
            "hash": hashed,
            "title": paper.title,
            "authors": "; ".join(paper.authors) or None,
            "venue": paper.venue,
            "year": paper.year,
            "url": paper.url,
        }
        return cls(
            id=passage_id(paper.id, ordinal),
            vector=vector,
            text=storable(passage.text),
            metadata={
                key: storable(value) if isinstance(value, str) else value
                for key, value in known.items()
                if value is not None
            },
        )


class PassageStore:
    """One Chroma collection in a folder of its own; texts are never embedded by Chroma.

    Args:
        folder: Chroma's folder; made when it does not exist.
        fine: link a new store's graph with twice the work: for one that searches rely on.

    Raises:
        SettingsError: Python's own SQLite is too old for Chroma.
        IndexDamagedError: Chroma cannot open what is there.
    """

    def __init__(self, folder: Path, *, fine: bool = False) -> None:
        require_sqlite()
        os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
        import chromadb
        from chromadb.config import Settings

        self.folder = folder
        with _said_plainly(folder):
            # Annotated as an interface that lacks `close`.
            self._client: Client | None = cast(
                "Client",
                chromadb.PersistentClient(
                    path=str(folder), settings=Settings(anonymized_telemetry=False)
                ),
            )
            self._collection: Collection | None = self._client.get_or_create_collection(
                _COLLECTION,
                embedding_function=None,
                configuration=_FINE if fine else _CONFIGURATION,
            )
            self._batch = max(1, self._client.get_max_batch_size())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder, so that it can be renamed or removed."""
        if self._client is not None:
            self._client.close()
            self._client = self._collection = None
            if os.name == "nt":
                # Chroma's file handles hang in a cycle; Windows renames no folder with open files.
                gc.collect()

    def __len__(self) -> int:
        with _said_plainly(self.folder):
            return self._open.count()

    def reconcile(self, entries: Iterable[Entry], progress: Callable[[int], None]) -> None:
        """Make the store hold these entries and no others, writing only what differs.

        Args:
            entries: all of them; read once.
            progress: told how many have been looked at.

        Raises:
            IndexDamagedError: Chroma refuses, with its own reason.
        """
        with _said_plainly(self.folder):
            gone = self._held()
            if not gone:
                _merge_texts_later(self.folder)
            held: dict[str, str] = {}
            batch: list[Entry] = []
            for seen, entry in enumerate(entries, start=1):
                key = held[entry.id] = entry.key
                if gone.get(entry.id) == key:
                    del gone[entry.id]
                else:
                    batch.append(entry)
                if len(batch) == self._batch:
                    self._write(batch, gone)
                    batch = []
                    progress(seen)
            self._write(batch, gone)
            self._delete(list(gone))
            (self.folder / _HELD).write_text(json.dumps(held), encoding="utf-8")

    def vectors(self, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Read vectors back from the vector files themselves.

        Args:
            ids: passage ids.

        Returns:
            Those that are there, by id.

        Raises:
            IndexDamagedError: the vector files cannot be read.
        """
        found: dict[str, NDArray[np.float32]] = {}
        with _said_plainly(self.folder):
            for part in _parts(ids, self._batch):
                got = self._open.get(ids=list(part), include=["embeddings"])
                vectors = np.asarray(got["embeddings"], dtype=np.float32)
                found.update(zip(got["ids"], vectors, strict=True))
        return found

    def nearest(self, query: NDArray[np.floating], limit: int) -> list[tuple[str, float]]:
        """Find the passages nearest to a query, best first.

        Args:
            query: `[dimension]`.
            limit: how many at most.

        Returns:
            Passage id and cosine of each.

        Raises:
            IndexDamagedError: the vector files cannot be read.
        """
        with _said_plainly(self.folder):
            found: Any = self._open.query(
                query_embeddings=query.astype(np.float32)[None],
                n_results=limit,
                include=["distances"],
            )
        distances = found["distances"][0]
        return [(id_, 1.0 - d) for id_, d in zip(found["ids"][0], distances, strict=True)]

    @property
    def _open(self) -> Collection:
        if self._collection is None:
            raise IndexDamagedError(f"the store in {self.folder} is closed")
        return self._collection

    def _held(self) -> dict[str, str]:
        """Return the keys of all entries by id, as they were noted or else from Chroma itself."""
        note = self.folder / _HELD
        if note.is_file():
            held: dict[str, str] = json.loads(note.read_text(encoding="utf-8"))
            # Until all is written again, it is not known what Chroma holds.
            note.unlink()
            if len(held) == self._open.count():
                return held
        held = {}
        for offset in range(0, self._open.count(), self._batch):
            page = self._open.get(limit=self._batch, offset=offset, include=["metadatas"])
            for id_, metadata in zip(page["ids"], page["metadatas"] or [], strict=True):
                held[id_] = _key(metadata)
        return held

    def _write(self, batch: list[Entry], gone: dict[str, str]) -> None:
        if not batch:
            return
        # An upsert would merge metadata into what is there: a year once known would stay.
        replaced = [entry.id for entry in batch if entry.id in gone]
        self._delete(replaced)
        for id_ in replaced:
            del gone[id_]
        self._open.add(
            ids=[entry.id for entry in batch],
            embeddings=np.stack([entry.vector for entry in batch]),
            documents=[entry.text for entry in batch],
            metadatas=[entry.metadata for entry in batch],
        )

    def _delete(self, ids: Sequence[str]) -> None:
        for part in _parts(ids, self._batch):
            self._open.delete(ids=list(part))


def _key(metadata: Mapping[str, object]) -> str:
    text = json.dumps(metadata, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _merge_texts_later(folder: Path) -> None:
    """Have SQLite write Chroma's index over the texts once a batch: half the work of filling it.

    The options are FTS5's own (https://www.sqlite.org/fts5.html#special_insert_commands) and stay
    with the table.
    """
    # A Python whose SQLite lacks FTS5 fills it all the same, only more slowly.
    with (
        closing(sqlite3.connect(folder / "chroma.sqlite3", isolation_level=None)) as link,
        suppress(sqlite3.OperationalError),
    ):
        named = "SELECT 1 FROM sqlite_master WHERE name = 'embedding_fulltext_search'"
        if link.execute(named).fetchone() is None:
            return
        for option, value in (("hashsize", _TEXTS_AT_ONCE), ("automerge", 0), ("crisismerge", 200)):
            link.execute(
                "INSERT INTO embedding_fulltext_search (embedding_fulltext_search, rank)"
                " VALUES (?, ?)",
                (option, value),
            )


def passage_id(paper_id: str, ordinal: int) -> str:
    """Name a passage: the same on every machine.

    Args:
        paper_id: the paper's id.
        ordinal: the passage's place in it, from 0.
    """
    return f"{paper_id}#{ordinal}"


def split_passage_id(name: str) -> tuple[str, int]:
    """Undo `passage_id`.

    Args:
        name: what it gave.
    """
    paper_id, _, ordinal = name.rpartition("#")
    return paper_id, int(ordinal)


def require_sqlite() -> None:
    """Check that the SQLite inside Python is new enough for Chroma.

    Raises:
        SettingsError: it is not, with both versions.
    """
    if sqlite3.sqlite_version_info < SQLITE_NEEDED:
        needed, seen = (".".join(map(str, v)) for v in (SQLITE_NEEDED, sqlite3.sqlite_version_info))
        raise SettingsError(
            f"this Python brings SQLite {seen} and Chroma needs {needed} or newer: install a newer "
            "Python (upgrading the sqlite3 command changes nothing)"
        )


@contextmanager
def _said_plainly(folder: Path) -> Iterator[None]:
    from chromadb.errors import ChromaError

    try:
        yield
    except (ChromaError, sqlite3.Error, ValueError, OSError) as error:
        raise IndexDamagedError(f"Chroma cannot use {folder}: {error}") from error
    except BaseException as error:
        # A panic in Chroma's compiled part is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise IndexDamagedError(f"Chroma cannot use {folder}: {error}") from None


def _parts(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
