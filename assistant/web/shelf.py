"""The papers tab: the whole collection, searched as one types, filtered by its own facts."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.paper import Paper
from assistant.errors import AssistantError, InputError
from assistant.retrieval.evidence import Evidence
from assistant.web.cards import shelf_html
from assistant.web.escaping import escape
from assistant.web.told import Told

__all__ = ["PAGE", "Bookcase", "Shelf", "Shelved"]

PAGE = 40
_MOST_SHOWN = 400
_MOST_FOUND = 100
_MOST_NAMES = 300
_LEAST, _SURE = 0.05, 0.5


class Shelf(Protocol):
    """The collection at one moment."""

    @property
    def generation(self) -> int:
        """Counts up whenever it changes."""

    def __len__(self) -> int: ...

    def paper(self, row: int) -> Paper:
        """Return one paper."""

    def papers(self) -> Iterator[Paper]:
        """Return all papers in order."""

    def row(self, paper_id: str) -> int | None:
        """Return the row of a paper."""

    def rows_where(self, where: Mapping[str, object]) -> NDArray[np.int64]:
        """Return the rows that pass a filter."""

    def vector(self, row: int) -> NDArray[np.float32] | None:
        """Return the vector of a paper."""


class Shelved(Protocol):
    """What the papers tab needs of the assistant."""

    def snapshot(self) -> Shelf:
        """Return the collection."""

    def search(
        self, question: str, limit: int = ..., where: Mapping[str, object] | None = ...
    ) -> list[Evidence]:
        """Rank papers."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """What can be filtered by, and the titles; read once for each state of the collection."""

    generation: int
    names: str
    titles: tuple[str, ...]


class Bookcase:
    """Finds papers for the tab.

    Args:
        assistant: holds the collection.
    """

    def __init__(self, assistant: Shelved) -> None:
        self._assistant = assistant
        self._facts: _Facts | None = None
        self._lock = threading.Lock()

    def find(self, told: str) -> str:
        """Return the papers that match as one line of HTML.

        Args:
            told: `query`, `venue`, `year`, `author`, `keyword` and `count` as JSON.
        """
        said = Told.read(told)
        try:
            shelf = self._assistant.snapshot()
            facts = self._known(shelf)
            where = _where(said)
            rows = shelf.rows_where(where)
            query = said.text("query").strip()
            found = self._ranked(query, where, shelf, rows, facts) if query else None
        except AssistantError as error:
            return f'<p class="ap-problem" role="alert">{escape(str(error))}</p>'
        count = min(max(PAGE, said.number("count") or PAGE), _MOST_SHOWN)
        if found is None:
            shown = [shelf_html(shelf.paper(int(row))) for row in rows[:count]]
            told_count = _counted(len(rows), len(shelf))
            if len(rows) > count:
                told_count += f", the first {count} are shown"
        else:
            shown = [shelf_html(paper, evidence) for paper, evidence in found]
            told_count = _told(found, len(rows))
        more = ""
        if found is None and len(rows) > count and count < _MOST_SHOWN:
            more = '<p><button type="button" class="ap-more">Show more</button></p>'
        return (
            f'<p class="ap-count" role="status">{told_count}</p>'
            f'<div class="ap-shelf">{"".join(shown)}</div>{more}'
            f'<pre class="ap-names" hidden>{escape(facts.names)}</pre>'
        )

    def card(self, told: str) -> str:
        """Return the card of one paper, empty where there is none.

        Args:
            told: its `id` as JSON.
        """
        try:
            shelf = self._assistant.snapshot()
            row = shelf.row(Told.read(told).text("id"))
        except AssistantError:
            return ""
        return "" if row is None else shelf_html(shelf.paper(row))

    def _ranked(
        self,
        query: str,
        where: Mapping[str, object],
        shelf: Shelf,
        rows: NDArray[np.int64],
        facts: _Facts,
    ) -> list[tuple[Paper, Evidence | None]]:
        """Papers whose title holds what was typed so far, then those that searching finds."""
        typed = " ".join(query.casefold().split())
        titled = [int(row) for row in rows if typed in facts.titles[int(row)]][:PAGE]
        found = self._assistant.search(query, _MOST_FOUND, where) if len(rows) else []
        evidence = {item.paper.id: item for item in found}
        first = [shelf.paper(row) for row in titled]
        ranked: list[tuple[Paper, Evidence | None]] = [
            (paper, evidence.pop(paper.id, None)) for paper in first
        ]
        ranked.sort(key=lambda pair: -(pair[1].relevance if pair[1] else 0.0))
        ranked += [(i.paper, i) for i in evidence.values() if i.relevance >= _LEAST or i.matched]
        return ranked[:_MOST_FOUND]

    def _known(self, shelf: Shelf) -> _Facts:
        with self._lock:
            if self._facts is None or self._facts.generation != shelf.generation:
                self._facts = _read(shelf)
            return self._facts


def _read(shelf: Shelf) -> _Facts:
    venues: Counter[str] = Counter()
    years: Counter[int] = Counter()
    authors: Counter[str] = Counter()
    keywords: Counter[str] = Counter()
    titles = []
    for paper in shelf.papers():
        titles.append(" ".join(paper.label.casefold().split()))
        venues.update([paper.venue] if paper.venue else [])
        years.update([paper.year] if paper.year else [])
        authors.update(paper.authors)
        keywords.update(paper.keywords)
    names = {
        "venues": sorted(name for name, _ in venues.most_common(_MOST_NAMES)),
        "years": sorted(years, reverse=True),
        "authors": sorted(name for name, _ in authors.most_common(_MOST_NAMES)),
        "keywords": sorted(name for name, _ in keywords.most_common(_MOST_NAMES)),
    }
    return _Facts(shelf.generation, json.dumps(names), tuple(titles))


def _where(said: Told) -> dict[str, object]:
    where: dict[str, object] = {
        name: value for name in ("venue", "author", "keyword") if (value := said.text(name).strip())
    }
    year = said.text("year", 10).strip()
    if year:
        if not year.isdecimal():
            raise InputError(f"a year has digits only, not {year!r}")
        where["year"] = int(year)
    return where


def _told(found: Sequence[tuple[Paper, Evidence | None]], among: int) -> str:
    if not found:
        return "No paper found"
    # Without evidence it was found by its title.
    if any(item is None or item.matched or item.relevance >= _SURE for _, item in found):
        return f"{len(found)} found in {among:,}"
    nearest = "this comes" if len(found) == 1 else "these come"
    return f"No paper found in {among:,}; {nearest} nearest"


def _counted(found: int, held: int) -> str:
    if not held:
        return "No papers yet: assistant sync FILE adds some"
    papers = f"{held:,} paper{'s' if held != 1 else ''}"
    return f"All {papers}" if found == held else f"{found:,} of {papers}"
