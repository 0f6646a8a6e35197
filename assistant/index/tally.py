"""Documents counted out for the lexical index: their terms, neighbouring pairs and spellings."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from assistant.index.surfaces import Form, forms, surfaces
from assistant.index.terms import is_stopword
from assistant.index.vocabulary import Spelling, position
from assistant.index.words import STOPWORDS, fold

__all__ = ["Tally", "pair_key", "tally"]

_BLOCK = 8_192
_KEY_BITS = 31
_RARE_PAIRS_UP_TO = 20_000
_RARE_WORDS_UP_TO = 1_000
_LEAST_LETTERS = 4
_NAME_SHARE = 0.5
_VERY_OFTEN = 2**31 - 1

_Met: TypeAlias = tuple[str, int, list[Form]]
"""A surface, how often it occurs, and what it gives."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What a collection's documents are made of.

    Args:
        terms: every term, sorted; its place is its number.
        documents: the terms' numbers in each document.
        pair_keys: int64, sorted: `pair_key` of every pair of neighbours that is kept.
        pairs: the pairs' places in `pair_keys` for each document.
        spelling: the words as they are written.
        named: how large a share of a term's occurrences is written with a capital inside or
            throughout, by the term's number.
    """

    terms: list[str]
    documents: list[array[int]]
    pair_keys: NDArray[np.int64]
    pairs: list[array[int]]
    spelling: Spelling
    named: NDArray[np.float32]

    def is_name(self, term: str) -> bool:
        """Say whether a term is mostly written as a name, not as an ordinary word.

        Args:
            term: any term.
        """
        place = position(self.terms, term)
        return place is not None and bool(self.named[place] >= _NAME_SHARE)


class _Numbers(dict[str, int]):
    """Numbers for strings, given out as they are first met."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


@dataclass(frozen=True, slots=True)
class _Table:
    """For each surface a run of term numbers."""

    starts: NDArray[np.int64]
    numbers: NDArray[np.int32]

    @classmethod
    def of(cls, runs: Sequence[Sequence[int]]) -> _Table:
        lengths = np.fromiter(map(len, runs), np.int64, len(runs))
        flat = np.fromiter((n for run in runs for n in run), np.int32, int(lengths.sum()))
        return cls(np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), flat)

    def spread(
        self, surface_numbers: NDArray[np.int32], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Replace surfaces by their runs; `ends` of the documents move along."""
        counts = self.starts[surface_numbers + 1] - self.starts[surface_numbers]
        upto = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        shift = np.repeat(self.starts[surface_numbers] - upto[:-1], counts)
        return self.numbers[shift + np.arange(upto[-1])], upto[ends]


def pair_key(first: int, second: int) -> int:
    """Make one number of a pair of term numbers.

    Args:
        first: the first term's number, below 2^31.
        second: the second one's.
    """
    return first << _KEY_BITS | second


def tally(texts: Sequence[str]) -> Tally:
    """Count out a collection.

    Args:
        texts: one text for each document.
    """
    numbers = _Numbers()
    flat = array("i")
    ends = []
    for text in texts:
        flat.extend(map(numbers.__getitem__, surfaces(text)))
        ends.append(len(flat))
    written = list(numbers)
    occurrences = np.bincount(np.frombuffer(flat, np.int32), minlength=len(written))
    made = [[f for f in forms(surface) if not is_stopword(f.text)] for surface in written]
    terms = sorted({form.text for found in made for form in found})
    number = {term: place for place, term in enumerate(terms)}
    every = _Table.of([[number[f.text] for f in found] for found in made])
    words = _Table.of([[number[f.text] for f in found if not f.joined] for found in made])
    documents: list[array[int]] = []
    neighbours: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for block, block_ends in _blocks(flat, ends):
        documents += _split(*every.spread(block, block_ends))
        neighbours.append(_neighbours(*words.spread(block, block_ends)))
    pair_keys = _kept([keys for keys, _ in neighbours], rare=len(texts) <= _RARE_PAIRS_UP_TO)
    met = list(zip(written, occurrences.tolist(), made, strict=True))
    return Tally(
        terms=terms,
        documents=documents,
        pair_keys=pair_keys,
        pairs=[row for keys, upto in neighbours for row in _split(*_places(pair_keys, keys, upto))],
        spelling=_spelling(met, number, least=1 if len(texts) <= _RARE_WORDS_UP_TO else 2),
        named=_named(met, number),
    )


def _blocks(
    flat: array[int], ends: list[int]
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """Cut the documents' surfaces into blocks, so that what is made of one fits in memory."""
    every = np.frombuffer(flat, np.int32)
    for first in range(0, len(ends), _BLOCK):
        start = ends[first - 1] if first else 0
        upto = np.array(ends[first : first + _BLOCK], np.int64)
        yield every[start : upto[-1]], upto - start


def _split(numbers: NDArray[np.int32], ends: NDArray[np.int64]) -> list[array[int]]:
    whole = array("i", numbers.tobytes())
    bounds = [0, *ends.tolist()]
    return [whole[start:end] for start, end in pairwise(bounds)]


def _neighbours(
    numbers: NDArray[np.int32], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the keys of words side by side, none across the end of a document."""
    wide = numbers.astype(np.int64)
    keys = wide[:-1] << _KEY_BITS | wide[1:]
    within = np.ones(len(numbers), bool)
    within[ends[ends > 0] - 1] = False
    upto = np.concatenate([np.zeros(1, np.int64), np.cumsum(within)])
    return keys[within[:-1]], upto[ends]


def _kept(keys: list[NDArray[np.int64]], *, rare: bool) -> NDArray[np.int64]:
    every = np.concatenate([np.zeros(0, np.int64), *keys])
    found, counts = np.unique(every, return_counts=True)
    return found if rare else found[counts > 1]


def _places(
    kept: NDArray[np.int64], keys: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Replace keys by their places among the kept ones; the others go."""
    # Looking sorted keys up touches memory in order: several times faster than one by one.
    different, back = np.unique(keys, return_inverse=True)
    place = np.searchsorted(kept, different)
    found = np.zeros(len(different), bool)
    inside = place < len(kept)
    found[inside] = kept[place[inside]] == different[inside]
    at, known = place[back], found[back]
    upto = np.concatenate([np.zeros(1, np.int64), np.cumsum(known)])
    return at[known].astype(np.int32), upto[ends]


def _spelling(met: list[_Met], number: dict[str, int], *, least: int) -> Spelling:
    counts: Counter[str] = Counter()
    terms: dict[str, int] = {}
    for surface, times, found in met:
        for form in found:
            word = fold(surface[form.start : form.end])
            counts[word] += times
            terms[word] = number[form.text]
    kept = {word: n for word, n in counts.items() if n >= least and _can_be_misspelt(word)}
    # A misspelt function word must not be taken for a rare name.
    kept |= dict.fromkeys(STOPWORDS, _VERY_OFTEN)
    words = sorted(kept)
    return Spelling(
        words,
        list(number),
        np.array([terms.get(word, -1) for word in words], np.int32),
        np.array([min(kept[word], _VERY_OFTEN) for word in words], np.int32),
    )


def _can_be_misspelt(word: str) -> bool:
    return len(word) >= _LEAST_LETTERS and sum(map(str.isalpha, word)) >= _LEAST_LETTERS


def _named(met: list[_Met], number: dict[str, int]) -> NDArray[np.float32]:
    capital = np.zeros(len(number))
    every = np.zeros(len(number))
    for surface, times, found in met:
        for form in found:
            every[number[form.text]] += times
            if any(map(str.isupper, surface[form.start + 1 : form.end])):
                capital[number[form.text]] += times
    return (capital / np.maximum(every, 1)).astype(np.float32)
