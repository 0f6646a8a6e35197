"""What a sync writes into the catalogue: papers that came, changed and went, and what was skipped.

The records are read once, as they come; what is held of them is one number for each paper.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from assistant.corpus.paper import Paper
from assistant.corpus.reading import Skipped
from assistant.errors import RemovalError
from assistant.index.catalogue import Catalogue, Stored, known_hash, record_of
from assistant.index.filters import storable
from assistant.index.progress import Progress
from assistant.index.report import Confirm, Findings, Removal, SyncReport
from assistant.index.twins import Similar
from assistant.wording import counted

__all__ = ["record"]

_TOLD_EVERY = 200
_NONE_SIMILAR = Similar((), (), ())


@dataclass
class _Run:
    """What one pass over a source has seen so far."""

    catalogue: Catalogue
    source: str
    before: set[int]
    counts: dict[str, int] = field(default_factory=dict)
    listed: set[int] = field(default_factory=set)
    replaced: set[int] = field(default_factory=set)
    findings: Findings = field(default_factory=Findings)
    touched: bool = False
    partial: bool = False

    def count(self, what: str, by: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + by

    def skip(self, line: str, reason: str) -> None:
        self.count("skipped")
        self.findings.skip(line, reason)

    def refuse(self, paper: Paper, reason: str) -> None:
        self.skip(f"{_place(paper)}: {reason}", reason)

    def duplicate(self, paper: Paper, of: int) -> None:
        self.count("duplicates")
        known = self.catalogue.paper_at(of)
        self.findings.twin(f"{_place(paper)}: has the abstract of {_place(known)}, {known.label}")

    def list(self, row: int) -> None:
        self.listed.add(row)
        self.touched |= self.catalogue.list_paper(self.source, row)


def record(
    catalogue: Catalogue,
    records: Iterable[Paper | Skipped],
    source: str,
    progress: Progress,
    confirm: Confirm | None = None,
) -> SyncReport:
    """Make the catalogue hold what a source holds now, inside the caller's transaction.

    Args:
        catalogue: the collection's catalogue.
        records: every record of the source; read once, as they come.
        source: the source's name; papers only it listed and no longer lists are removed.
        progress: told `reading`.
        confirm: asked before a large removal; None: it is meant.

    Returns:
        The counts.

    Raises:
        RemovalError: a large removal was not confirmed; the caller takes all back.
    """
    catalogue.twins.complete()
    run = _Run(catalogue, source, catalogue.listed(source))
    with _Undecided(catalogue) as undecided:
        for read, given in enumerate(records, start=1):
            if isinstance(given, Skipped):
                run.skip(str(given), given.reason)
                run.partial |= given.partial
            else:
                _take(run, _writable(given), undecided)
            if read % _TOLD_EVERY == 0:
                progress("reading", read, 0)
        for paper in undecided.papers():
            _decide(run, paper)
    gone = _gone(run, confirm)
    catalogue.delete(gone)
    run.count("removed", len(gone))
    if run.touched or gone:
        catalogue.set_number("revision", catalogue.number("revision") + 1)
    counts = {**run.counts, "papers": len(catalogue)}
    return run.findings.report(counts, incomplete=run.partial)


def _gone(run: _Run, confirm: Confirm | None) -> list[int]:
    """Unlist what the source no longer lists; returns what no other source does either."""
    unseen = run.before - run.listed
    if run.partial:
        # What was not read may hold them.
        if unseen:
            run.findings.note(
                f"{run.source}: a part of it could not be read, so "
                f"{counted(len(unseen), 'paper that was', 'papers that were')} not seen "
                f"{'is' if len(unseen) == 1 else 'are'} kept"
            )
        return []
    gone = [row for row in unseen if not run.catalogue.is_listed(row, besides=run.source)]
    lost = Removal(run.source, len(set(gone) - run.replaced), len(run.before), len(run.listed))
    if lost.large and confirm is not None and not confirm(lost):
        raise RemovalError(lost)
    run.catalogue.unlist(run.source, unseen)
    return gone


class _Undecided:
    """Papers whose twin may yet go away, put aside on the disk until the source has been read."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._connection = catalogue.connection

    def __enter__(self) -> _Undecided:
        self._connection.execute("CREATE TEMP TABLE undecided (record TEXT NOT NULL)")
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.execute("DROP TABLE IF EXISTS temp.undecided")

    def put(self, paper: Paper) -> None:
        self._connection.execute("INSERT INTO undecided VALUES (?)", (record_of(paper),))

    def papers(self) -> Iterable[Paper]:
        for (line,) in self._connection.execute("SELECT record FROM undecided ORDER BY rowid"):
            yield Paper.from_dict(json.loads(line))


def _writable(paper: Paper) -> Paper:
    """Halves of surrogate pairs, as broken JSON holds them, are no text to any library."""
    abstract = storable(paper.abstract)
    title = None if paper.title is None else storable(paper.title)
    if (abstract, title) == (paper.abstract, paper.title):
        return paper
    return replace(paper, abstract=abstract, title=title)


def _place(paper: Paper) -> str:
    return paper.id if paper.source is None else f"{paper.source.file}:{paper.source.ordinal}"


def _take(run: _Run, paper: Paper, undecided: _Undecided) -> None:
    if not paper.abstract.strip():
        run.refuse(paper, "no abstract")
        return
    if not paper.id.strip() or storable(paper.id) != paper.id:
        run.refuse(paper, f"its id cannot be used: {paper.id!r}")
        return
    stored = run.catalogue.find(paper.id)
    if stored is not None and stored.record == record_of(paper) and stored.row not in run.listed:
        run.count("unchanged")
        run.list(stored.row)
        return
    paper, stored = _under_own_id(run, paper, stored)
    if stored is not None and stored.row in run.listed:
        _again(run, paper, stored)
        return
    similar = _twins(run, paper, stored)
    here = next((row for row in similar.same if row in run.listed), None)
    elsewhere = next(
        (row for row in similar.same if run.catalogue.is_listed(row, besides=run.source)), None
    )
    if here is not None:
        run.duplicate(paper, here)
    elif elsewhere is not None:
        run.duplicate(paper, elsewhere)
        run.list(elsewhere)
    elif similar.same:
        # Whether the twin stays is known only when the whole source has been read.
        undecided.put(paper)
    else:
        _put(run, paper, similar)


def _decide(run: _Run, paper: Paper) -> None:
    """Store a paper whose twin is going away; the others are duplicates of one that stays."""
    stored = run.catalogue.find(paper.id)
    if stored is not None and stored.row in run.listed:
        _again(run, paper, stored)
        return
    similar = _twins(run, paper, stored)
    kept = next((row for row in similar.same if run.partial or row in run.listed), None)
    if kept is not None:
        run.duplicate(paper, kept)
    else:
        run.replaced.update(similar.same)
        _put(run, paper, similar)


def _under_own_id(run: _Run, paper: Paper, stored: Stored | None) -> tuple[Paper, Stored | None]:
    """Give a paper another id where a paper of another source has its own with another abstract.

    Keys of BibTeX files and numbers of records are not unique in the world.
    """
    content = paper.content_hash
    if stored is not None:
        foreign = stored.content_hash != content and run.catalogue.is_listed(
            stored.row, besides=run.source
        )
        if not foreign:
            return paper, stored
    own = replace(paper, id=f"{paper.id}-{content[:8]}")
    known = run.catalogue.find(own.id)
    return (own, known) if stored is not None or known is not None else (paper, None)


def _again(run: _Run, paper: Paper, stored: Stored) -> None:
    """Deal with an id that this source has named already."""
    if stored.content_hash == paper.content_hash:
        run.duplicate(paper, stored.row)
    else:
        run.refuse(paper, f"another record of this source has its id: {paper.id}")


def _twins(run: _Run, paper: Paper, stored: Stored | None) -> Similar:
    """Find what a paper that is new, or has another abstract than before, is like."""
    if stored is not None and stored.content_hash == paper.content_hash:
        return _NONE_SIMILAR
    exact = tuple(run.catalogue.rows_with_content(paper.content_hash))
    if stored is not None:
        # A correction is a correction, however near it comes to another paper.
        return Similar(exact, (), ())
    found = run.catalogue.twins.similar(paper)
    return replace(found, same=tuple(dict.fromkeys([*exact, *found.same])))


def _put(run: _Run, paper: Paper, similar: Similar) -> None:
    stored = run.catalogue.find(paper.id)
    if stored is None:
        run.count("added")
    elif stored.known_hash != known_hash(paper):
        run.count("changed")
    else:
        run.count("unchanged")
    run.touched = True
    run.list(run.catalogue.put(paper))
    run.replaced.update(similar.versions)
    if similar.versions:
        other = run.catalogue.paper_at(similar.versions[0])
        run.findings.note(
            f"{_place(paper)}: nearly the abstract of {_place(other)}, {other.label}; a figure, a "
            "name or the title differs: kept"
        )
    elif similar.titled:
        other = run.catalogue.paper_at(similar.titled[0])
        run.findings.note(
            f"{_place(paper)}: has the title of {_place(other)}, {other.label}, and another "
            "abstract: kept"
        )
