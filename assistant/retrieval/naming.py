"""Which papers a question names, by the names the papers give their own methods and data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from assistant.corpus.names import fold_name, introduced_names
from assistant.corpus.paper import Paper
from assistant.corpus.spans import Span
from assistant.index.lexical import LexicalIndex
from assistant.index.terms import analyse

__all__ = ["Named", "candidate_rows", "names_in"]

_WORD = re.compile(r"[^\W_](?:[\w+^-]|\.(?=\d))*")
_LONGEST = 6
_RARE = 40
_SHORT = 3
_FUZZY_FROM = 6
_FUZZY_RATIO = 86


@dataclass(frozen=True, slots=True)
class Named:
    """A paper named in a text.

    Args:
        row: the paper's row.
        name: the name as the paper writes it.
        start: offset of the mention in the text.
        end: offset behind it.
    """

    row: int
    name: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Where the text names it."""
        return self.start, self.end


def candidate_rows(text: str, lexical: LexicalIndex) -> list[int]:
    """Find rows whose papers may be named: those that hold one of the text's rare terms.

    Args:
        text: a question or an answer.
        lexical: the collection's lexical index.

    Returns:
        Rows, ascending.
    """
    rows: set[int] = set()
    for term in {term.text for term in analyse(text)}:
        known = term if lexical.document_frequency(term) else (lexical.correct(term) or term)
        if 0 < lexical.document_frequency(known) <= _RARE:
            rows.update(lexical.scores([known]).nonzero()[0].tolist())
    return sorted(rows)


def names_in(text: str, papers: Iterable[tuple[int, Paper]], lexical: LexicalIndex) -> list[Named]:
    """Find the papers a text names, in the order it names them.

    Args:
        text: a question or an answer.
        papers: rows and papers that may be named.
        lexical: the collection's lexical index.

    Returns:
        Each paper at most once. A name that several papers share is left out.
    """
    mentions = _mentions(text)
    if not mentions:
        return []
    found: dict[int, Named] = {}
    owners: dict[str, set[int]] = {}
    for row, paper in papers:
        for folded, name in introduced_names(paper).items():
            span = _find(folded, name, mentions, text)
            if span is None or not _telling(name, lexical):
                continue
            owners.setdefault(folded, set()).add(row)
            if row not in found or span[0] < found[row].start:
                found[row] = Named(row, name, *span)
    shared = {row for rows in owners.values() if len(rows) > 2 for row in rows}
    return sorted(
        (named for row, named in found.items() if row not in shared), key=lambda n: n.start
    )


def _mentions(text: str) -> dict[str, tuple[int, int]]:
    """Return every run of up to six words, folded, with its place."""
    words = [match.span() for match in _WORD.finditer(text)]
    runs: dict[str, tuple[int, int]] = {}
    for first in range(len(words)):
        for last in range(first, min(first + _LONGEST, len(words))):
            start, end = words[first][0], words[last][1]
            if re.search(r"[.?!;:]\s", text[start:end]):
                break
            runs.setdefault(fold_name(text[start:end]), (start, end))
    return runs


def _find(
    folded: str, name: str, mentions: dict[str, tuple[int, int]], text: str
) -> tuple[int, int] | None:
    span = mentions.get(folded) or mentions.get(folded + "s")
    if span is not None:
        if len(folded) <= _SHORT and not _written_as_name(text, span):
            return None
        return span
    if len(folded) < _FUZZY_FROM or " " in name:
        return None
    from rapidfuzz import fuzz, process

    close = process.extractOne(
        folded,
        [run for run in mentions if abs(len(run) - len(folded)) <= 2],
        scorer=fuzz.ratio,
        score_cutoff=_FUZZY_RATIO,
    )
    return mentions[close[0]] if close else None


def _written_as_name(text: str, span: tuple[int, int]) -> bool:
    """A short name must stand in capitals, unless the whole text knows none."""
    word = text[span[0] : span[1]]
    if text.isupper():
        return True
    return any(char.isupper() for char in word) or not any(char.isupper() for char in text)


def _telling(name: str, lexical: LexicalIndex) -> bool:
    """A name that stands in many papers ("LLMs") names none of them."""
    terms = analyse(name)
    if not terms:
        return False
    frequency = min(lexical.document_frequency(term.text) for term in terms)
    return frequency <= max(2, min(_RARE, len(lexical) // 20))
