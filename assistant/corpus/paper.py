"""A paper as far as its abstract and its record tell, and the pieces it is read in."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Paper", "Passage", "Source", "content_hash", "text_hash"]

_LABEL_WORDS = 8
_LEAST_LABEL = 3
_ENDS = re.compile(r"[\w)][.!?]$")
_INTRODUCED = re.compile(
    r"\b(?:propose|present|introduce|develop|called|dubbed|termed)\s+"
    r"(?:an?\s+|the\s+|novel\s+)*(?:\\text\w*\{|\*+)?"
    r"(?P<name>[A-Z][\w+-]*[A-Z0-9][\w+-]*)"
)


def text_hash(text: str) -> str:
    """Hash a text as it stands: the key under which its vector is kept.

    Args:
        text: any text.

    Returns:
        The first 32 hexadecimal digits of its SHA-256.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def content_hash(abstract: str) -> str:
    """Hash an abstract so that white space, case and Unicode form do not count.

    Args:
        abstract: the abstract's text.

    Returns:
        32 hexadecimal digits.
    """
    normal = unicodedata.normalize("NFKC", abstract).casefold()
    return text_hash(" ".join(normal.split()))


@dataclass(frozen=True, slots=True)
class Source:
    """Where a record was read: the file's name and the record's place in it, from 1."""

    file: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class Paper:
    """One abstract with what is known of it.

    Args:
        id: the record's own identifier, else a hash of the abstract.
        abstract: the text, character for character as it was read.
        title: None where no title is known; never invented.
        authors: names in order.
        venue: conference or journal.
        year: four digits.
        url: an address of the paper, None where none is known.
        keywords: the record's own keywords.
        source: file and ordinal.
    """

    id: str
    abstract: str
    title: str | None = None
    authors: tuple[str, ...] = ()
    venue: str | None = None
    year: int | None = None
    url: str | None = None
    keywords: tuple[str, ...] = ()
    source: Source | None = None

    @property
    def content_hash(self) -> str:
        """The abstract's hash: when it changes, the paper changed."""
        return content_hash(self.abstract)

    @property
    def label(self) -> str:
        """The title, or a neutral label made of the abstract's own words."""
        return self.title or _neutral_label(self.abstract)

    @property
    def indexed_text(self) -> str:
        """What is searched: the title, where there is one, then the abstract."""
        return f"{self.title}\n{self.abstract}" if self.title else self.abstract

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with every known field; unknown ones are None or empty."""
        return {
            "id": self.id,
            "title": self.title,
            "label": self.label,
            "abstract": self.abstract,
            "authors": list(self.authors),
            "venue": self.venue,
            "year": self.year,
            "url": self.url,
            "keywords": list(self.keywords),
            "source": None
            if self.source is None
            else {"file": self.source.file, "ordinal": self.source.ordinal},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Paper:
        """Rebuild a paper from `to_dict`.

        Args:
            data: what `to_dict` gave.
        """
        source = data.get("source")
        return cls(
            id=data["id"],
            abstract=data["abstract"],
            title=data.get("title"),
            authors=tuple(data.get("authors") or ()),
            venue=data.get("venue"),
            year=data.get("year"),
            url=data.get("url"),
            keywords=tuple(data.get("keywords") or ()),
            source=None if source is None else Source(source["file"], source["ordinal"]),
        )


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of one abstract: `paper.abstract[start:end] == text`, always.

    Args:
        paper_id: the paper it was cut from.
        text: the characters themselves.
        start: offset of the first character in the abstract.
        end: offset behind the last one.
    """

    paper_id: str
    text: str
    start: int
    end: int


def _neutral_label(abstract: str) -> str:
    named = _INTRODUCED.search(abstract)
    if named:
        return named["name"]
    words = abstract.split()
    ends = (i for i, word in enumerate(words[:_LABEL_WORDS], start=1) if _ENDS.search(word))
    count = next((end for end in ends if end >= _LEAST_LABEL), _LABEL_WORDS)
    cut = " ".join(words[:count])
    return cut + (" …" if len(words) > count else "")
