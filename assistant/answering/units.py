"""Units as texts write them after a number, and their one canonical spelling."""

from __future__ import annotations

import re

__all__ = ["UNIT", "read_unit", "same_unit", "written_unit"]

_SPELLINGS = {
    "%": r"\s?%(?:[ -]?points?\b)?|[ -]?(?:percentage[ -]points?|percent|per[ -]cent|pct|pp)\b",
    "x": r"\s?×|\s?[xX](?![^\W_])|[ -]?fold\b|[ -]times\b",
    "point": r"[ -]points?\b",
    "d": r"-?[dD](?![^\W_])|[ -]dim(?:s|ensions?|ensional)?\b",
    "bit": r"[ -]?bits?\b",
    "ms": r"[ -]?ms\b|[ -]?milliseconds?\b|[ -]?msecs?\b",
    "s": r"\s?s(?![^\W_])|[ -]?secs?\b|[ -]?seconds?\b",
    "min": r"[ -]?mins?\b|[ -]?minutes?\b",
    "h": r"\s?h(?![^\W_])|[ -]?hrs?\b|[ -]?hours?\b",
    "day": r"[ -]days?\b",
    "week": r"[ -]weeks?\b",
    "month": r"[ -]months?\b",
    "year": r"[ -]years?\b",
    "GB": r"[ -]?GB\b|[ -]gigabytes?\b",
    "MB": r"[ -]?MB\b|[ -]megabytes?\b",
    "TB": r"[ -]?TB\b|[ -]terabytes?\b",
    "kHz": r"[ -]?kHz\b",
    "Hz": r"[ -]?Hz\b|[ -]hertz\b",
    "fps": r"[ -]?(?:fps|FPS)\b|[ -]frames[ -](?:per|a)[ -]second\b",
    "dB": r"[ -]?dB\b|[ -]decibels?\b",
    "mm": r"[ -]?mm\b|[ -]millimet(?:er|re)s?\b",
    "cm": r"[ -]?cm\b|[ -]centimet(?:er|re)s?\b",
    "km": r"[ -]?km\b|[ -]kilomet(?:er|re)s?\b",
    "m": r"\s?m(?![^\W_/])|[ -]met(?:er|re)s?\b",
    "kg": r"[ -]?kg\b|[ -]kilograms?\b",
    "°": r"\s?°|[ -]degrees?\b",
    "W": r"[ -]?W\b|[ -]watts?\b",
    "J": r"[ -]?J\b|[ -]joules?\b",
}
_FORMS = {unit: re.compile(pattern) for unit, pattern in _SPELLINGS.items()}
_ATTACHED = frozenset({"%", "x", "°"})

UNIT = "|".join(f"(?:{pattern})" for pattern in _SPELLINGS.values())
"""A regular expression of every unit with the blank or hyphen before it."""


def read_unit(text: str) -> str:
    """Understand a unit as it stands behind a number.

    Args:
        text: what `UNIT` matched, its blank or hyphen included.

    Returns:
        The canonical name; empty for no unit.
    """
    return next((name for name, form in _FORMS.items() if text and form.fullmatch(text)), "")


def written_unit(unit: str) -> str:
    """Write a canonical unit as it goes behind digits.

    Args:
        unit: a canonical name, empty for none.
    """
    if not unit or unit in _ATTACHED:
        return unit
    return "D" if unit == "d" else f" {unit}"


def same_unit(a: str, b: str) -> bool:
    """Tell whether two canonical units measure alike; a point is a percentage point.

    Args:
        a: a canonical unit, empty for none.
        b: another.
    """
    return a == b or {a, b} == {"%", "point"}
