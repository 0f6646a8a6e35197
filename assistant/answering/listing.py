"""Lists put together without a model: what was found, all there is, or what comes nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assistant.answering.phrases import say
from assistant.answering.quoting import label_text
from assistant.answering.said import Draft
from assistant.index.terms import is_generic
from assistant.retrieval.answer_sentences import overview
from assistant.retrieval.arranging import in_time
from assistant.retrieval.language import ENGLISH, language_of

if TYPE_CHECKING:
    from assistant.corpus.paper import Paper
    from assistant.index.snapshot import Snapshot
    from assistant.retrieval.notes import Note
    from assistant.retrieval.ranking import Ranked, Ranking

__all__ = ["asks_for_all", "head_of", "list_draft", "noted", "nothing", "showing"]

_COUNTING = frozenset({"number", "count", "total", "size", "big", "larg", "collect", "collection"})
_WORKS = frozenset({"method", "approach", "techniqu", "framework", "algorithm", "system", "model"})
_NEAREST = 3
_LISTED = 100
_AUTHORS = 6
_BOUNDS = {"gte": "≥", "lte": "≤", "gt": ">", "lt": "<"}


def list_draft(ranking: Ranking, snapshot: Snapshot) -> Draft:
    """List what was found for a question that asks for papers.

    Args:
        ranking: what was found.
        snapshot: the collection.
    """
    query, language = ranking.query, ranking.query.language
    if query.listed:
        return _again(ranking, snapshot)
    if asks_for_all(ranking):
        return _all(ranking, snapshot)
    found = ranking.items[: ranking.relevant]
    if not found:
        return nothing(ranking)
    if query.follow_up and not query.follow_up.several and not query.continued:
        found = found[:1]
    draft = Draft()
    if query.near:
        labels = "; ".join(label_text(snapshot.paper(row).label) for row in query.near)
        said = say("near", language, count=len(found), label=labels)
    else:
        said = say("found", language, count=len(found), judged=len(ranking.items))
    lines = []
    for item in found:
        shown = draft.quote(item.paper, *ranking.lacking.get(item.row, showing(item)))
        lines.append(f"- {head_of(item.paper, ranking)} — {shown}")
    draft.text = "\n".join([*noted(draft, ranking, found), draft.say(said), "", *lines])
    return draft


def _again(ranking: Ranking, snapshot: Snapshot) -> Draft:
    """The papers of a list shown before, in its order."""
    draft = Draft()
    lines = [draft.say(say("listed", ranking.query.language, count=len(ranking.query.focus))), ""]
    for row in ranking.query.focus:
        paper = snapshot.paper(row)
        told = overview(paper)[:1]
        shown = "".join(f" — {draft.quote(paper, each.start, each.end)}" for each in told)
        lines.append(f"- {head_of(paper, ranking)}{shown or f' [{draft.cite(paper, 0, 0)}]'}")
    draft.text = "\n".join(lines)
    return draft


def head_of(paper: Paper, ranking: Ranking) -> str:
    """Name a paper at the head of its line, with who wrote it and when where that was asked.

    Args:
        paper: the paper.
        ranking: what was found.
    """
    times = ranking.query.times
    told = []
    if ranking.query.people and paper.authors:
        more = len(paper.authors) - _AUTHORS
        told.append(", ".join(paper.authors[:_AUTHORS]) + (f" + {more}" if more > 0 else ""))
    if times is not None and times.order is not None and paper.year is not None:
        told.append(str(paper.year))
    behind = f" ({label_text('; '.join(told))})" if told else ""
    return f"**{label_text(paper.label)}**{behind}"


def noted(draft: Draft, ranking: Ranking, found: Sequence[Ranked]) -> list[str]:
    """Say how a question for papers was read, a line each and an empty one behind them.

    Args:
        draft: the answer.
        ranking: what was found.
        found: the papers that are listed.
    """
    query, language = ranking.query, ranking.query.language
    said = [_said(note, language) for note in query.notes]
    if query.denied and query.excluded:
        what = label_text(query.excluded)
        said.append(say("not_stating", language, what=what, count=len(ranking.left_out)))
    if query.people and not any(item.paper.authors for item in found):
        said.append(say("no_authors", language))
    return [draft.say(" ".join(said)), ""] if said else []


def _said(note: Note, language: str) -> str:
    return say(note.name, language, **note.values)


def _all(ranking: Ranking, snapshot: Snapshot) -> Draft:
    """The whole collection, or all that pass a filter, where no topic is asked for."""
    query, language = ranking.query, ranking.query.language
    rows: Sequence[int] = range(len(snapshot))
    if ranking.where:
        rows = [int(row) for row in snapshot.rows_where(ranking.where)]
    every = len(rows)
    gone = {*query.without, *ranking.left_out}
    rows = [row for row in rows if row not in gone]
    papers = [snapshot.paper(row) for row in rows]
    if query.times is not None:
        papers = in_time(papers, query.times, lambda paper: paper.year)
    if not papers:
        return nothing(ranking)
    draft = Draft()
    name, values = "total", {"count": len(papers), "where": filters_said(ranking.where)}
    if query.denied and query.excluded:
        name = "lacking_said" if ranking.lacking else "lacking"
        values["what"] = label_text(query.excluded)
        values["total"] = every
    elif len(papers) < every:
        name, values["total"] = "rest_of", every
    elif ranking.where:
        name = "passing"
    lines = noted(draft, ranking, ())
    lines += [draft.say(say(name, language, **values)), ""]
    outright = [row for row in rows if row in ranking.lacking]
    for row in outright:
        paper = snapshot.paper(row)
        shown = draft.quote(paper, *ranking.lacking[row])
        lines.append(f"- **{label_text(paper.label)}** — {shown}")
    named = {paper.id for paper in draft.papers}
    others = [paper for paper in papers if paper.id not in named]
    draft.papers += others
    times = query.times
    by_year = times is not None and times.order is not None
    for paper in others[:_LISTED]:
        year = f" ({paper.year})" if by_year and paper.year is not None else ""
        lines.append(f"- {label_text(paper.label)}{year}")
    if len(others) > _LISTED:
        lines.append(f"- … {len(others) - _LISTED:,}")
    draft.text = "\n".join(lines)
    return draft


def nothing(ranking: Ranking) -> Draft:
    """Say that nothing fits, and what comes nearest.

    Args:
        ranking: what was found.
    """
    query = ranking.query
    draft, language = Draft(abstained=True), query.language
    notes = noted(draft, ranking, ())[:1] if query.notes or query.denied else []
    if ranking.where and not ranking.candidates:
        said = [say("no_match", language, where=filters_said(ranking.where))]
        draft.text = "\n\n".join([*notes, draft.say(" ".join(said))])
        return draft
    listed = query.kind in ("list", "count")
    if query.without and listed:
        said = [say("no_more", language, count=len(query.without))]
    else:
        said = [say("none" if listed else "declined", language, judged=len(ranking.items))]
    gone = {*query.without, *ranking.left_out}
    near = [label_text(item.paper.label) for item in ranking.items if item.row not in gone]
    if near and query.kind in ("list", "fact", "count", "compare"):
        labels = "; ".join(f"*{label}*" for label in near[:_NEAREST])
        said.append(say("nearest", language, labels=labels))
    if language != ENGLISH and language_of(query.spoken) != ENGLISH:
        said.append(say("english_best", language))
    draft.text = "\n\n".join([*notes, draft.say(" ".join(said))])
    return draft


def filters_said(where: Mapping[str, object]) -> str:
    """Say filters as a person would: `year ≥ 2024, venue ICML`.

    Args:
        where: the filters.
    """
    said = []
    for name, value in where.items():
        if name == "not" and isinstance(value, Mapping):
            said.append(f"not {filters_said(value)}")
        elif isinstance(value, Mapping):
            said += [f"{name} {_BOUNDS.get(sign, sign)} {limit}" for sign, limit in value.items()]
        elif isinstance(value, list | tuple | set | frozenset):
            said.append(f"{name} {' / '.join(map(str, value))}")
        else:
            said.append(f"{name} {value}")
    return label_text(", ".join(said))


def asks_for_all(ranking: Ranking) -> bool:
    """Tell a list question without a topic: it asks for the whole collection.

    Args:
        ranking: what was found for it.
    """
    query = ranking.query
    if not ranking.items or query.focus or query.near:
        return False
    telling_nothing = _COUNTING if query.kind == "count" else frozenset()
    if query.denied:
        telling_nothing |= _WORKS
    return all(is_generic(term) or term in telling_nothing for term in ranking.items[0].words.terms)


def showing(item: Ranked) -> tuple[int, int]:
    """Give the sentence that shows a paper best, its whole abstract where none does.

    Args:
        item: the paper as ranked.
    """
    return item.best if item.best[1] else (0, len(item.paper.abstract))
