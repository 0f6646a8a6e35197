"""Text as a reader sees it: without invisible characters, and with lookalike letters made plain."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["latin_words", "plain_letters", "without_control", "without_invisible"]

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
# Zero-width space, word joiner, byte order mark, direction marks, and tags that spell in secret.
_INVISIBLE = re.compile(
    "[\u200b\u200e\u200f\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
# Joiners belong to Persian, to Indian scripts and to emoji; between Latin letters they hide.
_JOINER = re.compile("(?<=[A-Za-z])[\u00ad\u200c\u200d](?=[A-Za-z])")
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z]")
_LOOKALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТХУЗаеѕіјоԁԛԝрсухһѵοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "ABESIJKMHOPCTXY3aesijodqwpcyxhvoABEZHIKMNOPTYX",
)


def without_invisible(text: str) -> str:
    """Leave out what is not seen: control characters, direction marks, spelling in tags.

    Args:
        text: as it was typed or read.

    Returns:
        The text with its line ends and tabs.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _CONTROL.sub("", _ESCAPES.sub("", text))
    return _JOINER.sub("", _INVISIBLE.sub("", text))


def without_control(text: str) -> str:
    """Leave out control characters, which terminals obey; line ends and tabs stay.

    Args:
        text: any text.
    """
    return _CONTROL.sub("", text)


def latin_words(text: str) -> str:
    """Write words of Latin letters, among which others stand that look the same, in Latin alone.

    Args:
        text: any text; a wholly Cyrillic or Greek word stays.
    """
    return text if text.isascii() else _WORD.sub(_latin, text)


def plain_letters(text: str) -> str:
    """Write a text in the letters it looks as if written in, to be searched for words.

    Args:
        text: any text.

    Returns:
        The text; its offsets are not those of the original.
    """
    return latin_words(unicodedata.normalize("NFKC", without_invisible(text)))


def _latin(word: re.Match[str]) -> str:
    written = word[0]
    return written.translate(_LOOKALIKE) if _LATIN.search(written) else written
