"""The passages of one recipe on a server: written once, read by every machine, searched there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assistant.index.fingerprint import Recipe
from assistant.index.shared.server import Server, parts, upsert
from assistant.index.store import Entry, passage_id, split_passage_id

if TYPE_CHECKING:
    from chromadb.api.collection_configuration import CreateCollectionConfiguration
    from chromadb.api.models.Collection import Collection

__all__ = ["Piece", "RemotePassages"]

# The vectors have length 1, so the inner product is the cosine; `cosine` would divide them by their
# length once more and give back others than were written. `ef` as in a local store: the defaults
# (100, 100) find 0.986 of the ten nearest of 10,000, these 0.998.
_CONFIGURATION: CreateCollectionConfiguration = {
    "hnsw": {"space": "ip", "ef_construction": 200, "ef_search": 200}
}
_NUMBERS_AT_ONCE = 1_000_000
"""Numbers in one reply: each is about twenty characters on the way, and all are held at once."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Piece:
    """How the server says a passage is cut.

    Args:
        id: `passage_id` of it.
        start: offset of the first character in the abstract.
        end: offset behind the last one.
        hash: hash of the text that was embedded.
        pieces: how many passages its paper has.
    """

    id: str
    start: int
    end: int
    hash: str
    pieces: int

    @classmethod
    def read(cls, name: str, found: Mapping[str, Any]) -> Piece:
        """Read a passage's metadata.

        Args:
            name: the entry's id.
            found: its metadata.
        """
        return cls(
            name, int(found["start"]), int(found["end"]), str(found["hash"]), int(found["pieces"])
        )


class RemotePassages:
    """One collection on a server: the passages of one recipe, with vectors, texts and metadata.

    Args:
        server: the server.
        collection: the collection's name, as people know it.
        recipe: how it was cut and embedded; another one has a collection of its own, so vectors of
            two embedders never meet.
    """

    def __init__(self, server: Server, collection: str, recipe: Recipe) -> None:
        self.server = server
        self.recipe = recipe
        self._name = f"papers.{collection}.{recipe.fingerprint}"

    def create(self) -> None:
        """Make it; one that is there stays.

        Raises:
            ServerError: it refuses, or does not answer.
        """
        self.server.create(self._name, _CONFIGURATION)

    def __len__(self) -> int:
        return self.server.use(self._name, lambda collection: collection.count(), otherwise=0)

    def pieces(self, papers: Sequence[str]) -> dict[str, list[Piece]]:
        """Read how papers are cut.

        Args:
            papers: their ids.

        Returns:
            The pieces of each paper all of whose passages are there, in order.

        Raises:
            ServerError: it does not answer.
        """
        first = self._metadata([passage_id(paper, 0) for paper in papers])
        further = self._metadata(
            [
                passage_id(paper, ordinal)
                for paper in papers
                if (found := first.get(passage_id(paper, 0)))
                for ordinal in range(1, int(found["pieces"]))
            ]
        )
        known = {**first, **further}
        whole: dict[str, list[Piece]] = {}
        for paper in papers:
            count = int(known.get(passage_id(paper, 0), {}).get("pieces", 0))
            names = [passage_id(paper, ordinal) for ordinal in range(count)]
            if names and all(name in known for name in names):
                whole[paper] = [Piece.read(name, known[name]) for name in names]
        return whole

    def vectors(self, ids: Sequence[str]) -> dict[str, Floats]:
        """Read vectors.

        Args:
            ids: passage ids.

        Returns:
            Those that are there, by id.

        Raises:
            ServerError: it does not answer.
        """
        found: dict[str, Floats] = {}
        at, page = 0, 1
        while at < len(ids):

            def read(collection: Collection, part: Sequence[str] = ids[at : at + page]) -> bool:
                got: Any = collection.get(ids=list(part), include=["embeddings"])
                rows = np.asarray(got["embeddings"], dtype=np.float32)
                found.update(zip(got["ids"], rows, strict=True))
                return True

            self.server.use(self._name, read, otherwise=False)
            at += page
            numbers = len(next(iter(found.values()))) if found else _NUMBERS_AT_ONCE
            page = min(self.server.batch, max(1, _NUMBERS_AT_ONCE // numbers))
        return found

    def hashes(self, ids: Sequence[str]) -> dict[str, str]:
        """Read the hashes of the texts that were embedded.

        Args:
            ids: passage ids.

        Returns:
            Those that are there, by id.

        Raises:
            ServerError: it does not answer.
        """
        return {name: str(found["hash"]) for name, found in self._metadata(ids).items()}

    def write(self, entries: Sequence[tuple[Entry, int]]) -> list[str]:
        """Write passages; those that are there as they should be are left alone.

        Args:
            entries: passage, and how many its paper has.

        Returns:
            The ids of those that were written.

        Raises:
            ServerError: it refuses, or does not answer.
        """
        there = self._metadata([entry.id for entry, _ in entries])
        rows: list[tuple[Entry, dict[str, Any]]] = []
        stale: list[str] = []
        for entry, pieces in entries:
            told: dict[str, Any] = {**entry.metadata, "pieces": pieces}
            before = there.get(entry.id, {})
            if before != told:
                # An upsert merges: what is no longer known must be taken out by name.
                rows.append((entry, {**dict.fromkeys(before), **told}))
            paper, ordinal = split_passage_id(entry.id)
            if ordinal == 0:
                stale += [passage_id(paper, i) for i in range(pieces, before.get("pieces", 0))]
        self.server.write(self._name, rows, _write)
        self.server.write(self._name, stale, _delete)
        return [entry.id for entry, _ in rows]

    def take_out(self, papers: Sequence[str]) -> dict[str, list[Any]]:
        """Remove the passages of papers.

        Args:
            papers: their ids.

        Returns:
            What was removed, by paper, for `put_back`.

        Raises:
            ServerError: it refuses, or does not answer.
        """
        first = self._metadata([passage_id(paper, 0) for paper in papers])
        ids = [
            passage_id(str(found["paper"]), ordinal)
            for found in first.values()
            for ordinal in range(int(found["pieces"]))
        ]
        taken: dict[str, list[Any]] = {}

        def read(collection: Collection, part: Sequence[str]) -> None:
            got: Any = collection.get(
                ids=list(part), include=["embeddings", "documents", "metadatas"]
            )
            for row in zip(
                got["ids"], got["embeddings"], got["documents"], got["metadatas"], strict=True
            ):
                taken.setdefault(str(row[3]["paper"]), []).append(row)

        self.server.write(self._name, ids, read)
        self.server.write(self._name, ids, _delete)
        return taken

    def put_back(self, taken: Mapping[str, Sequence[Any]], papers: Iterable[str]) -> None:
        """Undo `take_out` for some papers; what was written meanwhile stays.

        Args:
            taken: what it gave.
            papers: their ids.

        Raises:
            ServerError: it refuses, or does not answer.
        """
        rows = [row for paper in papers for row in taken.get(paper, ())]
        there = self._metadata([row[0] for row in rows])
        self.server.write(
            self._name,
            [row for row in rows if row[0] not in there],
            _write_raw,
        )

    def nearest(self, query: NDArray[np.floating], limit: int) -> list[tuple[str, float]]:
        """Let the server find the passages nearest to a query, best first.

        Args:
            query: `[dimension]`.
            limit: how many at most.

        Returns:
            Passage id and cosine of each.

        Raises:
            ServerError: it refuses, or does not answer.
        """

        def ask(collection: Collection) -> list[tuple[str, float]]:
            found: Any = collection.query(
                query_embeddings=query.astype(np.float32)[None],
                n_results=limit,
                include=["distances"],
            )
            rows = zip(found["ids"][0], found["distances"][0], strict=True)
            return [(name, 1.0 - distance) for name, distance in rows]

        nothing: list[tuple[str, float]] = []
        return self.server.use(self._name, ask, otherwise=nothing, patience=0)

    def _metadata(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for part in parts(ids, self.server.batch):

            def read(collection: Collection, part: Sequence[str] = part) -> bool:
                got = collection.get(ids=list(part), include=["metadatas"])
                found.update(
                    (name, dict(metadata))
                    for name, metadata in zip(got["ids"], got["metadatas"] or [], strict=True)
                )
                return True

            self.server.use(self._name, read, otherwise=False)
        return found


def _write(collection: Collection, rows: Sequence[tuple[Entry, dict[str, Any]]]) -> None:
    upsert(
        collection,
        [entry.id for entry, _ in rows],
        np.stack([entry.vector for entry, _ in rows]),
        [entry.text for entry, _ in rows],
        [metadata for _, metadata in rows],
    )


def _write_raw(collection: Collection, rows: Sequence[Any]) -> None:
    ids, vectors, documents, metadatas = zip(*rows, strict=True)
    upsert(collection, ids, np.stack(vectors).astype(np.float32), documents, metadatas)


def _delete(collection: Collection, ids: Sequence[str]) -> None:
    collection.delete(ids=list(ids))
