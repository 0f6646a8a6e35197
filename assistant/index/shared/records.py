"""What a server holds of a collection besides passages: who lists which paper, and a summary.

A record is one source's word that a paper exists, with the paper as that source has it. A machine
writes records of the sources it syncs and of no others, so machines never overwrite each other. The
summary has a line per source, written after its records: from it readers see what changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from assistant.corpus.paper import text_hash
from assistant.index.filters import storable
from assistant.index.fingerprint import Recipe

__all__ = ["BUCKETS", "Manifest", "Record", "Summary", "digests", "source_key"]

BUCKETS = 64
"""Parts of a source that are compared on their own: a change in one costs a reader a 64th of it."""


@dataclass(frozen=True, slots=True)
class Record:
    """One source's record of a paper, without the paper itself.

    Args:
        id: names source and paper.
        source: `source_key` of the source.
        paper: the paper's id.
        hash: hash of the paper as the source has it.
        at: when it first came, in milliseconds; with `place` it orders the papers.
        place: its place among those that came with it.
        changed: when it last changed: of several records the youngest shows.
    """

    id: str
    source: str
    paper: str
    hash: str
    at: int
    place: int
    changed: int

    @classmethod
    def name(cls, source: str, paper: str) -> str:
        """Name a record: the same on every machine.

        Args:
            source: `source_key` of the source.
            paper: the paper's id.
        """
        return f"{source}:{paper}"

    @property
    def bucket(self) -> int:
        """The part of its source that it belongs to."""
        return _bucket(self.id)

    def metadata(self) -> dict[str, str | int]:
        """Write it as the server keeps it."""
        return {
            "source": self.source,
            "bucket": self.bucket,
            "paper": self.paper,
            "hash": self.hash,
            "at": self.at,
            "place": self.place,
            "changed": self.changed,
        }

    @classmethod
    def read(cls, name: str, found: Mapping[str, Any]) -> Record:
        """Undo `metadata`.

        Args:
            name: the entry's id.
            found: its metadata.
        """
        return cls(
            id=name,
            source=str(found["source"]),
            paper=str(found["paper"]),
            hash=str(found["hash"]),
            at=int(found["at"]),
            place=int(found["place"]),
            changed=int(found["changed"]),
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a source consists of, written when all its records are.

    Args:
        source: its name.
        papers: how many it lists.
        buckets: a digest of the ids and hashes of each part; empty for a part without any.
    """

    source: str
    papers: int
    buckets: tuple[str, ...]

    @property
    def key(self) -> str:
        """`source_key` of the source."""
        return source_key(self.source)


@dataclass(frozen=True, slots=True)
class Summary:
    """What a server says of a collection at one moment.

    Args:
        sources: a manifest per source, by `source_key`.
        recipes: what its vectors were made with, by fingerprint.
        passages: how many each recipe has.
        revisions: changes whenever passages of a recipe were written.
    """

    sources: Mapping[str, Manifest] = field(default_factory=dict)
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    passages: Mapping[str, int] = field(default_factory=dict)
    revisions: Mapping[str, str] = field(default_factory=dict)

    def recipe_for(self, wanted: Recipe) -> Recipe:
        """Choose what to read: one's own where it is there, else what most passages have.

        Args:
            wanted: what the configured embedder makes.
        """
        if wanted.fingerprint in self.recipes:
            return wanted
        if not self.recipes:
            return Recipe.of(None)
        return self.recipes[max(self.recipes, key=lambda name: (self.passages[name], name))]


def source_key(source: str) -> str:
    """Name a source by 12 hexadecimal digits.

    Args:
        source: its name.
    """
    return text_hash(storable(source))[:12]


def digests(rows: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Summarise a source's records.

    Args:
        rows: id and hash of each, in any order.

    Returns:
        A digest per part; empty for a part without any.
    """
    sorted_into: list[list[str]] = [[] for _ in range(BUCKETS)]
    for name, hashed in rows:
        sorted_into[_bucket(name)].append(f"{name}\n{hashed}")
    return tuple(text_hash("\n".join(sorted(lines)))[:16] if lines else "" for lines in sorted_into)


def _bucket(name: str) -> int:
    return hashlib.sha256(name.encode()).digest()[0] % BUCKETS
