"""The records and the summary of a collection, read from a server and written there."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from assistant.index.filters import storable
from assistant.index.fingerprint import Recipe
from assistant.index.shared.records import BUCKETS, Manifest, Record, Summary
from assistant.index.shared.server import Server, parts, upsert

if TYPE_CHECKING:
    from chromadb.api.collection_configuration import CreateCollectionConfiguration
    from chromadb.api.models.Collection import Collection
    from chromadb.api.types import Where

__all__ = ["Ledger"]

# Nothing is ever searched here, but each entry must have a vector.
_NOWHERE = [1.0]
_UNSEARCHED: CreateCollectionConfiguration = {"hnsw": {"max_neighbors": 4, "ef_construction": 16}}
_RECIPE = "recipe:"
_URI = "data:application/zlib;base64,"
_ASKED_AT_ONCE = 500
"""Papers in one condition: each is a variable of the server's SQL."""


class Ledger:
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
                got = collection.get(ids=list(part), include=["uris"])
                found.update(zip(got["ids"], map(_unpacked, got["uris"] or []), strict=True))
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
                None,
                [record.metadata() for record, _ in part],
                uris=[_packed(document) for _, document in part],
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


def _packed(document: str) -> str:
    """Write a paper as a data URI.

    As a document the server would index every piece of it for a search that nobody does: 2.5 times
    the work and three times the room. As metadata it would come along with each list of records.
    """
    return _URI + base64.b64encode(zlib.compress(document.encode())).decode()


def _unpacked(uri: str) -> str:
    return zlib.decompress(base64.b64decode(uri.removeprefix(_URI))).decode()
