"""The source of truth: papers, where they came from, how they are cut, and their vectors.

One SQLite file per collection. All else (passages in Chroma, the lexical side, the matrix of
vectors) is made from it and can be thrown away.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from assistant.corpus.paper import Paper, text_hash
from assistant.errors import IndexDamagedError
from assistant.index.filters import fold, fold_list
from assistant.index.fingerprint import Recipe
from assistant.index.schema import connect, connect_copy, migrate
from assistant.index.twins import Twins

__all__ = ["Catalogue", "Stored", "known_hash", "record_of", "unusable"]


@dataclass(frozen=True, slots=True)
class Stored:
    """What a sync needs to know of a paper that is already there."""

    row: int
    content_hash: str
    known_hash: str
    record: str


class Catalogue:
    """One collection's SQLite file; open it, use it in one thread, close it.

    Args:
        path: the file; made when it does not exist and `readonly` is false.
        readonly: never write; works in a folder that cannot be written.
        copied: work on a copy of the papers that is thrown away; the file is only read, and need
            not exist.

    Attributes:
        twins: which papers are like others.

    Raises:
        IndexDamagedError: the file is no catalogue, or a newer version of this program made it.
    """

    def __init__(self, path: Path, *, readonly: bool = False, copied: bool = False) -> None:
        self.path = path
        try:
            self.connection = connect_copy(path) if copied else connect(path, readonly=readonly)
            self.twins = Twins(self.connection)
            migrate(self.connection, path, readonly=readonly)
        except sqlite3.OperationalError as error:
            # A full disk, a right that is missing: nothing that a copy put back would mend.
            raise IndexDamagedError(unusable(path, error)) from error
        except sqlite3.DatabaseError as error:
            raise IndexDamagedError(
                f"the catalogue {path} cannot be read ({error}); put a copy of it back, or move "
                "the folder away and sync your files again"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the last one to close it folds its journal in."""
        self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all that is written inside, or nothing of it."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    # --- what is known of the whole

    def number(self, key: str) -> int:
        """Read a counter kept under a name; 0 before it was first written.

        Args:
            key: its name.
        """
        return int(self._meta(key) or 0)

    def set_number(self, key: str, value: int) -> None:
        """Write a counter.

        Args:
            key: its name.
            value: its value.
        """
        self._set_meta(key, str(value))

    @property
    def recipe(self) -> Recipe | None:
        """What the last sync made, or was making, the index with."""
        text = self._meta("recipe")
        return Recipe.from_dict(json.loads(text)) if text else None

    def set_recipe(self, recipe: Recipe) -> None:
        """Note what the index is made with from now on.

        Args:
            recipe: embedder, cutting and schema.
        """
        self._set_meta("recipe", json.dumps(recipe.to_dict()))

    def _meta(self, key: str) -> str | None:
        found = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return found[0] if found else None

    def _set_meta(self, key: str, value: str) -> None:
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def begun(self) -> list[str]:
        """Return the sources of the last sync that was begun."""
        return list(json.loads(self._meta("begun") or "[]"))

    def note_begun(self, sources: Iterable[str]) -> None:
        """Note that a sync begins.

        Args:
            sources: their names.
        """
        self._set_meta("begun", json.dumps(list(sources)))

    def __len__(self) -> int:
        (count,) = self.connection.execute("SELECT count(*) FROM papers").fetchone()
        return int(count)

    def faults(self) -> list[str]:
        """Let SQLite look through the whole file.

        Returns:
            What it found; empty when all is well.
        """
        try:
            found = [line for (line,) in self.connection.execute("PRAGMA integrity_check")]
        except sqlite3.DatabaseError as error:
            return [str(error)]
        return [] if found == ["ok"] else found

    # --- papers

    def find(self, paper_id: str) -> Stored | None:
        """Look a paper up by its id.

        Args:
            paper_id: the id.
        """
        found = self.connection.execute(
            "SELECT row, content_hash, known_hash, record FROM papers WHERE id = ?", (paper_id,)
        ).fetchone()
        return Stored(*found) if found else None

    def rows_with_content(self, content_hash: str) -> list[int]:
        """Return the rows of the papers that have an abstract.

        Args:
            content_hash: the hash of the abstract.
        """
        found = self.connection.execute(
            "SELECT row FROM papers WHERE content_hash = ? ORDER BY row", (content_hash,)
        )
        return [row for (row,) in found]

    def put(self, paper: Paper) -> int:
        """Write a paper; one with the same id is replaced and keeps its place.

        Passages are dropped when more than the place where it was read has changed: a vector
        outlives that, since it is kept by its text.

        Args:
            paper: the paper.

        Returns:
            Its row.
        """
        values = (
            record_of(paper),
            paper.content_hash,
            known_hash(paper),
            fold(paper.venue) if paper.venue else None,
            paper.year,
            fold_list(paper.authors),
            fold_list(paper.keywords),
            fold(paper.source.file) if paper.source else None,
            paper.id,
        )
        stored = self.find(paper.id)
        if stored is None:
            made = self.connection.execute(
                "INSERT INTO papers (record, content_hash, known_hash, venue, year, authors,"
                " keywords, file, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            row = int(made.lastrowid or 0)
            self.twins.put(row, paper)
            return row
        self.connection.execute(
            "UPDATE papers SET record = ?, content_hash = ?, known_hash = ?, venue = ?, year = ?,"
            " authors = ?, keywords = ?, file = ? WHERE id = ?",
            values,
        )
        if values[2] != stored.known_hash:
            self.connection.execute("DELETE FROM passages WHERE paper = ?", (stored.row,))
            self.twins.put(stored.row, paper)
        return stored.row

    def delete(self, rows: Iterable[int]) -> None:
        """Remove papers with their listings and passages.

        Args:
            rows: their rows.
        """
        self.connection.executemany("DELETE FROM papers WHERE row = ?", [(row,) for row in rows])

    def papers(self) -> Iterator[Paper]:
        """Read every paper, in the order in which they first came."""
        return (paper for _, paper in self.numbered_papers())

    def numbered_papers(self) -> Iterator[tuple[int, Paper]]:
        """Read every paper with its row, in order."""
        for row, record in self.connection.execute("SELECT row, record FROM papers ORDER BY row"):
            yield row, Paper.from_dict(json.loads(record))

    def paper_at(self, row: int) -> Paper:
        """Read one paper.

        Args:
            row: its row.
        """
        (record,) = self.connection.execute(
            "SELECT record FROM papers WHERE row = ?", (row,)
        ).fetchone()
        return Paper.from_dict(json.loads(record))

    # --- which source lists which paper

    def listed(self, source: str) -> set[int]:
        """Return the rows of the papers a source listed when it was last synced.

        Args:
            source: the source's name.
        """
        found = self.connection.execute("SELECT paper FROM listings WHERE source = ?", (source,))
        return {row for (row,) in found}

    def list_paper(self, source: str, row: int) -> bool:
        """Note that a source lists a paper.

        Args:
            source: the source's name.
            row: the paper's row.

        Returns:
            Whether that is new.
        """
        made = self.connection.execute(
            "INSERT OR IGNORE INTO listings VALUES (?, ?)", (source, row)
        )
        return bool(made.rowcount)

    def unlist(self, source: str, rows: Iterable[int]) -> list[int]:
        """Note that a source no longer lists papers.

        Args:
            source: the source's name.
            rows: the papers' rows.

        Returns:
            The rows among them that no other source lists.
        """
        rows = list(rows)
        self.connection.executemany(
            "DELETE FROM listings WHERE source = ? AND paper = ?", [(source, row) for row in rows]
        )
        return [row for row in rows if not self.is_listed(row)]

    def is_listed(self, row: int, *, besides: str | None = None) -> bool:
        """Tell whether any source lists a paper.

        Args:
            row: the paper's row.
            besides: a source that does not count.
        """
        found = self.connection.execute(
            "SELECT 1 FROM listings WHERE paper = ? AND source IS NOT ? LIMIT 1", (row, besides)
        ).fetchone()
        return found is not None

    def drop_unused_vectors(self) -> None:
        """Forget vectors of texts that no paper has any more."""
        self.connection.execute(
            "DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM passages)"
        )


def unusable(path: Path, error: sqlite3.Error) -> str:
    """Say that a catalogue cannot be used, and what to look at.

    Args:
        path: the catalogue.
        error: what SQLite said.
    """
    return (
        f"the catalogue {path} cannot be used ({error}): see that the folder can be written and "
        "has room, then run `assistant doctor --deep`"
    )


def record_of(paper: Paper) -> str:
    """Write a paper as one line of JSON, in ASCII so that any text survives.

    Args:
        paper: the paper.
    """
    return json.dumps(paper.to_dict())


def known_hash(paper: Paper) -> str:
    """Hash all that is known of a paper but the place where it was read.

    Args:
        paper: the paper.
    """
    known = paper.to_dict()
    del known["source"], known["label"]
    return text_hash(json.dumps(known, sort_keys=True))
