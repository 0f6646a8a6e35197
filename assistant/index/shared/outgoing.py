"""What a sync is about to give to the server: kept in a file, so that a killed run goes on.

A catalogue of its own holds only the papers that must be embedded or written. The replica itself
changes by reading the server alone, so it never holds what the group does not have.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from assistant.corpus.paper import Paper, Passage
from assistant.index.catalogue import Catalogue
from assistant.index.fingerprint import Recipe
from assistant.index.passages import Passages
from assistant.index.shared.records import Manifest, Record
from assistant.index.store import Entry, passage_id

__all__ = ["Outgoing"]

_TABLES = """
CREATE TABLE IF NOT EXISTS outgoing_records (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, paper TEXT NOT NULL, hash TEXT NOT NULL,
    at INTEGER NOT NULL, place INTEGER NOT NULL, changed INTEGER NOT NULL, record TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outgoing_gone (
    id TEXT PRIMARY KEY, paper TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outgoing_manifests (
    source TEXT PRIMARY KEY, papers INTEGER NOT NULL, buckets TEXT NOT NULL
) WITHOUT ROWID;
"""
_READ_AT_ONCE = 2_000


class Outgoing:
    """Records, papers and vectors on their way to the server.

    Args:
        path: the file; what an earlier run left in it is dropped, but for its vectors.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.catalogue = Catalogue(path)
        self._link = self.catalogue.connection
        for statement in _TABLES.split(";"):
            self._link.execute(statement)
        with self.catalogue.transaction():
            for table in ("papers", "outgoing_records", "outgoing_gone", "outgoing_manifests"):
                self._link.execute(f"DELETE FROM {table}")  # noqa: S608

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.catalogue.close()
        if error is None:
            self.catalogue.path.unlink(missing_ok=True)

    # --- filling

    def add(self, rows: Iterable[tuple[Record, str]]) -> None:
        """Take records that are to be written.

        Args:
            rows: record and paper, as JSON, of each.
        """
        self._link.executemany(
            "INSERT OR REPLACE INTO outgoing_records VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(r.id, r.source, r.paper, r.hash, r.at, r.place, r.changed, text) for r, text in rows],
        )

    def add_gone(self, records: Iterable[Record]) -> None:
        """Take records that are to be removed.

        Args:
            records: these.
        """
        self._link.executemany(
            "INSERT OR REPLACE INTO outgoing_gone VALUES (?, ?)", [(r.id, r.paper) for r in records]
        )

    def add_manifest(self, manifest: Manifest) -> None:
        """Take what a source will consist of.

        Args:
            manifest: of the source.
        """
        self._link.execute(
            "INSERT OR REPLACE INTO outgoing_manifests VALUES (?, ?, ?)",
            (manifest.source, manifest.papers, json.dumps(manifest.buckets)),
        )

    def add_papers(self, papers: Iterable[Paper]) -> None:
        """Take papers whose passages are to be there.

        Args:
            papers: these; one with the same id is replaced.
        """
        for paper in papers:
            self.catalogue.put(paper)

    def add_recorded_papers(self) -> None:
        """Take the papers of the records; of several records of a paper, the one that shows."""
        for (text,) in self._link.execute(
            "SELECT record FROM outgoing_records ORDER BY changed, id"
        ):
            self.catalogue.put(Paper.from_dict(json.loads(text)))

    def seed(self, path: Path, recipe: Recipe) -> None:
        """Take vectors that another catalogue has of the texts here.

        Args:
            path: its file.
            recipe: what the vectors are made with.
        """
        self._link.execute("ATTACH ? AS other", (str(path),))
        try:
            self._link.execute(
                "INSERT OR IGNORE INTO main.vectors (embedder, text_hash, vector)"
                " SELECT embedder, text_hash, vector FROM other.vectors WHERE embedder = ?"
                " AND text_hash IN (SELECT text_hash FROM main.passages)",
                (recipe.vector_key,),
            )
            # One of another text at least: it shows how many numbers a vector must have.
            self._link.execute(
                "INSERT OR IGNORE INTO main.vectors (embedder, text_hash, vector)"
                " SELECT embedder, text_hash, vector FROM other.vectors WHERE embedder = ? LIMIT 1",
                (recipe.vector_key,),
            )
        finally:
            self._link.execute("DETACH other")

    # --- reading

    def entries(self, recipe: Recipe) -> Iterator[tuple[Entry, int]]:
        """Read the passages that have vectors, as the server is to hold them.

        Args:
            recipe: how they are cut and embedded.

        Returns:
            Passage, and how many its paper has; a paper is left out until all of its have vectors.
        """
        cuts, papers = Passages(self.catalogue, recipe), self.catalogue.numbered_papers()
        rows = zip(cuts.spans(), cuts.vectors(), strict=True)
        for row, group in groupby(rows, key=lambda pair: pair[0][0]):
            pieces = list(group)
            at, paper = next(papers)
            while at < row:
                at, paper = next(papers)
            for (_, ordinal, start, stop, hashed), vector in pieces:
                if all(kept is not None for _, kept in pieces) and vector is not None:
                    passage = Passage(paper.id, paper.abstract[start:stop], start, stop)
                    floats = np.frombuffer(vector, np.float32)
                    yield Entry.of(paper, passage, ordinal, hashed, floats), len(pieces)

    def names_without_vectors(self, recipe: Recipe) -> list[tuple[str, str]]:
        """Name the passages that need a vector.

        Args:
            recipe: how they are cut and embedded.

        Returns:
            Passage id and text hash of each.
        """
        found = self._link.execute(
            "SELECT papers.id, ordinal, text_hash FROM passages JOIN papers ON papers.row = paper"
            " WHERE recipe = ? AND NOT EXISTS (SELECT 1 FROM vectors WHERE embedder = ?"
            " AND text_hash = passages.text_hash)",
            (recipe.fingerprint, recipe.vector_key),
        )
        return [(passage_id(name, ordinal), hashed) for name, ordinal, hashed in found]

    def records(self) -> Iterator[list[tuple[Record, str]]]:
        """Read the records to be written, in portions."""
        read = self._link.execute("SELECT * FROM outgoing_records ORDER BY at, place")
        while rows := read.fetchmany(_READ_AT_ONCE):
            yield [(Record(*row[:-1]), row[-1]) for row in rows]

    def gone(self) -> list[tuple[str, str]]:
        """Return record id and paper of what is to be removed."""
        return [tuple(row) for row in self._link.execute("SELECT id, paper FROM outgoing_gone")]

    def manifests(self) -> list[Manifest]:
        """Return what the sources will consist of."""
        found = self._link.execute("SELECT source, papers, buckets FROM outgoing_manifests")
        return [Manifest(name, papers, tuple(json.loads(rows))) for name, papers, rows in found]

    def documents(self, ids: Sequence[str]) -> dict[str, str]:
        """Read papers, as JSON, by record id.

        Args:
            ids: of records.

        Returns:
            Those that are here.
        """
        find = "SELECT record FROM outgoing_records WHERE id = ?"
        found = ((name, self._link.execute(find, (name,)).fetchone()) for name in ids)
        return {name: row[0] for name, row in found if row is not None}

    def papers(self) -> list[str]:
        """Name the papers whose passages are to be there."""
        return [name for (name,) in self._link.execute("SELECT id FROM papers ORDER BY row")]

    def hand_over(self, link: sqlite3.Connection, recipe: Recipe, written: Sequence[str]) -> None:
        """Give the vectors that the server took to the replica, which then need not read them.

        Args:
            link: the replica's catalogue.
            recipe: what they were made with.
            written: ids of the passages that were written.
        """
        hashes: set[str] = set()
        names = set(written)
        for entry, _ in self.entries(recipe):
            hashed = str(entry.metadata["hash"])
            if entry.id in names and hashed not in hashes:
                hashes.add(hashed)
                link.execute(
                    "INSERT OR REPLACE INTO vectors (embedder, text_hash, vector) VALUES (?, ?, ?)",
                    (recipe.vector_key, hashed, entry.vector.tobytes()),
                )
