"""Plain text: abstracts separated by blank lines, under an optional heading line.

A file `papers.tsv` beside it (columns `file number title arxiv_id`) adds what the abstracts do not
say; what it leaves empty stays unknown.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.corpus.names import looks_like_name
from assistant.corpus.paper import Paper, Source
from assistant.corpus.reading import Skipped, reader
from assistant.errors import InputError

__all__ = ["FACTS_FILE", "read_text"]

FACTS_FILE = "papers.tsv"
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
_HEADING_LENGTH = 120
_HEADING = re.compile(
    r"^\W*(?P<venue>[^\W\d][\w&+/ .'’-]*?)[\s,'’]*(?P<year>(?:19|20)\d\d)?"
    r"\s*(?:papers?|abstracts?|proceedings)?\W*$",
    re.IGNORECASE,
)
_NUMBERED_FILE = re.compile(r"^(\d+)_[0-9a-f]{8,}$")
_ENDS_SENTENCE = re.compile(r"""[.!?:;]["'”’)\]}*]*$""")
_MINIMUM = 40


@dataclass(frozen=True, slots=True)
class _Heading:
    venue: str | None = None
    year: int | None = None


@reader(".txt", ".text", ".md")
def read_text(path: Path) -> Iterator[Paper | Skipped]:
    """Read one text file.

    Args:
        path: the file; CRLF, CR, a byte order mark and blanks in empty lines are fine.

    Returns:
        Papers, and what is too short to be an abstract.

    Raises:
        InputError: the file is not UTF-8.
    """
    blocks = [block.strip() for block in _BLANK_LINES.split(_decoded(path))]
    blocks = [block for block in blocks if block]
    heading = _Heading()
    if len(blocks) > 1 and (found := _heading(blocks[0])) is not None:
        heading, blocks = found, blocks[1:]
    facts = _facts(path)
    for ordinal, block in enumerate(blocks, start=1):
        if len(block) < _MINIMUM:
            yield Skipped(path.name, ordinal, f"too short to be an abstract: {block[:40]!r}")
            continue
        yield _paper(path, ordinal, block, heading, facts.get(ordinal, {}))


def _decoded(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 at byte {error.start}: save it as UTF-8 and read it again"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


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


def _paper(path: Path, ordinal: int, block: str, heading: _Heading, facts: dict[str, str]) -> Paper:
    arxiv_id = facts.get("arxiv_id") or None
    paper = Paper(
        id="",
        abstract=block,
        title=facts.get("title") or None,
        venue=heading.venue,
        year=heading.year,
        url=f"https://arxiv.org/abs/{arxiv_id}" if arxiv_id else None,
        source=Source(path.name, ordinal),
    )
    numbered = _NUMBERED_FILE.match(path.stem)
    paper_id = f"{numbered[1]}-{ordinal:02d}" if numbered else paper.content_hash[:16]
    from dataclasses import replace

    return replace(paper, id=paper_id)


def _facts(path: Path) -> dict[int, dict[str, str]]:
    table = path.with_name(FACTS_FILE)
    if not table.is_file():
        return {}
    try:
        with table.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        return {int(row["number"]): row for row in rows if row["file"] == path.name}
    except (KeyError, TypeError, ValueError, csv.Error):
        raise InputError(
            f"{table} is not a table of papers: it needs tab-separated columns "
            "file, number, title, arxiv_id, in UTF-8"
        ) from None
