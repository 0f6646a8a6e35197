"""Which papers of a catalogue have the abstract of another, or nearly, or its title."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from assistant.corpus.likeness import LIKENESS, Likeness, compare, marks, title_mark
from assistant.corpus.paper import Paper

__all__ = ["Similar", "Twins"]

_COMPARED = 40
"""Papers with a mark in common that are compared word by word; templates have hundreds."""

_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Similar:
    """Rows of papers that are like one.

    Args:
        same: their abstract is the same but for how it was typed.
        versions: nearly so, but a figure, a name or the title differs.
        titled: the same title over quite another abstract.
    """

    same: tuple[int, ...]
    versions: tuple[int, ...]
    titled: tuple[int, ...]


class Twins:
    """The marks of a catalogue's papers.

    Args:
        connection: the open catalogue.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def complete(self) -> None:
        """Mark the papers that were recorded before there were marks, or with others."""
        (known,) = self._connection.execute(
            "SELECT max(value) FROM meta WHERE key = 'likeness'"
        ).fetchone()
        if known == LIKENESS:
            return
        self._connection.execute("DELETE FROM likeness")
        last = 0
        while found := self._connection.execute(
            "SELECT row, record FROM papers WHERE row > ? ORDER BY row LIMIT ?", (last, _AT_ONCE)
        ).fetchall():
            for row, record in found:
                self.put(row, Paper.from_dict(json.loads(record)))
            last = found[-1][0]
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES ('likeness', ?)", (LIKENESS,))

    def put(self, row: int, paper: Paper) -> None:
        """Mark a paper.

        Args:
            row: its row; what it was marked with before is forgotten.
            paper: the paper.
        """
        made, title = marks(paper), title_mark(paper)
        keys = {made.whole, *made.bands} | ({title} if title is not None else set())
        self._connection.execute("DELETE FROM likeness WHERE paper = ?", (row,))
        self._connection.executemany(
            "INSERT OR IGNORE INTO likeness VALUES (?, ?)", [(key, row) for key in keys]
        )

    def similar(self, paper: Paper) -> Similar:
        """Find the papers that are like one.

        Args:
            paper: a paper, in the catalogue or not; it is not like itself.
        """
        made, title = marks(paper), title_mark(paper)
        same, versions, titled = [], [], []
        rows = self._rows(made.whole)
        same += rows
        near = [r for key in made.bands for r in self._rows(key) if r not in rows]
        with_title = [] if title is None else [r for r in self._rows(title) if r not in rows]
        # Those of the same title first: they are few, and the likeliest.
        for row in list(dict.fromkeys([*with_title, *near]))[:_COMPARED]:
            other = self._paper(row)
            if other.id == paper.id:
                continue
            found = compare(paper, other)
            if found is Likeness.SAME:
                same.append(row)
            elif found is Likeness.VERSION:
                versions.append(row)
            elif row in with_title:
                titled.append(row)
        return Similar(tuple(same), tuple(versions), tuple(titled))

    def _rows(self, key: int) -> list[int]:
        found = self._connection.execute(
            "SELECT paper FROM likeness WHERE key = ? ORDER BY paper LIMIT ?", (key, _COMPARED)
        )
        return [row for (row,) in found]

    def _paper(self, row: int) -> Paper:
        (record,) = self._connection.execute(
            "SELECT record FROM papers WHERE row = ?", (row,)
        ).fetchone()
        return Paper.from_dict(json.loads(record))
