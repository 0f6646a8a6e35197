"""What a model says a question asks, read tolerantly, and taken over where it can be checked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast, get_args

from assistant.answering.answer import Kind
from assistant.corpus.names import fold_name
from assistant.retrieval.language import ENGLISH, language_of
from assistant.retrieval.naming import candidate_rows, names_in
from assistant.retrieval.query import Query, understand

if TYPE_CHECKING:
    from assistant.index.snapshot import Snapshot

__all__ = ["Understood", "read_understood", "refined"]

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MOST_PARTS = 4
_LONGEST_PART = 300


@dataclass(frozen=True, slots=True)
class Understood:
    """A question as a model understood it; nothing of it is checked.

    Args:
        question: understandable without the conversation, in the question's language.
        kind: what kind it is, None where the model named none there is.
        english: the same in English; empty where the question is English.
        years: first and last year of the papers asked for, None for an open end.
        venue: the conference or journal asked for.
        papers: names of the papers and methods it is about.
        parts: for a comparison, a question for each side.
    """

    question: str
    kind: Kind | None = None
    english: str = ""
    years: tuple[int | None, int | None] | None = None
    venue: str | None = None
    papers: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def searched(self) -> str:
        """What to search for: English where there is some."""
        return self.english or self.question


def read_understood(reply: str) -> Understood | None:
    """Read a model's reply.

    Args:
        reply: JSON, perhaps with words, a code fence or thoughts around it.

    Returns:
        What it holds; None where it names no question.
    """
    for said in _objects(reply):
        question = _line(said.get("question"))
        if question:
            kind = said.get("kind")
            return Understood(
                question=question,
                kind=cast("Kind", kind) if kind in get_args(Kind) else None,
                english=_line(said.get("english")),
                years=_years(said.get("year")),
                venue=_line(said.get("venue")) or None,
                papers=_lines(said.get("papers")),
                parts=_lines(said.get("parts"))[:_MOST_PARTS],
            )
    return None


def refined(query: Query, found: Understood, snapshot: Snapshot, *, talk: bool) -> Query | None:
    """Take over from a model what can be used; the rules' query stays the base.

    Args:
        query: the question as the rules understood it.
        found: the question as the model understood it.
        snapshot: the collection.
        talk: whether there was a talk before it; without one the question stands as it is.

    Returns:
        The query; None where the model made something of it that is no question about papers.
    """
    text = found.searched
    unnamed = [name for name in found.papers if fold_name(name) not in fold_name(text)]
    if known := [name for name in unnamed if _names_paper(name, snapshot)]:
        text = f"{text} ({'; '.join(known)})"
    rules = understand(text, snapshot)
    if rules.kind in ("small_talk", "out_of_scope"):
        return None
    follow_up = query.follow_up
    several = follow_up is not None and follow_up.several and query.kind in ("list", "count")
    kind = query.kind if several else _kind(rules, found)
    where = dict(rules.where)
    if kind in ("list", "count"):
        where = {**query.where, **_filters(query, found, snapshot), **where}
    return replace(
        rules,
        question=query.question,
        standalone=_standalone(query, found) if talk else query.standalone,
        kind=kind,
        named=() if several else rules.named,
        follow_up=follow_up if several or not rules.named else None,
        where=where,
        language=query.language,
        without=query.without,
        people=query.people or rules.people,
        times=rules.times if rules.times and rules.times.notes else query.times,
        notes=rules.notes or query.notes,
    )


def _kind(rules: Query, found: Understood) -> Kind:
    """A rule that says something is trusted more than the model; where none does, it counts."""
    if rules.kind != "fact":
        return rules.kind
    if found.kind in ("list", "count"):
        return found.kind
    sides = max(len(found.parts), len(rules.named))
    return "compare" if found.kind == "compare" and sides > 1 else "fact"


def _filters(query: Query, found: Understood, snapshot: Snapshot) -> dict[str, object]:
    """Filters the model names, where the question names them too: models invent some."""
    said = f"{query.question} {found.question}"
    where: dict[str, object] = {}
    if found.years is not None:
        first, last = found.years
        told = {int(year) for year in _YEAR.findall(said)}
        if {year for year in (first, last) if year is not None} <= told:
            bounds = {"gte": first, "lte": last}
            limits = {name: year for name, year in bounds.items() if year is not None}
            where["year"] = first if first == last else limits
    venue = found.venue
    if venue and fold_name(venue) in fold_name(said) and len(snapshot.rows_where({"venue": venue})):
        where["venue"] = venue
    return where


def _standalone(query: Query, found: Understood) -> str:
    """An answer is written in the language of the question it is given."""
    if language_of(found.question) == query.language or query.language == ENGLISH:
        return found.question
    return f"{query.question} ({found.question})"


def _names_paper(name: str, snapshot: Snapshot) -> bool:
    rows = candidate_rows(name, snapshot.lexical)
    return bool(names_in(name, ((row, snapshot.paper(row)) for row in rows), snapshot.lexical))


def _objects(reply: str) -> Iterator[Mapping[str, object]]:
    decoder = json.JSONDecoder()
    at = reply.find("{")
    while at >= 0:
        try:
            said, end = decoder.raw_decode(reply, at)
        except ValueError:
            end = at + 1
        else:
            if isinstance(said, dict):
                yield said
        at = reply.find("{", end)


def _line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _lines(value: object) -> tuple[str, ...]:
    given = value if isinstance(value, list) else [value]
    lines = [_line(item)[:_LONGEST_PART] for item in given]
    return tuple(dict.fromkeys(line for line in lines if line))


def _years(value: object) -> tuple[int | None, int | None] | None:
    given = value if isinstance(value, list) else [value, value]
    years = [_year(item) for item in given]
    if len(years) == 1:
        years *= 2
    if len(years) != 2 or years == [None, None]:
        return None
    first, last = years
    return (first, last) if first is None or last is None or first <= last else (last, first)


def _year(value: object) -> int | None:
    found = _YEAR.fullmatch(str(value).strip()) if isinstance(value, int | str) else None
    return int(found[0]) if found else None
