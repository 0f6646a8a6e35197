"""Numerals in digits and in English words: how they look and what they are worth."""

from __future__ import annotations

import re

__all__ = [
    "DIGITS",
    "LETTER",
    "MULTIPLES",
    "NUMERAL",
    "PARTS",
    "numeral_value",
    "shared_scale",
]

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SMALL = "|".join(_UNITS[1:10])
_WORTH = {word: float(i) for i, word in enumerate(_UNITS)}
_WORTH |= {word: 10.0 * i for i, word in enumerate(_TENS, 2)}
_WORTH |= {"a": 1.0, "an": 1.0, "ii": 2.0, "iii": 3.0, "iv": 4.0}
_SCALES = {
    "dozen": 12.0,
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}
_SUFFIXES = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_SCALE_WORDS = "|".join(_SCALES)

PARTS = {"half": 2.0, "third": 3.0, "quarter": 4.0, "fifth": 5.0, "tenth": 10.0}
"""Fractions by name, and how many of them make a whole."""

MULTIPLES = {"twice": 2.0, "thrice": 3.0, "doubl": 2.0, "tripl": 3.0, "quadrupl": 4.0, "halv": 0.5}
"""Stems of words that multiply."""

LETTER = r"A-Za-zÀ-ÖØ-öø-ɏͰ-Ͽ"
"""Letters that make a number part of a name; in Chinese or Japanese, numbers touch words."""

DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
"""A number in digits, with thousands commas or without."""

_WORDS = (
    rf"\b(?:(?:{'|'.join(_TENS)})(?:[ -](?:{_SMALL})\b|\b(?![ -](?:{_SMALL})\b))"
    rf"|(?:{'|'.join(_UNITS[::-1])})\b)"
)

NUMERAL = (
    rf"(?:(?<![{LETTER}\d_.^])(?:{DIGITS}\s?[×x]\s?)?10\^-?\d+"
    rf"|(?<![{LETTER}\d_.^]){DIGITS}"
    rf"(?:e-?\d+(?![{LETTER}\d])|[KkMBT](?![{LETTER}\d])|[ -](?:{_SCALE_WORDS})\b)?"
    r"|\bI(?:I|II|V)(?=[ -](?:stage|step|phase|level)s?\b)"
    rf"|(?i:{_WORDS}(?:[ -](?:{_SCALE_WORDS})\b)*|\ban?\s(?:{_SCALE_WORDS})\b))"
)
"""A regular expression of a numeral without its unit."""

_SCALED = re.compile(rf"\b(?:{_SCALE_WORDS})\b|(?<=\d)[KkMBT]\b", re.IGNORECASE)


def numeral_value(text: str) -> float:
    """Tell what a numeral is worth.

    Args:
        text: what `NUMERAL` matched.
    """
    if "10^" in text:
        factor, _, exponent = text.rpartition("10^")
        digits = re.match(DIGITS, factor)
        return (_digits(digits.group()) if digits else 1.0) * 10.0 ** int(exponent)
    if re.fullmatch(r"[\d.,]+e-?\d+", text):
        return float(text.replace(",", ""))
    value = 0.0
    for word in re.findall(r"[\d.,]*\d|[A-Za-z]+", text):
        if word[0].isdigit():
            value = _digits(word)
        elif word in _SUFFIXES:
            value *= _SUFFIXES[word]
        elif word.lower() in _SCALES:
            value *= _SCALES[word.lower()]
        else:
            value += _WORTH[word.lower()]
    return value


def shared_scale(low: str, high: str) -> float:
    """Give the factor a range's lower end takes from its upper one ("4 to 5 million").

    Args:
        low: the lower end as it stands.
        high: the upper end as it stands.
    """
    scaled = _SCALED.search(high)
    if scaled is None or _SCALED.search(low):
        return 1.0
    word = scaled.group()
    return _SUFFIXES.get(word) or _SCALES[word.lower()]


def _digits(text: str) -> float:
    return float(text.replace(",", ""))
