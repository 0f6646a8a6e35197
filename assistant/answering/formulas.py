"""Formulas in running text: found as wholes, compared by one spelling."""

from __future__ import annotations

import re

__all__ = ["formula_key", "formula_spans"]

_GREEK_NAMES = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "eps": "ε",
    "lambda": "λ",
    "mu": "μ",
    "sigma": "σ",
    "theta": "θ",
}
_ORDER = re.compile(r"(?<!\w)(?:[OoΘΩ]|poly|polylog)\s?\(")
_BASE = r"(?:\([^()^]{1,40}\)|(?<![A-Za-z\d.])[A-Za-zα-ωΑ-Ω](?![A-Za-z]))"
_POWER = re.compile(
    rf"(?:\b1\s?/\s?)?(?:{_BASE}\s?\^\s?"
    r"(?:\([^()]{1,20}\)|-?\d+(?:\.\d+)?(?:/\d+)?|-?[A-Za-zα-ω]\b)"
    r"\s?[·*]?\s?)+"
)
_LONGEST = 120


def formula_spans(text: str) -> list[tuple[int, int]]:
    """Find formulas: orders such as O(n log n), and powers such as (1-λ)^-2.

    Args:
        text: plain text, LaTeX removed.

    Returns:
        Spans in order that do not overlap.
    """
    spans = [
        (match.start(), end)
        for match in _ORDER.finditer(text)
        if (end := _closing(text, match.end() - 1))
    ]
    for match in _POWER.finditer(text):
        start, end = match.start(), match.start() + len(match.group().rstrip(" ·*"))
        if not any(a < end and start < b for a, b in spans):
            spans.append((start, end))
    return _outermost(sorted(spans))


def formula_key(text: str) -> str:
    """Write a formula in one way: blanks and products gone, `1/x` as `x^-1`, Greek as letters.

    Args:
        text: a formula in plain text.
    """
    key = re.sub(r"[\s·*_]", "", text)
    for name, letter in _GREEK_NAMES.items():
        key = re.sub(rf"(?<![A-Za-z]){name}(?![A-Za-z])", letter, key)
    key = key.replace("sqrt", "√")
    key = re.sub(r"√\((\w+)\)", r"√\1", key)
    key = re.sub(r"\^\((-?[\w./]+)\)", r"^\1", key)
    base = r"(\([^()]*\)|[A-Za-zα-ω])"
    key = re.sub(rf"(?<!\d)1/{base}\^(\d+)", r"\1^-\2", key)
    return re.sub(rf"(?<!\d)1/{base}(?!\^)", r"\1^-1", key)


def _closing(text: str, opening: int) -> int:
    depth = 0
    for i in range(opening, min(len(text), opening + _LONGEST)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i + 1
    return 0


def _outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept
