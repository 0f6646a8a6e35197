"""A conversation as text that a browser keeps, and back: what comes back is checked as foreign."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assistant.answering.answer import Answer
from assistant.errors import InputError
from assistant.web.cards import MOST_UNCITED

__all__ = ["MOST_KEPT", "MOST_TURNS", "packed", "unpacked"]

MOST_KEPT = 4_000_000
"""Characters of one conversation; browsers keep about five million of a page."""
MOST_TURNS = 200
_VERSION = 1
_ANSWERS = TypeAdapter(Answer)
_AS_THEY_ARE = (
    "text question standalone_question kind mode abstained judged candidates model prompt_hash "
    "embedder index_fingerprint usage timings warnings sentences"
).split()


def packed(name: str, turns: Sequence[Mapping[str, Any]]) -> str:
    """Return turns as JSON in which each paper stands once.

    Args:
        name: of the conversation.
        turns: plain values, in which an `answer` may be an `Answer`.
    """
    papers: dict[str, dict[str, Any]] = {}
    kept = []
    for turn in turns[-MOST_TURNS:]:
        answer = turn.get("answer")
        small = None if answer is None else _small(answer, papers)
        kept.append({**turn, "answer": small})
    return json.dumps(
        {"name": name, "version": _VERSION, "papers": papers, "turns": kept},
        ensure_ascii=False,
        separators=(",", ":"),
    )


def unpacked(text: str) -> list[dict[str, Any]]:
    """Return the turns of a kept conversation.

    Args:
        text: what `packed` gave, or anything else that a browser sends.

    Raises:
        InputError: it is no conversation, or too long to be one.
    """
    if len(text) > MOST_KEPT:
        raise InputError("this conversation is too long to be opened again: begin a new one")
    try:
        data = json.loads(text)
        if data["version"] != _VERSION:
            raise InputError("this conversation was kept by another version of the page")
        turns = data["turns"][-MOST_TURNS:]
        return [_turn(turn, data["papers"]) for turn in turns]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ValidationError):
        raise InputError("this conversation cannot be read: delete it") from None


def _small(answer: Answer, papers: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Leave out what the page does not show, and put the papers into a table of their own."""
    whole = answer.to_dict()
    small = {name: whole[name] for name in _AS_THEY_ARE}
    named = {paper.id for paper in answer.papers}
    others = [found for found in answer.evidence if found.paper.id not in named][: MOST_UNCITED * 2]
    shown = named | {found.paper.id for found in others}
    for paper in (
        *(citation.paper for citation in answer.citations),
        *answer.papers,
        *(found.paper for found in others),
    ):
        papers.setdefault(paper.id, paper.to_dict())
    small["papers"] = [paper.id for paper in answer.papers]
    small["citations"] = [
        {**_without(given, "quote"), "paper": given["paper"]["id"]} for given in whole["citations"]
    ]
    small["evidence"] = [
        {
            "paper": found.paper.id,
            "start": found.passage.start,
            "end": found.passage.end,
            "relevance": round(found.relevance, 4),
        }
        for found in answer.evidence
        if found.paper.id in shown
    ]
    small["history"] = [dict(message) for message in answer.history[-2:]]
    return small


def _without(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in given.items() if key != name}


def _turn(turn: Mapping[str, Any], papers: Mapping[str, Any]) -> dict[str, Any]:
    small = turn.get("answer")
    if small is None:
        return dict(turn)
    whole = dict(small)
    whole["papers"] = [papers[paper_id] for paper_id in small["papers"]]
    whole["citations"] = [_quoted(given, papers) for given in small["citations"]]
    whole["evidence"] = [
        {
            "paper": papers[found["paper"]],
            "relevance": found["relevance"],
            "passage": {
                "paper_id": found["paper"],
                "text": _cut(papers[found["paper"]], found),
                "start": found["start"],
                "end": found["end"],
            },
        }
        for found in small["evidence"]
    ]
    return {**turn, "answer": _ANSWERS.validate_python(whole)}


def _quoted(given: Mapping[str, Any], papers: Mapping[str, Any]) -> dict[str, Any]:
    paper = papers[given["paper"]]
    return {**given, "paper": paper, "quote": _cut(paper, given)}


def _cut(paper: Mapping[str, Any], span: Mapping[str, Any]) -> str:
    start, end, abstract = span["start"], span["end"], paper["abstract"]
    if not 0 <= start <= end <= len(abstract):
        raise ValueError("a quote lies outside its abstract")
    return str(abstract[start:end])
