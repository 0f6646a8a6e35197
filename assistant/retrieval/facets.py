"""What researchers ask in other words than abstracts answer: a small thesaurus of facets."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

__all__ = ["Facet", "facets_in"]

_FILE = Path(__file__).parent / "data" / "facets.json"


@dataclass(frozen=True, slots=True)
class Facet:
    """One facet of a question, such as "links its code".

    Args:
        name: a word for it.
        asks: found in a question that asks for it.
        shows: found in a sentence that shows it.
        start: offset in the question where it is asked.
        end: offset behind it.
    """

    name: str
    asks: re.Pattern[str]
    shows: re.Pattern[str]
    start: int = 0
    end: int = 0


def facets_in(question: str) -> list[Facet]:
    """Find the facets a question asks for.

    Args:
        question: the question.

    Returns:
        Each once, with the place where it is asked.
    """
    found: list[Facet] = []
    for facet in _facets():
        match = facet.asks.search(question)
        if match:
            found.append(Facet(facet.name, facet.asks, facet.shows, match.start(), match.end()))
    return found


@lru_cache(maxsize=1)
def _facets() -> Sequence[Facet]:
    entries = json.loads(_FILE.read_text(encoding="utf-8"))["facets"]
    return tuple(
        Facet(
            name=entry["name"],
            asks=re.compile(entry["asks"], re.IGNORECASE),
            shows=re.compile(entry["shows"], re.IGNORECASE),
        )
        for entry in entries
    )
