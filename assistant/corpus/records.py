"""Records with named fields in, papers out; what is wrong with one is said, the rest goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from assistant.corpus.fields import flat, plan, under
from assistant.corpus.names import looks_like_name
from assistant.corpus.paper import Paper, Source
from assistant.corpus.people import author_names, keyword_list
from assistant.corpus.values import (
    arxiv_id,
    doi_of,
    one_line,
    paper_id,
    text_of,
    web_address,
    without_markup,
    year_of,
)
from assistant.errors import InputError

T = TypeVar("T")

__all__ = ["MAXIMUM", "MINIMUM", "Record", "Row", "Skipped", "fault_of", "papers_of"]

MINIMUM = 40
"""Characters an abstract has at least."""

MAXIMUM = 100_000
"""Characters an abstract has at most."""

_SAMPLE = 50_000
_SHOWN_FIELDS = 30
_SHOWN_LENGTH = 40
_FORUM = re.compile(r"[\w-]{5,40}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNKNOWN_BYTE = re.compile("[\udc80-\udcff]")
_VENUE_YEAR = re.compile(
    r"^(?P<venue>\S+(?: \S+)?)[ ,'’]+(?P<year>(?:19|20)\d\d)"
    r"(?: (?:conference|oral|poster|spotlight|talk|main|workshop|accept\w*))*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Skipped:
    """What is not read, where it stands, and why.

    Args:
        file: the file's name.
        place: the line where the record begins; in a JSON list, which has no lines to speak of,
            the record's number from 1. 0 means the file as a whole.
        reason: why it was left out, in a few words.
        partial: the file, or the rest of it, was not read: it may hold more papers than were seen.
    """

    file: str
    place: int
    reason: str
    partial: bool = False

    def __str__(self) -> str:
        """Return `file:place: reason`."""
        return (
            f"{self.file}:{self.place}: {self.reason}"
            if self.place
            else f"{self.file}: {self.reason}"
        )


Record = Paper | Skipped
"""What a reader gives."""


class Row(NamedTuple):
    """One record as a file holds it.

    Args:
        place: as in `Skipped`.
        fields: name to value.
        own_id: the id it stands under, where no field says it.
    """

    place: int
    fields: Mapping[str, object]
    own_id: str | None = None


def papers_of(
    name: str, rows: Iterable[Row | Skipped], mapping: Mapping[str, str]
) -> Iterator[Record]:
    """Make papers of a file's records.

    Args:
        name: the file's name.
        rows: its records in order, those that cannot be read already as skipped.
        mapping: a paper's field to its name in this file, for names that cannot be guessed.

    Raises:
        InputError: no field of any record can be an abstract.
    """
    held: list[Record] = []
    known = False
    columns: dict[str, None] = {}
    unseen = dict(mapping)
    for ordinal, row in enumerate(rows, start=1):
        if isinstance(row, Skipped):
            yield row
            continue
        fields = flat(row.fields)
        chosen = _chosen(fields, mapping)
        for field in [field for field in unseen if chosen.get(field)]:
            del unseen[field]
        record = _record(name, row, fields, chosen, ordinal)
        if known:
            yield record
            continue
        held.append(record)
        known = bool(chosen.get("abstract"))
        if known:
            yield from held
            held.clear()
            continue
        columns.update(dict.fromkeys(map(str, fields)))
        if len(held) >= _SAMPLE:
            break
    if held and columns:
        raise InputError(_no_abstract(name, columns, mapping))
    yield from held
    if known:
        for field, called in unseen.items():
            yield Skipped(name, 0, f"no record has a field {called!r}, named as the {field}")


def fault_of(text: str) -> str | None:
    """Say why a text cannot be an abstract; None where it can.

    Args:
        text: the text, without blanks around it.
    """
    if not text:
        return "no abstract"
    if len(text) > MAXIMUM:
        return f"too long to be an abstract: more than {MAXIMUM:,} characters"
    if not text.isascii() and (damage := _damage(text)):
        return damage
    if len(text) < MINIMUM:
        return f"too short to be an abstract: {text!r}"
    return None


def _damage(text: str) -> str | None:
    if _UNKNOWN_BYTE.search(text):
        return "bad encoding: neither UTF-8 nor Windows-1252; save the file as UTF-8"
    if _SURROGATE.search(text):
        return "bad encoding: half of a surrogate pair, which is no character"
    return None


def _chosen(
    fields: Mapping[str, object], mapping: Mapping[str, str]
) -> Mapping[str, tuple[str, ...]]:
    found = plan(fields)
    if not mapping:
        return found
    named = {field: under(called, fields) for field, called in mapping.items()}
    return {**found, **{field: (key,) if key else () for field, key in named.items()}}


def _record(
    name: str,
    row: Row,
    fields: Mapping[str, object],
    chosen: Mapping[str, tuple[str, ...]],
    ordinal: int,
) -> Record:
    abstract = _first(text_of, fields, chosen.get("abstract", ())) or ""
    if len(abstract) <= MAXIMUM:
        abstract = without_markup(abstract)
    if reason := fault_of(abstract):
        return Skipped(name, row.place, reason)
    paper = _paper(fields, chosen, abstract)
    shown = " ".join((paper.title or "", paper.venue or "", *paper.authors, *paper.keywords))
    if not shown.isascii() and (reason := _damage(shown)):
        return Skipped(name, row.place, reason)
    own = _first(paper_id, fields, chosen.get("id", ()) + chosen.get("arxiv", ()))
    own = own or paper_id(row.own_id)
    if own is None or _SURROGATE.search(own):
        own = paper.content_hash[:16]
    return replace(paper, id=own, source=Source(name, ordinal))


def _paper(
    fields: Mapping[str, object], chosen: Mapping[str, tuple[str, ...]], abstract: str
) -> Paper:
    def first(read: Callable[[object], T | None], field: str) -> T | None:
        return _first(read, fields, chosen.get(field, ()))

    venue, said = _venue_and_year(first(one_line, "venue"))
    paper = Paper(
        id="",
        abstract=abstract,
        title=first(one_line, "title"),
        authors=first(author_names, "authors") or (),
        venue=venue,
        # The year of a conference may be another than the day its paper went online.
        year=first(year_of, "year") or said or first(year_of, "date"),
        url=_address(fields, chosen),
        keywords=first(keyword_list, "keywords") or (),
    )
    cited = chosen.get("bibtex")
    if cited and not (paper.venue and paper.year and paper.authors):
        return _with_citation(paper, fields[cited[0]])
    return paper


def _first(
    read: Callable[[object], T | None], fields: Mapping[str, object], keys: tuple[str, ...]
) -> T | None:
    for key in keys:
        if found := read(fields[key]):
            return found
    return None


def _venue_and_year(venue: str | None) -> tuple[str | None, int | None]:
    """Take `COLM 2025` or `ICLR 2024 poster` apart; leave a longer name whole."""
    found = _VENUE_YEAR.match(venue) if venue else None
    if found is None or not any(map(looks_like_name, found["venue"].split())):
        return venue, None
    return found["venue"], int(found["year"])


def _address(fields: Mapping[str, object], chosen: Mapping[str, tuple[str, ...]]) -> str | None:
    def first(read: Callable[[object], str | None], field: str) -> str | None:
        return _first(read, fields, chosen.get(field, ()))

    if url := first(web_address, "url"):
        return url
    # arXiv's own records call their number `id`, and only they have these two fields.
    own = "authors_parsed" in fields or "categories" in fields
    if number := first(arxiv_id, "arxiv") or (first(arxiv_id, "id") if own else None):
        return f"https://arxiv.org/abs/{number}"
    if (forum := first(one_line, "forum")) and _FORUM.fullmatch(forum):
        return f"https://openreview.net/forum?id={forum}"
    if doi := first(doi_of, "doi"):
        return f"https://doi.org/{doi}"
    return first(web_address, "pdf") or first(web_address, "id")


def _with_citation(paper: Paper, cited: object) -> Paper:
    """Add what the BibTeX entry that some exports carry says beyond the record."""
    from assistant.corpus.bibtex_reader import entry_fields

    fields = entry_fields(text_of(cited) or "")
    if fields is None:
        return paper
    told = _paper(fields, {k: v for k, v in plan(fields).items() if k != "bibtex"}, paper.abstract)
    return replace(
        paper,
        authors=paper.authors or told.authors,
        venue=paper.venue or told.venue,
        year=paper.year or told.year,
    )


def _no_abstract(name: str, columns: Iterable[str], mapping: Mapping[str, str]) -> str:
    # As they stand: "abstract" as a value would be no text.
    shown = [" ".join(column.split()) for column in columns]
    listed = ", ".join(repr(column[:_SHOWN_LENGTH]) for column in shown[:_SHOWN_FIELDS])
    more = " …" if len(shown) > _SHOWN_FIELDS else ""
    if called := mapping.get("abstract"):
        return f"{name} has no field {called!r}; it has: {listed}{more}"
    return (
        f"{name} has no field that is known to hold abstracts; it has: {listed}{more}. "
        "Name it, as in --map abstract=NAME"
    )
