"""Citation marks in a model's text, found while it is still streaming.

The model is given opaque ids and told to cite with them. What else models write is understood too:
several ids in one bracket, a page behind them, `【1】`, `[S1]`, `(Source 1)`, LaTeX's `cite{…}`,
ranges, and `(1)` or superscripts where it numbered the sources itself. Everything else in brackets
is text.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

__all__ = ["Mark", "MarkScanner", "new_ids"]

_HEX = "0123456789abcdef"
_LONGEST_RANGE = 20
_LARGEST_NUMBER = 99
_TAIL = 24

_SPAN = r"\d{1,3}(?:\s*[-–—]\s*\d{1,3})?|S\d{1,2}(?:\s*[-–—]\s*S?\d{1,2})?(?!\w)"
_ID = r"S[0-9a-f]{4}"
_IDS_SHAPE = r"S[0-9a-f]{3,8}"
_NAMED = (
    r"(?:sources?|refs?|references?|papers?|docs?|documents?|abstracts?|articles?|citations?"
    r"|quellen?|fuentes?|références?|来源|文献|出典)"
)
_PREFIX = rf"(?:(?:{_NAMED}|ids?|cite[sd]?|see|cf|no)[.:=]{{0,2}}\s*|[#^@]){{0,2}}"
_DRESS = r"[*_`\"'“”‘’]{0,3}"
_PART = (
    r"(?:[,:]?\s*(?:(?:pp?|pages?|sec|sections?|tab|tables?|figs?|figures?|lines?|para|paragraphs?"
    r"|sentences?|chapters?)\b\.?\s*|§\s*)\d[\d.]{0,6}(?:\s*[-–—]\s*\d{1,4})?"
    r"|:\d{1,3}(?=†)|[,:]\s*(?:abstract|title)\b)?"
)
"""Where in a source: `, p. 3`; it is read and left out, for an abstract is one page."""
_FOOT = r"(?:†[^\]】\n]{0,60})?"
_BETWEEN = r"(?:\s*(?:[,;|/&+、，；]|and|und|y|et|和)\s*|\s+)"
_START = regex.compile(r"[\[【［〔({<\\S⁰¹²³⁴-⁹]")
_ANY_ID = regex.compile(_IDS_SHAPE, regex.IGNORECASE)
_NUMBERS = regex.compile(r"(\d{1,3})(?:\s*[-–—]\s*S?(\d{1,3}))?", regex.IGNORECASE)
_LINK = regex.compile(r"\((?:https?://|www\.|#)[^\s()]*\)")
_CUT_BRACKET = regex.compile(r"\[\s*(?:S[0-9a-f]{2,4}[^\[\]\n]{0,80})", regex.IGNORECASE)
_ENDS_PHRASE = frozenset(".,;:!?\n。，；！？")
_NAMED_NUMBER = regex.compile(
    r"\b(?:eq|eqn|equation|table|fig|figure|section|sec|step|theorem|lemma|algorithm|case|item)"
    r"s?\.?\s*$",
    regex.IGNORECASE,
)
# Several numbers behind these are an interval, a shape or a vector.
_BEFORE_VALUES = regex.compile(
    r"(?:[∈∉⊂⊆=≤≥<>≈≠×∪∩→~]|\\in|\b(?:[a-z]|values?|lies?)\s+in"
    r"|\b(?:range|interval|vector|tuple|shape|size|array|list|set|window|bounds?|domain|coordinates))"
    r"(?:\s+(?:of|is))?\s*$",
    regex.IGNORECASE,
)
_BEFORE_SUPERSCRIPT = regex.compile(r"(?:[.,;:!?\"'”’)]|\p{Ll}{4})$")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


@dataclass(frozen=True, slots=True)
class Mark:
    """A citation mark.

    Args:
        places: the sources it names, by their place in the order they were given; may be empty.
        unknown: how many sources it names that there are not.
        no_answer: it is the mark by which the model says that the sources do not answer.
    """

    places: tuple[int, ...] = ()
    unknown: int = 0
    no_answer: bool = False


def new_ids(count: int) -> list[str]:
    """Make ids for sources that a model can copy but not guess.

    Args:
        count: how many.

    Returns:
        Different ids such as `S7f3a`; each has a digit and a letter behind the S.
    """
    ids: list[str] = []
    while len(ids) < count:
        candidate = "S" + "".join(secrets.choice(_HEX) for _ in range(4))
        if _is_mixed(candidate) and candidate not in ids:
            ids.append(candidate)
    return ids


class MarkScanner:
    """Splits a stream into text and marks; the outcome does not depend on where it is cut.

    Args:
        ids: the sources' ids in the order they were given to the model.
        aliases: other names a model may know a source by, with the source's place.
    """

    def __init__(self, ids: Sequence[str], aliases: Mapping[str, int] | None = None) -> None:
        self._places = {source_id.lower(): place for place, source_id in enumerate(ids)}
        self._count = len(ids)
        for name, place in (aliases or {}).items():
            # A name that is a short number cannot be told from a place.
            if not regex.fullmatch(r"\d{1,3}", name):
                self._places.setdefault(name.lower(), place)
        self._pattern = _pattern(tuple(sorted(self._places, key=len, reverse=True)))
        self._buffer = ""
        self._tail = ""
        self._after_mark = False
        self._cites_by_id = False

    def feed(self, piece: str, *, final: bool = False) -> Iterable[str | Mark]:
        """Take the next piece of the model's text.

        Args:
            piece: any part of it, cut anywhere.
            final: nothing comes after it: what is unfinished is text.

        Yields:
            Text and marks, in order, as far as they are decided.
        """
        self._buffer += piece
        while self._buffer:
            start = _START.search(self._buffer)
            if start is None or start.start():
                yield self._text(len(self._buffer) if start is None else start.start())
                continue
            length, mark = self._decide(final=final)
            if not length:
                return
            if mark is None:
                yield self._text(length)
                continue
            self._consume(length)
            self._after_mark = True
            yield mark

    def _text(self, length: int) -> str:
        self._after_mark = False
        return self._consume(length)

    def _consume(self, length: int) -> str:
        text, self._buffer = self._buffer[:length], self._buffer[length:]
        self._tail = (self._tail + text)[-_TAIL:]
        return text

    def _decide(self, *, final: bool) -> tuple[int, Mark | None]:
        """Decide on what the buffer begins with.

        Returns:
            How many characters it is, none where more must come first, and the mark it is.
        """
        buffer = self._buffer
        if self._after_mark and buffer[0] == "(":
            link = _LINK.match(buffer, partial=not final)
            if link is not None:
                return (0, None) if link.partial else (link.end(), Mark())
        found = self._pattern.match(buffer, partial=not final)
        if found is None:
            return self._cut_off() if final else (1, None)
        if not final and (found.partial or found.end() == len(buffer)):
            return 0, None
        mark = self._read(found, buffer[found.end() : found.end() + 1])
        return (1, None) if mark is None else (found.end(), mark)

    def _cut_off(self) -> tuple[int, Mark | None]:
        """Read a bracket that the end of the stream cut: a whole id in it counts, a piece goes."""
        if not _CUT_BRACKET.fullmatch(self._buffer):
            return 1, None
        ids = [item.lower() for item in _ANY_ID.findall(self._buffer)]
        places = tuple(self._places[item] for item in ids if item in self._places)
        piece = self._buffer.lstrip("[ ").lower()
        if not places and not any(name.startswith(piece) for name in self._places):
            return 1, None
        return len(self._buffer), Mark(places)

    def _read(self, found: regex.Match[str], following: str) -> Mark | None:
        if found["none"]:
            return Mark(no_answer=True)
        if found["bare"]:
            # A given id cannot stand there by chance; one that looks like it may be a word's part.
            alone = not (self._tail[-1:].isalnum() or following.isalnum())
            given = found["bare"].lower() in self._places
            invented = alone and _is_mixed(found["bare"])
            return self._ids([found["bare"]]) if given or invented else None
        if found["paren"]:
            closes = not following or following in _ENDS_PHRASE
            return self._numbered([found["paren"]]) if closes and self._may_be_paren() else None
        if found["super"]:
            return self._superscript(found["super"], following)
        items = found.captures("item")
        if any(item.lower() in self._places for item in items):
            return self._ids(items)
        if any(_ANY_ID.fullmatch(item) for item in items):
            # Letters alone may be a word in brackets: "[Seed]".
            return None if any(item[1:].isalpha() for item in items) else self._ids(items)
        return self._numbered(items)

    def _ids(self, items: Sequence[str]) -> Mark:
        self._cites_by_id = True
        found = [self._place(item.lower()) for item in items]
        places = tuple(place for place in found if place is not None)
        return Mark(places, unknown=len(items) - len(places))

    def _place(self, item: str) -> int | None:
        """Find a source by its id; of one that lost its end the rest counts, where it is clear."""
        if item in self._places or not _ANY_ID.fullmatch(item):
            return self._places.get(item)
        longer = {place for name, place in self._places.items() if name.startswith(item)}
        return longer.pop() if len(longer) == 1 else None

    def _numbered(self, items: Sequence[str]) -> Mark | None:
        """Read numbers as places in the order the sources were given, where they can be that."""
        spans = [
            (int(first), int(last or first))
            for item in items
            for first, last in _NUMBERS.findall(item)
        ]
        if self._tail.endswith("$") or any(last < first for first, last in spans):
            return None
        if len(spans) > 1 and _BEFORE_VALUES.search(self._tail):
            return None
        if any(first < 1 for first, _ in spans):
            # "[0, 1]" may be an interval; a zero alone is a source that there is not.
            return Mark(unknown=1) if len(spans) == 1 and spans[0] == (0, 0) else None
        if any(last > self._count and last - first > _LONGEST_RANGE for first, last in spans):
            return None
        numbers = [number for first, last in spans for number in range(first, last + 1)]
        if self._cites_by_id:
            # A single number is no source of a model that cites by id; several may be an interval.
            return None if len(numbers) > 1 else Mark(unknown=1)
        known = tuple(number - 1 for number in numbers if number <= self._count)
        if not known and len(numbers) > 1 and max(numbers) > _LARGEST_NUMBER:
            return None
        return Mark(known, unknown=len(numbers) - len(known))

    def _superscript(self, raw: str, following: str) -> Mark | None:
        if self._cites_by_id or following.isalnum() or not _BEFORE_SUPERSCRIPT.search(self._tail):
            return None
        digits = raw.translate(_SUPERSCRIPTS)
        numbers = [int(digits)] if int(digits) <= self._count else [int(digit) for digit in digits]
        if any(not 1 <= number <= self._count for number in numbers):
            return None
        return Mark(tuple(number - 1 for number in numbers))

    def _may_be_paren(self) -> bool:
        before = self._tail[-1:]
        apart = before.isspace() or before in _ENDS_PHRASE
        return apart and not self._cites_by_id and not _NAMED_NUMBER.search(self._tail)


def _is_mixed(source_id: str) -> bool:
    digits = source_id[1:]
    return not digits.isdigit() and not digits.isalpha()


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> regex.Pattern[str]:
    known = "|".join(regex.escape(name) for name in names) or r"(?!)"
    given = "|".join(regex.escape(name) for name in names if _ANY_ID.fullmatch(name)) or r"(?!)"
    # Atomic and possessive: a list of ids that does not close must not be read in every way.
    name = rf"(?>(?:{known})(?!\w)|{_IDS_SHAPE}|{_SPAN})"
    item = rf"{_PREFIX}{_DRESS}(?P<item>{name}){_DRESS}{_PART}"
    one_id = rf"{_PREFIX}{_DRESS}(?P<item>{_IDS_SHAPE}){_DRESS}{_PART}"
    between = rf"(?:{_BETWEEN}|\s*[-–—]\s*(?=S[0-9a-f]{{4}}))"
    group = rf"\s*{item}(?:{between}{item})*+\s*[,;.:]?{_FOOT}\s*"
    # An id with words of the model's own behind it: "S7f3a: FooNet".
    noted = rf"\s*{_PREFIX}(?P<item>{given})\s*[,:;|–—-][^\[\]\n]{{0,80}}"
    ids = rf"\s*{one_id}(?:{between}{one_id})*+\s*"
    named = rf"\s*(?=(?:see\s+|cf\.?\s+)?{_NAMED}\b){group}"
    return regex.compile(
        rf"""(?P<none>\\?\[\s*no[-_ ]answer\s*\\?\])
        |\[\[{group}\]\]
        |\\?\[{group}\\?\]
        |\[{noted}\]
        |[【［〔]{group}[】］〕]
        |\({ids}\)
        |\({named}\)
        |\{{{ids}\}}
        |\\[cC]ite[a-z]{{0,8}}\*?\{{{group}\}}
        |(?P<paren>\(\s*\d{{1,3}}(?:\s*[,;]\s*\d{{1,3}})*\s*\))
        |<(?P<tag>sup|cite|source|ref|citation)>\s*\[?{group}\]?\s*</(?P=tag)>
        |(?P<super>[⁰¹²³⁴-⁹]{{1,3}})
        |(?P<bare>(?-i:{_ID}))""",
        regex.IGNORECASE | regex.VERBOSE,
    )
