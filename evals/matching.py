"""Tells whether a text states a fact, in whatever form it writes it."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from assistant.answering.numbers import normalise
from assistant.answering.plaintext import plain
from evals.cases import Fact, Term

__all__ = ["fold", "holds", "states"]

_STAR = "\ue000"
_OPEN_END = re.compile(r"(?<=\w\w)\*(?=\W|$)")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=\w)|(?<=\w)-(?=[^\W\d_])")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "`": "'"})


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    r"""Write a text so that what says the same is spelt the same.

    Quantities are in one form (`4.7×`, `$4.7\times$` and "4.7 times" are `4.7x`), case, hyphens,
    dashes and Unicode variants are gone.

    Args:
        text: an answer or a fact.
    """
    same = unicodedata.normalize("NFKC", normalise(text)).casefold().translate(_QUOTES)
    same = re.sub("[\u00ad\u200b-\u200d]", "", re.sub("[‐‑‒–—−]", "-", same))
    return " ".join(_HYPHEN.sub(" ", same).split())


def states(term: Term, text: str) -> bool:
    """Tell whether a text holds a term.

    A term in words may end in `*` ("configur*"), stands for its plural too, and is never found
    inside a longer word or number. An expression is searched in the text as it is and without its
    markup.

    Args:
        term: words or a regular expression.
        text: an answer.
    """
    if term.regex is not None:
        found = re.compile(term.regex, re.IGNORECASE)
        return bool(found.search(text) or found.search(plain(text).text))
    return bool(_pattern(term.text or "").search(fold(text)))


def holds(fact: Fact, text: str) -> bool:
    """Tell whether a text states a fact in one of its wordings.

    Args:
        fact: what a right answer says.
        text: an answer.
    """
    return any(states(term, text) for term in fact.any_of)


@lru_cache(maxsize=4096)
def _pattern(words: str) -> re.Pattern[str]:
    folded = fold(_OPEN_END.sub(_STAR, words))
    pieces = [
        re.escape(piece.replace(_STAR, "")) + (r"\w*" if _STAR in piece else "")
        for piece in folded.split()
    ]
    plural = "s?" if folded[-1:].isalpha() and len(folded) > 2 else ""
    body = "[ -]?".join(pieces) + plural
    if not folded.isascii() and not re.search(r"[a-z\d]", folded):
        return re.compile(body)  # Chinese and Japanese write no blanks between words.
    before = r"(?<![\w.^-])(?<!\d,)" if folded[:1].isdigit() else r"(?<!\w)"
    after = r"(?!\w|[.,]\d|%|-\d)" if folded[-1:].isdigit() else r"(?!\w)"
    return re.compile(before + body + after)
