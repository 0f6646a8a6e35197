"""Pieces of a text, told by where they stand."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Span", "overlaps"]

Span = tuple[int, int]
"""Offsets of a piece's first character and of the one behind it."""


def overlaps(span: Span, others: Iterable[Span]) -> bool:
    """Tell whether a piece shares a character with any of others.

    Args:
        span: the piece.
        others: pieces of the same text.
    """
    start, end = span
    return any(first < end and start < last for first, last in others)
