"""Answers as text, Markdown and BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from assistant.corpus.names import fold_name
from assistant.corpus.paper import Paper

if TYPE_CHECKING:
    from assistant.answering.answer import Answer

__all__ = ["as_bibtex", "as_markdown", "as_text", "bibtex"]

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        # BibTeX counts braces, those behind a backslash included.
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)


def as_text(answer: Answer) -> str:
    """Write an answer for a terminal: its text, warnings and references.

    Args:
        answer: the answer.
    """
    text = re.sub(r"\\([\\\[\]*_`|<>#+=~&.-])", r"\1", answer.text.replace("**", ""))
    parts = [text]
    if answer.warnings:
        parts.append("\n".join(f"Note: {warning}" for warning in answer.warnings))
    references = [f"[{number}] {_reference(paper)}" for number, paper in _numbered(answer)]
    if references:
        parts.append("\n".join(references))
    return "\n\n".join(parts)


def as_markdown(answer: Answer) -> str:
    """Write an answer as Markdown with a list of references.

    Args:
        answer: the answer.
    """
    from assistant.answering.quoting import quoted

    parts = [answer.text]
    parts += [f"> {quoted(warning)}" for warning in answer.warnings]
    references = [f"{number}. {quoted(_reference(paper))}" for number, paper in _numbered(answer)]
    if references:
        parts.append("\n".join(references))
    return "\n\n".join(parts)


def as_bibtex(answer: Answer) -> str:
    """Write BibTeX entries of exactly the papers an answer cites.

    Args:
        answer: the answer.
    """
    return bibtex(paper for _, paper in _numbered(answer))


def bibtex(papers: Iterable[Paper]) -> str:
    """Write BibTeX entries with distinct keys.

    Args:
        papers: the papers.
    """
    used: set[str] = set()
    entries = []
    for paper in papers:
        key = re.sub(r"[^A-Za-z0-9:._-]", "-", paper.id) or "paper"
        while key in used:
            key += "x"
        used.add(key)
        entries.append(_entry(key, paper))
    return "\n\n".join(entries)


def _entry(key: str, paper: Paper) -> str:
    fields = {
        "title": paper.title and f"{{{paper.title.translate(_SPECIAL)}}}",
        "author": " and ".join(name.translate(_SPECIAL) for name in paper.authors),
        "booktitle": paper.venue and paper.venue.translate(_SPECIAL),
        "year": paper.year and str(paper.year),
        "url": paper.url and paper.url.replace("{", "%7B").replace("}", "%7D"),
        "note": None if paper.title else paper.label.translate(_SPECIAL),
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@{'inproceedings' if paper.venue else 'misc'}{{{key},\n" + ",\n".join(lines) + "\n}"


def _numbered(answer: Answer) -> list[tuple[int, Paper]]:
    numbered = {citation.number: citation.paper for citation in answer.citations}
    return sorted(numbered.items())


def _reference(paper: Paper) -> str:
    where = " ".join(str(part) for part in (paper.venue, paper.year) if part)
    label = paper.label if paper.title else f"{paper.label} (title unknown)"
    said = [label, where, paper.url or ""]
    if fold_name(paper.id) not in fold_name(paper.url or ""):
        said.append(f"({paper.id})")
    return ". ".join(part for part in said[:3] if part) + (f" {said[3]}" if len(said) > 3 else "")
