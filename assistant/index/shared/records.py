"""What a server holds of a collection besides passages: who lists which paper, and a summary.

A record is one source's word that a paper exists, with the paper as that source has it. A machine
writes records of the sources it syncs and of no others, so machines never overwrite each other. The
summary has a line per source, written after its records: from it readers see what changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from assistant.corpus.paper import text_hash
from assistant.index.filters import storable
from assistant.index.fingerprint import Recipe
from assistant.index.shared.server import Server, parts, upsert

if TYPE_CHECKING:
    from chromadb.api.collection_configuration import CreateCollectionConfiguration
    from chromadb.api.models.Collection import Collection
    from chromadb.api.types import Where

__all__ = ["BUCKETS", "Manifest", "Record", "Records", "Summary", "digests", "source_key"]

BUCKETS = 64
"""Parts of a source that are compared on their own: a change in one costs a reader a 64th of it."""

# Nothing is ever searched here, but each entry must have a vector.
_NOWHERE = [1.0]
_UNSEARCHED: CreateCollectionConfiguration = {"hnsw": {"max_neighbors": 4, "ef_construction": 16}}
_RECIPE = "recipe:"
_ASKED_AT_ONCE = 500
"""Papers in one condition: each is a variable of the server's SQL."""


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


class Records:
    """The records and the summary of one collection on a server.

    Args:
        server: the server.
        collection: the collection's name, as people know it.
    """

    def __init__(self, server: Server, collection: str) -> None:
        self.server = server
        self._records = f"papers.{collection}.records"
        self._summary = f"papers.{collection}.sources"

    def create(self) -> None:
        """Make what is needed to write; what is there already stays.

        Raises:
            ServerError: it refuses, or does not answer.
        """
        self.server.create(self._records, _UNSEARCHED)
        self.server.create(self._summary, _UNSEARCHED)

    # --- the summary

    def summary(self, *, patience: float = 30.0) -> Summary:
        """Read the summary: small, whatever the collection's size.

        Args:
            patience: seconds for which a server that cannot be reached is tried again.

        Raises:
            ServerError: it does not answer.
        """
        found: dict[str, tuple[Mapping[str, Any], str]] = {}

        def read(collection: Collection) -> int:
            page = self.server.batch
            for offset in range(0, collection.count(), page):
                got = collection.get(limit=page, offset=offset, include=["metadatas", "documents"])
                found.update(
                    (name, (metadata, document))
                    for name, metadata, document in zip(
                        got["ids"], got["metadatas"] or [], got["documents"] or [], strict=True
                    )
                )
            return len(found)

        self.server.use(self._summary, read, otherwise=0, patience=patience)
        # Sorted: the server gives them in any order, and readers compare one summary with the next.
        lines = sorted(found.items())
        recipes = {n.removeprefix(_RECIPE): v for n, v in lines if n.startswith(_RECIPE)}
        return Summary(
            sources={
                name: Manifest(str(m["source"]), int(m["papers"]), tuple(json.loads(document)))
                for name, (m, document) in lines
                if not name.startswith(_RECIPE)
            },
            recipes={n: Recipe.from_dict(json.loads(doc)) for n, (_, doc) in recipes.items()},
            passages={n: int(m["passages"]) for n, (m, _) in recipes.items()},
            revisions={n: str(m["revision"]) for n, (m, _) in recipes.items()},
        )

    def write_manifests(self, manifests: Sequence[Manifest]) -> None:
        """Say what sources consist of, after their records were written.

        Args:
            manifests: of each.

        Raises:
            ServerError: it refuses, or does not answer.
        """
        self.server.write(
            self._summary,
            manifests,
            lambda collection, part: upsert(
                collection,
                [manifest.key for manifest in part],
                [_NOWHERE] * len(part),
                [json.dumps(manifest.buckets) for manifest in part],
                [{"source": storable(m.source), "papers": m.papers} for m in part],
            ),
        )

    def write_recipe(self, recipe: Recipe, passages: int, revision: str) -> None:
        """Say that passages of a recipe were written.

        Args:
            recipe: what they were made with.
            passages: how many there are now.
            revision: any text that was not used before.

        Raises:
            ServerError: it refuses, or does not answer.
        """
        self.server.write(
            self._summary,
            [recipe],
            lambda collection, part: upsert(
                collection,
                [f"{_RECIPE}{one.fingerprint}" for one in part],
                [_NOWHERE],
                [json.dumps(one.to_dict()) for one in part],
                [{"passages": passages, "revision": revision}],
            ),
        )

    # --- records

    def listed(self, source: str, buckets: Sequence[int]) -> list[Record]:
        """Read which records a source has.

        Args:
            source: `source_key` of the source.
            buckets: the parts of it to read.

        Raises:
            ServerError: it does not answer.
        """
        condition: Where = {"source": source}
        if len(buckets) < BUCKETS:
            some = [condition, cast("Where", {"bucket": {"$in": list(buckets)}})]
            condition = {"$and": some}
        return self._where(condition)

    def of_papers(self, papers: Sequence[str]) -> list[Record]:
        """Read every source's records of some papers.

        Args:
            papers: their ids.

        Raises:
            ServerError: it does not answer.
        """
        return [
            record
            for part in parts(papers, _ASKED_AT_ONCE)
            for record in self._where(cast("Where", {"paper": {"$in": list(part)}}))
        ]

    def documents(self, ids: Sequence[str]) -> dict[str, str]:
        """Read papers, as the JSON that a source wrote.

        Args:
            ids: of records.

        Returns:
            Those that are there, by record id.

        Raises:
            ServerError: it does not answer.
        """
        found: dict[str, str] = {}
        for part in parts(ids, self.server.batch):

            def read(collection: Collection, part: Sequence[str] = part) -> bool:
                got = collection.get(ids=list(part), include=["documents"])
                found.update(zip(got["ids"], got["documents"] or [], strict=True))
                return True

            self.server.use(self._records, read, otherwise=False)
        return found

    def write(self, rows: Sequence[tuple[Record, str]]) -> None:
        """Write records with their papers.

        Args:
            rows: record and paper, as JSON, of each.

        Raises:
            ServerError: it refuses, or does not answer.
        """
        self.server.write(
            self._records,
            rows,
            lambda collection, part: upsert(
                collection,
                [record.id for record, _ in part],
                [_NOWHERE] * len(part),
                [document for _, document in part],
                [record.metadata() for record, _ in part],
            ),
        )

    def delete(self, ids: Sequence[str]) -> None:
        """Remove records; unknown ones are passed over.

        Args:
            ids: of records.

        Raises:
            ServerError: it refuses, or does not answer.
        """
        self.server.write(
            self._records, ids, lambda collection, part: collection.delete(ids=list(part))
        )

    def _where(self, condition: Where) -> list[Record]:
        found: list[Record] = []

        def read(collection: Collection) -> bool:
            found.clear()
            page = self.server.batch
            while True:
                got = collection.get(
                    where=condition, limit=page, offset=len(found), include=["metadatas"]
                )
                found.extend(map(Record.read, got["ids"], got["metadatas"] or []))
                if len(got["ids"]) < page:
                    return True

        self.server.use(self._records, read, otherwise=False)
        return found


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
