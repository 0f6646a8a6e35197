"""A sentence read for what it turns up, down or round: the matter that `polarity` compares."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assistant.answering.coverage import Word, canonical, content_words
from assistant.answering.plaintext import plain
from assistant.answering.polar_words import (
    BACKWARD,
    COSTS,
    LIGHT,
    NEGATORS,
    OPPOSITES,
    SIGNS,
    SOFT_NEGATORS,
)
from assistant.index.words import fold, stem

__all__ = ["Denial", "Forms", "Opposite", "Reading", "Signal", "canonical_word", "read", "union"]

_WORD = re.compile(r"[A-Za-z]+")
_CLAUSE_END = re.compile(r"[,;:.()]|\b(?:and|but|while|whereas|because|although|though)\b")
_SENTENCE_PART = re.compile(r"[;:.()]|\b(?:but|while|whereas|because|although|though)\b")
# "a training-free framework" says it of the method, "noise-free samples" and "training-free
# baselines" do not.
_FREE = re.compile(
    r"\b(?P<what>[A-Za-z]{3,})-free,?\s(?:[\w-]+\s){0,4}?"
    r"(?:method|framework|algorithm|approach|paradigm|technique|strategy|scheme|procedure)\b"
)
_KEPT_FROM = re.compile(
    r"\b((?:keep|kept|prevent|stop|protect|spare)\w*\b[^,;.]{1,40}?)\bfrom\b", re.IGNORECASE
)
_BESIDE_BEFORE, _BESIDE_BEHIND, _SCOPE = 3, 4, 4
_REACH = 1_000
"""Characters of a clause that are looked at on either side: more than any sentence has."""
_DENYING_REACH = 5
_WEIGHING = ("more", "less", "fewer")
# unavailable, unsupervised …: near them a denial may be right.
_UNDONE = re.compile(r"un(?!der|til|i[fnqtv]|ion|less)[a-z]{4,}")

Forms = frozenset[str]


@dataclass(frozen=True, slots=True)
class Signal:
    """A polar word with what it is said of.

    Args:
        text: the word.
        axis: amount, quality, speed, kept or equal.
        sign: 1 up, -1 down, 0 kept or equal; of speed, the time taken goes up or down.
        denied: whether a negation stands before it.
        about: canonical content words it is said of: those behind it, else those before.
        beside: all canonical content words around it.
    """

    text: str
    axis: str
    sign: int
    denied: bool
    about: Forms
    beside: Forms


@dataclass(frozen=True, slots=True)
class Denial:
    """A negation with the canonical words it denies."""

    word: str
    scope: Forms


@dataclass(frozen=True, slots=True)
class Opposite:
    """A word of a pair of opposites: which pair, which side, and the content words near it."""

    text: str
    pair: int
    side: int
    denied: bool
    near: Forms


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sentence turns up, down or round.

    Args:
        signals: what goes up or down, or stays.
        denials: what is denied.
        opposites: words of pairs of opposites.
        denying: how many negations there are.
        hedged: words near which a denial in other words may be meant ("fails to", "unavailable").
        excused: these, and what is denied, reduced or avoided.
        content: all canonical content words.
        asserted: those that are not denied.
        words: every word, in small letters.
        stems: their stems.
        without: what the method is said to be free of ("training-free framework").
    """

    signals: tuple[Signal, ...]
    denials: tuple[Denial, ...]
    opposites: tuple[Opposite, ...]
    denying: int
    hedged: Forms
    excused: Forms
    content: Forms
    asserted: Forms
    words: Forms
    stems: Forms
    without: Forms


@lru_cache(maxsize=1024)
def read(text: str) -> Reading:
    """Read a sentence.

    Args:
        text: a sentence, markup included.
    """
    source = plain(text).text
    without = frozenset(_stem(match["what"]) for match in _FREE.finditer(source))
    free = frozenset(re.findall(r"\b([A-Za-z]{3,})-free\b", source))
    source = re.sub(r"\b[A-Za-z]{3,}-free\b", "", source)
    source = re.sub(r"n't\b", " not", source.replace("cannot", "can not"))
    source = _KEPT_FROM.sub(r"\1 avoiding", source)
    content = content_words(source)
    tokens = [(match.group().lower(), *match.span()) for match in _WORD.finditer(source)]
    found: list[Signal] = []
    opposites: list[Opposite] = []
    denials: list[Denial] = []
    hedged = excused = union(canonical_word(word) for word in free)
    for i, (word, start, end) in enumerate(tokens):
        if not _may_be_polar(word):
            continue
        before, behind = _around(source, content, start, end)
        denied = _is_denied(source, tokens[max(0, i - _DENYING_REACH) : i], start)
        if _UNDONE.fullmatch(word):
            hedged |= before | behind
        if word in NEGATORS or word in SOFT_NEGATORS or SIGNS.get(word) == ("amount", -1):
            scope, says = _scope(source, content, end)
            excused |= scope
            if word in SOFT_NEGATORS:
                hedged |= scope | (before if word in BACKWARD else frozenset())
            if word in NEGATORS and says:
                denials.append(Denial(word, scope))
        if word in SIGNS and before | behind and not _compares(source, word, end):
            found.append(_signal(word, before, behind, denied=denied))
        for pair, side in _sides().get(word, ()):
            opposites.append(Opposite(word, pair, side, denied, before | behind))
    everything = frozenset(form for word in content for form in _forms(word))
    words = frozenset(word for word, _, _ in tokens)
    return Reading(
        signals=tuple(found),
        denials=tuple(denial for denial in denials if denial.scope),
        opposites=tuple(opposites),
        denying=sum(word in NEGATORS for word, _, _ in tokens),
        hedged=hedged,
        excused=excused | hedged,
        content=everything,
        asserted=everything - union(denial.scope for denial in denials),
        words=words,
        stems=frozenset(map(_stem, words)),
        without=without,
    )


def _may_be_polar(word: str) -> bool:
    known = word in SIGNS or word in NEGATORS or word in SOFT_NEGATORS or word in _sides()
    return known or _UNDONE.fullmatch(word) is not None


def _is_denied(source: str, before: Sequence[tuple[str, int, int]], start: int) -> bool:
    return any(
        word in NEGATORS and not _CLAUSE_END.search(source, end, start) for word, _, end in before
    )


def _compares(source: str, word: str, end: int) -> bool:
    """Whether two things are weighed ("more A than B"): `comparisons` looks at those."""
    _, right = _clause(source, end, end, _CLAUSE_END)
    return word in _WEIGHING and re.search(r"\bthan\b", source[end:right]) is not None


def _signal(word: str, before: Forms, behind: Forms, *, denied: bool) -> Signal:
    axis, sign = SIGNS[word]
    about, beside = behind or before, before | behind
    if axis == "speed":
        time = frozenset({canonical("time")})
        return Signal(word, axis, -sign, denied, about | time, beside | time)
    if axis == "quality" and about & _cost_forms():
        sign = -sign
    return Signal(word, axis, sign, denied, about, beside)


def _around(source: str, content: Sequence[Word], start: int, end: int) -> tuple[Forms, Forms]:
    """Content words before and behind a word in its clause, up to the next polar word."""
    left, right = _clause(source, start, end, _SENTENCE_PART)
    near = _near(content, start, end)
    before = [word for word in near if left <= word.start and word.end <= start]
    behind: list[Word] = []
    for word in near:
        if end <= word.start and word.end <= right and len(behind) < _BESIDE_BEHIND:
            if source[word.start : word.end].lower() in SIGNS:
                break
            behind.append(word)
    polar = _polar_forms()
    return (
        frozenset(form for word in before[-_BESIDE_BEFORE:] for form in _forms(word)) - polar,
        frozenset(form for word in behind for form in _forms(word)) - polar,
    )


def _scope(source: str, content: Sequence[Word], end: int) -> tuple[Forms, bool]:
    """What a negation denies, and whether it is a statement rather than a direction."""
    _, right = _clause(source, end, end, _CLAUSE_END)
    behind = [
        (source[word.start : word.end].lower(), word)
        for word in _near(content, end, end)
        if end <= word.start and word.end <= right
    ]
    said = [(text, word) for text, word in behind if text not in LIGHT][:_SCOPE]
    polar = next((i for i, (text, _) in enumerate(said) if i and text in SIGNS), len(said))
    forms = frozenset(form for _, word in said[:polar] for form in _forms(word))
    return forms - _polar_forms(), bool(said) and said[0][0] not in SIGNS


def _clause(source: str, start: int, end: int, edge: re.Pattern[str]) -> tuple[int, int]:
    first, last = max(0, start - _REACH), min(len(source), end + _REACH)
    left = max((match.end() for match in edge.finditer(source, first, start)), default=first)
    stop = edge.search(source, end, last)
    return left, stop.start() if stop else last


def _near(content: Sequence[Word], start: int, end: int) -> Sequence[Word]:
    """The words around a place: far more than are looked at, and not all of a long text."""
    first = bisect_left(content, start - _REACH, key=_start_of)
    last = bisect_right(content, end + _REACH, key=_start_of)
    return content[first:last]


def _start_of(word: Word) -> int:
    return word.start


def _forms(word: Word) -> Forms:
    return word.parts or word.wholes


def canonical_word(word: str) -> Forms:
    """Give the canonical form of one word.

    Args:
        word: as it is written.
    """
    return frozenset({canonical(_stem(word))})


def _stem(word: str) -> str:
    return stem(fold(word))


def union(sets: Iterable[Forms]) -> Forms:
    """Join sets of forms.

    Args:
        sets: any number.
    """
    return frozenset().union(*sets)


@lru_cache(maxsize=1)
def _sides() -> dict[str, list[tuple[int, int]]]:
    sides: dict[str, list[tuple[int, int]]] = {}
    for pair, opposites in enumerate(OPPOSITES):
        for side, words in enumerate(opposites):
            for word in words:
                sides.setdefault(word, []).append((pair, side))
    return sides


@lru_cache(maxsize=1)
def _polar_forms() -> Forms:
    return frozenset(canonical(stem(fold(word))) for word in SIGNS)


@lru_cache(maxsize=1)
def _cost_forms() -> Forms:
    return frozenset(map(canonical, COSTS))
