"""The catalogue's passages and vectors, as one recipe cuts and embeds its papers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assistant.corpus.paper import Paper, Passage
from assistant.index.catalogue import Catalogue
from assistant.index.fingerprint import Recipe

__all__ = ["Passages", "Pending"]

_FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True)
class Pending:
    """A passage whose vector is still to be made."""

    paper: int
    start: int
    stop: int
    text_hash: str


class Passages:
    """How a recipe cuts the papers of a catalogue, and which vectors there are.

    Args:
        catalogue: the open catalogue.
        recipe: embedder and way of cutting.
    """

    def __init__(self, catalogue: Catalogue, recipe: Recipe) -> None:
        self._catalogue = catalogue
        self._connection = catalogue.connection
        self._recipe = recipe.fingerprint
        self._embedder = recipe.vector_key

    def uncut(self, after: int, limit: int) -> list[tuple[int, Paper]]:
        """Return papers that have no passages yet.

        Args:
            after: only those with a higher row.
            limit: how many papers at most.

        Returns:
            Row and paper of each.
        """
        found = self._connection.execute(
            "SELECT row, record FROM papers WHERE NOT EXISTS (SELECT 1 FROM passages"
            " WHERE recipe = ? AND paper = papers.row) AND row > ? ORDER BY row LIMIT ?",
            (self._recipe, after, limit),
        )
        return [(row, Paper.from_dict(json.loads(record))) for row, record in found]

    def uncut_count(self) -> int:
        """Count the papers that have no passages yet."""
        (count,) = self._connection.execute(
            "SELECT count(*) FROM papers WHERE NOT EXISTS (SELECT 1 FROM passages"
            " WHERE recipe = ? AND paper = papers.row)",
            (self._recipe,),
        ).fetchone()
        return int(count)

    def put(self, row: int, passages: Sequence[tuple[Passage, str]]) -> None:
        """Write how a paper is cut.

        Args:
            row: the paper's row.
            passages: each with the hash of the text that is embedded for it.
        """
        self._connection.executemany(
            "INSERT OR REPLACE INTO passages VALUES (?, ?, ?, ?, ?, ?)",
            [
                (self._recipe, row, i, passage.start, passage.end, hashed)
                for i, (passage, hashed) in enumerate(passages)
            ],
        )

    def spans(self) -> Iterator[tuple[int, int, int, int, str]]:
        """Read all passages in order: paper row, ordinal, start, end, text hash."""
        return self._connection.execute(
            "SELECT paper, ordinal, start, stop, text_hash FROM passages WHERE recipe = ?"
            " ORDER BY paper, ordinal",
            (self._recipe,),
        )

    def vectors(self) -> Iterator[bytes | None]:
        """Read the vectors of all passages in their order; None where there is none yet."""
        found = self._connection.execute(
            "SELECT vector FROM passages LEFT JOIN vectors ON vectors.embedder = ?"
            " AND vectors.text_hash = passages.text_hash WHERE recipe = ? ORDER BY paper, ordinal",
            (self._embedder, self._recipe),
        )
        return (vector for (vector,) in found)

    def dimension(self) -> int | None:
        """Return how many numbers the embedder's vectors have; None where there are none."""
        found = self._connection.execute(
            "SELECT length(vector) FROM vectors WHERE embedder = ? LIMIT 1", (self._embedder,)
        ).fetchone()
        return int(found[0]) // _FLOAT_BYTES if found else None

    def __len__(self) -> int:
        (count,) = self._connection.execute(
            "SELECT count(*) FROM passages WHERE recipe = ?", (self._recipe,)
        ).fetchone()
        return int(count)

    def pending_count(self) -> int:
        """Count the texts that still need a vector."""
        (count,) = self._connection.execute(
            "SELECT count(DISTINCT text_hash) FROM passages WHERE recipe = ? AND NOT EXISTS"
            " (SELECT 1 FROM vectors WHERE embedder = ? AND text_hash = passages.text_hash)",
            (self._recipe, self._embedder),
        ).fetchone()
        return int(count)

    def pending(self) -> list[Pending]:
        """Return the passages that still need a vector, each text once."""
        found = self._connection.execute(
            "SELECT paper, start, stop, text_hash FROM passages WHERE recipe = ? AND NOT EXISTS"
            " (SELECT 1 FROM vectors WHERE embedder = ? AND text_hash = passages.text_hash)"
            " ORDER BY paper, ordinal",
            (self._recipe, self._embedder),
        )
        once: dict[str, Pending] = {}
        for row in found:
            once.setdefault(row[3], Pending(*row))
        return list(once.values())

    def put_vectors(self, vectors: Iterable[tuple[str, bytes]]) -> None:
        """Write vectors, committed when this returns.

        Args:
            vectors: text hash and float32 bytes of each.
        """
        with self._catalogue.transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO vectors (embedder, text_hash, vector) VALUES (?, ?, ?)",
                [(self._embedder, hashed, vector) for hashed, vector in vectors],
            )
