"""Papers that a question or a message of the talk speaks of: by id, by name, by title."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assistant.retrieval.naming import Named, candidate_rows, names_in

if TYPE_CHECKING:
    from assistant.index.lexical import LexicalIndex
    from assistant.index.snapshot import Snapshot

__all__ = ["is_list", "named_papers", "rows_listed", "rows_said"]

# As answers print them: with a figure, so that no plain word is looked up.
_ID = re.compile(r"(?<![\w/.-])(?=[^\s]*\d)[A-Za-z0-9][\w:/.-]{3,60}\w(?![\w/-])")
_BRACKETED = re.compile(r"\[([^\[\]]{2,60})\]")
_HEADS = re.compile(r"^(?:[-*] )?\*\*(?P<label>.+?)\*\*(?=:| —| \()", re.MULTILINE)
_LISTED = re.compile(r"^[-*] (?:\*\*.+?\*\* (?:—|\()|(?!\*\*)\S)", re.MULTILINE)
"""A line of a list; those of a comparison have a colon behind the label."""
_BARE = re.compile(r"^[-*] (?!\*\*|…)(?P<label>\S.*)$", re.MULTILINE)
_NEAREST = re.compile(r"(?<!\*)\*(?![\s*])[^*\n]+\*(?!\*)")
"""How an answer sets the papers apart that it does not hold for an answer."""
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_OWN_WORDS = (
    "No ",
    "The last list ",
    "Neither abstracts ",
    "Abstracts do not ",
    "The collection holds ",
)
"""How the assistant begins to say that it found nothing: it tells of no paper."""
_WORDS_TO_TELL = 5
_CLEARLY = 1.5
_TITLE_WORDS = 3


def named_papers(text: str, snapshot: Snapshot) -> list[Named]:
    """Find the papers a question names.

    Args:
        text: the question.
        snapshot: the collection.

    Returns:
        In the order of the question, those named by their id first.
    """
    by_id = [
        Named(row, match[0], *match.span())
        for match in _ID.finditer(text)
        if (row := snapshot.row(match[0])) is not None
    ]
    papers = [(row, snapshot.paper(row)) for row in candidate_rows(text, snapshot.lexical)]
    folded = text.casefold()
    by_title = [
        Named(row, paper.title, at, at + len(paper.title))
        for row, paper in papers
        if paper.title
        and len(paper.title.split()) >= _TITLE_WORDS
        and (at := folded.find(paper.title.casefold())) >= 0
    ]
    found = {named.row: named for named in (*by_title, *by_id)}
    for named in names_in(text, papers, snapshot.lexical):
        # A title may hold the names of others.
        inside = any(other.start <= named.start < other.end for other in by_title)
        if named.row not in found and not inside:
            found[named.row] = named
    ids = {named.row for named in by_id}
    return sorted(found.values(), key=lambda named: (named.row not in ids, named.start))


def is_list(said: str) -> bool:
    """Tell whether a message lists papers, one or many.

    Args:
        said: a message of the talk.
    """
    return _LISTED.search(said) is not None


def rows_listed(said: str, snapshot: Snapshot) -> list[int]:
    """Find the papers that an answer shows, without those it only calls the nearest.

    Args:
        said: the answer.
        snapshot: the collection.
    """
    bare = _NEAREST.sub(" ", said)
    # What only says that there is nothing has words that may stand in some abstract.
    return rows_said(bare, snapshot) if bare == said else _rows_named(bare, snapshot)


def rows_said(said: str, snapshot: Snapshot) -> list[int]:
    """Find the papers a message mentions: by id in brackets, by name, or by title.

    Args:
        said: a message of the talk.
        snapshot: the collection.

    Returns:
        Rows in the order of the message.
    """
    found = _rows_named(said, snapshot)
    return found or _rows_told_of(said, snapshot.lexical)


def _rows_named(said: str, snapshot: Snapshot) -> list[int]:
    # Where an answer sets its papers out, what it quotes of them names no others.
    heads = [match["label"] for match in _HEADS.finditer(said)]
    heads += [match["label"] for match in _BARE.finditer(said)] if is_list(said) else []
    if heads:
        said = "\n".join(heads)
    said = _ESCAPED.sub(r"\1", said)
    places: dict[int, int] = {}
    for match in _BRACKETED.finditer(said):
        row = snapshot.row(match[1].strip())
        if row is not None:
            places.setdefault(row, match.start())
    rows = candidate_rows(said, snapshot.lexical)
    papers = [(row, snapshot.paper(row)) for row in rows]
    folded = said.casefold()
    for row, paper in papers:
        at = folded.find(paper.label.casefold())
        if at >= 0:
            places[row] = min(at, places.get(row, at))
    if not places:
        for named in names_in(said, papers, snapshot.lexical):
            places.setdefault(named.row, named.start)
    return sorted(places, key=lambda row: places[row])


def _rows_told_of(said: str, lexical: LexicalIndex) -> list[int]:
    """Find the one paper that an answer without a name tells of, where its words leave no doubt."""
    if said.startswith(_OWN_WORDS):
        return []
    weights = lexical.weigh(said)
    scores = lexical.scores(list(weights), list(weights.values()))
    if len(scores) == 0 or len(weights) < _WORDS_TO_TELL:
        return []
    order = scores.argsort()[::-1]
    second = scores[order[1]] if len(order) > 1 else 0.0
    return [int(order[0])] if scores[order[0]] > _CLEARLY * second else []
