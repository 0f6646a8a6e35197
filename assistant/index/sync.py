"""What a sync does to the catalogue: record papers, cut them, have them embedded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.chunking import embedded_text, passages
from assistant.corpus.paper import Paper, Passage, text_hash
from assistant.errors import ModelError
from assistant.index.catalogue import Catalogue, known_hash, record_of
from assistant.index.filters import storable
from assistant.index.fingerprint import Recipe
from assistant.index.passages import Passages, Pending
from assistant.index.progress import Progress

if TYPE_CHECKING:
    from assistant.index.embedders import Embedder

__all__ = ["SyncReport", "cut", "embed_pending", "record"]

_TOLD_EVERY = 1_000
_SORTED_AT_ONCE = 4_096
"""Passages sorted by length before batching: enough that a batch holds texts of one length."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync found and did, in papers.

    Args:
        added: new ones.
        changed: ones whose abstract or record is another than before.
        removed: ones no source lists any more.
        unchanged: ones that were there already.
        skipped: ones that could not be taken; `reasons` says why.
        duplicates: ones whose abstract another record has; stored once.
        papers: how many the collection holds afterwards.
        reasons: one line per skipped record.
    """

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    skipped: int = 0
    duplicates: int = 0
    papers: int = 0
    reasons: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, int]:
        """Return the counts."""
        counts = asdict(self)
        del counts["reasons"]
        return counts


@dataclass
class _Run:
    """What one pass over a source has seen so far."""

    source: str
    counts: dict[str, int] = field(default_factory=dict)
    listed: set[int] = field(default_factory=set)
    ids: dict[str, str] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    undecided: list[Paper] = field(default_factory=list)
    touched: bool = False

    def count(self, what: str, by: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + by


def record(
    catalogue: Catalogue, papers: Iterable[Paper], source: str, progress: Progress
) -> SyncReport:
    """Make the catalogue hold what a source holds now, inside the caller's transaction.

    Args:
        catalogue: the collection's catalogue.
        papers: every paper of the source; read once.
        source: the source's name; papers only it listed and no longer lists are removed.
        progress: told `reading`.

    Returns:
        The counts.
    """
    run = _Run(source)
    before = catalogue.listed(source)
    for read, given in enumerate(papers, start=1):
        paper = _writable(given)
        reason = _refusal(paper)
        if reason:
            run.count("skipped")
            run.reasons.append(reason)
        else:
            _take(catalogue, run, paper)
        if read % _TOLD_EVERY == 0:
            progress("reading", read, 0)
    _decide(catalogue, run)
    gone = catalogue.unlist(source, before - run.listed)
    catalogue.delete(gone)
    run.count("removed", len(gone))
    if run.touched or gone:
        catalogue.set_number("revision", catalogue.number("revision") + 1)
    return SyncReport(**run.counts, papers=len(catalogue), reasons=tuple(run.reasons))


def cut(
    catalogue: Catalogue, recipe: Recipe, embedder: Embedder | None, progress: Progress
) -> None:
    """Cut every paper that has no passages yet, inside the caller's transaction.

    Args:
        catalogue: the collection's catalogue.
        recipe: what the passages are for; it is the catalogue's own from now on.
        embedder: counts tokens; None: abstracts stay whole.
        progress: told `cutting`.
    """
    count = embedder.count_tokens if embedder is not None else None
    cuts = Passages(catalogue, recipe)
    done, total, last = 0, cuts.uncut_count(), 0
    while uncut := cuts.uncut(last, _TOLD_EVERY):
        progress("cutting", done, total)
        for row, paper in uncut:
            pieces = passages(paper, count_tokens=count, window=recipe.window)
            cuts.put(row, [(piece, text_hash(embedded_text(paper, piece))) for piece in pieces])
        done, last = done + len(uncut), uncut[-1][0]
    catalogue.set_recipe(recipe)


def embed_pending(
    catalogue: Catalogue, recipe: Recipe, embedder: Embedder, progress: Progress
) -> int:
    """Embed what has no vector yet, committing batch by batch, so that a killed run goes on.

    Args:
        catalogue: the collection's catalogue.
        recipe: what the vectors are for.
        embedder: makes them.
        progress: told `embedding`.

    Returns:
        How many texts were embedded.

    Raises:
        AssistantError: the embedder failed; what it had given is kept.
    """
    cuts = Passages(catalogue, recipe)
    pending, known = cuts.pending(), cuts.dimension()
    done = 0
    for start in range(0, len(pending), _SORTED_AT_ONCE):
        part = pending[start : start + _SORTED_AT_ONCE]
        part.sort(key=lambda item: item.stop - item.start, reverse=True)
        for at in range(0, len(part), embedder.batch):
            batch = part[at : at + embedder.batch]
            progress("embedding", done, len(pending))
            vectors = _embed(catalogue, embedder, batch, done, len(pending))
            known = known or vectors.shape[1]
            _refuse_other_size(embedder, vectors.shape[1], known)
            cuts.put_vectors(
                (item.text_hash, v.tobytes()) for item, v in zip(batch, vectors, strict=True)
            )
            done += len(batch)
    progress("embedding", done, len(pending))
    return done


def _writable(paper: Paper) -> Paper:
    """Halves of surrogate pairs, as broken JSON holds them, are no text to any library."""
    abstract = storable(paper.abstract)
    title = None if paper.title is None else storable(paper.title)
    if (abstract, title) == (paper.abstract, paper.title):
        return paper
    return replace(paper, abstract=abstract, title=title)


def _refusal(paper: Paper) -> str | None:
    if not paper.abstract.strip():
        return f"{paper.id or 'a record'}: no abstract"
    if not paper.id.strip() or storable(paper.id) != paper.id:
        return f"{paper.label}: its id {paper.id!r} cannot be used"
    return None


def _take(catalogue: Catalogue, run: _Run, paper: Paper) -> None:
    if paper.id in run.ids:
        if run.ids[paper.id] == paper.content_hash:
            run.count("duplicates")
        else:
            run.count("skipped")
            run.reasons.append(f"{paper.id}: another record of {run.source} has this id already")
        return
    stored = catalogue.find(paper.id)
    if stored is not None and stored.record == record_of(paper):
        run.ids[paper.id] = stored.content_hash
        run.count("unchanged")
        _list(catalogue, run, stored.row)
        return
    content = run.ids[paper.id] = paper.content_hash
    if stored is None or stored.content_hash != content:
        twins = catalogue.rows_with_content(content)
        if run.listed.intersection(twins):
            run.count("duplicates")
            return
        if twins:
            # Whether the twin stays is known only when the whole source has been read.
            run.undecided.append(paper)
            return
    _put(catalogue, run, paper)


def _decide(catalogue: Catalogue, run: _Run) -> None:
    """Store the papers whose twin is going away; the others are duplicates of one that stays."""
    for paper in run.undecided:
        twins = catalogue.rows_with_content(paper.content_hash)
        kept = next((t for t in twins if catalogue.is_listed(t, besides=run.source)), None)
        if run.listed.intersection(twins):
            run.count("duplicates")
        elif kept is not None:
            run.count("duplicates")
            _list(catalogue, run, kept)
        else:
            _put(catalogue, run, paper)


def _put(catalogue: Catalogue, run: _Run, paper: Paper) -> None:
    stored = catalogue.find(paper.id)
    if stored is None:
        run.count("added")
    elif stored.known_hash != known_hash(paper):
        run.count("changed")
    else:
        run.count("unchanged")
    run.touched = True
    _list(catalogue, run, catalogue.put(paper))


def _list(catalogue: Catalogue, run: _Run, row: int) -> None:
    run.listed.add(row)
    run.touched |= catalogue.list_paper(run.source, row)


def _embed(
    catalogue: Catalogue, embedder: Embedder, batch: list[Pending], done: int, total: int
) -> NDArray[np.float32]:
    try:
        return embedder.embed([_text_of(catalogue, item) for item in batch])
    except ModelError as error:
        raise ModelError(
            f"embedding stopped after {done} of {total} passages: {error}; run the same sync "
            "again to go on from there",
            retryable=error.retryable,
        ) from error


def _refuse_other_size(embedder: Embedder, now: int, before: int) -> None:
    if now != before:
        raise ModelError(
            f"{embedder.name} now gives {now} numbers per text and gave {before} before: another "
            "model answers to that name; use another --collection for it"
        )


def _text_of(catalogue: Catalogue, item: Pending) -> str:
    paper = catalogue.paper_at(item.paper)
    text = paper.abstract[item.start : item.stop]
    return embedded_text(paper, Passage(paper.id, text, item.start, item.stop))
