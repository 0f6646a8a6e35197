"""What can be looked up in a paper: its sentences, numbers, names and words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from assistant.answering.coverage import keys
from assistant.answering.names import NameIndex
from assistant.answering.numbers import Quantity, numbers
from assistant.corpus.paper import Paper
from assistant.retrieval.commands import telling_spans

__all__ = ["Facts", "facts_of"]

_ARXIV = re.compile(r"(?<!\d)\d{4}\.\d{4,5}(?!\d)")
_SIZED_NAME = re.compile(r"(?<=-)\d+(?:\.\d+)?[BMK]\b")
_STEPS = re.compile(r"\((?:i{1,3}|iv|v|[1-9])\)")
_SINGLE = re.compile(r"\b(?:one|single)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """A paper taken apart once, for many look-ups.

    Args:
        paper: the paper.
        spans: offsets of its sentences in the abstract; what only orders its reader about is none.
        sentences: the sentences.
        keys: the canonical terms of each sentence.
        record: the canonical terms of title, venue and authors.
        quantities: every number of abstract and record.
        names: every name of abstract and record.
    """

    paper: Paper
    spans: tuple[tuple[int, int], ...]
    sentences: tuple[str, ...]
    keys: tuple[frozenset[str], ...]
    record: frozenset[str]
    quantities: tuple[Quantity, ...]
    names: NameIndex

    @property
    def all_keys(self) -> frozenset[str]:
        """The canonical terms of abstract and record."""
        return self.record.union(*self.keys)


@lru_cache(maxsize=4096)
def facts_of(paper: Paper) -> Facts:
    """Take a paper apart; done once for each.

    Args:
        paper: the paper.
    """
    spans = tuple(telling_spans(paper.abstract))
    sentences = tuple(paper.abstract[start:end] for start, end in spans)
    told = " ".join(sentences)
    record = [part for part in (paper.title, paper.venue, *paper.authors, *paper.keywords) if part]
    return Facts(
        paper=paper,
        spans=spans,
        sentences=sentences,
        keys=tuple(keys(sentence) for sentence in sentences),
        record=_record_keys(paper, record),
        quantities=tuple(_quantities(paper, told, record)),
        names=NameIndex([told, paper.url or "", paper.id, *record]),
    )


def _record_keys(paper: Paper, record: list[str]) -> frozenset[str]:
    """A title says what an abstract does; a venue, that the paper was published there."""
    told = " ".join(record)
    if paper.venue or paper.year or paper.url:
        told += " published appeared accepted conference venue arXiv preprint available"
    if paper.authors:
        told += " authors written"
    return keys(told)


def _quantities(paper: Paper, told: str, record: list[str]) -> list[Quantity]:
    found = [quantity for text in (told, *record) for quantity in numbers(text)]
    for text in (
        _SIZED_NAME.findall(f"{paper.title or ''} {told}"),
        _ARXIV.findall(paper.url or ""),
    ):
        found += [quantity for part in text for quantity in numbers(part)]
    if paper.year is not None:
        found.append(_plain_number(paper.year))
    steps = {mark.strip("()") for mark in _STEPS.findall(told)}
    if len(steps) > 1:
        # "three parts" stands where the abstract counts (i), (ii), (iii).
        found.append(_plain_number(len(steps)))
    if _SINGLE.search(told):
        found.append(_plain_number(1))
    return found


def _plain_number(value: int) -> Quantity:
    return Quantity(float(value), "", "number", 0, 0, str(value))
