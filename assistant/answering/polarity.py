"""Does a sentence say the opposite of its source? By rule, so that a reader can follow.

Compared are, each with the content words beside it: what goes up or down (better counts as up, and
as down for costs such as latency), what is denied, and which of two opposites is meant; then who is
compared with whom, and of whom it is said. Nothing is said where the words beside do not meet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.answering.comparisons import (
    about_others,
    about_own,
    said_of_others,
    turned_comparison,
)
from assistant.answering.polar_reading import (
    Forms,
    Reading,
    Signal,
    canonical_word,
    read,
    union,
)
from assistant.answering.polar_words import COMPARATIVES, EXTREMES, NEGATORS, SOFT_NEGATORS

__all__ = ["Signal", "contradiction", "denies_more", "signals"]

_REPEATED, _ALIKE = 0.85, 0.6
_TOO = re.compile(r"\btoo\s+(\w+)", re.IGNORECASE)


def signals(text: str) -> list[Signal]:
    """Find what a sentence says goes up or down.

    Args:
        text: a sentence.
    """
    return list(read(text).signals)


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
    claim, sources = read(sentence), [read(source) for source in nearest]
    own = [read(source) for source in nearest if not about_others(source)]
    if not own and about_own(sentence):
        own = _best_own(claim, abstract)
    return (
        _opposed_signal(claim, own if own and about_own(sentence) else sources)
        or _negation_added(claim, sources)
        or _denied_by_claim(claim, own)
        or _denied_by_source(claim, sources, [read(source) for source in abstract])
        or _opposite_word(claim, sources)
        or _other_extreme(sentence, nearest)
        or turned_comparison(sentence, nearest)
        or said_of_others(sentence, nearest, abstract)
    )


def denies_more(sentence: str, nearest: Sequence[str]) -> bool:
    """Tell whether a sentence denies something and its nearest source sentence nothing.

    Args:
        sentence: the sentence of an answer.
        nearest: the sentences of the abstract that match it best, best first.
    """
    if not nearest or not read(sentence).denying:
        return False
    source = read(nearest[0])
    return not source.denying and not source.hedged


def _best_own(claim: Reading, abstract: Sequence[str]) -> list[Reading]:
    """What the paper says of its own work that comes nearest to a claim on it."""
    own = [read(source) for source in abstract if not about_others(source)]
    met = [len(claim.content & source.content) for source in own]
    most = max(met, default=0)
    return [own[met.index(most)]] if most * 2 >= len(claim.content) else []


def _opposed_signal(claim: Reading, sources: Sequence[Reading]) -> str | None:
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


def _hedged(a: Signal, b: Signal, asserting: Reading) -> bool:
    """Where one denies and the other does not: "does not scale" and "scales poorly" agree."""
    shared = a.about & b.about or a.about | b.about
    return a.denied != b.denied and bool(asserting.hedged & shared)


def _closeness(a: Signal, b: Signal) -> int:
    if not (a.about & b.beside or b.about & a.beside):
        return 0
    return 2 * len(a.about & b.about) + len(a.beside & b.beside)


def _against(a: Signal, b: Signal) -> bool:
    if a.sign == b.sign == 0:
        return a.denied != b.denied
    if "equal" in (a.axis, b.axis):
        other = b if a.axis == "equal" else a
        return other.text in COMPARATIVES and not other.denied
    if 0 in (a.sign, b.sign):
        kept, other = (a, b) if a.sign == 0 else (b, a)
        loses = other.axis == "quality" and other.sign < 0 and not other.denied
        return loses and not kept.denied
    if a.denied and b.denied:
        return False
    if a.denied or b.denied:
        return a.sign == b.sign
    return a.sign != b.sign


def _negation_added(claim: Reading, sources: Sequence[Reading]) -> str | None:
    """The claim repeats a source sentence almost word for word, but for a negation more."""
    for source in sources[:1]:
        there = source.denying + len(source.words & SOFT_NEGATORS - claim.words)
        repeated = len(claim.content & source.content)
        if claim.denying > there and repeated >= _REPEATED * len(claim.content):
            return f'"{min(claim.words & NEGATORS)}"'
    return None


def _denied_by_claim(claim: Reading, sources: Sequence[Reading]) -> str | None:
    """The claim denies what a source asserts."""
    for source in sources:
        if len(claim.content & source.content) < _ALIKE * len(claim.content):
            continue
        for denial in claim.denials:
            if _mostly(denial.scope, source.asserted) and not denial.scope & source.excused:
                return f'"{denial.word} {_example(denial.scope & source.asserted)}"'
    return None


def _denied_by_source(
    claim: Reading, sources: Sequence[Reading], abstract: Sequence[Reading]
) -> str | None:
    """The claim asserts what the abstract denies, and its nearest sentences do not assert it."""
    said = claim.asserted - claim.excused
    asserted = union(source.asserted for source in sources)
    for denial in (denial for source in sources for denial in source.denials):
        if _mostly(denial.scope, said) and not denial.scope & (claim.excused | asserted):
            return f'"{_example(denial.scope & said)}" against "{denial.word}"'
    without = union(source.without for source in abstract)
    there = union(source.stems for source in sources)
    for word in (claim.stems & without) - there - claim.without:
        if not canonical_word(word) & claim.excused:
            return f'"{word}" against "{word}-free"'
    return None


def _opposite_word(claim: Reading, sources: Sequence[Reading]) -> str | None:
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


def _other_extreme(sentence: str, nearest: Sequence[str]) -> str | None:
    """The claim tells of too little what its source tells of too much, or the reverse."""
    said, there = _extremes(sentence), _extremes("".join(nearest[:1]))
    if len({side for _, side in said}) == len({side for _, side in there}) == 1:
        (word, side), (other, found) = said[0], there[0]
        if side != found:
            return f'"too {word}" against "too {other}"'
    return None


def _extremes(text: str) -> list[tuple[str, int]]:
    words = [found[1].lower() for found in _TOO.finditer(text)]
    return [(word, EXTREMES[word]) for word in words if word in EXTREMES]


def _mostly(scope: Forms, words: Forms) -> bool:
    """All of a scope of one or two words, else more than half of it."""
    met = len(scope & words)
    return bool(scope) and (met == len(scope) if len(scope) <= 2 else met * 2 > len(scope))


def _example(words: Forms) -> str:
    return min(words, default="")
