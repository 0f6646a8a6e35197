"""A replica's memory of the server's records, and the papers that follow from them.

The tables stand in the replica's catalogue, so that they and the papers change in one transaction.
Which of several records of a paper shows, and in which order papers stand, follows from the records
alone: every machine that has the same records has the same collection, row by row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple

from assistant.corpus.paper import Paper, text_hash
from assistant.index.catalogue import Catalogue
from assistant.index.shared.records import BUCKETS, Manifest, Record, digests

__all__ = ["Mirror"]

_TABLES = """
CREATE TABLE IF NOT EXISTS shared_records (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, paper TEXT NOT NULL, hash TEXT NOT NULL,
    at INTEGER NOT NULL, place INTEGER NOT NULL, changed INTEGER NOT NULL, bucket INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS shared_records_by_paper ON shared_records (paper);
CREATE INDEX IF NOT EXISTS shared_records_by_source ON shared_records (source, bucket);
CREATE TABLE IF NOT EXISTS shared_sources (
    key TEXT PRIMARY KEY, name TEXT NOT NULL, buckets TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shared_state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_NUMBERED = (
    ("papers", "row"),
    ("listings", "paper"),
    ("passages", "paper"),
    ("likeness", "paper"),
)
_UNPUBLISHED = "unpublished"
_MERGED_AT_ONCE = 2_000
_COLUMNS = "id, source, paper, hash, at, place, changed"

Documents = Callable[[Sequence[str]], dict[str, str]]
"""Gives papers as JSON by record id; those that are not there are left out."""


class Mirror:
    """The server's records as this replica last saw them.

    Args:
        catalogue: the replica's catalogue, open for writing.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._link = catalogue.connection
        for statement in _TABLES.split(";"):
            self._link.execute(statement)
        self._link.create_function("text_hash", 1, text_hash, deterministic=True)

    # --- notes

    def note(self, key: str) -> str:
        """Read a note; empty where there is none.

        Args:
            key: its name.
        """
        found = self._link.execute(
            "SELECT value FROM shared_state WHERE key = ?", (key,)
        ).fetchone()
        return found[0] if found else ""

    def set_note(self, key: str, value: str) -> None:
        """Write a note.

        Args:
            key: its name.
            value: any text.
        """
        self._link.execute("INSERT OR REPLACE INTO shared_state VALUES (?, ?)", (key, value))

    @property
    def unpublished(self) -> bool:
        """Whether something changed since the last generation was published."""
        return bool(self.note(_UNPUBLISHED))

    def set_unpublished(self, *, yes: bool) -> None:
        """Note that something changed, or that it was published.

        Args:
            yes: whether something is still to be published.
        """
        self.set_note(_UNPUBLISHED, "yes" if yes else "")

    # --- records

    def sources(self) -> dict[str, tuple[str, ...]]:
        """Return the digests with which each source was last read, by its key."""
        found = self._link.execute("SELECT key, buckets FROM shared_sources")
        return {key: tuple(json.loads(buckets)) for key, buckets in found}

    def set_source(self, manifest: Manifest) -> None:
        """Note what a source was said to consist of when it was read.

        Args:
            manifest: what was said.
        """
        self._link.execute(
            "INSERT OR REPLACE INTO shared_sources VALUES (?, ?, ?)",
            (manifest.key, manifest.source, json.dumps(manifest.buckets)),
        )

    def forget_source(self, key: str) -> None:
        """Drop a source that the server no longer names; its records are dropped with `replace`.

        Args:
            key: `source_key` of it.
        """
        self._link.execute("DELETE FROM shared_sources WHERE key = ?", (key,))

    def records(self, source: str) -> list[Record]:
        """Return a source's records.

        Args:
            source: `source_key` of it.
        """
        found = self._link.execute(
            f"SELECT {_COLUMNS} FROM shared_records WHERE source = ?",  # noqa: S608
            (source,),
        )
        return [Record(*row) for row in found]

    def records_of(self, papers: Iterable[str]) -> list[Record]:
        """Return every source's records of some papers.

        Args:
            papers: their ids.
        """
        return [
            Record(*row)
            for paper in papers
            for row in self._link.execute(
                f"SELECT {_COLUMNS} FROM shared_records WHERE paper = ?",  # noqa: S608
                (paper,),
            )
        ]

    def digests(self, source: str) -> tuple[str, ...]:
        """Summarise the records of a source that are here.

        Args:
            source: `source_key` of it.
        """
        found = self._link.execute(
            "SELECT id, hash FROM shared_records WHERE source = ?", (source,)
        )
        return digests(found)

    def latest(self) -> int:
        """Return when the youngest record changed, in milliseconds."""
        (found,) = self._link.execute("SELECT max(changed) FROM shared_records").fetchone()
        return int(found or 0)

    def replace(self, source: str, buckets: Sequence[int], records: Sequence[Record]) -> set[str]:
        """Take over what was read of a source.

        Args:
            source: `source_key` of it.
            buckets: the parts that were read.
            records: all records in these.

        Returns:
            The ids of the papers that this concerns.
        """
        marks = ", ".join("?" * len(buckets))
        known = {
            row[0]: Record(*row)
            for row in self._link.execute(
                f"SELECT {_COLUMNS} FROM shared_records"  # noqa: S608
                f" WHERE source = ? AND bucket IN ({marks})",
                (source, *buckets),
            )
        }
        fresh = [record for record in records if known.pop(record.id, None) != record]
        self._link.executemany(
            f"INSERT OR REPLACE INTO shared_records ({_COLUMNS}, bucket)"  # noqa: S608
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(*astuple(record), record.bucket) for record in fresh],
        )
        self._link.executemany("DELETE FROM shared_records WHERE id = ?", [(i,) for i in known])
        return {record.paper for record in (*fresh, *known.values())}

    def drop(self, source: str) -> set[str]:
        """Drop all records of a source.

        Args:
            source: `source_key` of it.

        Returns:
            The ids of the papers that this concerns.
        """
        return self.replace(source, range(BUCKETS), [])

    # --- papers

    def merge(self, papers: Iterable[str], documents: Documents) -> None:
        """Bring papers to what the records say; those without a record are removed.

        Args:
            papers: their ids.
            documents: where their texts come from.
        """
        waiting = sorted(papers)
        for start in range(0, len(waiting), _MERGED_AT_ONCE):
            self._merge(waiting[start : start + _MERGED_AT_ONCE], documents)

    def order(self) -> bool:
        """Bring the papers into the order that the records give.

        Returns:
            Whether it was another.
        """
        ranked = self._link.execute(
            "SELECT row FROM papers JOIN (SELECT paper, min(printf('%016d %09d %s', at, place, id))"
            " AS first FROM shared_records GROUP BY paper) ON paper = id ORDER BY first"
        ).fetchall()
        rows = [row for (row,) in ranked]
        if rows == sorted(rows):
            return False
        # Behind all rows there are, so that no number is taken twice on the way.
        start = max(rows) + 1
        moves = [(start + rank, row) for rank, row in enumerate(rows)]
        self._link.execute("PRAGMA defer_foreign_keys = ON")
        for table, column in _NUMBERED:
            self._link.executemany(
                f"UPDATE {table} SET {column} = ? WHERE {column} = ?",  # noqa: S608
                moves,
            )
        return True

    def show(self, source: str, documents: Documents) -> None:
        """Let the papers of a source be as it has them, whatever other sources say.

        Args:
            source: `source_key` of it.
            documents: where their texts come from.
        """
        other = [
            name
            for (name,) in self._link.execute(
                "SELECT r.id FROM shared_records r JOIN papers p ON p.id = r.paper"
                " WHERE r.source = ? AND r.hash != text_hash(p.record)",
                (source,),
            )
        ]
        for document in documents(other).values():
            self._catalogue.put(_paper(document))

    def _merge(self, papers: Sequence[str], documents: Documents) -> None:
        known: dict[str, list[Record]] = {paper: [] for paper in papers}
        for record in self.records_of(papers):
            known[record.paper].append(record)
        shown = {
            paper: max(records, key=lambda one: (one.changed, one.id))
            for paper, records in known.items()
            if records
        }
        stored = {paper: self._catalogue.find(paper) for paper in papers}
        wanted = [
            record.id
            for paper, record in shown.items()
            if (found := stored[paper]) is None or text_hash(found.record) != record.hash
        ]
        texts = documents(wanted)
        # In the records' order, so that new papers stand right without being moved.
        for record in sorted(shown.values(), key=lambda one: (one.at, one.place, one.id)):
            if record.id in texts:
                self._catalogue.put(_paper(texts[record.id]))
        self._catalogue.delete(
            found.row for paper, found in stored.items() if found and paper not in shown
        )
        self._list(known)

    def _list(self, known: dict[str, list[Record]]) -> None:
        names = dict(self._link.execute("SELECT key, name FROM shared_sources").fetchall())
        for paper, records in known.items():
            found = self._catalogue.find(paper)
            if found is not None:
                self._link.execute("DELETE FROM listings WHERE paper = ?", (found.row,))
                for record in records:
                    self._catalogue.list_paper(names.get(record.source, record.source), found.row)


def _paper(document: str) -> Paper:
    return Paper.from_dict(json.loads(document))
