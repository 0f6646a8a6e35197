"""Does a sentence say the opposite of its source? By rule, so that a reader can follow.

Three kinds of statement are compared, each with the content words beside it: what goes up or down
(better counts as up, and as down for costs such as latency), what is denied, and which of two
opposites is meant. Nothing is said where the words beside do not meet.
"""

from __future__ import annotations

import re
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

__all__ = ["Signal", "contradiction", "denies_more", "signals"]

_WORD = re.compile(r"[A-Za-z]+")
_CLAUSE_END = re.compile(r"[,;:.()]|\b(?:and|but|while|whereas|because|although|though)\b")
_SENTENCE_PART = re.compile(r"[;:.()]|\b(?:but|while|whereas|because|although|though)\b")
_ABOUT_OTHERS = re.compile(
    r"\W*(?:[\w-]+,?\s){0,4}?(?:existing|previous|prior|earlier|prevailing|mainstream|traditional|"
    r"conventional|recent|current|many|other)\s(?:[\w-]+\s){0,4}?(?:methods|approaches|works?|"
    r"frameworks|models|techniques|algorithms|quantizers|studies|systems|research|extensions|"
    r"strategies)\b",
    re.IGNORECASE,
)
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
_REPEATED, _DENYING_REACH = 0.85, 5

Forms = frozenset[str]


@dataclass(frozen=True, slots=True)
class Signal:
    """A polar word with what it is said of.

    Args:
        text: the word.
        axis: amount, quality, speed or kept.
        sign: 1 up, -1 down, 0 kept as it is; of speed, the time taken goes up or down.
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
class _Denial:
    word: str
    scope: Forms


@dataclass(frozen=True, slots=True)
class _Opposite:
    text: str
    pair: int
    side: int
    denied: bool
    near: Forms


@dataclass(frozen=True, slots=True)
class _Reading:
    signals: tuple[Signal, ...]
    denials: tuple[_Denial, ...]
    opposites: tuple[_Opposite, ...]
    denying: int
    hedged: Forms
    excused: Forms
    content: Forms
    asserted: Forms
    words: Forms
    stems: Forms
    without: Forms
    about_others: bool


def signals(text: str) -> list[Signal]:
    """Find what a sentence says goes up or down.

    Args:
        text: a sentence.
    """
    return list(_read(text).signals)


def contradiction(
    sentence: str, nearest: Sequence[str], abstract: Sequence[str] = ()
) -> str | None:
    """Tell whether a sentence says the opposite of the source sentences nearest to it.

    Args:
        sentence: the sentence of an answer.
        nearest: the sentences of the abstract that match it best.
        abstract: all of its sentences; what one of them denies of the paper's own method
            ("training-free") holds for every claim.

    Returns:
        The words in conflict ("slower" against "faster"), None where there is no conflict.
    """
    claim, sources = _read(sentence), [_read(source) for source in nearest]
    return (
        _opposed_signal(claim, sources)
        or _negation_added(claim, sources)
        or _denied_by_claim(claim, sources)
        or _denied_by_source(claim, sources, [_read(source) for source in abstract])
        or _opposite_word(claim, sources)
    )


def denies_more(sentence: str, nearest: Sequence[str]) -> bool:
    """Tell whether a sentence denies something and its nearest source sentence nothing.

    Args:
        sentence: the sentence of an answer.
        nearest: the sentences of the abstract that match it best, best first.
    """
    if not nearest or not _read(sentence).denying:
        return False
    source = _read(nearest[0])
    return not source.denying and not source.hedged


def _opposed_signal(claim: _Reading, sources: Sequence[_Reading]) -> str | None:
    for signal in claim.signals:
        rivals = [
            (_closeness(signal, other), other)
            for source in sources
            for other in source.signals
            if _closeness(signal, other)
            and not _hedged(signal, other, claim if other.denied else source)
        ]
        most = max((shared for shared, _ in rivals), default=0)
        closest = [other for shared, other in rivals if shared == most]
        if closest and all(_against(signal, rival) for rival in closest):
            return f'"{signal.text}" against "{closest[0].text}"'
    return None


def _hedged(a: Signal, b: Signal, asserting: _Reading) -> bool:
    """Where one denies and the other does not: "does not scale" and "scales poorly" agree."""
    return a.denied != b.denied and bool(asserting.hedged & (a.about | b.about))


def _closeness(a: Signal, b: Signal) -> int:
    if not (a.about & b.beside or b.about & a.beside):
        return 0
    return 2 * len(a.about & b.about) + len(a.beside & b.beside)


def _against(a: Signal, b: Signal) -> bool:
    if a.sign == b.sign == 0:
        return a.denied != b.denied
    if 0 in (a.sign, b.sign):
        kept, other = (a, b) if a.sign == 0 else (b, a)
        loses = other.axis == "quality" and other.sign < 0 and not other.denied
        return loses and not kept.denied
    if a.denied and b.denied:
        return False
    if a.denied or b.denied:
        return a.sign == b.sign
    return a.sign != b.sign


def _negation_added(claim: _Reading, sources: Sequence[_Reading]) -> str | None:
    """The claim repeats a source sentence almost word for word, but for a negation more."""
    for source in sources[:1]:
        there = source.denying + len(source.words & SOFT_NEGATORS - claim.words)
        repeated = len(claim.content & source.content)
        if claim.denying > there and repeated >= _REPEATED * len(claim.content):
            return f'"{min(claim.words & NEGATORS)}"'
    return None


def _denied_by_claim(claim: _Reading, sources: Sequence[_Reading]) -> str | None:
    """The claim denies what a source asserts."""
    for source in sources:
        for denial in claim.denials if not source.about_others else ():
            if _mostly(denial.scope, source.asserted) and not denial.scope & source.excused:
                return f'"{denial.word} {_example(denial.scope & source.asserted)}"'
    return None


def _denied_by_source(
    claim: _Reading, sources: Sequence[_Reading], abstract: Sequence[_Reading]
) -> str | None:
    """The claim asserts what the abstract denies, and its nearest sentences do not assert it."""
    said = claim.asserted - claim.excused
    asserted = _union(source.asserted for source in sources)
    for denial in (denial for source in sources for denial in source.denials):
        if _mostly(denial.scope, said) and not denial.scope & (claim.excused | asserted):
            return f'"{_example(denial.scope & said)}" against "{denial.word}"'
    without = _union(source.without for source in abstract)
    there = _union(source.stems for source in sources)
    for word in (claim.stems & without) - there - claim.without:
        if not _canonical(word) & claim.excused:
            return f'"{word}" against "{word}-free"'
    return None


def _opposite_word(claim: _Reading, sources: Sequence[_Reading]) -> str | None:
    """A word whose opposite stands at its place in the source."""
    for said in claim.opposites:
        same, other = [0], [(0, said)]
        for found in (found for source in sources for found in source.opposites):
            shared = len(said.near & found.near)
            if found.pair != said.pair:
                continue
            if (found.side == said.side) == (found.denied == said.denied):
                same.append(shared + 1)
            else:
                other.append((shared, found))
        most, opposed = max(other, key=lambda rival: rival[0])
        if most and most >= max(same):
            return f'"{said.text}" against "{opposed.text}"'
    return None


def _mostly(scope: Forms, words: Forms) -> bool:
    """All of a scope of one or two words, else more than half of it."""
    met = len(scope & words)
    return bool(scope) and (met == len(scope) if len(scope) <= 2 else met * 2 > len(scope))


@lru_cache(maxsize=1024)
def _read(text: str) -> _Reading:
    source = plain(text).text
    without = frozenset(_stem(match["what"]) for match in _FREE.finditer(source))
    free = frozenset(re.findall(r"\b([A-Za-z]{3,})-free\b", source))
    source = re.sub(r"\b[A-Za-z]{3,}-free\b", "", source)
    source = re.sub(r"n't\b", " not", source.replace("cannot", "can not"))
    source = _KEPT_FROM.sub(r"\1 avoiding", source)
    content = content_words(source)
    tokens = [(match.group().lower(), *match.span()) for match in _WORD.finditer(source)]
    found: list[Signal] = []
    opposites: list[_Opposite] = []
    denials: list[_Denial] = []
    hedged = excused = _union(_canonical(word) for word in free)
    for i, (word, start, end) in enumerate(tokens):
        before, behind = _around(source, content, start, end)
        denied = _is_denied(source, tokens[max(0, i - _DENYING_REACH) : i], start)
        if word in NEGATORS or word in SOFT_NEGATORS or SIGNS.get(word) == ("amount", -1):
            scope, says = _scope(source, content, end)
            excused |= scope
            if word in SOFT_NEGATORS:
                hedged |= scope | (before if word in BACKWARD else frozenset())
            if word in NEGATORS and says:
                denials.append(_Denial(word, scope))
        if word in SIGNS and before | behind:
            found.append(_signal(word, before, behind, denied=denied))
        for pair, side in _sides().get(word, ()):
            opposites.append(_Opposite(word, pair, side, denied, behind or before))
    everything = frozenset(form for word in content for form in _forms(word))
    words = frozenset(word for word, _, _ in tokens)
    return _Reading(
        signals=tuple(found),
        denials=tuple(denial for denial in denials if denial.scope),
        opposites=tuple(opposites),
        denying=sum(word in NEGATORS for word, _, _ in tokens),
        hedged=hedged,
        excused=excused | hedged,
        content=everything,
        asserted=everything - _union(denial.scope for denial in denials),
        words=words,
        stems=frozenset(map(_stem, words)),
        without=without,
        about_others=bool(_ABOUT_OTHERS.match(source)),
    )


def _is_denied(source: str, before: Sequence[tuple[str, int, int]], start: int) -> bool:
    return any(
        word in NEGATORS and not _CLAUSE_END.search(source, end, start) for word, _, end in before
    )


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
    before = [word for word in content if left <= word.start and word.end <= start]
    behind: list[Word] = []
    for word in content:
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
        for word in content
        if end <= word.start and word.end <= right
    ]
    said = [(text, word) for text, word in behind if text not in LIGHT][:_SCOPE]
    polar = next((i for i, (text, _) in enumerate(said) if i and text in SIGNS), len(said))
    forms = frozenset(form for _, word in said[:polar] for form in _forms(word))
    return forms - _polar_forms(), bool(said) and said[0][0] not in SIGNS


def _clause(source: str, start: int, end: int, edge: re.Pattern[str]) -> tuple[int, int]:
    left = max((match.end() for match in edge.finditer(source, 0, start)), default=0)
    stop = edge.search(source, end)
    return left, stop.start() if stop else len(source)


def _forms(word: Word) -> Forms:
    return word.parts or word.wholes


def _canonical(word: str) -> Forms:
    return frozenset({canonical(_stem(word))})


def _stem(word: str) -> str:
    return stem(fold(word))


def _union(sets: Iterable[Forms]) -> Forms:
    return frozenset().union(*sets)


def _example(words: Forms) -> str:
    return min(words, default="")


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
