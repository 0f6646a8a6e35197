"""What a list leaves out, what comes first in it, and which papers are near to others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from assistant.index.terms import analyse, is_generic, is_stopword, weighted_terms
from assistant.retrieval.commands import telling_spans
from assistant.retrieval.literal import written_in
from assistant.retrieval.negation import denies

if TYPE_CHECKING:
    from assistant.index.snapshot import Snapshot
    from assistant.retrieval.ranking import Ranked, Ranking
    from assistant.retrieval.times import Times

__all__ = [
    "NEAREST",
    "arranged",
    "has_topic",
    "in_time",
    "nearest_rows",
    "without_rows",
    "without_stated",
]

T = TypeVar("T")

NEAREST = 5
"""How many papers are given as being like another one."""


def without_rows(ranking: Ranking, rows: Collection[int]) -> Ranking:
    """Let papers of a ranking count as not relevant.

    Args:
        ranking: what was found.
        rows: the papers.
    """
    if not rows:
        return ranking
    kept = [item for item in ranking.items[: ranking.relevant] if item.row not in rows]
    held = {item.row for item in kept}
    rest = [item for item in ranking.items if item.row not in held]
    return replace(ranking, items=(*kept, *rest), relevant=len(kept), left_out=frozenset(rows))


def without_stated(
    ranking: Ranking, snapshot: Snapshot, what: str, about: Collection[int]
) -> Ranking:
    """Leave out the papers whose abstracts state something, but not those that say they lack it.

    Args:
        ranking: what was found for the rest of the question.
        snapshot: the collection.
        what: what must not be stated, as it was asked.
        about: rows of papers that are about it.
    """
    forms = [what, *_other_forms(what, snapshot)]
    stating = set(about)
    lacking: dict[int, tuple[int, int]] = {}
    for form in forms:
        lacks = denies(form)
        for found in written_in(form, snapshot, exact=False):
            spans = telling_spans(found.paper.abstract)
            if lacks([found.paper.abstract[start:end] for start, end in spans]):
                lacking[found.row] = (found.start, found.end)
            else:
                stating.add(found.row)
    stating -= set(lacking)
    ranking = without_rows(ranking, stating)
    first = [item for item in ranking.items[: ranking.relevant] if item.row in lacking]
    rest = [item for item in ranking.items if item not in first]
    return replace(ranking, items=(*first, *rest), left_out=frozenset(stating), lacking=lacking)


def _other_forms(what: str, snapshot: Snapshot) -> list[str]:
    """What an acronym stands for as abstracts write it, and the acronym of what is written out."""
    terms = [term.text for term in analyse(what) if not is_stopword(term.text)]
    forms: dict[str, None] = {}
    for written, others in snapshot.lexical.expand(terms).items():
        for other in others[:1]:
            if len(other.split()) == 1:
                forms[other] = None
            elif written == " ".join(terms):
                forms.update(dict.fromkeys(_as_written(other.split(), snapshot)))
    return list(forms)


def _as_written(stems: Sequence[str], snapshot: Snapshot) -> list[str]:
    """Find how abstracts write a run of stems."""
    held: set[int] | None = None
    for stem in stems:
        rows = set(snapshot.lexical.rows(stem).tolist())
        held = rows if held is None else held & rows
    for row in sorted(held or ())[:NEAREST]:
        text = snapshot.paper(row).abstract
        terms = [term for term in analyse(text) if not is_stopword(term.text)]
        for at in range(len(terms) - len(stems) + 1):
            run = terms[at : at + len(stems)]
            if [term.text for term in run] == list(stems):
                return [text[run[0].start : run[-1].end]]
    return []


def nearest_rows(near: Sequence[int], allowed: NDArray[np.int64], snapshot: Snapshot) -> list[int]:
    """Find the papers whose abstracts are most like those of others.

    Args:
        near: the papers they are to be like.
        allowed: the rows that may be found.
        snapshot: the collection.

    Returns:
        The nearest first, without the papers themselves and other records of theirs.
    """
    vectors = [vector for row in near if (vector := snapshot.vector(row)) is not None]
    if vectors:
        scores = np.nan_to_num(snapshot.cosines(np.mean(vectors, axis=0)), nan=-1.0)
    else:
        text = " ".join(snapshot.paper(row).indexed_text for row in near)
        weights = {
            term: weight for term, weight in weighted_terms(text).items() if not is_generic(term)
        }
        scores = snapshot.lexical.scores(list(weights), list(weights.values()))
    own = {snapshot.paper(row).content_hash for row in near}
    order = allowed[np.argsort(-scores[allowed], kind="stable")].tolist()
    found: list[int] = []
    for row in order:
        if row in near or snapshot.paper(row).content_hash in own:
            continue
        found.append(row)
        if len(found) == NEAREST:
            break
    return found


def arranged(ranking: Ranking, near: Sequence[int]) -> Ranking:
    """Leave out what was shown before, and put what is left in the order that is asked for.

    Args:
        ranking: what was found.
        near: the rows found to be like others, the nearest first.
    """
    if near:
        place = {row: at for at, row in enumerate(near)}
        items = sorted(ranking.items, key=lambda item: place.get(item.row, len(place)))
        return replace(ranking, items=tuple(items), relevant=len(items))
    query = ranking.query
    if query.without:
        before = ranking.relevant
        known = {*query.without, *ranking.left_out}
        out = ranking.left_out
        ranking = without_rows(ranking, known)
        ranking = replace(ranking, shown=before - ranking.relevant, left_out=out)
    times = query.times
    if times is None or times.order is None:
        return ranking
    follow = query.follow_up
    relevant: Sequence[Ranked] = ranking.items[: ranking.relevant]
    if follow is not None and follow.several and not has_topic(query.text):
        # "Which of those is the newest?": nothing but their years tells them apart.
        relevant = ranking.items
    first = in_time(relevant, times, lambda item: item.paper.year)
    held = {item.row for item in first}
    rest = [item for item in ranking.items if item.row not in held]
    return replace(ranking, items=(*first, *rest), relevant=len(first))


def has_topic(text: str) -> bool:
    """Tell whether a question's words tell a topic.

    Args:
        text: the question, without its filters.
    """
    return any(not is_generic(term.text) for term in analyse(text))


def in_time(found: Sequence[T], times: Times, year_of: Callable[[T], int | None]) -> list[T]:
    """Put what was found in the order of its years, and keep as many as are asked for.

    Args:
        found: papers, or what was made of them.
        times: what the question says of time.
        year_of: tells the year of each; None where its record tells none: these come last.
    """
    if times.order is None:
        return list(found)
    sign = -1 if times.order == "newest" else 1

    def age(each: T) -> tuple[bool, int]:
        year = year_of(each)
        return (year is None, sign * (year or 0))

    ordered = sorted(found, key=age)
    if times.extreme and ordered:
        ordered = [each for each in ordered if year_of(each) == year_of(ordered[0])]
    return ordered[: times.most]
