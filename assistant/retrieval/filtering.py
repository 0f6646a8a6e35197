"""Years, venues and authors that a question asks papers by, told apart from its topic."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assistant.index.filters import fold
from assistant.retrieval.kinds import PAPER_NOUNS
from assistant.retrieval.negation import DENIES

if TYPE_CHECKING:
    from assistant.index.snapshot import Snapshot

__all__ = ["Author", "author_in", "filters_in"]

Author = tuple[str, re.Match[str]]
"""A person's name, and where the question asks papers by it."""

_I = re.IGNORECASE

_APPEARED = (
    r"(?:(?:(?:that|which) )?(?:(?:have|has|had|were|was|are|is|been|got|being) ){0,2}"
    r"(?:published|released|accepted|presented|written|submitted|appeared|appearing|out|came out|"
    r"come out)\s+)?"
)
_YEAR = re.compile(
    rf"\b{_APPEARED}(?P<word>in|from|of|since|after|before|until|by|between)\s+(?:the year\s+)?"
    r"(?P<year>(?:19|20)\d\d)\b(?:\s*(?:-|–|to|and)\s*(?P<until>(?:19|20)\d\d)\b)?",
    _I,
)
_PLAIN_YEAR = re.compile(r"\b(?P<year>(?:19|20)\d\d)\b")
_YEAR_OF_PAPERS = re.compile(rf"{_PLAIN_YEAR.pattern}(?=\s+(?:[\w-]+\s+)?{PAPER_NOUNS}\b)", _I)
_VENUE = re.compile(r"\b[A-Z][A-Za-z]*[A-Z]{2,}[A-Za-z]*\b|\b(?:at|in|from) ([A-Za-z]{3,9})\b")
_WORD = r"[A-Z](?:[\w.-]*\w)?"
_PERSON = rf"{_WORD}(?:\s+(?:(?:de|van|von|der|den|la|da|di)\s+)*{_WORD}){{0,3}}"
_WROTE = (
    r"(?:writ(?:e|ten)|publish(?:ed)?|(?:co-?)?author(?:ed)?|(?:any |an? )?(?:papers?|works?)\b)"
)
_AUTHOR = re.compile(
    rf"\b(?:written\s+|(?:co-?)?authored\s+|published\s+)?by\s+(?P<by>{_PERSON})"
    rf"|\bpapers?\s+of\s+(?P<of>{_PERSON})"
    rf"|\b(?i:did|does|has|have|had)\s+(?P<did>{_PERSON})\s+(?:have\s+)?{_WROTE}\b"
    rf"|\b(?:(?:is|was|are|were)\s+)?(?P<own>{_PERSON})['’]s?\s+(?=(?:papers?|works?|articles?|"
    r"publications?)\b)"
    rf"|\b(?:with|where|has|have)\s+(?P<among>{_PERSON})\s+(?:is\s+an?\s+|as\s+an?\s+)(?:co-?)?authors?\b"
)
_HAS_PAPERS = re.compile(r"(?:papers?|works?)$")
_SHORTEST_NAME = 4
_LOOKED_AT = 20
_DENIED = re.compile(rf"{DENIES.pattern}[^.?!;]{{0,24}}$", _I)
_ASKED_OUTRIGHT = re.compile(
    rf"\b{PAPER_NOUNS}\s+(?:(?:written|(?:co-?)?authored|published)\s+)?$", _I
)


def filters_in(
    text: str, snapshot: Snapshot, author: Author | None
) -> tuple[dict[str, object], str]:
    """Take years, venues and authors out of a question that asks for papers.

    Args:
        text: the question.
        snapshot: the collection: what it does not know is no filter.
        author: what `author_in` found in it.

    Returns:
        The filter, and the question without it.
    """
    where: dict[str, object] = {}
    denied: dict[str, object] = {}

    def take(name: str, value: object, match: re.Match[str]) -> None:
        nonlocal text
        (denied if _DENIED.search(text[: match.start()]) else where)[name] = value
        text = _without(text, match)

    if author is not None:
        take("author", *author)
    if year := _YEAR.search(text):
        take("year", _years(year), year)
    elif year := _YEAR_OF_PAPERS.search(text):
        take("year", int(year["year"]), year)
    for match in _VENUE.finditer(text):
        venue = match[1] or match[0]
        if len(snapshot.rows_where({"venue": venue})):
            take("venue", venue, match)
            plain = _PLAIN_YEAR.search(text)
            if plain and "year" not in where | denied:
                take("year", int(plain["year"]), plain)
            break
    if denied:
        where["not"] = denied
        text = DENIES.sub(" ", text)
    return where, text


def author_in(text: str, snapshot: Snapshot) -> Author | None:
    """Find the person a question asks papers by.

    Args:
        text: the question.
        snapshot: the collection.

    Returns:
        None where it asks by nobody.
    """
    for match in _AUTHOR.finditer(text):
        name = next(part for part in match.groups() if part)
        # "Papers by Li" asks for an author, known or not; "improved by Adam" may not.
        at_end = match.end() >= len(text.rstrip(" ?.!"))
        outright = match["by"] and at_end and _ASKED_OUTRIGHT.search(text[: match.start()])
        if (match["did"] and not _HAS_PAPERS.search(match[0])) or outright:
            return name, match
        words = name.split()
        # "List Lovelace's papers": a sentence begins with a capital too.
        for first in range(len(words)):
            if _is_author(part := " ".join(words[first:]), snapshot):
                return part, match
    return None


def _is_author(name: str, snapshot: Snapshot) -> bool:
    if len(name) < _SHORTEST_NAME:
        return False
    rows = snapshot.rows_where({"author": name})[:_LOOKED_AT]
    whole = re.compile(rf"(?<!\w){re.escape(fold(name))}(?!\w)")
    return any(whole.search(fold("; ".join(snapshot.paper(int(row)).authors))) for row in rows)


def _without(text: str, match: re.Match[str]) -> str:
    return text[: match.start()] + " " + text[match.end() :]


def _years(match: re.Match[str]) -> object:
    first = int(match["year"])
    word = match["word"].lower()
    if match["until"]:
        return {"gte": first, "lte": int(match["until"])}
    if word == "since":
        return {"gte": first}
    if word == "after":
        return {"gte": first + 1}
    if word == "before":
        return {"lte": first - 1}
    if word in ("until", "by"):
        return {"lte": first}
    return first
