"""Replies that need no search, and how a ready reply is told in events."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.answering.events import Done, Event, SentenceChecked, Token
from assistant.answering.extractive import Draft
from assistant.answering.phrases import say, small_talk_reply
from assistant.answering.runs import Run
from assistant.retrieval.orders import is_attack
from assistant.retrieval.query import Query

if TYPE_CHECKING:
    from assistant.retrieval.ranking import Ranking

__all__ = ["answered", "out_of_scope", "told", "without_search"]

_TOTAL = re.compile(
    r"^\W*(?:"
    r"wie viele (?:papers?|arbeiten|artikel|beiträge|abstracts)"
    r"(?: (?:gibt es|hast du|sind|enthält|umfasst|es|gibt))?"
    r"(?: (?:hier|da|insgesamt|denn|drin|in (?:der|dieser) sammlung|(?:die|diese) sammlung))*"
    r"|cu[aá]ntos (?:art[ií]culos|papers|trabajos)(?: (?:hay|tienes|contiene))?"
    r"(?: (?:aqu[ií]|en total|en (?:la|esta) colecci[oó]n))*"
    r"|combien d(?:e |['’])(?:articles|papiers|travaux)(?: (?:y a-t-il|avez-vous|contient))?"
    r"(?: (?:ici|en tout|au total|(?:dans )?(?:la|cette) collection))*"
    r"|(?:这里|合集|集合|一共|总共|里|中|你)*有?(?:多少|几)(?:篇|个)?(?:论文|文章|摘要)"
    r")\W*$",
    re.IGNORECASE,
)
"""How many papers there are at all, in languages whose question words are no stop words here."""


def without_search(run: Run) -> Draft | None:
    """Reply to what is no question about the papers' contents.

    Args:
        run: the question.

    Returns:
        None where papers must be looked at.
    """
    query, draft = run.query, Draft()
    if query.small_talk is not None:
        draft.text = draft.say(small_talk_reply(query.small_talk, query.language))
        return draft
    if not any(char.isalnum() for char in query.text):
        draft.text = draft.say(say("empty", query.language))
        return draft
    if query.kind == "out_of_scope":
        return out_of_scope(run)
    total = _TOTAL.match(query.standalone) or (query.kind == "count" and _asks_total(query))
    if total and not query.where and not run.request.where:
        draft.text = draft.say(say("total", query.language, count=len(run.snapshot)))
        return draft
    return None


def out_of_scope(run: Run) -> Draft:
    """Say that a question is not about the papers.

    Args:
        run: the question; its kind becomes `out_of_scope`.
    """
    run.query = replace(run.query, kind="out_of_scope")
    draft = Draft(abstained=True)
    name = "refused" if run.query.left_out or is_attack(run.query.text) else "scope"
    draft.text = draft.say(say(name, run.query.language))
    return draft


def answered(run: Run, draft: Draft, ranking: Ranking) -> Iterator[Event]:
    """Tell an answer in the abstracts' own sentences.

    Args:
        run: the question.
        draft: what is said.
        ranking: what was found.
    """
    yield from told(draft)
    yield Done(run.answer(draft, ranking))


def told(draft: Draft) -> Iterator[Event]:
    """Tell a draft that is ready in events.

    Args:
        draft: what is said.
    """
    yield Token(draft.text)
    for sentence in draft.sentences:
        yield SentenceChecked(sentence)


def _asks_total(query: Query) -> bool:
    """Only the size is asked where no word of the question tells a topic."""
    from assistant.index.terms import is_generic, query_terms

    about_size = {"collect", "index", "databas", "total", "corpus", "set", "here", "mani", "count"}
    return all(is_generic(term) or term in about_size for term in query_terms(query.text))
