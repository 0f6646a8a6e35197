"""Documents counted out once: a collection that changes a little is not read anew.

The slow part of an index of words is taking texts and words apart. What that gave is kept beside
the index; the next one takes over every document whose text has not changed.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from assistant.errors import IndexDamagedError
from assistant.index.acronyms import edges
from assistant.index.runs import Runs
from assistant.index.surfaces import forms, surfaces
from assistant.index.terms import is_stopword
from assistant.index.words import fold

__all__ = ["Counts", "Forms"]

_LISTS = "counted.json"
_ARRAYS = "counted.npz"


class _Numbers(dict[str, int]):
    """Numbers for strings, given out as they are first met."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number

    @classmethod
    def of(cls, strings: Iterable[str]) -> Self:
        return cls((string, number) for number, string in enumerate(strings))


@dataclass(frozen=True, slots=True)
class Forms:
    """What the surfaces give, one entry for each form of each surface, in their order.

    Args:
        terms: every term, as first met.
        words: every folded word, as first met.
        ends: int64 `[surfaces]`, where each surface's forms end.
        term: int32, the form's term.
        word: int32, the form as it is written.
        joined: whether it is a compound's whole, whose parts are terms of their own.
        named: whether it has a capital inside or throughout.
    """

    terms: list[str]
    words: list[str]
    ends: NDArray[np.int64]
    term: NDArray[np.int32]
    word: NDArray[np.int32]
    joined: NDArray[np.bool_]
    named: NDArray[np.bool_]

    @classmethod
    def none(cls) -> Forms:
        """Return the forms of no surface."""
        numbers, flags = np.zeros(0, np.int32), np.zeros(0, np.bool_)
        return cls([], [], np.zeros(0, np.int64), numbers, numbers, flags, flags)

    def followed_by(self, more: Sequence[str]) -> Forms:
        """Append the forms of more surfaces.

        Args:
            more: the surfaces.
        """
        terms, words = _Numbers.of(self.terms), _Numbers.of(self.words)
        term, word, joined, named = array("i"), array("i"), array("b"), array("b")
        ends = array("q")
        for surface in more:
            for form in forms(surface):
                if is_stopword(form.text):
                    continue
                term.append(terms[form.text])
                word.append(words[fold(surface[form.start : form.end])])
                joined.append(form.joined)
                named.append(any(map(str.isupper, surface[form.start + 1 : form.end])))
            ends.append(len(self.term) + len(term))
        return Forms(
            list(terms),
            list(words),
            np.concatenate([self.ends, np.array(ends, np.int64)]),
            np.concatenate([self.term, np.array(term, np.int32)]),
            np.concatenate([self.word, np.array(word, np.int32)]),
            np.concatenate([self.joined, np.array(joined, np.bool_)]),
            np.concatenate([self.named, np.array(named, np.bool_)]),
        )


@dataclass(frozen=True, slots=True)
class Counts:
    """Documents as numbers of surfaces, and what the surfaces give.

    Args:
        surfaces: every surface, as first met; some may stand in no document any more.
        forms: what they give.
        documents: the surfaces of each document, in order.
        edges: acronym and spelled-out stems of every definition met, separated by a tab.
        defined: those that each document defines.
        keys: uint64 `[documents]`, a hash of each text.
    """

    surfaces: list[str]
    forms: Forms
    documents: Runs
    edges: list[str]
    defined: Runs
    keys: NDArray[np.uint64]

    @classmethod
    def of(cls, texts: Iterable[str], earlier: Counts | None = None) -> Counts:
        """Count documents out.

        Args:
            texts: one for each document; read once.
            earlier: what was counted before; taken over where the text is the same.
        """
        before = earlier or cls._none()
        known = {key: row for row, key in enumerate(before.keys.tolist())}
        seen, defined = _Numbers.of(before.surfaces), _Numbers.of(before.edges)
        flat, mined, ends, mined_ends = array("i"), array("i"), array("q"), array("q")
        rows, keys = array("q"), array("Q")
        for text in texts:
            key = _key(text)
            keys.append(key)
            if key not in known:
                known[key] = len(before.keys) + len(ends)
                flat.extend(map(seen.__getitem__, surfaces(text)))
                ends.append(len(flat))
                mined.extend([defined["\t".join(edge)] for edge in edges(text)])
                mined_ends.append(len(mined))
            rows.append(known[key])
        order = np.array(rows, np.int64)
        written = list(seen)
        return cls(
            written,
            before.forms.followed_by(written[len(before.surfaces) :]),
            before.documents.followed_by(_runs(ends, flat)).take(order),
            list(defined),
            before.defined.followed_by(_runs(mined_ends, mined)).take(order),
            np.array(keys, np.uint64),
        )

    def definitions(self) -> dict[tuple[str, str], int]:
        """Return in how many documents each acronym is defined in which way."""
        times = np.bincount(self.defined.numbers, minlength=len(self.edges)).tolist()
        return {
            (short, long): documents
            for (short, _, long), documents in zip(
                (edge.partition("\t") for edge in self.edges), times, strict=True
            )
            if documents
        }

    @classmethod
    def _none(cls) -> Counts:
        empty = Runs.of([])
        return cls([], Forms.none(), empty, [], empty, np.zeros(0, np.uint64))

    def save(self, folder: Path) -> None:
        """Write what was counted.

        Args:
            folder: an existing folder.
        """
        lists = [self.surfaces, self.forms.terms, self.forms.words, self.edges]
        (folder / _LISTS).write_text(json.dumps(lists), encoding="ascii")
        np.savez(
            folder / _ARRAYS,
            form_ends=self.forms.ends,
            term=self.forms.term,
            word=self.forms.word,
            joined=self.forms.joined,
            named=self.forms.named,
            document_ends=self.documents.ends,
            documents=self.documents.numbers,
            defined_ends=self.defined.ends,
            defined=self.defined.numbers,
            keys=self.keys,
        )

    @classmethod
    def load(cls, folder: Path) -> Counts:
        """Read what `save` wrote.

        Args:
            folder: where it was saved.

        Raises:
            IndexDamagedError: it is missing or damaged.
        """
        try:
            lists = json.loads((folder / _LISTS).read_text(encoding="ascii"))
            written, terms, words, edges_ = lists
            with np.load(folder / _ARRAYS, allow_pickle=False) as stored:
                made = Forms(
                    terms,
                    words,
                    stored["form_ends"],
                    *(stored[name] for name in ("term", "word", "joined", "named")),
                )
                documents = Runs(stored["document_ends"], stored["documents"])
                defined = Runs(stored["defined_ends"], stored["defined"])
                keys = stored["keys"]
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise IndexDamagedError(f"what was counted in {folder} cannot be read") from error
        if len(made.ends) != len(written) or len(documents) != len(keys):
            raise IndexDamagedError(f"what was counted in {folder} does not fit together")
        return cls(written, made, documents, edges_, defined, keys)


def _runs(ends: array[int], numbers: array[int]) -> Runs:
    return Runs(np.array(ends, np.int64), np.array(numbers, np.int32))


def _key(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
