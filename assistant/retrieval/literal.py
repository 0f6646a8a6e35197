"""Where a word stands, letter for letter: a search that no relevance is judged in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.index.terms import analyse, is_stopword
from assistant.retrieval.commands import telling_spans

if TYPE_CHECKING:
    from assistant.corpus.paper import Paper
    from assistant.index.snapshot import Snapshot

__all__ = ["Written", "word_pattern", "written_in"]

_SCANNED = 2_000
"""Papers up to which each abstract is looked at; above, those the lexical index names."""

_SHORT = 3


@dataclass(frozen=True, slots=True)
class Written:
    """An abstract that writes a word.

    Args:
        row: the paper's row.
        paper: the paper.
        start: offset of the first sentence that holds it.
        end: offset behind it.
        times: how often the abstract writes it.
    """

    row: int
    paper: Paper
    start: int
    end: int
    times: int


def word_pattern(what: str, *, exact: bool) -> re.Pattern[str]:
    """Make the pattern of a word or phrase: whole, in any case.

    Args:
        what: the word.
        exact: False lets its plural and a hyphen for a blank stand for it too.
    """
    words = what.split()
    if exact:
        inner = r"\s+".join(map(re.escape, words))
    else:
        last = words[-1]
        bare = last[:-1] if last.endswith("s") and len(last) > _SHORT and last[-2] != "s" else last
        inner = r"[\s-]+".join([*map(re.escape, words[:-1]), re.escape(bare) + "(?:s|es|['’]s)?"])
    return re.compile(rf"(?<!\w){inner}(?!\w)", re.IGNORECASE)


def written_in(
    what: str, snapshot: Snapshot, *, exact: bool = True, rows: Iterable[int] | None = None
) -> list[Written]:
    """Find the abstracts that write a word or phrase.

    Args:
        what: the word.
        snapshot: the collection.
        exact: see `word_pattern`.
        rows: the papers to look at; None: all.

    Returns:
        In the order of the collection.
    """
    if not what.strip():
        return []
    pattern = word_pattern(what, exact=exact)
    found: list[Written] = []
    for row, paper in _candidates(what, snapshot, rows):
        times = len(pattern.findall(paper.abstract))
        if not times:
            continue
        spans = telling_spans(paper.abstract) or [(0, len(paper.abstract))]
        start, end = next(
            (span for span in spans if pattern.search(paper.abstract, *span)), spans[0]
        )
        found.append(Written(row, paper, start, end, times))
    return found


def _candidates(
    what: str, snapshot: Snapshot, rows: Iterable[int] | None
) -> Iterable[tuple[int, Paper]]:
    chosen = None if rows is None else set(rows)
    if len(snapshot) > _SCANNED:
        for term in {term.text for term in analyse(what) if " " not in term.text}:
            if is_stopword(term) or not snapshot.lexical.document_frequency(term):
                continue
            held = set(snapshot.lexical.rows(term).tolist())
            chosen = held if chosen is None else chosen & held
    if chosen is None:
        return enumerate(snapshot.papers())
    return ((row, snapshot.paper(row)) for row in sorted(chosen))
