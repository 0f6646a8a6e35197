"""The collection's words: finding a term's number, and the word a misspelt one was meant to be."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.index.words import stem

__all__ = ["Spelling", "is_known_word", "position"]

_KNOWN_WORDS = Path(__file__).parent / "data" / "known-words.txt"
_SHORTEST = 4
_SHORTEST_STEM = 5
_ONE_SLIP_FROM = 5
_TWO_SLIPS_FROM = 8
_OTHER_INITIAL_FROM = 7
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def position(ordered: Sequence[str], wanted: str) -> int | None:
    """Return where a string stands in a sorted list, None where it does not.

    Args:
        ordered: sorted strings.
        wanted: the one looked for.
    """
    at = bisect_left(ordered, wanted)
    return at if at < len(ordered) and ordered[at] == wanted else None


def is_known_word(term: str) -> bool:
    """Say whether a term is of a word that papers use, so that it is no slip of the pen.

    The list is made of public abstracts by `python -m benchmarks.known_words`.

    Args:
        term: a stem.
    """
    return term in _known_words()


@lru_cache(maxsize=1)
def _known_words() -> frozenset[str]:
    return frozenset(_KNOWN_WORDS.read_text(encoding="utf-8").split())


class Spelling:
    """The words of a collection as they are written, for words that are not in it.

    Args:
        words: folded words, sorted; English function words are among them.
        stems: the collection's terms.
        places: int32 `[words]`, the place of each word's stem among them, -1 for function words.
        counts: int32 `[words]`, how often each word occurs.
    """

    def __init__(
        self,
        words: list[str],
        stems: list[str],
        places: NDArray[np.int32],
        counts: NDArray[np.int32],
    ) -> None:
        self._words = words
        self._stems = stems
        self._places = places
        self._counts = counts

    @classmethod
    def load(cls, folder: Path, stems: list[str]) -> Spelling:
        """Read what `save` wrote.

        Args:
            folder: where it was saved.
            stems: the collection's terms.
        """
        words = (folder / "spelling.txt").read_text(encoding="utf-8").splitlines()
        places, counts = np.load(folder / "spelling.npy")
        return cls(words, stems, places, counts)

    def save(self, folder: Path) -> None:
        """Write the words and their numbers.

        Args:
            folder: an existing folder.
        """
        text = "".join(f"{word}\n" for word in self._words)
        (folder / "spelling.txt").write_text(text, encoding="utf-8")
        np.save(folder / "spelling.npy", np.array([self._places, self._counts], np.int32))

    def count(self, word: str) -> int:
        """Return how often a word occurs as it is written.

        Args:
            word: a folded word.
        """
        place = position(self._words, word)
        return 0 if place is None else int(self._counts[place])

    def nearest(self, word: str, *, slips: int = 2, least: int = 0) -> str | None:
        """Return the collection's word that a misspelt word most likely was.

        A slip is a letter too many, too few or wrong, or two swapped ("optimal string
        alignment"): one for words of five letters and more, two from eight on. Words of four
        letters are only taken for function words. Stems may differ by one slip where the
        collection only has another ending. The digits of a name are never changed. Of words
        equally near the more frequent one is taken; a first letter is only changed where no
        word with the same one is near.

        Args:
            word: a folded word that the collection does not hold, or hardly.
            slips: how many to allow at most.
            least: how often the word found must occur at least.

        Returns:
            A word of the collection or an English function word; None where none is near.
        """
        letters = sum(map(str.isalpha, word))
        if letters < _SHORTEST:
            return None
        limit = min(slips, 2 if letters >= _TWO_SLIPS_FROM else 1)
        low = bisect_left(self._words, word[0])
        high = bisect_left(self._words, chr(ord(word[0]) + 1))
        best = self._best(word, range(low, high), limit, least)
        if best is None and letters >= _OTHER_INITIAL_FROM:
            best = self._best(word, self._with_another_initial(word), limit, least)
        if best is None or (letters < _ONE_SLIP_FROM and self._places[best] >= 0):
            return None
        return self._words[best]

    def _with_another_initial(self, word: str) -> list[int]:
        rest = word[1:]
        tried = {rest, word[1] + word[0] + word[2:]}
        tried |= {letter + rest for letter in _LETTERS} | {letter + word for letter in _LETTERS}
        found = (position(self._words, one) for one in tried)
        return [place for place in found if place is not None]

    def _best(self, word: str, candidates: Sequence[int], limit: int, least: int) -> int | None:
        from rapidfuzz.distance.OSA import distance
        from rapidfuzz.process import extract

        written = [self._words[at] for at in candidates]
        cut = [self._stems[place] if place >= 0 else "" for place in self._places_of(candidates)]
        near = [
            (away, -int(self._counts[candidates[at]]), candidates[at])
            for wanted, texts, most in ((word, written, limit), (stem(word), cut, 1))
            for _, away, at in extract(
                wanted, texts, scorer=distance, score_cutoff=most, limit=None
            )
            if (texts is written or min(len(wanted), len(texts[at])) >= _SHORTEST_STEM)
            and self._counts[candidates[at]] >= least
            and _digits(written[at]) == _digits(word)
        ]
        return min(near)[2] if near else None

    def _places_of(self, candidates: Sequence[int]) -> list[int]:
        if isinstance(candidates, range):
            found: list[int] = self._places[candidates.start : candidates.stop].tolist()
            return found
        return [int(self._places[at]) for at in candidates]


def _digits(word: str) -> str:
    return "".join(c for c in word if c.isdigit())
