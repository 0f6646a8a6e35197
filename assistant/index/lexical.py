"""Lexical search: BM25 over words and neighbouring pairs, spelling, acronyms."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.errors import IndexDamagedError
from assistant.index.acronyms import Acronyms
from assistant.index.counting import Counts
from assistant.index.postings import Postings
from assistant.index.tally import pair_key, tally
from assistant.index.terms import is_generic, is_stopword
from assistant.index.vocabulary import Spelling, is_known_word, position
from assistant.index.weighing import respell, weigh
from assistant.index.words import fold, stem

__all__ = ["FORMAT", "K1", "B", "LexicalIndex"]

FORMAT = 2
"""Counts up when the terms or the files change, so that an older index is built again."""

# The middle of the plateau that `benchmarks/lexical.py --choose` prints.
K1 = 0.9
B = 0.75

_RARE_SHARE = 20_000
_DESCRIPTION = "lexical.json"


class LexicalIndex:
    """The collection's words, ready to be scored against a question's terms.

    A term with a blank in it stands for two words side by side: "kv cach".
    """

    def __init__(
        self,
        terms: list[str],
        words: Postings,
        pair_keys: NDArray[np.int64],
        pairs: Postings,
        *,
        documents: int,
        spelling: Spelling | Path,
        acronyms: Acronyms,
        counts: Counts | None = None,
    ) -> None:
        self._terms = terms
        self._words = words
        self._pair_keys = pair_keys
        self._pairs = pairs
        self._documents = documents
        self._spelling_source = spelling
        self._acronyms = acronyms
        self._counts = counts

    @classmethod
    def build(
        cls,
        documents: Iterable[str],
        *,
        k1: float = K1,
        b: float = B,
        earlier: Counts | None = None,
    ) -> LexicalIndex:
        """Index documents; they are known by their place from then on.

        Args:
            documents: one text for each, read once; none at all and empty ones are fine.
            k1: BM25's saturation.
            b: BM25's length correction.
            earlier: what an earlier index counted: texts it knows are not taken apart again.
        """
        counts = Counts.of(documents, earlier)
        counted, size = tally(counts), len(counts.documents)
        return cls(
            counted.terms,
            Postings.build(counted.words, size, len(counted.terms), k1, b),
            counted.pair_keys,
            Postings.build(counted.pairs, size, len(counted.pair_keys), k1, b),
            documents=size,
            spelling=counted.spelling,
            acronyms=Acronyms.of(counts.definitions(), counted.is_name),
            counts=counts,
        )

    def save(self, folder: Path) -> None:
        """Write the index into a folder; text files can be read by a person.

        Args:
            folder: made where it does not exist.
        """
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{term}\n" for term in self._terms)
        (folder / "terms.txt").write_text(text, encoding="utf-8")
        self._words.save(folder, "words")
        np.save(folder / "pairs.npy", self._pair_keys)
        self._pairs.save(folder, "pairs")
        self._spelling.save(folder)
        self._acronyms.save(folder / "acronyms.tsv")
        if self._counts is not None:
            self._counts.save(folder)
        sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
        sizes.pop(_DESCRIPTION, None)
        made = {"format": FORMAT, "documents": self._documents, "sizes": sizes}
        (folder / _DESCRIPTION).write_text(json.dumps(made, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> LexicalIndex:
        """Open a saved index; the large arrays are mapped, not read.

        Args:
            folder: what `save` was given.

        Raises:
            IndexDamagedError: it is missing, was made by another version, or is damaged.
        """
        try:
            made = json.loads((folder / _DESCRIPTION).read_text(encoding="utf-8"))
            if made["format"] != FORMAT:
                raise IndexDamagedError(
                    f"the lexical index in {folder} was made by another version: sync again"
                )
            sizes = {name: (folder / name).stat().st_size for name in made["sizes"]}
            if sizes != made["sizes"]:
                raise IndexDamagedError(f"the lexical index in {folder} is damaged: sync again")
            return cls(
                (folder / "terms.txt").read_text(encoding="utf-8").splitlines(),
                Postings.load(folder, "words"),
                np.asarray(np.load(folder / "pairs.npy", mmap_mode="r")),
                Postings.load(folder, "pairs"),
                documents=made["documents"],
                spelling=folder,
                acronyms=Acronyms.load(folder / "acronyms.tsv"),
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IndexDamagedError(
                f"the lexical index in {folder} cannot be read, sync again: {error}"
            ) from error

    def scores(
        self, terms: Sequence[str], weights: Sequence[float] | None = None
    ) -> NDArray[np.float32]:
        """Score every document by BM25.

        Args:
            terms: as `query_terms`, `weighted_terms` or `weigh` give them; unknown ones add
                nothing.
            weights: one for each term; None: each counts 1.

        Returns:
            float32 `[documents]`, 0 where no term stands.
        """
        total = np.zeros(self._documents, np.float32)
        for term, weight in zip(
            terms, [1.0] * len(terms) if weights is None else weights, strict=True
        ):
            postings, column = self._column(term)
            if column is not None:
                postings.add_to(total, column, weight)
        return total

    def rows(self, term: str) -> NDArray[np.int32]:
        """Return the documents a term stands in, ascending.

        Args:
            term: one term or a pair.
        """
        postings, column = self._column(term)
        return np.zeros(0, np.int32) if column is None else postings.rows_of(column)

    def document_frequency(self, term: str) -> int:
        """Return how many documents a term stands in.

        Args:
            term: one term or a pair; English function words are not indexed and count 0.
        """
        return len(self.rows(term))

    def idf(self, term: str) -> float:
        """Return how telling a term is, by the formula its BM25 scores were made with.

        Args:
            term: one term or a pair.

        Returns:
            0 for an English function word; the highest value for a term no document has.
        """
        if is_stopword(term):
            return 0.0
        n = self.document_frequency(term)
        return math.log1p((self._documents - n + 0.5) / (n + 0.5))

    def correct(self, term: str) -> str | None:
        """Return the term that an unknown one most likely was meant to be.

        Args:
            term: a term, better the folded word it was made of.

        Returns:
            A term of the collection; None where the given one is known to the collection or to
            papers at large, is short, a number or a function word, or near no word of the
            collection.
        """
        word = fold(term)
        known = self.document_frequency(stem(word)) or is_known_word(stem(word))
        if known or is_generic(word) or is_generic(stem(word)):
            return None
        found = self._spelling.nearest(word)
        return None if found is None or is_stopword(found) else stem(found)

    def respell(self, text: str) -> str:
        """Write a question in the collection's own spelling.

        Args:
            text: the question.

        Returns:
            The text with words that neither the collection nor papers at large know replaced by
            the nearest the collection knows.
        """
        return respell(text, self.document_frequency, self._spelling)

    def times_written(self, word: str) -> int:
        """Tell how often the collection writes a word just so, its case aside.

        Args:
            word: as it is written.
        """
        return self._spelling.count(fold(word))

    def expand(self, terms: Sequence[str]) -> dict[str, list[str]]:
        """Return what acronyms among the terms stand for, and the reverse.

        Args:
            terms: a query's terms in order.

        Returns:
            As mined from the documents, most often defined first: from an acronym to its
            spelled-out stems and back, stems separated by blanks: `{"kv": ["key valu"]}`.
        """
        return self._acronyms.expand(terms)

    def weigh(self, text: str) -> dict[str, float]:
        """Return all terms a question should be scored by, with their weights.

        To the question's own terms, its spelling corrected, come words the collection also
        writes as one ("GPT 4", gpt4) and what its acronyms stand for.

        Args:
            text: the question.

        Returns:
            Weights by term: `scores(list(weights), list(weights.values()))`.
        """
        return weigh(
            self.respell(text),
            self.document_frequency,
            self._spelling,
            self._acronyms,
            rare=self._documents // _RARE_SHARE,
        )

    def __len__(self) -> int:
        return self._documents

    @cached_property
    def _spelling(self) -> Spelling:
        source = self._spelling_source
        return source if isinstance(source, Spelling) else Spelling.load(source, self._terms)

    def _column(self, term: str) -> tuple[Postings, int | None]:
        first, blank, second = term.partition(" ")
        place = position(self._terms, first)
        if not blank:
            return self._words, place
        other = position(self._terms, second)
        if place is None or other is None:
            return self._pairs, None
        key = pair_key(place, other)
        at = int(np.searchsorted(self._pair_keys, key))
        found = at < len(self._pair_keys) and self._pair_keys[at] == key
        return self._pairs, at if found else None
