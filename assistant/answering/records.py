"""What is asked of a paper's record rather than of its abstract: venue, year, address, authors."""

from __future__ import annotations

import re

from assistant.corpus.paper import Paper

__all__ = ["asked_of_record"]

_I = re.IGNORECASE
_WHERE = re.compile(
    r"\b(?:where|(?:at|in) (?:which|what) (?:conference|venue|journal|workshop))\b[^?]{0,60}\b(?:published|"
    r"appear\w*|presented|accepted|come out)\b|\b(?:which|what) (?:conference|venue|journal)\b|\bvenue of\b",
    _I,
)
_WHEN = re.compile(
    r"\b(?:when|(?:in )?(?:which|what) year|what is the year)\b[^?]{0,60}\b(?:published|publication|appear\w*|"
    r"presented|accepted|come out|written)\b|\byear of publication\b|\bpublication year\b",
    _I,
)
_ADDRESS = re.compile(
    r"\b(?:link|url|web ?page|address|arxiv(?: id| number| link)?|pdf|full text)\b[^?]{0,25}\b(?:of|to|for)\b|"
    r"\bwhere (?:can|do) i (?:read|find|get|download) (?:the )?(?:paper|pdf|full text)\b|\barxiv id\b",
    _I,
)
_TITLE = re.compile(r"\b(?:title of|(?:full|exact) title|what is the paper called)\b", _I)
_AUTHORS = re.compile(
    r"\bwho (?:wrote|authored|are the authors|is the author)\b|\bauthors? of\b", _I
)


def asked_of_record(question: str, paper: Paper) -> str | None:
    """Answer from a paper's record.

    Args:
        question: the question.
        paper: the paper it asks about.

    Returns:
        The answer in a few words; None where the question asks something else or the record does
        not know.
    """
    published = " ".join(str(part) for part in (paper.venue, paper.year) if part)
    known = (
        (_AUTHORS, ", ".join(paper.authors)),
        (_WHERE, published if paper.venue else ""),
        (_WHEN, published if paper.year else ""),
        (_ADDRESS, paper.url or ""),
        (_TITLE, paper.title or ""),
    )
    return next((value for pattern, value in known if value and pattern.search(question)), None)
