"""A sentence cut at its joints, and the words of a piece that can be weighed."""

from __future__ import annotations

import re
from itertools import pairwise

from assistant.answering.coverage import Word, content_words
from assistant.answering.names import names
from assistant.corpus.spans import overlaps

__all__ = ["clauses", "weighed_words"]

_JOINT = re.compile(
    r"[;:]\s|,\s(?:and|but|while|whereas|which|so|because|although|with|whose|who|where)\b"
    r"|\s(?:while|whereas|but|although|because|and)\s|,\s(?=\w+ing\b)"
)


def clauses(sentence: str) -> list[str]:
    """Cut a sentence at its joints, so that an added claim stands alone.

    Args:
        sentence: a sentence.

    Returns:
        Its pieces in order; the sentence itself where it has no joint.
    """
    cuts = [0, *(joint.start() for joint in _JOINT.finditer(sentence)), len(sentence)]
    pieces = [sentence[start:end].strip(" ,;:") for start, end in pairwise(cuts)]
    return [piece for piece in pieces if piece] or [sentence]


def weighed_words(text: str) -> list[Word]:
    """Give a text's content words but for its names: those are looked up, not weighed.

    Args:
        text: a sentence or a piece of one.
    """
    shaped = [(name.start, name.end) for name in names(text) if not name.proper]
    return [word for word in content_words(text) if not overlaps((word.start, word.end), shaped)]
