"""Names in a question, side by side with a paper's, that no abstract of the collection knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.answering.missing import COMMON_NAMES
from assistant.corpus.names import fold_name, looks_like_name
from assistant.corpus.spans import Span, overlaps

__all__ = ["Stranger", "strangers_beside"]

_TOKEN = re.compile(r"[^\W_](?:[\w+^-]|\.(?=\d))*")
_JOINS = re.compile(
    r"\s*(?:[,;/&+]\s*)?(?:(?:and|or|vs\.?|versus|und|oder|y|o|et|ou|compared? (?:to|with|against)|"
    r"differs? from|[和与或])\s*)?(?:(?:the|of|those of)\s+)?",
    re.IGNORECASE,
)
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Stranger:
    """A name nobody here bears.

    Args:
        name: as the question writes it.
        start: offset in the question.
        end: offset behind it.
    """

    name: str
    start: int
    end: int


def strangers_beside(
    question: str,
    named: Sequence[Span],
    is_known: Callable[[str], bool],
    *,
    anywhere: bool = False,
) -> list[Stranger]:
    """Find the names that a question puts beside those of papers: "What do RGGT and X use?".

    Args:
        question: the question.
        named: where it names papers.
        is_known: tells whether any abstract holds a word.
        anywhere: whether a name counts wherever it stands, as in a comparison, where what is not
            named beside the paper may be what it is compared with. An acronym does not: a question
            speaks of LLMs more often than it compares them.

    Returns:
        In the order of the question; none where no paper is named.
    """
    if not named:
        return []
    beside, found = list(named), []
    candidates = [match.span() for match in _TOKEN.finditer(question)]
    for start, end in candidates:
        name = question[start:end]
        if overlaps((start, end), named) or not _is_name(name) or is_known(name):
            continue
        compared = anywhere and not (name.isalpha() and name.isupper())
        if compared or any(_joined(question, (start, end), other) for other in beside):
            found.append(Stranger(name, start, end))
            beside.append((start, end))
    return found


def _is_name(token: str) -> bool:
    folded = fold_name(token)
    return len(folded) >= _LEAST and looks_like_name(token) and folded not in COMMON_NAMES


def _joined(question: str, one: Span, other: Span) -> bool:
    first, second = sorted((one, other))
    between = question[first[1] : second[0]]
    return bool(between.strip()) and _JOINS.fullmatch(between) is not None
