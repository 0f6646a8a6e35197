"""Documents tallied for the lexical index: their terms, neighbouring pairs and spellings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.index.counting import Counts, Forms
from assistant.index.postings import Block
from assistant.index.runs import Runs
from assistant.index.vocabulary import Spelling, position
from assistant.index.words import STOPWORDS

__all__ = ["Tally", "pair_key", "tally"]

_KEY_BITS = 31
_BLOCK_BITS = 13
_RARE_PAIRS_UP_TO = 20_000
_RARE_WORDS_UP_TO = 1_000
_LEAST_LETTERS = 4
_NAME_SHARE = 0.5
_VERY_OFTEN = 2**31 - 1

Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Tally:
    """What a collection's documents are made of.

    Args:
        terms: every term, sorted; its place is its number.
        words: how often each term stands in each document, in blocks of documents.
        pair_keys: int64, sorted: `pair_key` of every pair of neighbours that is kept.
        pairs: the same as `words` for the pairs, by their places in `pair_keys`.
        spelling: the words as they are written.
        named: how large a share of a term's occurrences is written with a capital inside or
            throughout, by the term's number.
    """

    terms: list[str]
    words: list[Block]
    pair_keys: Keys
    pairs: list[Block]
    spelling: Spelling
    named: NDArray[np.float32]

    def is_name(self, term: str) -> bool:
        """Say whether a term is mostly written as a name, not as an ordinary word.

        Args:
            term: any term.
        """
        place = position(self.terms, term)
        return place is not None and bool(self.named[place] >= _NAME_SHARE)


def pair_key(first: int, second: int) -> int:
    """Make one number of a pair of term numbers.

    Args:
        first: the first term's number, below 2^31.
        second: the second one's.
    """
    return first << _KEY_BITS | second


def tally(counts: Counts) -> Tally:
    """Tally a collection.

    Args:
        counts: its documents.
    """
    made, size = counts.forms, len(counts.documents)
    times = np.bincount(counts.documents.numbers, minlength=len(counts.surfaces))
    form_times = np.repeat(times, np.diff(np.concatenate([np.zeros(1, np.int64), made.ends])))
    terms, number = _sorted_terms(made, form_times)
    every, parts = _tables(made, number)
    shift = len(terms).bit_length()
    bits = min(_BLOCK_BITS, 2 * _KEY_BITS - 2 * shift)
    words: list[Block] = []
    met: list[_Pairs] = []
    for at, block in enumerate(counts.documents.blocks(1 << bits)):
        numbers = block.replaced(every)
        keys = numbers.numbers.astype(np.int64) << bits | numbers.rows()
        # Numbers sort several times faster than a table counts them.
        keys.sort()
        words.append(_block(keys, at, bits))
        met.append(_Pairs.of(block.replaced(parts), shift, bits))
    kept = _kept(met, rare=size <= _RARE_PAIRS_UP_TO)
    least = 1 if size <= _RARE_WORDS_UP_TO else 2
    return Tally(
        terms=terms,
        words=words,
        pair_keys=kept >> shift << _KEY_BITS | kept & (1 << shift) - 1,
        pairs=[_block(one.places(kept, bits), at, bits) for at, one in enumerate(met)],
        spelling=_spelling(made, form_times, terms, number, least=least),
        named=_named(made, form_times, number, len(terms)),
    )


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The words side by side in a block of documents, none across the end of one.

    Args:
        keys: pair and row of each occurrence in one number, sorted.
        different: the pairs among them, sorted.
        often: those of them that occur more than once.
    """

    keys: Keys
    different: Keys
    often: Keys

    @classmethod
    def of(cls, block: Runs, shift: int, bits: int) -> _Pairs:
        wide = block.numbers.astype(np.int64)
        within = np.ones(len(wide), np.bool_)
        within[block.ends[block.ends > 0] - 1] = False
        first = np.flatnonzero(within)
        keys = (wide[first] << shift | wide[first + 1]) << bits | block.rows()[first]
        keys.sort()
        different, times = _distinct(keys >> bits)
        return cls(keys, different, different[times > 1])

    def places(self, kept: Keys, bits: int) -> Keys:
        """Replace the pairs by their places among the kept ones; the others go."""
        pairs = self.keys >> bits
        _, times = _distinct(pairs)
        # Sorted numbers looked up in sorted ones touch memory in order.
        place = np.searchsorted(kept, self.different)
        found = np.zeros(len(place), np.bool_)
        inside = place < len(kept)
        found[inside] = kept[place[inside]] == self.different[inside]
        known = np.repeat(found, times)
        return np.repeat(place, times)[known] << bits | self.keys[known] & (1 << bits) - 1


def _tables(made: Forms, number: NDArray[np.int32]) -> tuple[Runs, Runs]:
    """Return the terms of each surface: all of them, and those that are no compound's whole."""
    every = Runs(made.ends, number[made.term])
    plain = ~made.joined
    upto = np.concatenate([np.zeros(1, np.int64), np.cumsum(plain)])
    return every, Runs(upto[made.ends], every.numbers[plain])


def _sorted_terms(
    made: Forms, form_times: NDArray[np.integer]
) -> tuple[list[str], NDArray[np.int32]]:
    """Return the terms that stand in a document, sorted, and the place of each term met."""
    alive = np.zeros(len(made.terms), np.bool_)
    alive[made.term[form_times > 0]] = True
    met = sorted((made.terms[at], at) for at in np.flatnonzero(alive).tolist())
    number = np.zeros(len(made.terms), np.int32)
    number[[at for _, at in met]] = np.arange(len(met), dtype=np.int32)
    return [term for term, _ in met], number


def _distinct(ordered: Keys) -> tuple[Keys, NDArray[np.int64]]:
    """Return the different ones of sorted numbers, and how often each occurs."""
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    if not len(ordered):
        return ordered, np.zeros(0, np.int64)
    return ordered[begins], np.diff(np.append(begins, len(ordered)))


def _block(keys: Keys, at: int, bits: int) -> Block:
    found, times = _distinct(keys)
    return Block(
        base=at << bits,
        columns=(found >> bits).astype(np.int32),
        rows=(found & (1 << bits) - 1).astype(np.uint16),
        times=np.minimum(times, np.iinfo(np.uint16).max).astype(np.uint16),
    )


def _kept(met: list[_Pairs], *, rare: bool) -> Keys:
    every = np.concatenate([np.zeros(0, np.int64), *(one.different for one in met)])
    every.sort()
    found, blocks = _distinct(every)
    if rare:
        return found
    often = np.concatenate([found[blocks > 1], *(one.often for one in met)])
    often.sort()
    return _distinct(often)[0]


def _spelling(
    made: Forms,
    form_times: NDArray[np.integer],
    terms: list[str],
    number: NDArray[np.int32],
    *,
    least: int,
) -> Spelling:
    counts = np.bincount(made.word, weights=form_times, minlength=len(made.words)).tolist()
    # Of several terms written as one word, the first by the alphabet: whatever came first.
    of_word = np.full(len(made.words), _VERY_OFTEN, np.int32)
    alive = form_times > 0
    np.minimum.at(of_word, made.word[alive], number[made.term[alive]])
    place = dict(zip(made.words, of_word.tolist(), strict=True))
    kept = {
        word: int(times)
        for word, times in zip(made.words, counts, strict=True)
        if times >= least and _can_be_misspelt(word)
    }
    # A misspelt function word must not be taken for a rare name.
    kept |= dict.fromkeys(STOPWORDS, _VERY_OFTEN)
    words = sorted(kept)
    places = [place.get(word, _VERY_OFTEN) for word in words]
    return Spelling(
        words,
        terms,
        np.array([-1 if at == _VERY_OFTEN else at for at in places], np.int32),
        np.array([min(kept[word], _VERY_OFTEN) for word in words], np.int32),
    )


def _can_be_misspelt(word: str) -> bool:
    return len(word) >= _LEAST_LETTERS and sum(map(str.isalpha, word)) >= _LEAST_LETTERS


def _named(
    made: Forms, form_times: NDArray[np.integer], number: NDArray[np.int32], terms: int
) -> NDArray[np.float32]:
    place = number[made.term]
    every = np.bincount(place, weights=form_times, minlength=terms)
    capital = np.bincount(place, weights=form_times * made.named, minlength=terms)
    return (capital / np.maximum(every, 1)).astype(np.float32)
