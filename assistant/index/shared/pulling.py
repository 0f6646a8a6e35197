"""From a server to this machine's replica: only what differs is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from assistant.corpus.chunking import embedded_text, passages
from assistant.corpus.paper import Paper, Passage, text_hash
from assistant.index.catalogue import Catalogue
from assistant.index.fingerprint import Recipe
from assistant.index.generation import Parts, clean, publish
from assistant.index.lexical import FORMAT
from assistant.index.mark import CURRENT, current_mark
from assistant.index.passages import Passages
from assistant.index.progress import Progress
from assistant.index.shared.ledger import Ledger
from assistant.index.shared.mirror import Documents, Mirror
from assistant.index.shared.passages import Piece, RemotePassages
from assistant.index.shared.records import BUCKETS, Summary

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Pull", "Pulled", "papers_without_vectors", "pull"]

_TRIES = 3
_AT_ONCE = 2_000
_KEPT_SHARE = 10
"""When more than one paper in ten is gone at once, their vectors stay: a server that was set up
anew is filled again without embedding."""

_REVISION = "revision of "


@dataclass(frozen=True, slots=True)
class Pull:
    """What a replica needs to follow a server.

    Args:
        records: the collection's records on the server.
        collection: its name.
        wanted: what the configured embedder makes.
    """

    records: Ledger
    collection: str
    wanted: Recipe

    def passages(self, recipe: Recipe) -> RemotePassages | None:
        """Return a recipe's passages on the server; None where it makes no vectors.

        Args:
            recipe: the recipe.
        """
        if recipe.embedder is None:
            return None
        return RemotePassages(self.records.server, self.collection, recipe)

    def lost(self, summary: Summary) -> str | None:
        """Say that a server no longer knows a collection of which there is a copy.

        A collection that was emptied still names its sources.

        Args:
            summary: what the server says of the collection.

        Returns:
            One line with what to do; None where the server knows it.
        """
        if summary.sources:
            return None
        return (
            f"{self.records.server.address.place} no longer holds the collection "
            f"{self.collection!r}: see that CHROMA_URL is right, and if the server was set up anew "
            "run `assistant sync PATH` to fill it"
        )


@dataclass(frozen=True, slots=True)
class Pulled:
    """What a replica was brought to.

    Args:
        summary: what the server said of itself.
        settled: whether all sources were whole; if not, one is being written, or that was cut off.
    """

    summary: Summary
    settled: bool


def pull(
    source: Pull,
    catalogue: Catalogue,
    progress: Progress,
    *,
    documents: Documents | None = None,
    anew: bool = False,
) -> Pulled:
    """Bring a replica to what the server holds, and publish it where that changed anything.

    The caller holds the writer lock.

    Args:
        source: where from.
        catalogue: the replica's catalogue.
        progress: told `reading` and `indexing`.
        documents: papers by record id that are here already.
        anew: take nothing over from an earlier generation.

    Returns:
        What the server said.

    Raises:
        ServerError: the server refuses, or does not answer; the replica is as it was.
    """
    mirror = Mirror(catalogue)
    summary = source.records.summary()
    with catalogue.transaction():
        concerned, settled, summary = _read_sources(source, mirror, summary, progress)
        before = len(catalogue)
        mirror.merge(concerned, _known_first(documents, source.records.documents))
        moved = mirror.order()
        recipe = summary.recipe_for(source.wanted)
        arrived = _read_passages(source, catalogue, mirror, summary, recipe, concerned, progress)
        _cut_the_rest(catalogue, recipe)
        catalogue.set_recipe(recipe)
        if concerned or moved:
            catalogue.set_number("revision", catalogue.number("revision") + 1)
        if concerned or moved or arrived:
            mirror.set_unpublished(yes=True)
        if (before - len(catalogue)) * _KEPT_SHARE <= before:
            catalogue.drop_unused_vectors()
    folder = catalogue.path.parent
    wanted = anew or mirror.unpublished or not _holds(folder, catalogue, recipe)
    # What was never synced by anybody is not there, which is something else than empty.
    if wanted and (summary.sources or (folder / CURRENT).exists()):
        publish(catalogue, recipe, Parts(), reuse=not anew, progress=progress)
        clean(folder)
        mirror.set_unpublished(yes=False)
    return Pulled(summary, settled)


def papers_without_vectors(catalogue: Catalogue, recipe: Recipe) -> list[str]:
    """Name the papers that lack a vector.

    Args:
        catalogue: the replica's catalogue.
        recipe: what the vectors are made with.

    Returns:
        Their ids, in order.
    """
    found = catalogue.connection.execute(
        "SELECT id FROM papers WHERE NOT EXISTS (SELECT 1 FROM passages WHERE recipe = ?1 AND"
        " paper = papers.row) OR EXISTS (SELECT 1 FROM passages WHERE recipe = ?1 AND"
        " paper = papers.row AND NOT EXISTS (SELECT 1 FROM vectors WHERE embedder = ?2 AND"
        " text_hash = passages.text_hash)) ORDER BY row",
        (recipe.fingerprint, recipe.vector_key),
    )
    return [name for (name,) in found]


# --- sources


def _read_sources(
    source: Pull, mirror: Mirror, summary: Summary, progress: Progress
) -> tuple[set[str], bool, Summary]:
    """Read each source that the summary says is another than here, until both agree."""
    concerned: set[str] = set()
    for _ in range(_TRIES):
        settled = True
        for key in set(mirror.sources()) - set(summary.sources):
            concerned |= mirror.drop(key)
            mirror.forget_source(key)
        for key, manifest in summary.sources.items():
            here = mirror.digests(key)
            if here != manifest.buckets or mirror.sources().get(key) != manifest.buckets:
                other = [i for i in range(BUCKETS) if here[i] != manifest.buckets[i]]
                if other:
                    concerned |= mirror.replace(key, other, source.records.listed(key, other))
                    progress("reading", len(concerned), 0)
                mirror.set_source(manifest)
                settled = settled and mirror.digests(key) == manifest.buckets
        if settled:
            break
        summary = source.records.summary()
    else:
        settled = False
    return concerned, settled, summary


def _known_first(known: Documents | None, ask: Documents) -> Documents:
    if known is None:
        return ask

    def documents(ids: Sequence[str]) -> dict[str, str]:
        found = known(ids)
        return {**found, **ask([name for name in ids if name not in found])}

    return documents


# --- passages


def _read_passages(
    source: Pull,
    catalogue: Catalogue,
    mirror: Mirror,
    summary: Summary,
    recipe: Recipe,
    concerned: set[str],
    progress: Progress,
) -> bool:
    """Read the passages of papers that lack them; tells whether any came."""
    remote = source.passages(recipe)
    revision = summary.revisions.get(recipe.fingerprint, "")
    note = _REVISION + recipe.fingerprint
    if remote is None or not (concerned or mirror.note(note) != revision):
        return False
    arrived = False
    lacking = papers_without_vectors(catalogue, recipe)
    for done, papers in _pieces(lacking, min(_AT_ONCE, remote.server.batch)):
        progress("reading", done, len(lacking))
        arrived = _take(catalogue, recipe, remote, papers) or arrived
    mirror.set_note(note, revision)
    return arrived


def _take(
    catalogue: Catalogue, recipe: Recipe, remote: RemotePassages, papers: Sequence[str]
) -> bool:
    cuts = Passages(catalogue, recipe)
    hashes: dict[str, str] = {}
    for name, pieces in remote.pieces(papers).items():
        stored = catalogue.find(name)
        paper = None if stored is None else catalogue.paper_at(stored.row)
        if stored is None or paper is None or not _fit(paper, pieces):
            # The server has this paper's passages from before, or after, a change of its text.
            continue
        catalogue.connection.execute(
            "DELETE FROM passages WHERE recipe = ? AND paper = ?",
            (recipe.fingerprint, stored.row),
        )
        cuts.put(stored.row, [(_passage(paper, piece), piece.hash) for piece in pieces])
        hashes.update((piece.id, piece.hash) for piece in pieces)
    missing = [name for name, hashed in hashes.items() if not _has(catalogue, recipe, hashed)]
    vectors = remote.vectors(missing)
    catalogue.connection.executemany(
        "INSERT OR REPLACE INTO vectors (embedder, text_hash, vector) VALUES (?, ?, ?)",
        [(recipe.vector_key, hashes[name], row.tobytes()) for name, row in vectors.items()],
    )
    return bool(hashes)


def _fit(paper: Paper, pieces: Sequence[Piece]) -> bool:
    return all(
        piece.hash == text_hash(embedded_text(paper, _passage(paper, piece))) for piece in pieces
    )


def _passage(paper: Paper, piece: Piece) -> Passage:
    return Passage(paper.id, paper.abstract[piece.start : piece.end], piece.start, piece.end)


def _has(catalogue: Catalogue, recipe: Recipe, hashed: str) -> bool:
    found = catalogue.connection.execute(
        "SELECT 1 FROM vectors WHERE embedder = ? AND text_hash = ?", (recipe.vector_key, hashed)
    ).fetchone()
    return found is not None


def _cut_the_rest(catalogue: Catalogue, recipe: Recipe) -> None:
    """Keep abstracts whole that nobody has embedded yet: words find them, and are enough for it."""
    cuts, last = Passages(catalogue, recipe), 0
    while uncut := cuts.uncut(last, _AT_ONCE):
        for row, paper in uncut:
            whole = passages(paper, count_tokens=None, window=recipe.window)
            cuts.put(row, [(piece, text_hash(embedded_text(paper, piece))) for piece in whole])
        last = uncut[-1][0]


def _pieces(items: Sequence[str], size: int) -> Iterator[tuple[int, list[str]]]:
    waiting, done = iter(items), 0
    while part := list(islice(waiting, size)):
        yield done, part
        done += len(part)


def _holds(collection: Path, catalogue: Catalogue, recipe: Recipe) -> bool:
    mark = current_mark(collection)
    if mark is None:
        return False
    return (mark.revision, mark.recipe, mark.lexical) == (
        catalogue.number("revision"),
        recipe,
        FORMAT,
    )
