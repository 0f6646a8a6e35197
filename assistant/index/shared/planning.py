"""What a sync would change: tried on the replica, written down, and undone."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from assistant.corpus.paper import Paper, text_hash
from assistant.corpus.reading import Skipped
from assistant.index.catalogue import Catalogue
from assistant.index.progress import Progress
from assistant.index.recording import record
from assistant.index.report import Confirm, SyncReport
from assistant.index.shared.mirror import Documents, Mirror
from assistant.index.shared.outgoing import Outgoing
from assistant.index.shared.records import Manifest, Record, digests, source_key

__all__ = ["plan_removal", "plan_sources"]


_TAKEN_AT_ONCE = 1_000


class _UndoneError(Exception):
    """Ends a trial."""


def plan_sources(
    catalogue: Catalogue,
    outgoing: Outgoing,
    sources: Iterable[tuple[str, Iterable[Paper | Skipped]]],
    documents: Documents,
    progress: Progress,
    confirm: Confirm | None = None,
) -> list[SyncReport]:
    """Find out what must be written so that the server holds what sources hold now.

    Args:
        catalogue: the replica's catalogue, up to date; it is left as it was.
        outgoing: takes what must be written.
        sources: name and records of each.
        documents: papers by record id, from the server.
        progress: told `reading`.
        confirm: asked before a large removal; None: it is meant.

    Returns:
        The counts of each source.

    Raises:
        RemovalError: a large removal was not confirmed; nothing is to be written.
    """
    reports: list[SyncReport] = []
    mirror = Mirror(catalogue)
    now = max(int(time.time() * 1_000), mirror.latest() + 1)
    with _trial(catalogue), outgoing.catalogue.transaction():
        for source, papers in sources:
            key = source_key(source)
            # A source is compared with its own records, not with what others say of a paper.
            mirror.show(key, documents)
            reports.append(record(catalogue, papers, source, progress, confirm))
            _plan(mirror, outgoing, source, _listed(catalogue, source), now)
        outgoing.add_recorded_papers()
    return reports


def plan_removal(catalogue: Catalogue, outgoing: Outgoing, papers: Sequence[str]) -> int:
    """Find out what must be written so that papers are gone, whoever lists them.

    Args:
        catalogue: the replica's catalogue, up to date.
        outgoing: takes what must be written.
        papers: their ids; unknown ones are passed over.

    Returns:
        How many are there.
    """
    mirror = Mirror(catalogue)
    gone = mirror.records_of(dict.fromkeys(papers))
    names = dict(catalogue.connection.execute("SELECT key, name FROM shared_sources").fetchall())
    leaving = {one.id for one in gone}
    with outgoing.catalogue.transaction():
        outgoing.add_gone(gone)
        for key in {one.source for one in gone}:
            left = [(one.id, one.hash) for one in mirror.records(key) if one.id not in leaving]
            outgoing.add_manifest(Manifest(names.get(key, key), len(left), digests(left)))
    return len({one.paper for one in gone})


def _plan(
    mirror: Mirror,
    outgoing: Outgoing,
    source: str,
    listed: Iterator[tuple[str, str]],
    now: int,
) -> None:
    key = source_key(source)
    known = {one.id: one for one in mirror.records(key)}
    rows: list[tuple[str, str]] = []
    fresh: list[tuple[Record, str]] = []
    differs = False
    for place, (paper, document) in enumerate(listed):
        name, hashed = Record.name(key, paper), text_hash(document)
        rows.append((name, hashed))
        before = known.pop(name, None)
        if before is None:
            fresh.append((Record(name, key, paper, hashed, now, place, now), document))
        elif before.hash != hashed:
            changed = Record(name, key, paper, hashed, before.at, before.place, now)
            fresh.append((changed, document))
        if len(fresh) == _TAKEN_AT_ONCE:
            outgoing.add(fresh)
            fresh, differs = [], True
    outgoing.add(fresh)
    outgoing.add_gone(known.values())
    manifest = Manifest(source, len(rows), digests(rows))
    if mirror.sources().get(key) != manifest.buckets or differs or fresh or known:
        outgoing.add_manifest(manifest)


def _listed(catalogue: Catalogue, source: str) -> Iterator[tuple[str, str]]:
    """Read id and record of each paper that a source lists, in order."""
    return catalogue.connection.execute(
        "SELECT id, record FROM listings JOIN papers ON row = paper WHERE source = ? ORDER BY row",
        (source,),
    )


@contextmanager
def _trial(catalogue: Catalogue) -> Iterator[None]:
    try:
        with catalogue.transaction():
            yield
            raise _UndoneError
    except _UndoneError:
        return
