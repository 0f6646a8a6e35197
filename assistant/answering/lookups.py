"""Answers that are looked up: who writes a word, who cites, who works where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.answering.phrases import say
from assistant.answering.quoting import label_text
from assistant.answering.said import Draft
from assistant.corpus.names import introduced_names
from assistant.retrieval.arranging import has_topic
from assistant.retrieval.literal import Written, written_in
from assistant.retrieval.query import understand
from assistant.retrieval.ranking import Ranked, Ranking, Words

if TYPE_CHECKING:
    from assistant.answering.runs import Run
    from assistant.retrieval.lookups import Lookup

__all__ = ["looked_up"]

_QUOTED = 100
_NAMES = 2
_SHORTEST = 3


def looked_up(run: Run) -> tuple[Draft, Ranking] | None:
    """Answer a question that wants something looked up; no model is asked.

    Args:
        run: the question; one that asks for a topic as well is narrowed to it.

    Returns:
        The answer and what it was found in; None where papers are to be ranked.
    """
    query = run.query
    if query.follow_up is not None and query.follow_up.shown:
        draft = Draft(abstained=True)
        draft.text = draft.say(say("no_such", query.language, count=query.follow_up.shown))
        return draft, Ranking(query, (), 0, 0)
    lookup = query.lookup
    if lookup is None:
        return None
    if lookup.kind == "word":
        return _written(run, lookup)
    if lookup.kind == "cites":
        return _citing(run, lookup)
    return _from_place(run, lookup)


def _rows(run: Run) -> list[int] | None:
    """The papers that pass the filters and that the talk points to; None: all."""
    rows: set[int] | None = None
    for where in (run.query.where, run.request.where):
        if where:
            passing = {int(row) for row in run.snapshot.rows_where(where)}
            rows = passing if rows is None else rows & passing
    follow = run.query.follow_up
    if follow is not None and follow.rows:
        rows = set(follow.rows) if rows is None else rows & set(follow.rows)
    return None if rows is None else sorted(rows)


def _written(run: Run, lookup: Lookup) -> tuple[Draft, Ranking] | None:
    rows = _rows(run)
    gone = set(run.query.without)
    found = written_in(lookup.what, run.snapshot, exact=lookup.exact, rows=rows)
    found = [written for written in found if written.row not in gone]
    if not found and not lookup.exact and " " in lookup.what:
        # Several words may be put otherwise: then it is a topic like any other.
        run.query = replace(run.query, lookup=None)
        return None
    total = len(run.snapshot) if rows is None else len(rows)
    name = "word" if lookup.exact else "word_mentioned"
    draft = Draft(abstained=not found)
    values = {"count": len(found), "total": total, "what": label_text(lookup.what)}
    said = draft.say(say(name if found else "word_none", run.query.language, **values))
    draft.text = "\n".join([said, *_quotes(draft, found)])
    return draft, _ranking(run, found, total)


def _citing(run: Run, lookup: Lookup) -> tuple[Draft, Ranking]:
    draft, language = Draft(abstained=True), run.query.language
    said = [say("cites", language)]
    found: list[Written] = []
    names = [name for row in lookup.rows for name in _own_names(run, row)] or [lookup.what]
    names = [name for name in names if len(name) >= _SHORTEST]
    for name in names:
        for written in written_in(name, run.snapshot, rows=_rows(run)):
            if written.row not in lookup.rows and all(w.row != written.row for w in found):
                found.append(written)
    if names:
        what = label_text(" / ".join(names))
        said.append(say("naming" if found else "naming_none", language, what=what))
    draft.text = "\n".join([draft.say(" ".join(said)), *_quotes(draft, found)])
    return draft, _ranking(run, found, len(run.snapshot))


def _own_names(run: Run, row: int) -> list[str]:
    return list(introduced_names(run.snapshot.paper(row)).values())[:_NAMES]


def _from_place(run: Run, lookup: Lookup) -> tuple[Draft, Ranking] | None:
    language = run.query.language
    found = written_in(lookup.what, run.snapshot, rows=_rows(run))
    what = label_text(lookup.what)
    said = [say("affiliation", language, what=what)]
    said.append(say("naming" if found else "naming_none", language, what=what))
    rest = understand(lookup.rest, run.snapshot) if lookup.rest else None
    if rest is not None and rest.kind == "list" and has_topic(rest.text):
        # What is asked beside the place can be answered, and the reader is told what was left out.
        run.query = replace(rest, question=run.query.question, standalone=lookup.rest)
        run.warnings.append(" ".join(said))
        return None
    draft = Draft(abstained=True)
    draft.text = "\n".join([draft.say(" ".join(said)), *_quotes(draft, found)])
    return draft, _ranking(run, found, len(run.snapshot))


def _quotes(draft: Draft, found: Sequence[Written]) -> list[str]:
    lines = [""] if found else []
    for written in found[:_QUOTED]:
        shown = draft.quote(written.paper, written.start, written.end)
        lines.append(f"- **{label_text(written.paper.label)}** — {shown}")
    if len(found) > _QUOTED:
        lines.append(f"- … {len(found) - _QUOTED:,}")
    return lines


def _ranking(run: Run, found: Sequence[Written], candidates: int) -> Ranking:
    words = Words((), {})
    items = [
        Ranked(each.row, each.paper, 1.0, {}, words, read=(each.start, each.end)) for each in found
    ]
    return Ranking(run.query, items, len(items), candidates)
