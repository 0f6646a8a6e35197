"""From a plan to the server: embed what nobody has, then write passages, records, manifests.

In this order a run that is cut off leaves nothing half: passages without records are found by
nobody and taken up by the next run, and a manifest is the last thing to change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from assistant.index.passages import Passages
from assistant.index.progress import Progress
from assistant.index.shared.outgoing import Outgoing
from assistant.index.shared.passages import RemotePassages
from assistant.index.shared.pulling import Pull
from assistant.index.shared.server import Item, parts
from assistant.index.sync import cut, embed_pending

if TYPE_CHECKING:
    from assistant.index.embedders import Embedder

__all__ = ["embed", "push"]

_WRITTEN_AT_ONCE = 1_000
_CLEANED_AT_ONCE = 500


def embed(
    outgoing: Outgoing,
    target: Pull,
    embedder: Embedder,
    known: Sequence[Path],
    progress: Progress,
) -> None:
    """Make the vectors that are neither on the server nor on this machine.

    Args:
        outgoing: the papers; takes the vectors, batch by batch.
        target: the collection on the server.
        embedder: makes the vectors.
        known: catalogues that may have some.
        progress: told `cutting` and `embedding`.

    Raises:
        AssistantError: the embedder failed; the vectors it had given are kept.
    """
    recipe = target.wanted
    with outgoing.catalogue.transaction():
        cut(outgoing.catalogue, recipe, embedder, progress)
    for path in known:
        if path.is_file():
            outgoing.seed(path, recipe)
    remote = target.passages(recipe)
    if remote is not None:
        _take_from_server(outgoing, remote)
    embed_pending(outgoing.catalogue, recipe, embedder, progress)


def push(outgoing: Outgoing, target: Pull, progress: Progress) -> list[str]:
    """Write what is going out.

    Args:
        outgoing: what is to be written.
        target: the collection on the server.
        progress: told `storing`.

    Returns:
        The ids of the passages that were written.

    Raises:
        ServerError: the server refuses, or does not answer; the next run goes on.
    """
    gone, manifests = outgoing.gone(), outgoing.manifests()
    if not (gone or manifests or len(outgoing.catalogue)):
        return []
    target.records.create()
    written = _push_passages(outgoing, target, progress)
    for rows in outgoing.records():
        target.records.write(rows)
    target.records.delete([name for name, _ in gone])
    target.records.write_manifests(manifests)
    _clean(target, sorted({paper for _, paper in gone}))
    return written


def _take_from_server(outgoing: Outgoing, remote: RemotePassages) -> None:
    """Take over what a run that was cut off, here or elsewhere, had written already."""
    lacking = outgoing.names_without_vectors(remote.recipe)
    if not lacking or not len(remote):
        return
    cuts = Passages(outgoing.catalogue, remote.recipe)
    for part in parts(lacking, _WRITTEN_AT_ONCE):
        there = remote.hashes([name for name, _ in part])
        hashes = {name: hashed for name, hashed in part if there.get(name) == hashed}
        vectors = remote.vectors(list(hashes))
        cuts.put_vectors((hashes[name], row.tobytes()) for name, row in vectors.items())


def _push_passages(outgoing: Outgoing, target: Pull, progress: Progress) -> list[str]:
    remote = target.passages(target.wanted)
    if remote is None or not len(outgoing.catalogue):
        return []
    remote.create()
    total = len(Passages(outgoing.catalogue, target.wanted))
    written: list[str] = []
    done = 0
    for batch in _batches(outgoing.entries(target.wanted), _WRITTEN_AT_ONCE):
        progress("storing", done, total)
        written += remote.write(batch)
        done += len(batch)
    progress("storing", done, total)
    # Also when all were there: the run that wrote them may have been cut off before it said so.
    target.records.write_recipe(target.wanted, len(remote), uuid4().hex)
    return written


def _clean(target: Pull, papers: Sequence[str]) -> None:
    """Remove the passages of papers that nobody lists any more.

    Another machine may list one at this very moment, so after removing we look again: either it
    finds the passages missing and writes them, or we find its record and put them back.
    """
    recipes = target.records.summary().recipes if papers else {}
    for part in parts(papers, _CLEANED_AT_ONCE):
        orphans = set(part) - {record.paper for record in target.records.of_papers(part)}
        for recipe in recipes.values():
            remote = target.passages(recipe)
            if remote is None or not orphans:
                continue
            taken = remote.take_out(sorted(orphans))
            back = {record.paper for record in target.records.of_papers(sorted(orphans))}
            if back:
                remote.put_back(taken, back)
                target.records.write_recipe(recipe, len(remote), uuid4().hex)


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    waiting = iter(items)
    while batch := list(islice(waiting, size)):
        yield batch
