"""Time in a question that no year tells: "newest first", "of the last three years"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from assistant.retrieval.kinds import PAPER_NOUNS
from assistant.retrieval.notes import Note

__all__ = ["Order", "Times", "orders_papers", "times_in"]

_I = re.IGNORECASE
_NUMBERS = {
    word: count
    for count, word in enumerate("one two three four five six seven eight nine ten".split(), 1)
} | {"couple of": 2, "couple": 2, "few": 3, "several": 3}
_COUNT = rf"(?:\d{{1,2}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_NEW = r"(?:newest|latest|most recent(?:ly published)?|youngest|most current|freshest)"
_OLD = r"(?:oldest|earliest|least recent)"
_NOUN = (
    rf"(?:{PAPER_NOUNS}|methods?|approaches|ones?|entries|entry|literature|results?(?= on| about))"
)
_EXTREME = re.compile(
    rf"\b(?:the\s+)?(?:(?P<before>{_COUNT})\s+)?(?:(?P<new>{_NEW})|(?P<old>{_OLD}))(?:\s+(?P<after>{_COUNT}))?"
    rf"(?=\s+(?:[\w-]+\s+){{0,3}}?(?P<noun>{_NOUN})\b|\W*$|\s+(?:on|about|in|for)\b)",
    _I,
)
_RECENT = re.compile(rf"\b(?:more |very )?recent(?=\s+(?:[\w-]+\s+){{0,2}}?{_NOUN}\b)", _I)
_FIRST = re.compile(
    r",?\s*\b(?:with )?(?:the )?(?:(?P<new>(?:newest|latest|most recent) (?:ones? |papers? )?first)|(?P<old>(?:oldest|earliest) (?:ones? |papers? )?first|"
    r"(?:sorted|ordered|listed) by (?:year|date)|in chronological order|chronologically)|"
    r"(?P<by>(?:sorted |ordered )?by recency|in reverse chronological order))\b",
    _I,
)
_WHICH_OF = re.compile(
    r"\bwhich (?:ones? |papers? |abstracts? |stud(?:y|ies) |works? |of (?:them|these|those|the (?:two|three|papers)) )?(?:is|are|was|came out) (?:the )?"
    r"(?:(?P<new>newer|newest|most recent|more recent|latest|last)|(?P<old>older|oldest|earliest|earlier))\b",
    _I,
)
_WHICH = re.compile(r"which (?:papers?|of (?:them|these|those|the \w+)|ones?)?", _I)
_UNIT = r"(?:years?|months?|weeks?|days?)"
_SPAN = re.compile(
    rf"\b(?:(?:published|written|that (?:are|were|appeared|came out))\s+)?(?:(?P<word>in|from|of|over|during|within|since|for)\s+)?"
    rf"(?:the\s+)?(?:last|past|previous)\s+(?:(?P<count>{_COUNT})\s+)(?P<unit>{_UNIT})\b(?:['’]s?)?",
    _I,
)
_RECENT_YEARS = re.compile(
    r"\b(?:(?:published|written)\s+)?(?:in|from|of|over|during|within)\s+(?:the\s+)?(?:most\s+)?recent\s+years\b",
    _I,
)
_ONE_YEAR = re.compile(
    r"\b(?:(?:published|written|that (?:are|were|appeared|came out))\s+)?(?:(?P<word>in|from|of|since|before|after|during|within|over)\s+)?"
    r"(?:(?P<the>the\s+)?(?P<last>last|past|previous)|(?P<this>this|the current))\s+year\b(?:['’]s)?",
    _I,
)
_ORDERS = re.compile(
    rf"(?:^\W*(?:and )?(?:what|which|show|list|give|find|who|the)\b[^?.!]{{0,20}}?|^\W*)\b(?:{_NEW}|{_OLD})\s+(?:[\w-]+\s+){{0,2}}?"
    r"(?:papers?|articles?|abstracts?|stud(?:y|ies)|publications?|preprints?|works?|research)\b",
    _I,
)
_FEW_YEARS = 3
_MONTHS = 12
_WEEKS = 52
_DAYS = 365

Order = Literal["newest", "oldest"]


@dataclass(frozen=True, slots=True)
class Times:
    """What a question says of time.

    Args:
        text: the question without it.
        order: by what the papers found are to be ordered.
        most: how many of them are asked for.
        extreme: whether only those of the newest or oldest year are.
        year: the filter on years, None for no filter.
        notes: how it was read.
    """

    text: str
    order: Order | None = None
    most: int | None = None
    extreme: bool = False
    year: object | None = None
    notes: tuple[Note, ...] = field(default=())


def times_in(
    text: str, years: Mapping[int, int], papers: int, *, present: int | None = None
) -> Times:
    """Find what a question for papers says of time.

    Args:
        text: the question.
        years: how many papers of the collection are of each year.
        papers: how many there are in all.
        present: the year it is; None: by the clock.
    """
    spanned = _spanned(text, years, papers, present)
    ordered = _ordered(spanned.text, years, papers)
    return Times(
        ordered.text,
        ordered.order,
        ordered.most,
        ordered.extreme,
        spanned.year,
        (*spanned.notes, *ordered.notes),
    )


def orders_papers(text: str) -> bool:
    """Tell a question for the newest or oldest papers, whatever it begins with.

    Args:
        text: the question.
    """
    return _ORDERS.search(text) is not None


def _ordered(text: str, years: Mapping[int, int], papers: int) -> Times:
    most, extreme, order = None, False, None
    if found := _FIRST.search(text) or _WHICH_OF.search(text):
        order = "oldest" if found["old"] else "newest"
        extreme = found.re is _WHICH_OF
        which = _WHICH.match(found[0])
        kept = which[0] if which else " "
    elif (found := _EXTREME.search(text)) and not _of_others(text, found):
        order = "oldest" if found["old"] else "newest"
        said = found["before"] or found["after"]
        most = _number(said) if said else None
        noun = found["noun"]
        extreme = most is None and noun is not None and _is_one(noun)
        most, kept = (None, " ") if most == 1 else (most, " ")
        extreme = extreme or said in ("one", "1")
    elif found := _RECENT.search(text):
        order, kept = "newest", " "
    else:
        return Times(text)
    rest = f"{text[: found.start()]}{kept}{text[found.end() :]}"
    if not years:
        return Times(rest, notes=(Note("no_years", {"said": " ".join(found[0].split())}),))
    notes = [Note("by_year" if order == "newest" else "by_year_old")]
    if unknown := papers - sum(years.values()):
        notes.append(Note("without_year", {"count": unknown}))
    told: Order = "oldest" if order == "oldest" else "newest"
    return Times(rest, told, most, extreme, notes=tuple(notes))


def _spanned(text: str, years: Mapping[int, int], papers: int, present: int | None) -> Times:
    found = _SPAN.search(text) or _RECENT_YEARS.search(text) or _ONE_YEAR.search(text)
    if found is None:
        return Times(text)
    said = " ".join(found[0].split())
    rest = f"{text[: found.start()]} {text[found.end() :]}"
    if not years:
        return Times(rest, notes=(Note("no_years", {"said": said}),))
    newest = max(years)
    today = date.today().year if present is None else present  # noqa: DTZ011 - a year, anywhere
    # Of a collection that ended long ago, the last years are its own.
    now = today if newest >= today - 1 else newest
    year = _bounds(found, now)
    notes = [Note("span_read", {"said": said, "years": _said(year), "newest": newest})]
    if unknown := papers - sum(years.values()):
        notes.append(Note("without_year", {"count": unknown}))
    return Times(rest, year=year, notes=tuple(notes))


def _bounds(found: re.Match[str], now: int) -> object:
    if found.re is _RECENT_YEARS:
        return {"gte": now - _FEW_YEARS + 1}
    word = (found["word"] or "").lower()
    if found.re is _SPAN:
        unit = found["unit"].lower()
        whole = {"m": _MONTHS, "w": _WEEKS, "d": _DAYS}.get(unit[0], 1)
        count = -(-_number(found["count"]) // whole)
        # Half a year ago may be last year: records tell no months.
        return {"gte": now - count + (0 if whole > 1 else 1)}
    if found["this"]:
        return now
    if word == "since" or found["the"] or (found["last"] or "").lower() == "past":
        return {"gte": now - 1}
    if word == "before":
        return {"lte": now - 2}
    return {"gte": now} if word == "after" else now - 1


def _said(year: object) -> str:
    if isinstance(year, Mapping):
        return " ".join(f"{'≥' if sign == 'gte' else '≤'} {limit}" for sign, limit in year.items())
    return str(year)


def _number(word: str) -> int:
    return _NUMBERS[word.lower()] if word.lower() in _NUMBERS else int(word)


def _of_others(text: str, found: re.Match[str]) -> bool:
    """Tell "which papers beat the latest methods?", where methods and not papers are of a time."""
    noun = (found["noun"] or "").lower()
    return noun.startswith(("method", "approach")) and bool(
        re.search(rf"\b{PAPER_NOUNS}\b", text[: found.start()], _I)
    )


def _is_one(noun: str) -> bool:
    return not noun.lower().endswith("s") and noun.lower() not in ("work", "research", "literature")
