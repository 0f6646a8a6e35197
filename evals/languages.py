"""Tells which language the answer's own words are in, apart from what it quotes."""

from __future__ import annotations

import re

__all__ = ["own_words", "spoken"]

# The assistant's own detector is not used: it must not grade itself.
_QUOTED = re.compile('“[^”]*”|"[^"]*"|«[^»]*»|「[^」]*」|\\*\\*[^*]+\\*\\*|\\[\\d+\\]|`[^`]*`')
_HAN = re.compile("[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+")
_COMMON = {
    "en": "the a an of and in is are was it this that to for with on by its from at as not no i",
    "de": "der die das und ist sind ein eine einen den dem des von zu mit für auf nicht es wird "
    "im in bei ich aus sich als",
    "es": "el la los las de y es son un una en que con por para no se del al lo su como",
    "fr": "le la les des de et est sont un une en que avec pour par ne pas dans du au il",
}
_LEAST = 2


def own_words(text: str) -> str:
    """Remove quotations, bold titles and citation marks.

    Args:
        text: an answer.
    """
    return _QUOTED.sub(" ", text)


def spoken(text: str) -> str | None:
    """Give the language of an answer's own words.

    Args:
        text: an answer in Markdown.

    Returns:
        A two-letter code; None where it says too little of its own to tell.
    """
    own = own_words(text)
    if len(_HAN.findall(own)) >= _LEAST:
        return "zh"
    words = [word.casefold() for word in _WORD.findall(own)]
    counts = {
        code: sum(word in common.split() for word in words) for code, common in _COMMON.items()
    }
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] >= _LEAST else None
