"""Acronyms as the documents themselves introduce them: "Sparse Autoencoders (SAEs)"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from assistant.index.surfaces import forms, surfaces
from assistant.index.terms import content_words

__all__ = ["Acronyms", "edges", "mine"]

_BRACKETED = re.compile(r"\(([^()]{2,100})\)")
_MARKUP = re.compile(r"\\[a-z]+\{|[{}*$\\]")
_SHORT = re.compile(r"(?=[^A-Z]*[A-Z])[A-Za-z0-9][A-Za-z0-9/&+.-]{1,9}")
_PLURAL = re.compile(r".*[A-Z0-9]s")
_TOKEN = re.compile(r"[\w-]+")
_SENTENCE_END = re.compile(r"[.;:!?]\s")
_LONGEST_WINDOW = 200
_MOST_ALTERNATIVES = 3
_LEAST_SHARE = 0.1
_NEAR = 3


def mine(text: str) -> list[tuple[str, str]]:
    """Find the acronyms a text defines, by the algorithm of Schwartz and Hearst.

    Schwartz, A. S., Hearst, M. A.: A simple algorithm for identifying abbreviation definitions
    in biomedical text. Pacific Symposium on Biocomputing 8 (2003), 451-462. Here a plural s of
    the short form need not be found in the long one.

    Args:
        text: an abstract.

    Returns:
        Pairs of short and long form as they are written, markup aside: `("SAEs", "Sparse
        Autoencoders")` for "long form (SHORT)" as well as for "SHORT (long form)".
    """
    if "(" not in text:
        return []
    found = []
    for match in _BRACKETED.finditer(text):
        inside = re.split(r"[;,]\s", _MARKUP.sub("", match[1]).strip(), maxsplit=1)[0]
        before = _before(text, match.start())
        pair = _short_inside(before, inside) or _long_inside(before, inside)
        if pair:
            found.append(pair)
    return found


def _before(text: str, end: int) -> str:
    window = text[max(0, end - _LONGEST_WINDOW) : end]
    return _MARKUP.sub("", _SENTENCE_END.split(window)[-1]).rstrip()


def _short_inside(before: str, short: str) -> tuple[str, str] | None:
    if not _SHORT.fullmatch(short):
        return None
    words = before.split()[-_most_words(short) :]
    long = _long_form(short, " ".join(words))
    return (short, long) if long else None


def _long_inside(before: str, long: str) -> tuple[str, str] | None:
    short = before.split()[-1] if before else ""
    if not _SHORT.fullmatch(short) or not 2 <= len(long.split()) <= _most_words(short):
        return None
    return (short, long) if _long_form(short, long) == long else None


def _most_words(short: str) -> int:
    return min(len(short) + 5, len(short) * 2)


def _long_form(short: str, candidate: str) -> str | None:
    """Match the short form's characters from the right; its first one must begin a word."""
    if _PLURAL.fullmatch(short):
        singular = _long_form(short[:-1], candidate)
        if singular:
            return singular
    at = len(candidate)
    signs = [c for c in short.lower() if c.isalnum()]
    low = candidate.lower()
    if len(low) != len(candidate):
        return None
    for position, sign in reversed(list(enumerate(signs))):
        at = low.rfind(sign, 0, at)
        while position == 0 and at > 0 and low[at - 1].isalnum():
            at = low.rfind(sign, 0, at)
        if at < 0:
            return None
    long = candidate[at:]
    if len(long) <= len(short) or short.lower() in _TOKEN.findall(low[at:]):
        return None
    return long


class Acronyms:
    """What stands for what, both ways, most often defined first.

    Args:
        lines: `key TAB alternative TAB documents`, sorted by key; keys and alternatives are
            stems separated by blanks.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    @classmethod
    def build(cls, documents: Iterable[str], is_name: Callable[[str], bool]) -> Acronyms:
        """Mine documents for acronyms.

        Args:
            documents: their texts.
            is_name: says of a short form's term whether it is mostly written as a name; a
                term that is mostly an ordinary word ("map") is left out.
        """
        counts: Counter[tuple[str, str]] = Counter()
        for text in documents:
            counts.update(edges(text))
        return cls.of(counts, is_name)

    @classmethod
    def of(cls, counts: Mapping[tuple[str, str], int], is_name: Callable[[str], bool]) -> Acronyms:
        """Choose among definitions that were mined already.

        Args:
            counts: in how many documents each is: `edges` of every document.
            is_name: see `build`.
        """
        kept = {edge: n for edge, n in counts.items() if is_name(edge[0])}
        both = [(short, long, n) for (short, long), n in kept.items()]
        both += [(long, short, n) for (short, long), n in kept.items()]
        return cls(_most_frequent(both))

    @classmethod
    def load(cls, path: Path) -> Acronyms:
        """Read what `save` wrote.

        Args:
            path: the file.
        """
        return cls(path.read_text(encoding="utf-8").splitlines())

    def save(self, path: Path) -> None:
        """Write a text file a person can read, one line for each direction.

        Args:
            path: the file.
        """
        path.write_text("".join(f"{line}\n" for line in self._lines), encoding="utf-8")

    def expand(self, terms: Sequence[str]) -> dict[str, list[str]]:
        """Return what some of a query's terms also stand for.

        Args:
            terms: stems in the order of the query.

        Returns:
            From an acronym's term to its spelled-out stems, and from spelled-out stems that
            all stand in the query, close together and in order, to the acronym. Stems of one
            key or alternative are separated by blanks: `{"sae": ["spars autoencod"]}`.
        """
        found: dict[str, list[str]] = {}
        places = {term: place for place, term in reversed(list(enumerate(terms)))}
        for term in places:
            for key, alternative in self._starting_with(term):
                if key == term or _stand_together(key.split(), places):
                    found.setdefault(key, []).append(alternative)
        return found

    def _starting_with(self, term: str) -> Iterable[tuple[str, str]]:
        at = bisect_left(self._lines, f"{term}\t")
        # A tab sorts before a blank: the term alone comes first, then phrases that begin with it.
        while at < len(self._lines) and self._lines[at].startswith((f"{term}\t", f"{term} ")):
            key, alternative, _ = self._lines[at].split("\t")
            yield key, alternative
            at += 1

    def __len__(self) -> int:
        return len(self._lines)


def edges(text: str) -> list[tuple[str, str]]:
    """Return the acronyms a text defines as terms, each once: short form's term, long one's stems.

    Args:
        text: an abstract.
    """
    return sorted({edge for pair in mine(text) if (edge := _edge(*pair))})


def _edge(short: str, long: str) -> tuple[str, str] | None:
    key = [form.text for surface in surfaces(short) for form in forms(surface)][:1]
    stems = content_words(long)
    spelled_out = len(stems) > 1 or (len(stems) == 1 and long.isalpha())
    if not key or not spelled_out or key[0] in stems:
        return None
    return key[0], " ".join(stems)


def _most_frequent(edges: list[tuple[str, str, int]]) -> list[str]:
    lines: list[str] = []
    best: dict[str, int] = {}
    kept: Counter[str] = Counter()
    for key, alternative, n in sorted(edges, key=lambda edge: (edge[0], -edge[2], edge[1])):
        top = best.setdefault(key, n)
        if kept[key] < _MOST_ALTERNATIVES and n >= top * _LEAST_SHARE:
            kept[key] += 1
            lines.append(f"{key}\t{alternative}\t{n}")
    return sorted(lines, key=lambda line: line.split("\t")[0] + "\t")


def _stand_together(stems: list[str], places: dict[str, int]) -> bool:
    found = [places.get(stem, -1) for stem in stems]
    return found[0] >= 0 and all(0 < b - a <= _NEAR for a, b in pairwise(found))
