"""Which number belongs to what: a right figure beside the wrong name is a wrong figure.

Bound are the pairs that the text itself ties together: "9x on Swimmer", "CoSApien (94.6% F1)",
"15 datasets". A sentence contradicts its source where both its number and its name are bound there,
each to another partner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assistant.answering.clauses import clauses, weighed_words
from assistant.answering.coverage import canonical, content_words, share
from assistant.answering.facts import Facts
from assistant.answering.names import Name, names
from assistant.answering.numbers import Quantity, numbers, same, shown, stands
from assistant.answering.plaintext import plain
from assistant.index.words import fold, stem

__all__ = ["misplaced", "no_speed", "overstated", "wrong_owner", "wrong_teller"]

_ON = re.compile(
    r"\s(?:\w+\s){0,2}?(?:on|for|in|with|at|by|from|of)\s(?:the\s)?$|\s?\((?:on|for|in)\s$"
)
_OPENED = re.compile(r"\s?(?:\(|:\s?)$")
_NOUN = re.compile(
    r"\s((?:(?!(?:and|or|of|on|in|at|to|for|with|over|than|vs|across|by|from|as|that|which|"
    r"while)\b)"
    r"[A-Za-z-]+\s?){1,3})"
)
_ALL = re.compile(r"\ball\s(?:of\s)?(?:the\s|its\s|these\s)?$", re.IGNORECASE)
_TELLING_WORDS, _MOSTLY, _MARGIN = 3, 0.6, 0.4
_SPEED = re.compile(
    r"speed|fast|quick|accelerat|slow|latenc|throughput|runtime|wall|second|hour|\btimes?\b|ttft",
    re.IGNORECASE,
)
_SPEED_OF = re.compile(
    r"(?:speed-?\s?ups?|accelerations?)\s(?:factors?\s)?(?:of|by)\s(?:[a-z]+\s){0,2}$",
    re.IGNORECASE,
)
_SPEED_BEHIND = re.compile(
    r"\s?(?:times\s)?(?:speed-?\s?ups?|faster|quicker|accelerations?)\b", re.IGNORECASE
)
_MEASURED = re.compile(
    r"\s(?!(?:and|or|on|in|at|to|for|with|over|than|by|from|as|while)\b)[A-Za-z]"
)
_CLAUSE_END = re.compile(r"[,;:.]\s|\s(?:and|while|whereas|with|but)\s")


@dataclass(frozen=True, slots=True)
class _Bond:
    quantity: Quantity
    partners: frozenset[str]
    shown: str


def misplaced(sentence: str, facts: Sequence[Facts]) -> str | None:
    """Find a number that the sources bind to another name or noun than the sentence does.

    Args:
        sentence: the sentence, citation marks left out.
        facts: of the papers it cites.

    Returns:
        The number and what it stands beside in the source; None where all bonds agree.
    """
    claimed = _bonds(sentence)
    if not claimed:
        return None
    there = [bond for fact in facts for bond in _bonds(fact.paper.abstract)]
    for bond in claimed:
        own = [other for other in there if same(other.quantity, bond.quantity)]
        if not own or any(other.partners & bond.partners for other in own):
            continue
        rivals = [
            other
            for other in there
            if other.partners & bond.partners and other.quantity.unit == bond.quantity.unit
        ]
        if rivals:
            return f'{shown(bond.quantity)} stands beside "{own[0].shown}"'
    return None


def no_speed(sentence: str, facts: Sequence[Facts]) -> str | None:
    """Find a figure told as a speed-up that its sources state as the share of something else.

    Args:
        sentence: the sentence, citation marks left out.
        facts: of the papers it cites.

    Returns:
        The figure and what it measures in the source; None where nothing is wrong.
    """
    source = plain(sentence).text
    for quantity in numbers(source):
        told = _SPEED_OF.search(source[: quantity.start]) or _SPEED_BEHIND.match(
            source, quantity.end
        )
        if not told:
            continue
        measured = [part for fact in facts for part in _measures(fact.paper.abstract, quantity)]
        if measured and None not in measured:
            return f'{shown(quantity)} stands beside "{measured[0]}"'
    return None


def _measures(text: str, quantity: Quantity) -> Iterator[str | None]:
    """What a text measures by a figure, once for each place; None: a speed, or nothing named."""
    source = plain(text).text
    for found in numbers(source):
        if not same(found, quantity):
            continue
        before = [end.end() for end in _CLAUSE_END.finditer(source, 0, found.start)]
        behind = _CLAUSE_END.search(source, found.end)
        clause = source[before[-1] if before else 0 : behind.start() if behind else len(source)]
        named = _MEASURED.match(source, found.end) and not _SPEED.search(clause)
        yield clause[-40:].strip() if named else None


def overstated(sentence: str, facts: Sequence[Facts]) -> str | None:
    """Find "all five" where the sources say "four out of five".

    Args:
        sentence: the sentence, citation marks left out.
        facts: of the papers it cites.

    Returns:
        What is said and what stands in the source; None where nothing is overstated.
    """
    source = plain(sentence).text
    parts = [q for fact in facts for q in fact.quantities if q.kind == "ratio" and q.value > 0]
    for quantity in numbers(source):
        if quantity.kind != "number" or not _ALL.search(source[: quantity.start]):
            continue
        of = [part for part in parts if part.high == quantity.value and part.value < quantity.value]
        if of:
            return f'"all {quantity.text}" against "{of[0].text}"'
    return None


def wrong_teller(sentence: str, facts: Sequence[Facts]) -> tuple[str, int] | None:
    """Find a clause that gives one cited paper's method what another cited paper says.

    Args:
        sentence: the sentence, citation marks left out.
        facts: of the papers it cites, two at least.

    Returns:
        The method's name and the place of its paper; None where all is told of the right one.
    """
    if len(facts) < 2:
        return None
    for clause in clauses(sentence):
        telling = [(name, _owners(name, facts)) for name in names(clause)]
        owned = {tuple(owners) for _, owners in telling if owners}
        if len(owned) != 1 or len(owners := owned.pop()) != 1:
            continue
        words = weighed_words(clause)
        shares = [share(words, fact.all_keys) for fact in facts]
        own = shares[owners[0]]
        if len(words) >= _TELLING_WORDS and max(shares) >= max(_MOSTLY, own + _MARGIN):
            return next(name.text for name, found in telling if found), owners[0]
    return None


def wrong_owner(sentence: str, facts: Sequence[Facts]) -> tuple[Quantity, int] | None:
    """Find a number given to a paper's method that only another cited paper states.

    "RelayCaching reaches 10.33×, SparseInfer 4.7×" with both papers cited: each number stands
    somewhere, but not where the name beside it does.

    Args:
        sentence: the sentence, citation marks left out.
        facts: of the papers it cites, two at least.

    Returns:
        The number and the place of the paper it should stand in; None where all are right.
    """
    if len(facts) < 2:
        return None
    found = names(sentence)
    owners = {name: _owners(name, facts) for name in found}
    telling = [name for name in found if owners[name]]
    counted = [quantity for quantity in numbers(sentence) if not _inside(quantity, found)]
    for quantity, name in _pairs(sentence, counted, telling):
        stated = [i for i, fact in enumerate(facts) if stands(quantity, fact.quantities)]
        if stated and not set(stated) & set(owners[name]):
            return quantity, owners[name][0]
    return None


def _owners(name: Name, facts: Sequence[Facts]) -> list[int]:
    """The papers a name tells apart from the other cited ones; none where all have it."""
    holders = [i for i, fact in enumerate(facts) if fact.names.stands(name)]
    return holders if len(holders) < len(facts) else []


def _inside(quantity: Quantity, found: Sequence[Name]) -> bool:
    return any(name.start <= quantity.start < name.end for name in found)


def _pairs(
    sentence: str, counted: Sequence[Quantity], telling: Sequence[Name]
) -> Iterator[tuple[Quantity, Name]]:
    if not telling:
        return
    if "respectively" in sentence.lower() and len(counted) == len(telling):
        yield from zip(counted, telling, strict=True)
        return
    for quantity in counted:
        before = [name for name in telling if name.end <= quantity.start]
        behind = [name for name in telling if name.start >= quantity.end]
        if behind and _ON.match(sentence[quantity.end : behind[0].start]):
            yield quantity, behind[0]
        elif before:
            yield quantity, before[-1]
        elif behind:
            yield quantity, behind[0]


@lru_cache(maxsize=2048)
def _bonds(text: str) -> tuple[_Bond, ...]:
    source = plain(text).text
    found = names(source)
    bonds = list(_in_order(source, found))
    paired = {bond.quantity for bond in bonds}
    for quantity in numbers(source):
        if quantity in paired:
            continue
        if quantity.kind == "formula" or _inside(quantity, found):
            continue
        name = _named(source, quantity, found)
        if name is not None:
            bonds.append(_Bond(quantity, frozenset({_key(name)}), name.text))
        elif not quantity.unit and (noun := _NOUN.match(source, quantity.end)):
            partners = _counted(noun[1])
            if partners:
                bonds.append(_Bond(quantity, partners, noun[1].strip()))
    return tuple(bonds)


def _in_order(source: str, found: Sequence[Name]) -> Iterator[_Bond]:
    """Bind "27.86% and 27.60% on A and B, respectively" one to one."""
    end = source.lower().find("respectively")
    start = max(source.rfind(". ", 0, max(end, 0)), 0)
    counted = [q for q in numbers(source) if start <= q.start < end and not _inside(q, found)]
    units = {quantity.unit for quantity in counted}
    if end < 0 or len(counted) < 2 or len(units) > 1:
        return
    behind = [name for name in found if counted[-1].end <= name.start < end][-len(counted) :]
    before = [name for name in found if start <= name.start < counted[0].start][-len(counted) :]
    paired = behind if len(behind) == len(counted) else before
    if len(paired) == len(counted):
        for quantity, name in zip(counted, paired, strict=True):
            yield _Bond(quantity, frozenset({_key(name)}), name.text)


def _named(source: str, quantity: Quantity, found: Sequence[Name]) -> Name | None:
    before = [name for name in found if name.end <= quantity.start]
    if before and _OPENED.fullmatch(source[before[-1].end : quantity.start]):
        return before[-1]
    behind = (name for name in found if name.start >= quantity.end)
    return next((n for n in behind if _ON.fullmatch(source[quantity.end : n.start])), None)


def _counted(noun: str) -> frozenset[str]:
    """Canonical forms of what is counted; "data sets" are datasets too."""
    words = content_words(noun)
    forms = {form for word in words for form in (word.parts or word.wholes)}
    pairs = (noun[a.start : a.end] + noun[b.start : b.end] for a, b in pairwise(words))
    return frozenset(forms | {canonical(stem(fold(pair))) for pair in pairs})


def _key(name: Name) -> str:
    folded = name.folded
    return folded[:-1] if len(folded) > 3 and folded.endswith("s") else folded
