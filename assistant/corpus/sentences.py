"""Sentences of an abstract as exact character spans.

`sentencex` (Wikimedia, a Rust core) finds the boundaries; what it does to numbered questions
("(1) What …? (2) What …?"), to whole abstracts in quotes and inside formulas is mended here.
"""

from __future__ import annotations

import re
from itertools import pairwise

from sentencex import get_sentence_boundaries

__all__ = ["sentence_spans", "trimmed"]

_OPENING = re.compile(r"""\s*(?:["“„«]|\(?(?:\d{1,2}|[a-z]|i{1,3}|iv|v)\)\s+|\d{1,2}\.\s+)""")
_MATH = re.compile(r"\$[^$]{1,400}\$|\\\(.{1,400}?\\\)|\\\[.{1,400}?\\\]", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]{2,}")
_LOWER_START = re.compile(r"\s*[a-z]")
_ENDS_SENTENCE = re.compile(r"""[.!?…。！？]["'”’)\]}*]*\s*$""")

_DEEPEST = 50
"""Opening marks that are looked behind one after the other; a rule of quotes has thousands."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Cut a text into sentences.

    Args:
        text: an abstract, in any language.

    Returns:
        `(start, end)` offsets in order, without surrounding blanks; together they hold every
        character that is not a blank.
    """
    cuts = _boundaries(text, 0)
    math = [match.span() for match in _MATH.finditer(text)]
    inner = [cut for cut in cuts if not any(start < cut < end for start, end in math)]
    pieces = list(pairwise(sorted({0, *inner, len(text)})))
    return [span for piece in _merge_fragments(text, pieces) if (span := trimmed(text, *piece))]


def _boundaries(text: str, offset: int, depth: int = 0) -> list[int]:
    cuts: list[int] = []
    for boundary in get_sentence_boundaries("en", text):
        start, end = boundary["start_index"], boundary["end_index"]
        cuts.append(offset + end)
        mark = _OPENING.match(text, start, end)
        # Behind a list mark or an opening quote sentencex reads on and on: read that part anew.
        if mark and mark.end() < end and depth < _DEEPEST:
            cuts.extend(_boundaries(text[mark.end() : end], offset + mark.end(), depth + 1))
    return cuts


def _merge_fragments(text: str, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in pieces:
        fragment = not _WORD.search(text, start, end)
        if merged and (fragment or _runs_on(text, merged[-1], start)):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def _runs_on(text: str, before: tuple[int, int], start: int) -> bool:
    if not _WORD.search(text, *before):
        return True
    return bool(_LOWER_START.match(text, start)) and not _ENDS_SENTENCE.search(text[slice(*before)])


def trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Move both ends of a span inward over blanks.

    Args:
        text: the text the offsets point into.
        start: first character.
        end: behind the last character.

    Returns:
        The smaller span; None where nothing but blanks is left.
    """
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    return (start + left, start + right) if right > left else None
