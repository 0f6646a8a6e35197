"""What retrieval reads: one generation of one collection, as it was published."""

from __future__ import annotations

import json
import sqlite3
import weakref
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.paper import Paper
from assistant.errors import IndexDamagedError, InputError, ServerError
from assistant.index.filters import sql_condition
from assistant.index.lexical import LexicalIndex
from assistant.index.mark import LEXICAL, PAPERS, ROWS, STORE, VECTORS, Mark, read_mark
from assistant.index.vectors import VectorFile, best_of_each
from assistant.index.venues import same_venues

if TYPE_CHECKING:
    from assistant.index.shared.passages import RemotePassages
    from assistant.index.store import PassageStore

__all__ = ["EXACT_LIMIT", "Snapshot"]

EXACT_LIMIT = 200_000
"""Passages up to which every vector is compared; above, Chroma's graph names the candidates."""

_CHROMA_CANDIDATES = 1_000
_CACHED_PAPERS = 8_192


class Snapshot:
    """An immutable view of the index; safe to share between threads.

    Everything is opened at once, so it goes on working when the generation is superseded and
    removed. Chroma is opened only when it is asked: importing it would double the start.

    Args:
        folder: the generation's folder.

    Attributes:
        passage_papers: int32 `[passages]`, the row of the paper of each passage.
        passage_spans: int32 `[passages, 2]`, offsets into `Paper.abstract`.
        remote: the same passages on a Chroma server, where it is one's copy: above `EXACT_LIMIT` it
            is asked in place of a store of its own.
        lexical: the lexical index over `Paper.indexed_text`, one document per paper row.
        notices: what a person should know of how it is read, one line each.

    Raises:
        IndexDamagedError: a file is missing, cut off, or does not fit the others.
    """

    passage_papers: NDArray[np.int32]
    passage_spans: NDArray[np.int32]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notices: list[str] = []
        self.remote: RemotePassages | None = None
        self.mark: Mark = read_mark(folder)
        self.mark.verify(folder)
        try:
            with np.load(folder / ROWS, allow_pickle=False) as rows:
                self.passage_papers = rows["papers"]
                self.passage_spans = rows["spans"]
                self._starts: NDArray[np.int32] = rows["starts"]
            self.lexical = LexicalIndex.load(folder / LEXICAL)
            self._papers = _open_papers(folder / PAPERS)
            counted = self._papers.execute("SELECT count(*) FROM papers").fetchone()[0]
        except (OSError, ValueError, KeyError, EOFError, sqlite3.Error) as error:
            raise IndexDamagedError(f"the index in {folder} cannot be read: {error}") from error
        weakref.finalize(self, self._papers.close)
        self._lock = Lock()
        # Bound to its parts, not to the snapshot: a cycle would keep superseded files open.
        self._cached = lru_cache(_CACHED_PAPERS)(partial(_read_paper, self._papers, self._lock))
        seen = (counted, len(self._starts), len(self.lexical), len(self.passage_papers))
        if seen != (len(self), len(self), len(self), self.mark.passages):
            raise IndexDamagedError(f"the parts of the index in {folder} do not fit: {seen}")
        self._vectors = (
            VectorFile(folder / VECTORS, self.mark.passages) if self.mark.dimension else None
        )

    @property
    def generation(self) -> int:
        """Counts up with each published generation."""
        return self.mark.generation

    @property
    def fingerprint(self) -> str:
        """Embedder, cutting and schema in 12 hexadecimal digits."""
        return self.mark.recipe.fingerprint

    @property
    def embedder_name(self) -> str | None:
        """The embedder of the vectors; None where the index is lexical alone."""
        return self.mark.recipe.embedder

    @property
    def dimension(self) -> int | None:
        """Numbers per vector; None where there are no vectors."""
        return self.mark.dimension

    @property
    def vectors_ready(self) -> int:
        """How many papers have all their vectors."""
        return self.mark.vectors_ready

    def __len__(self) -> int:
        return self.mark.papers

    def paper(self, row: int) -> Paper:
        """Read one paper.

        Args:
            row: 0 to `len(self) - 1`, in the order in which the papers first came.

        Raises:
            IndexError: there is no such row.
        """
        return self._cached(int(row))

    def papers(self) -> Iterator[Paper]:
        """Read all papers in order, past the cache."""
        with self._lock:
            records = self._papers.execute("SELECT record FROM records ORDER BY row").fetchall()
        return (Paper.from_dict(json.loads(record)) for (record,) in records)

    def row(self, paper_id: str) -> int | None:
        """Find the row of a paper; None where there is none.

        Args:
            paper_id: its id.
        """
        with self._lock:
            found = self._papers.execute(
                "SELECT row FROM papers WHERE id = ?", (paper_id,)
            ).fetchone()
        return int(found[0]) if found else None

    def rows_where(self, where: Mapping[str, object]) -> NDArray[np.int64]:
        """Find the papers that pass a filter.

        Args:
            where: see `assistant.index.filters.sql_condition`.

        Returns:
            Sorted rows.

        Raises:
            InputError: an unknown key, or a value of the wrong kind.
        """
        condition, values = sql_condition(self._with_known_venues(where))
        with self._lock:
            found = self._papers.execute(
                # The condition holds our own words alone; what was asked for is bound.
                f"SELECT row FROM papers WHERE {condition} ORDER BY row",  # noqa: S608
                values,
            ).fetchall()
        return np.array([row for (row,) in found], dtype=np.int64)

    def _with_known_venues(self, where: Mapping[str, object]) -> Mapping[str, object]:
        """Put the venues as records have them in the place of those asked for."""
        if not isinstance(where, Mapping):
            raise InputError(f'a filter is a mapping such as {{"year": 2026}}, not {where!r:.60}')
        denied = where.get("not")
        if isinstance(denied, Mapping):
            where = {**where, "not": self._with_known_venues(denied)}
        asked = where.get("venue")
        names = [asked] if isinstance(asked, str) else asked
        if not isinstance(names, list | tuple) or not all(isinstance(n, str) for n in names):
            return where
        return {**where, "venue": [*names, *same_venues(names, self._venues)]}

    @cached_property
    def years(self) -> dict[int, int]:
        """How many papers tell each year, the oldest first."""
        with self._lock:
            found = self._papers.execute(
                "SELECT year, count(*) FROM papers WHERE year IS NOT NULL"
                " GROUP BY year ORDER BY year"
            ).fetchall()
        return {int(year): int(count) for year, count in found}

    @cached_property
    def _venues(self) -> list[str]:
        with self._lock:
            found = self._papers.execute(
                "SELECT DISTINCT venue FROM papers WHERE venue IS NOT NULL ORDER BY venue"
            ).fetchall()
        return [venue for (venue,) in found]

    def cosines(
        self,
        query: NDArray[np.floating],
        *,
        dense: Literal["auto", "exact", "chroma"] = "auto",
    ) -> NDArray[np.float32]:
        """Compare a question with every paper: its best passage counts.

        Args:
            query: `[dimension]`, from the embedder the index was made with.
            dense: `exact` compares all passages; `chroma` lets its graph name the candidates;
                `auto` chooses by size, `EXACT_LIMIT`.

        Returns:
            float32 `[papers]`, -1 to 1; NaN where a paper has no vector yet. Through Chroma, 0
            for the papers it did not name.

        Raises:
            InputError: the query has another dimension.
            IndexDamagedError: Chroma was asked for and cannot be read.
            ServerError: the same, of a server.
        """
        if self._vectors is None:
            return np.full(len(self), np.nan, dtype=np.float32)
        if dense == "chroma":
            return self._chroma_cosines(self._vectors, query)
        asked = self.mark.stored or self.remote is not None
        if dense == "auto" and self.mark.passages > EXACT_LIMIT and asked:
            try:
                return self._chroma_cosines(self._vectors, query)
            except (IndexDamagedError, ServerError) as error:
                # Superseded while in use, or in a folder that Chroma may not write.
                self._note(f"every vector was compared, which takes longer: {error}")
        return best_of_each(self._vectors.cosines(query), self._starts)

    def vector(self, row: int) -> NDArray[np.float32] | None:
        """Return a paper's own vector: the mean of its passages', of length 1.

        Args:
            row: the paper's row.

        Returns:
            float32 `[dimension]`; None where it has no vector yet.
        """
        if self._vectors is None:
            return None
        passages = self._vectors.rows(int(self._starts[row]), self._end(row))
        known = passages[~np.isnan(passages[:, 0])]
        if not len(known):
            return None
        mean: NDArray[np.float32] = known.mean(axis=0)
        return mean / np.float32(max(float(np.linalg.norm(mean)), 1e-12))

    @cached_property
    def store(self) -> PassageStore:
        """The generation's Chroma store, opened when it is first asked for.

        Raises:
            IndexDamagedError: it was not filled, or Chroma cannot read it.
        """
        from assistant.index.store import PassageStore

        if self.mark.stored is None or not (self.folder / STORE).is_dir():
            raise IndexDamagedError(f"{self.folder} holds no Chroma store: run `assistant sync`")
        return PassageStore(self.folder / STORE)

    def close(self) -> None:
        """Let go of the files; the snapshot cannot be used afterwards."""
        opened = self.__dict__.pop("store", None)
        if opened is not None:
            opened.close()
        self._papers.close()

    def _end(self, row: int) -> int:
        return int(self._starts[row + 1]) if row + 1 < len(self) else self.mark.passages

    def _note(self, notice: str) -> None:
        if notice not in self.notices:
            self.notices.append(notice)

    def _chroma_cosines(
        self, vectors: VectorFile, query: NDArray[np.floating]
    ) -> NDArray[np.float32]:
        from assistant.index.store import split_passage_id

        scores = np.zeros(self.mark.passages, dtype=np.float32)
        if self.vectors_ready < len(self):
            missing = np.isnan(vectors.rows(0, self.mark.passages)[:, 0])
            scores[missing] = np.nan
        limit = min(_CHROMA_CANDIDATES, self.mark.passages)
        if self.remote is not None:
            named = self.remote.nearest(query, limit)
        else:
            with self._lock:
                named = self.store.nearest(query, limit)
        for name, cosine in named:
            paper_id, ordinal = split_passage_id(name)
            row = self.row(paper_id)
            # A server may be ahead of its copy, and name what is not here.
            if row is not None and self._starts[row] + ordinal < self._end(row):
                scores[self._starts[row] + ordinal] = cosine
        return best_of_each(scores, self._starts)


def _read_paper(papers: sqlite3.Connection, lock: Lock, row: int) -> Paper:
    with lock:
        found = papers.execute("SELECT record FROM records WHERE row = ?", (row,)).fetchone()
    if found is None:
        raise IndexError(f"no paper has the row {row}")
    return Paper.from_dict(json.loads(found[0]))


def _open_papers(path: Path) -> sqlite3.Connection:
    # Immutable: the file is never written again, so no lock or journal is needed beside it.
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?immutable=1", uri=True, check_same_thread=False
    )
