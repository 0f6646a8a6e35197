r"""Names of methods, data sets and models: found by their shape, compared folded.

`RelayCaching`, `relay caching` and `\textbf{Relay-Caching}` are one name, as are `Active-o3` and
`ACTIVE-o3`; an acronym stands where its words do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from assistant.answering.numbers import numbers
from assistant.answering.plaintext import plain
from assistant.index.words import fold as fold_word
from assistant.index.words import stem

__all__ = ["Name", "NameIndex", "fold", "names"]

_CHAR = "A-Za-zÀ-ÖØ-öø-ɏͰ-Ͽ0-9_"
_TOKEN = re.compile(rf"[{_CHAR}]+(?:(?:[-^+]|\.(?=\d))[{_CHAR}]+)*")
_ADDRESS = re.compile(r"https?://\S+|\bwww\.\S+|\b[\w-]+\.(?:github\.io|com|org|ai)\b\S*")
_ATOM = re.compile(r"[A-Za-zÀ-ÖØ-öø-ɏͰ-Ͽ]+|\d+(?:\.\d+)*|[^\W\d_]")
_NAME_PART = re.compile(
    r"(?:\w*[A-ZΑ-Ω]\w*[A-ZΑ-Ω]\w*|\w*[a-z][A-Z]\w*|(?=\w*[A-Za-z])(?=\w*\d)\w+(?:\.\d+)*\w*)$"
)
_HUMP = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")
_ROMAN = re.compile(r"(?:II|III|IV|VI{0,3}|IX|X{2,3})$")
_CAPITALISED = re.compile(r"[A-Z][a-zà-ÿ]+$")
_SENTENCE_START = re.compile(r"""(?:^|[.!?:;•|\n]["')\]]*|["“]|[-*]\s|\(\w{1,3}\))\s*$""")
_PHRASE_END = re.compile(r"[.,;:()\[\]!?]\s|\s[-(]|[)\n]")
_JOINING = re.compile(r"\s(?:(?:of|for|the|de|von)\s){0,2}$")
_STOPWORDS = frozenset("a an and as at by for from in of on or the to via with".split())
_PLAIN_WORDS = frozenset(
    """
    a ai all also and any are arxiv as at both but by can each for from have here i if in into is it
    its ml more most no none not of ok on one only or other our paper papers source sources abstract
    abstracts author authors so such than that the their there these they this those to two we when
    where which while who why will with you your
    """.split()
)
_SHORT = {
    "cl": "continual learning",
    "cv": "computer vision",
    "dl": "deep learning",
    "fl": "federated learning",
    "gp": "gaussian process",
    "kv": "key value",
    "lm": "language model",
    "nn": "neural network",
    "qa": "question answering",
    "rl": "reinforcement learning",
    "rm": "reward model",
    "vl": "vision language",
}
_LONGEST_NAME = 8
_LONGEST_ACRONYM = 7


@dataclass(frozen=True, slots=True)
class Name:
    """A name as a text writes it.

    Args:
        text: the characters themselves, markup left out.
        start: offset in the text given.
        end: offset behind it.
        proper: true for capitalised words ("Fisher Information"), false for a name whose shape
            alone tells (`RelayCaching`, `KV`, `L0`).
    """

    text: str
    start: int
    end: int
    proper: bool = False

    @property
    def folded(self) -> str:
        """The name without case, blanks and marks."""
        return fold(self.text)


def fold(text: str) -> str:
    """Reduce a name to what all its spellings share.

    Args:
        text: a name, markup included.
    """
    return "".join(_ATOM.findall(plain(text).text.casefold()))


def names(text: str, *, english: bool = True) -> list[Name]:
    """Find the names in a text.

    Args:
        text: a sentence or an abstract.
        english: also take capitalised words inside a sentence for names; other languages
            capitalise ordinary words.

    Returns:
        Names in order, without overlap; ordinary words at a sentence's start are none.
    """
    return list(_names(text, english))


class NameIndex:
    """The names and words of a paper, to look names up in.

    Args:
        texts: abstract, title and whatever else is known of the paper.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._joined: set[str] = set()
        self._initials: set[str] = set()
        self._stems: set[str] = set()
        for text in texts:
            source = plain(text).text
            atoms = _ATOM.findall(source.casefold())
            self._joined.update(_runs(atoms))
            self._joined.update(map(fold, _TOKEN.findall(source)))
            for phrase in _PHRASE_END.split(source.casefold()):
                self._initials.update(_initials(_ATOM.findall(phrase)))
            self._stems.update(map(_stem, atoms))
            self._stems.update(map(_stem, _HUMP.findall(source)))

    def stands(self, name: Name) -> bool:
        """Tell whether the paper has this name, in whatever spelling.

        Args:
            name: a name of a sentence.
        """
        if self._has(name.folded):
            return True
        if name.proper:
            capitals = [word for word in _ATOM.findall(name.text) if word[0].isupper()]
            if all(_stem(word) in self._stems for word in capitals):
                return True
            initials = _initials(_ATOM.findall(name.text.casefold()), whole=True)
            return len(capitals) > 1 and any(form in self._joined for form in initials)
        return self._has_acronym(name.text) or self._has_parts(name.text)

    def _has(self, folded: str) -> bool:
        return any(form in self._joined for form in _singulars(folded))

    def _has_acronym(self, text: str) -> bool:
        if not text.isalpha():
            return False
        for form in _singulars(text.casefold()):
            if form in self._initials or (
                form in _SHORT and all(_stem(w) in self._stems for w in _SHORT[form].split())
            ):
                return True
        # A paper on language models is a paper on LLMs.
        return text.casefold().rstrip("s") == "llm" and self._has("languagemodel")

    def _has_parts(self, text: str) -> bool:
        """`LLM-based` stands where LLM does, `TBPO-B` does not where TBPO-A does."""
        parts = text.split("-")
        shaped = [part for part in parts if _name_part(part)]
        others = [part for part in parts if not _name_part(part)]
        if len(parts) == 1 or len(shaped) != 1 or any(len(part) < 3 for part in others):
            return False
        if any(_CAPITALISED.match(part) and _stem(part) not in self._stems for part in others[1:]):
            return False
        return self._has(fold(shaped[0])) or self._has_acronym(shaped[0])


@lru_cache(maxsize=1024)
def _names(text: str, english: bool) -> tuple[Name, ...]:
    made = plain(text)
    blocked = [match.span() for match in _ADDRESS.finditer(made.text)]
    counted = {offset for q in numbers(made.text) for offset in range(q.start, q.end)}
    found: list[tuple[int, int, bool]] = []
    for match in _TOKEN.finditer(made.text):
        start, end = match.start(), match.start() + len(match.group().rstrip("-^+"))
        if start in counted or any(a <= start < b for a, b in blocked):
            continue
        token = made.text[start:end]
        if not english:
            found += [(start + a, start + b, False) for a, b in _shaped_part(token)]
        elif _shaped(token):
            found.append((start, end, False))
        elif _proper(made.text, start, token):
            _extend_run(made.text, found, start, end)
    spans = [(*made.span(start, end), made.text[start:end], proper) for start, end, proper in found]
    return tuple(Name(text, start, end, proper) for start, end, text, proper in spans)


def _shaped(token: str) -> bool:
    if token.casefold() in _PLAIN_WORDS or _ROMAN.match(token):
        return False
    parts = token.split("-")
    if any(_name_part(part) for part in parts):
        return True
    return len(parts) > 1 and any(_CAPITALISED.match(part) for part in parts[1:])


def _shaped_part(token: str) -> Iterator[tuple[int, int]]:
    """`KV` of "KV-Cache-Wiederverwendung": other languages join their own words to a name."""
    parts = [(m.start(), m.end()) for m in re.finditer(r"[^-]+", token)]
    shaped = [(a, b) for a, b in parts if _name_part(token[a:b])]
    if shaped and not _ROMAN.match(token):
        yield shaped[0][0], shaped[-1][1]


def _name_part(part: str) -> bool:
    return bool(_NAME_PART.match(part)) and part.casefold() not in _PLAIN_WORDS


def _proper(text: str, start: int, token: str) -> bool:
    first = token.split("-")[0]
    if not _CAPITALISED.match(first) or first.casefold() in _PLAIN_WORDS:
        return False
    return not _SENTENCE_START.search(text[max(0, start - 8) : start])


def _extend_run(text: str, found: list[tuple[int, int, bool]], start: int, end: int) -> None:
    if found and found[-1][2] and _JOINING.match(text[found[-1][1] : start]):
        found[-1] = (found[-1][0], end, True)
    else:
        found.append((start, end, True))


def _runs(atoms: list[str]) -> Iterator[str]:
    for i in range(len(atoms)):
        joined = ""
        for atom in atoms[i : i + _LONGEST_NAME]:
            joined += atom
            yield from _singulars(joined)


def _initials(atoms: list[str], *, whole: bool = False) -> Iterator[str]:
    """Acronyms that runs of words could have, with and without their small words."""
    for words in (atoms, [atom for atom in atoms if atom not in _STOPWORDS]):
        letters = "".join(word[0] for word in words)
        if whole:
            yield from (letters, letters + "s")
            continue
        for i in range(len(letters)):
            for length in range(3, _LONGEST_ACRONYM + 1):
                yield letters[i : i + length]


def _singulars(word: str) -> tuple[str, ...]:
    return (word, word[:-1]) if len(word) > 2 and word.endswith("s") else (word,)


def _stem(word: str) -> str:
    return stem(fold_word(word))
