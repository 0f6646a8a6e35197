"""A comparison taken apart: which papers are compared, and what is asked of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assistant.corpus.names import fold_name, looks_like_name
from assistant.corpus.paper import Paper
from assistant.corpus.spans import overlaps
from assistant.index.terms import analyse, is_generic
from assistant.retrieval.commands import telling_spans
from assistant.retrieval.lookups import MASK, masked
from assistant.retrieval.naming import Named
from assistant.retrieval.query import Query

__all__ = [
    "Side",
    "asked_of",
    "baseline_of",
    "compared",
    "comparing",
    "counted_topic",
    "described_parts",
    "stands_alone",
]

_I = re.IGNORECASE
_ONE_ANOTHER = re.compile(
    r"\bone (?:paper |work |study |method |of them )?(?P<first>.+?)[,;:]\s*(?:and |while |but |whereas )?"
    r"(?:another|the other|a second)(?: one| paper| work)?\s*(?:,\s*)?(?P<second>.+?)(?:[.?!]|$)",
    _I,
)
_DESCRIBED = re.compile(
    r"\bthe (?P<what>(?:[\w-]+ ){0,5}?(?:papers?|works?|stud(?:y|ies)|methods?|approach(?:es)?|"
    r"frameworks?|benchmarks?|transformers?|networks?|models?|system|detector|planner|data ?set|attack|"
    r"chatbot|classifier|agent|gym|policy|algorithm|test)\b(?: (?:that|which|on|about|for|with|trained|"
    r"where|who|using|from|of|behind)\b[^,;.?!]{3,120}?)?)(?=,| and (?:the|a|an|in|how)\b|\?|\.|;|:| differ|"
    r" make| do | does | each| obtain| treat|$)",
    _I,
)
_SIDES = re.compile(
    r"\b(?:between|compare|contrast|in|for|of|do|does|are|is)\s+(?P<a>[^,;.?!]{4,90}?)\s+"
    r"(?:and|versus|vs\.?|or)\s+(?P<b>[^,;.?!]{4,90}?)(?=[,;.?!]|\s+(?:differ|each|compare|make|do|get)\b|$)",
    _I,
)
_COUNTED = re.compile(r"\b(two|three|four|both)\b", _I)
_COUNTED_PAPERS = re.compile(
    r"\b(?:two|three|four|both)\b(?: \w+){0,2} (?:papers|works|studies|abstracts|methods|approaches|"
    r"benchmarks|models|frameworks)\b",
    _I,
)
_WITH_ANYTHING = frozenset(
    "compar contrast differ versus vs exist prior previous earlier recent current other baselin state art method "
    "work approach techniqu model system better wors stand fare does alon".split()
)
"""What a comparison with nothing in particular is made of, as terms."""
_COMPARING = re.compile(
    r"\b(?:outperform\w*|surpass\w*|exceed\w*|compared (?:to|with)|in contrast (?:to|with)|unlike|superior\w*|state-of-the-art|"
    r"SOTA|baselines?|competitive|(?:better|faster|worse|higher|lower|fewer|more|less)\b[^.]{0,60}\bthan|over (?:existing|prior|previous|"
    r"standard|strong)|improv\w+ (?:over|upon)|comparable)\b",
    _I,
)
_CLAUSE = re.compile(
    r"[;?]\s+|,?\s+(?:and|but|while|whereas)\s+(?=(?:in |on |at |by |to )?(?:what|which|how|where|who|why|when)\b)",
    _I,
)
_ASKING = re.compile(r"\b(?:what|which|how|where|who|why|when)\b", _I)
_NAME = re.compile(r"[^\W_][\w+-]*")
_NUMBERS = {"two": 2, "both": 2, "three": 3, "four": 4}


def described_parts(question: str) -> list[str]:
    """Find the papers a comparison describes instead of naming them.

    Args:
        question: the question.

    Returns:
        One phrase a paper; empty where none is described.
    """
    pair = _ONE_ANOTHER.search(question)
    if pair:
        return [pair["first"].strip(), pair["second"].strip()]
    return [match["what"].strip() for match in _DESCRIBED.finditer(question)]


def counted_topic(question: str) -> str | None:
    """Find the topic of "Two papers here are about X. What does each …?".

    Args:
        question: the question.

    Returns:
        The sentence or clause that counts the papers, where another one asks something of them.
    """
    pieces = [piece for piece in re.split(r"(?<=[.?!:;])\s+", question) if piece.strip()]
    counted = [piece for piece in pieces if _COUNTED_PAPERS.search(piece)]
    return counted[0] if counted and len(pieces) > 1 else None


def stands_alone(query: Query) -> bool:
    """Tell a comparison that names one paper and nothing to compare it with: "compare X".

    Args:
        query: a comparison.
    """
    if len({named.row for named in query.named}) != 1:
        return False
    bare = masked(query.text, query.mentions)
    terms = {term.text for term in analyse(bare)}
    own = {term.text for term in analyse(MASK)}
    return all(is_generic(term) or term in own or term in _WITH_ANYTHING for term in terms)


def baseline_of(query: Query, papers: Mapping[int, Paper]) -> tuple[int, str] | None:
    """Find what a paper's own abstract speaks of as that with which it is to be compared.

    "Compare TBPO with DPO" asks of the paper on TBPO, whose abstract compares it with DPO; another
    paper that uses DPO, or whose abstract is nearest to the word, is not meant.

    Args:
        query: a comparison.
        papers: the papers it names, by row.

    Returns:
        The paper's row and the name beside it; None where two papers are compared.
    """

    def titled(named: Named) -> bool:
        title = papers[named.row].title if named.row in papers else None
        return fold_name(named.name) in fold_name(title or "")

    own = [named for named in query.named if titled(named)] or list(query.named)
    rows = {named.row for named in own}
    if len(rows) != 1 or own[0].row not in papers or described_parts(query.text):
        return None
    spans = [named.span for named in own]
    for found in _NAME.finditer(query.text):
        if overlaps(found.span(), spans) or not looks_like_name(found[0]):
            continue
        if re.search(rf"(?<!\w){re.escape(found[0])}(?!\w)", papers[own[0].row].abstract):
            return own[0].row, found[0]
    return None


def comparing(paper: Paper, name: str = "") -> list[tuple[int, int]]:
    """Find the sentences in which an abstract compares its work with other work.

    Args:
        paper: the paper.
        name: what it is to be compared with; any other work without it.
    """
    spans = telling_spans(paper.abstract)
    if name:
        return [span for span in spans if name in paper.abstract[slice(*span)]]
    return [span for span in spans if _COMPARING.search(paper.abstract, *span)]


@dataclass(frozen=True, slots=True)
class Side:
    """One paper of a comparison.

    Args:
        row: its row in the collection.
        start: where the question names or describes it; its end where it does not.
        end: offset behind that.
    """

    row: int
    start: int
    end: int


def compared(
    query: Query, ranked: Sequence[int], best_for: Callable[[str], int | None]
) -> list[Side]:
    """Choose the papers a comparison is about.

    Args:
        query: the question as understood.
        ranked: rows of the whole question's ranking, best first.
        best_for: finds the best row for a phrase.

    Returns:
        Its sides in the order the question brings them up.
    """
    text = query.text
    sides = [Side(named.row, named.start, named.end) for named in query.named]
    wanted = _wanted(text, len(sides))

    def add(phrase: str) -> None:
        start = text.find(phrase)
        if overlaps((start, start + len(phrase)), ((side.start, side.end) for side in sides)):
            return
        row = best_for(phrase)
        if row is not None and row not in {side.row for side in sides}:
            sides.append(Side(row, start, start + len(phrase)))

    for phrase in described_parts(text):
        add(phrase)
    between = _SIDES.search(text)
    for phrase in (between["a"], between["b"]) if between else ():
        if len(sides) < wanted:
            add(phrase)
    taken = {side.row for side in sides}
    rest = [row for row in ranked if row not in taken]
    sides += [Side(row, len(text), len(text)) for row in rest[: max(0, wanted - len(sides))]]
    return sorted(sides, key=lambda side: side.start)


def asked_of(question: str, side: Side, sides: Sequence[Side]) -> str:
    """Give what a comparison asks of one of its sides.

    Args:
        question: the question.
        side: one side.
        sides: all of them.

    Returns:
        The side's own clause where each has one ("what does A need, and what B?"); else the
        question without what names or describes the others.
    """
    others = [other for other in sides if other.row != side.row and other.start < other.end]
    if not others or side.start >= side.end:
        return question
    start, end = _clause(question, side.start)
    apart = not any(start <= other.start < end for other in others)
    if apart and _ASKING.search(question, start, end):
        return question[start:end]
    kept, done = [], 0
    for other in sorted(others, key=lambda other: other.start):
        kept.append(question[done : max(done, other.start)])
        done = max(done, other.end)
    return "".join([*kept, question[done:]])


def _clause(question: str, at: int) -> tuple[int, int]:
    start = 0
    for cut in _CLAUSE.finditer(question):
        if cut.start() > at:
            return start, cut.start()
        start = cut.end()
    return start, len(question)


def _wanted(text: str, named: int) -> int:
    counted = _COUNTED.search(text)
    return max(named, _NUMBERS[counted[1].lower()] if counted else 2)
