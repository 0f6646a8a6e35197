"""Plain text: abstracts separated by blank lines, under an optional heading line.

A file `papers.tsv` beside it (columns `file number title arxiv_id`) adds what the abstracts do not
say; what it leaves empty stays unknown.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from assistant.corpus.fields import plan
from assistant.corpus.inputs import Input
from assistant.corpus.names import looks_like_name
from assistant.corpus.paper import Paper, Source
from assistant.corpus.reading import reader
from assistant.corpus.records import MAXIMUM, Record, Skipped, fault_of
from assistant.corpus.sniffing import FACTS_FILE
from assistant.errors import InputError

__all__ = ["FACTS_FILE", "read_text"]

_HEADING_LENGTH = 120
_HEADING = re.compile(
    r"^\W*(?P<venue>[^\W\d][\w&+/ .'’-]*?)[\s,'’]*(?P<year>(?:19|20)\d\d)?"
    r"\s*(?:papers?|abstracts?|proceedings)?\W*$",
    re.IGNORECASE,
)
_NUMBERED_FILE = re.compile(r"^(\d+)_[0-9a-f]{8,}$")
_ENDS_SENTENCE = re.compile(r"""[.!?:;]["'”’)\]}*]*$""")


@dataclass(frozen=True, slots=True)
class _Heading:
    venue: str | None = None
    year: int | None = None


@reader(".txt", ".text", ".md")
def read_text(source: Input, mapping: Mapping[str, str]) -> Iterator[Record]:  # noqa: ARG001
    """Read one text file.

    Args:
        source: the file; CRLF, CR, a byte order mark and blanks in empty lines are fine.
        mapping: not used; plain text has no fields.

    Returns:
        Papers, and what is none.

    Raises:
        BrokenInputError: it cannot be read to its end.
    """
    blocks = _blocks(source.lines())
    first, second = next(blocks, None), next(blocks, None)
    heading = _heading(first[1]) if first and second else None
    rest = [block for block in (first if heading is None else None, second) if block]
    facts = _facts(source)
    for ordinal, (place, block) in enumerate(chain(rest, blocks), start=1):
        if reason := fault_of(block):
            yield Skipped(source.name, place, reason)
        else:
            yield _paper(source, ordinal, block, heading or _Heading(), facts.get(ordinal, {}))


def _blocks(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Cut at blank lines; give each block with the line it begins at."""
    start, kept, length = 0, list[str](), 0
    for number, line in lines:
        if line and not line.isspace():
            start = start if kept else number
            # Of what is too long to be an abstract, enough is kept to say so.
            if length <= MAXIMUM:
                kept.append(line)
            length += len(line)
        elif kept:
            yield start, "\n".join(kept).strip()
            kept, length = [], 0
    if kept:
        yield start, "\n".join(kept).strip()


def _heading(block: str) -> _Heading | None:
    if "\n" in block or len(block) > _HEADING_LENGTH or _ENDS_SENTENCE.search(block):
        return None
    named = _HEADING.match(block)
    if named is None:
        return _Heading()
    venue, year = named["venue"].strip(), named["year"]
    # "My reading list" is no venue; without a year only what is written like one is.
    if year or any(looks_like_name(word) for word in venue.split()):
        return _Heading(venue, int(year) if year else None)
    return _Heading()


def _paper(
    source: Input, ordinal: int, block: str, heading: _Heading, facts: Mapping[str, str]
) -> Paper:
    arxiv_id = facts.get("arxiv_id") or None
    paper = Paper(
        id="",
        abstract=block,
        title=facts.get("title") or None,
        venue=heading.venue,
        year=heading.year,
        url=f"https://arxiv.org/abs/{arxiv_id}" if arxiv_id else None,
        source=Source(source.name, ordinal),
    )
    numbered = _NUMBERED_FILE.match(source.stem)
    paper_id = f"{numbered[1]}-{ordinal:02d}" if numbered else paper.content_hash[:16]
    return replace(paper, id=paper_id)


def _facts(source: Input) -> dict[int, dict[str, str]]:
    table = source.path.with_name(FACTS_FILE)
    if source.name != source.path.name or not table.is_file():
        return {}
    try:
        with table.open(encoding="utf-8-sig", newline="") as file:
            table_rows = csv.DictReader(file, delimiter="\t")
            if "abstract" in plan(table_rows.fieldnames or ()):
                return {}  # A collection of its own.
            rows = [_bounded(row) for row in table_rows]
        return {int(row["number"]): row for row in rows if row["file"] == source.name}
    except (KeyError, TypeError, ValueError, csv.Error):
        raise InputError(
            f"{table} is not a table of papers: it needs tab-separated columns "
            "file, number, title, arxiv_id, in UTF-8"
        ) from None


def _bounded(row: dict[str, str]) -> dict[str, str]:
    if any(len(value or "") > MAXIMUM for value in row.values()):
        raise ValueError("no title is that long")
    return row
