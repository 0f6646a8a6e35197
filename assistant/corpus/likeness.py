"""Whether two abstracts are one and the same but for how they were typed.

What is decided here, and why, stands in docs/decisions/0011-near-duplicates.md.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from rapidfuzz.distance import Levenshtein

from assistant.corpus.paper import Paper, content_hash, text_hash

__all__ = ["LIKENESS", "Likeness", "Marks", "compare", "marks", "title_mark"]

LIKENESS = "words-1"
"""Names the way of marking; changed when the marks change, so that kept ones are made anew."""

_BANDS = 4
_SHINGLE = 3
_LEAST_WORDS = 20
_LEAST_WORDS_OTHER_TITLE = 50
_SHARE = 0.04
_MOST_CHANGED = 5
_MOST_COMPARED = 60

_ACCENT = re.compile(r"\\[\"'`^~=.]\s*\{?\\?(\w)\}?")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?")
_COMBINING = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]")
_GREEK_LETTER = re.compile("[\u0391-\u03c9]")
_WORD = re.compile(r"[^\W_]+")
_GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
    "sigma tau upsilon phi chi psi omega".split()
)
_PLAIN = bytes(c if chr(c).isalnum() and c < 128 else 32 for c in range(256))
_BREAK = re.compile(r"(?<=[.!?])\s+(?=\S)")
_OFFER = re.compile(
    r"https?://|www\.|github\.|\b(?:code|data|dataset|datasets|implementation|models?|videos?|demos?"
    r"|project|website|supplementary|source|resources?|materials?|weights|software)\b[^.]*\b"
    r"(?:available|released|found|here|online|public|publicly|page|open-sourced?|github)\b",
    re.IGNORECASE,
)
_OFFERS = 2
_OFFER_LENGTH = 300
_TELLING = frozenset(
    "no not nor never neither without cannot one two three four five six seven eight nine ten "
    "eleven twelve twenty hundred thousand million billion first second third half double twice "
    "triple".split()
)
_ENDS = ".!?:"

_random = np.random.default_rng(20_11)
_FACTORS = _random.integers(1, 2**62, 2 * _BANDS).astype(np.uint64) * np.uint64(2) + np.uint64(1)
_ADDED = _random.integers(0, 2**62, 2 * _BANDS).astype(np.uint64)
_MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)


class Likeness(Enum):
    """What two abstracts are to each other."""

    SAME = "same"
    """One abstract, typed in another way."""

    VERSION = "version"
    """Nearly one abstract, but a figure, a name or a title tells them apart."""

    OTHER = "other"
    """Two abstracts."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Numbers of 64 bits, signed; two abstracts that are alike have one in common.

    Args:
        whole: the same for abstracts whose words are the same.
        bands: one in common where most of the words are.
    """

    whole: int
    bands: tuple[int, ...]


def marks(paper: Paper) -> Marks:
    """Make the marks by which abstracts that may be the same find each other.

    Args:
        paper: the paper.
    """
    return _marks(paper.abstract)


@lru_cache(maxsize=16)  # A paper that is new is marked to be compared, and then to be kept.
def _marks(abstract: str) -> Marks:
    words = _words(_without_offer(abstract))
    if not words:
        return Marks(_signed(content_hash(abstract)), ())
    whole = _signed(text_hash(_joined(words)))
    if len(words) < _LEAST_WORDS:
        return Marks(whole, ())
    hashed = np.fromiter(map(zlib.crc32, words), np.uint64, len(words))
    count = len(words) - _SHINGLE + 1
    runs = np.zeros(count, np.uint64)
    for i in range(_SHINGLE):
        runs += hashed[i : count + i] * _MIX[i]
    runs ^= runs >> np.uint64(29)
    least = (runs[:, None] * _FACTORS + _ADDED).min(axis=0)
    places = np.arange(1, _BANDS + 1, dtype=np.uint64)
    bands = least[::2] * _MIX[0] ^ least[1::2] * _MIX[1] ^ places * _MIX[2]
    return Marks(whole, tuple(bands.view(np.int64).tolist()))


def title_mark(paper: Paper) -> int | None:
    """Make the mark that papers of one title share; None where no title is known.

    Args:
        paper: the paper.
    """
    words = _words(paper.title) if paper.title else []
    return _signed(text_hash("title " + _joined(words))) if words else None


def compare(first: Paper, second: Paper) -> Likeness:
    """Tell whether two papers' abstracts are one.

    Args:
        first: a paper.
        second: another.
    """
    ours, theirs = (_without_offer(paper.abstract) for paper in (first, second))
    left, right = _words(ours), _words(theirs)
    if left == right:
        return Likeness.SAME
    longest = max(len(left), len(right))
    if min(len(left), len(right)) < _LEAST_WORDS:
        return Likeness.OTHER
    loose = max(_MOST_CHANGED, int(longest * 0.1))
    distance = Levenshtein.distance(left, right, score_cutoff=loose)
    if distance > loose:
        return Likeness.OTHER
    if distance > _allowed(first, second, longest):
        return Likeness.VERSION
    return Likeness.VERSION if _tells(ours, theirs) else Likeness.SAME


def _allowed(first: Paper, second: Paper, words: int) -> int:
    """How many words may differ: fewer where each has a title and they are two."""
    titles = [_words(paper.title) if paper.title else [] for paper in (first, second)]
    if titles[0] and titles[1] and titles[0] != titles[1]:
        return 1 if words >= _LEAST_WORDS_OTHER_TITLE else 0
    return min(_MOST_CHANGED, max(1, int(words * _SHARE)))


def _tells(first: str, second: str) -> bool:
    """Tell whether a word that differs is a figure, a name or a denial."""
    left, right = _written(first), _written(second)
    edits = Levenshtein.opcodes([w for w, _ in left], [w for w, _ in right])
    changed = [
        word
        for edit in edits
        if edit.tag != "equal"
        for word in (
            *left[edit.src_start : edit.src_end],
            *right[edit.dest_start : edit.dest_end],
        )
    ]
    if len(changed) > _MOST_COMPARED:
        return True
    return any(name or word in _TELLING or any(map(str.isdigit, word)) for word, name in changed)


def _written(text: str) -> list[tuple[str, bool]]:
    """Return the words, folded, each with whether it is written as a name."""
    plain = _spelt(text)
    found = []
    for match in _WORD.finditer(plain):
        word = match.group()
        before = plain[: match.start()].rstrip(" \n\t\"'(")[-1:]
        starts = not before or before in _ENDS
        name = any(map(str.isupper, word[1:])) or (word[0].isupper() and not starts)
        found.append((word.casefold(), name))
    return found


def _words(text: str) -> list[bytes]:
    if "\\" in text or not text.isascii():
        text = _spelt(text)
    folded = text.casefold()
    if folded.isascii():
        return folded.encode().translate(_PLAIN).split()
    return [word.encode("utf-8", "surrogatepass") for word in _WORD.findall(folded)]


def _spelt(text: str) -> str:
    r"""Write `\"o`, `ö` and `o` alike, `\alpha` as `α` is read, and no other command at all."""
    if "\\" in text:
        text = _COMMAND.sub(_command, _ACCENT.sub(r"\1", text))
    if text.isascii():
        return text
    bare = _COMBINING.sub("", unicodedata.normalize("NFKD", text))
    return _GREEK_LETTER.sub(_greek, bare)


def _command(match: re.Match[str]) -> str:
    name = match[1].removeprefix("var")
    return f" {name} " if name.lower() in _GREEK else " "


def _greek(match: re.Match[str]) -> str:
    name = unicodedata.name(match.group(), "").rpartition(" ")[2].lower()
    return f" {'lambda' if name == 'lamda' else name} "


def _without_offer(abstract: str) -> str:
    """Leave out last sentences that only say where code or data is."""
    text = abstract.rstrip()
    for _ in range(_OFFERS):
        # Only the end is looked at: an abstract may be very long.
        tail = max(0, len(text) - _OFFER_LENGTH)
        start = max((match.end() for match in _BREAK.finditer(text, tail)), default=0)
        if not start or not _OFFER.search(text, start):
            break
        text = text[:start].rstrip()
    return text


def _joined(words: list[bytes]) -> str:
    return b" ".join(words).decode("utf-8", "surrogatepass")


def _signed(hexadecimal: str) -> int:
    return int.from_bytes(bytes.fromhex(hexadecimal[:16]), signed=True)
