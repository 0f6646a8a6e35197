"""Names that papers give to what they introduce, and how names are compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from assistant.corpus.paper import Paper

__all__ = ["fold_name", "introduced_names", "looks_like_name"]

_TOKEN = r"[^\W_](?:[\w+^$-]|\.(?=\d))*"
_MARKUP = r"(?:\\text\w+\{|\\emph\{|\*{1,3}|\$)?"
_VERB = (
    r"(?:propos|introduc|present|develop|describ|releas|contribut|design|build|creat|establish)"
    r"(?:e|es|ed|ing|s|t)?|built|called|dubbed|termed|named|coined|namely|call it|we call|achieve"
)
_INTRODUCED = re.compile(
    rf"\b(?:{_VERB})\s+(?:(?:an?|the|our|novel|new|simple|method|framework|it|as)\s+){{0,4}}"
    rf"{_MARKUP}(?P<name>{_TOKEN}(?:\s+{_TOKEN}){{0,3}})"
)
_BOLD = re.compile(r"(?:\\textbf\{|\*{2,3})(?P<name>[^*{}]{2,60}?)(?:\}|\*{2,3})")
# Two words, then a name in brackets; the second word is taken whole, or a long run of hyphens would
# be tried in every way it can be cut.
_DEFINED = re.compile(
    rf"[\w+^$-][ -][^\W_](?:[\w+^$-]|\.(?=\d)){{0,60}}+\}}?\*{{0,3}}\s?"
    rf"\({_MARKUP}(?P<short>{_TOKEN})[^()]{{0,3}}\)"
)
_CLAUSE = re.compile(rf"\b(?:{_VERB})\b[^.;]{{0,160}}")
_TITLE_NAME = re.compile(r"^(?P<name>[^:]{2,40}?)\s*:\s+\S")
_TITLE_WORDS = 4
_SHORT_TITLE = 6
_SUBJECT = re.compile(rf"(?:^|[.;]\s+){_MARKUP}(?P<name>{_TOKEN})\S{{0,3}}\s+[a-z]+s\b")


def fold_name(name: str) -> str:
    """Reduce a name to what counts when names are compared.

    Args:
        name: as it is written anywhere, such as `ACTIVE-o3` or `Active O3`.

    Returns:
        Letters and digits alone, lower-case, accents removed (`activeo3`).
    """
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(filter(str.isalnum, plain))


def looks_like_name(token: str) -> bool:
    """Tell whether a word is written the way methods, data sets and models are.

    Args:
        token: one word without blanks.

    Returns:
        True for a capital behind the first letter, or letters mixed with digits.
    """
    letters = [char for char in token if char.isalpha()]
    if not letters:
        return False
    inner_capital = any(char.isupper() for char in token.lstrip("\\${*(")[1:])
    mixed = any(char.isdigit() for char in token) and token[0].isalpha()
    return inner_capital or (mixed and letters[0].isupper())


@lru_cache(maxsize=20_000)
def introduced_names(paper: Paper) -> dict[str, str]:
    """Find what a paper names as its own: methods, data sets, models.

    Args:
        paper: the paper.

    Returns:
        Folded name to the name as written, the surest first.
    """
    found: dict[str, str] = {}
    for written in _named(paper):
        name = written.strip(" ,.;:-$*{}")
        folded = fold_name(name)
        if len(folded) > 1 and not folded.isdigit():
            found.setdefault(folded, name)
    return found


def _named(paper: Paper) -> Iterator[str]:
    title = _TITLE_NAME.match(paper.title or "")
    if title and len(title["name"].split()) <= _TITLE_WORDS:
        yield title["name"]
        yield from _leading_names(title["name"])[-1:]
    elif paper.title and len(paper.title.split()) <= _SHORT_TITLE:
        yield paper.title
    text = paper.abstract
    for match in _INTRODUCED.finditer(text):
        yield from _leading_names(match["name"])
    for match in _BOLD.finditer(text):
        yield from _bold_names(match["name"])
    clauses = " ".join(match.group() for match in _CLAUSE.finditer(text)).replace("{", "")
    for match in _DEFINED.finditer(text):
        if looks_like_name(match["short"]) and f"({match['short']}" in clauses:
            yield match["short"]
    for match in _SUBJECT.finditer(text):
        if looks_like_name(match["name"]) and text.count(match["name"]) > 1:
            yield match["name"]


def _bold_names(bold: str) -> Iterator[str]:
    name = re.sub(r"\s*\(.*?\)\s*", " ", bold)
    if 1 < len(name.split()) <= _TITLE_WORDS + 1:
        yield name
    for token in bold.split():
        if looks_like_name(token):
            yield token.strip("()")


def _leading_names(phrase: str) -> list[str]:
    """Return the name-like start of a phrase: `SMM Transformer, an …` gives both lengths."""
    words = phrase.split()
    if not looks_like_name(words[0]):
        return []
    names = [words[0]]
    for i, word in enumerate(words[1:], start=2):
        if not word[0].isupper():
            break
        names.insert(0, " ".join(words[:i]))
    return names
