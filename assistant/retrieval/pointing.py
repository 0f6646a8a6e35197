"""Which of the papers that were shown a question points to: "the second one", "the first two"."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Pointed", "pointed"]

_I = re.IGNORECASE
_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_SHORT = "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th".split()
_PLACES = {
    **{word: place for place, word in enumerate(_WORDS)},
    **{word: place for place, word in enumerate(_SHORT)},
    "former": 0,
    "latter": -1,
    "last": -1,
    "final": -1,
    "top": 0,
}
_CARDINALS = {
    word: count
    for count, word in enumerate("one two three four five six seven eight nine ten".split(), 1)
}
_COUNT = rf"(?:{'|'.join(_CARDINALS)}|\d{{1,2}})"
_OF_A_LIST = r"(?:ones?|papers?|abstracts?|articles?|works?|stud(?:y|ies)|entry|item|result|hit)"
_OF_ANYTHING = (
    r"(?:methods?|approach(?:es)?|frameworks?|models?|benchmarks?|data ?sets?|systems?|of|in)"
)
_BEHIND = (
    r"(?=\s*(?:[?.!,;:]|$)|\s+(?:do|does|did|is|are|was|use|uses|report|reports|claim|claims|get|gets|achieve|"
    r"achieves|need|needs|work|works|compare|compared|with|to|and|or|vs|versus|say|says|propose|proposes|has|"
    r"have|about)\b)"
)
_ORDINAL = re.compile(
    rf"\b(?:the|and|only|der|die|das|le|la|el) (?P<which>{'|'.join(_PLACES)})"
    rf"(?:(?<=former|latter)|\s+(?:(?P<listed>{_OF_A_LIST})|(?P<any>{_OF_ANYTHING}))\b|{_BEHIND})"
    rf"|^\W*(?P<bare>{'|'.join([*_WORDS, *_SHORT, 'last'])})(?: one| paper)?\W*$",
    _I,
)
_NUMBERED = re.compile(
    rf"\b(?:paper|number|no\.?|item|entry|result|abstract|article|source|reference|nr\.?)\s*#?(?P<a>{_COUNT})\b"
    r"(?! (?:papers?|abstracts?|articles?|of|or more|that|which))|(?<!\w)#(?P<b>\d{1,2})\b"
    r"|(?<!\S)\[(?P<c>\d{1,2})\]",
    _I,
)
_FIRST_SOME = re.compile(
    rf"\b(?:the )?(?P<end>first|last|top|latter|former) (?P<count>{_COUNT}|couple|few)\b(?! (?:years?|months?|decades?))",
    _I,
)
_SEVERAL = re.compile(
    rf"\b(?P<a>{'|'.join([*_WORDS, *_SHORT])})(?:\s+one)?\s*(?:,|and|or|to|with|vs\.?|versus|und|y|et)\s+"
    rf"(?:the\s+)?(?P<b>{'|'.join([*_WORDS, *_SHORT, 'last'])})\b",
    _I,
)
_OTHER = re.compile(
    r"\bthe (?:others?|other (?:ones?|papers?|two|three|works?|methods?|stud(?:y|ies)|rest)|rest|remaining (?:ones?|"
    r"papers?|two|three))\b",
    _I,
)


@dataclass(frozen=True, slots=True)
class Pointed:
    """Places in the list last shown, from 0; negative ones count from its end.

    Args:
        places: in the order of the question.
        several: whether more than one is meant.
        surely: whether a list is pointed into: "the second method" may be one inside a paper.
        others: all but the one the talk is at.
        start: offset in the question of what points.
        end: offset behind it.
    """

    places: tuple[int, ...]
    several: bool = False
    surely: bool = True
    others: bool = False
    start: int = 0
    end: int = 0

    def within(self, count: int) -> list[int] | None:
        """Give the places in a list of so many, None where one of them is not in it.

        Args:
            count: how many it holds.
        """
        if any(not -count <= place < count for place in self.places):
            return None
        return [place % count for place in self.places]


def pointed(question: str) -> Pointed | None:
    """Find what a question points to in a list.

    Args:
        question: the question.

    Returns:
        None where it points into none.
    """
    if found := _SEVERAL.search(question):
        pair = (_PLACES[found["a"].lower()], _PLACES[found["b"].lower()])
        return Pointed(pair, several=True, start=found.start(), end=found.end())
    if found := _FIRST_SOME.search(question):
        count = _number(found["count"])
        if count > 1:
            ends = found["end"].lower() in ("last", "latter")
            places = tuple(range(-count, 0)) if ends else tuple(range(count))
            return Pointed(places, several=True, start=found.start(), end=found.end())
    if found := _ORDINAL.search(question):
        place = _PLACES[(found["which"] or found["bare"]).lower()]
        surely = found["any"] is None
        return Pointed((place,), surely=surely, start=found.start(), end=found.end())
    if found := _NUMBERED.search(question):
        place = _number(found["a"] or found["b"] or found["c"]) - 1
        return Pointed((place,), start=found.start(), end=found.end()) if place >= 0 else None
    if found := _OTHER.search(question):
        return Pointed((), others=True, start=found.start(), end=found.end())
    return None


def _number(word: str) -> int:
    told = {"couple": 2, "few": 3, **_CARDINALS}
    return told[word.lower()] if word.lower() in told else int(word)
