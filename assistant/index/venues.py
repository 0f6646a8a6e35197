"""One venue under several names: "COLM" and "Second Conference on Language Modeling"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from assistant.index.filters import fold

__all__ = ["is_same_venue", "same_venues"]

_LEAST_LETTERS = 3
_WORD = re.compile(r"[^\W\d_]+")
_SMALL = frozenset("a an and at de der des du for für in la of on the to und".split())
# What an abbreviation may pass over, as it passes over small words.
_PASSED_OVER = frozenset(
    """annual biennial proceedings proc advances international conference conferences meeting
    workshop workshops symposium joint european north american chapter journal transactions
    letters ieee acm cvf sig first second third twenty thirty forty fifty sixty st nd rd
    th""".split()
)
_ORDINAL = re.compile(r"\w+(?:[fnx]th|hth|ieth)")


def same_venues(asked: Iterable[str], known: Iterable[str]) -> list[str]:
    """Choose the venues that any of the names asked for may mean.

    Args:
        asked: names as a person writes them.
        known: the collection's venues.

    Returns:
        Those of `known` that fit, in their order.
    """
    wanted = list(asked)
    return [venue for venue in known if any(is_same_venue(name, venue) for name in wanted)]


@lru_cache(maxsize=16_384)
def is_same_venue(asked: str, known: str) -> bool:
    """Tell whether two names are one venue's: equal, abbreviated, or the one part of the other.

    Args:
        asked: as a person writes it.
        known: as a record has it.

    >>> is_same_venue("COLM", "Second Conference on Language Modeling")
    True
    >>> is_same_venue("ICML", "International Conference on Learning Representations")
    False
    """
    mine, theirs = fold(asked), fold(known)
    if not mine or not theirs:
        return False
    if mine == theirs or _abbreviates(mine, theirs) or _abbreviates(theirs, mine):
        return True
    # A single plain word, such as "learning", stands in too many names to mean one.
    telling = " " in mine or sum(map(str.isupper, asked)) > 1
    return telling and re.search(rf"(?<!\w){re.escape(mine)}(?!\w)", theirs) is not None


def _abbreviates(short: str, long: str) -> bool:
    letters = re.sub(r"[\W\d_]+", "", short)
    words = [word for word in _WORD.findall(long) if word not in _SMALL]
    if " " in short or len(letters) < _LEAST_LETTERS or len(words) < 2:
        return False
    return _spelled(letters, tuple(words))


@lru_cache(maxsize=16_384)
def _spelled(letters: str, words: tuple[str, ...]) -> bool:
    """Whether beginnings of the words, none of weight left out, make up the letters."""
    if not words:
        return not letters
    first, rest = words[0], words[1:]
    if (first in _PASSED_OVER or _ORDINAL.fullmatch(first)) and _spelled(letters, rest):
        return True
    return any(
        letters[:taken] == first[:taken] and _spelled(letters[taken:], rest)
        for taken in range(1, min(len(first), len(letters)) + 1)
    )
