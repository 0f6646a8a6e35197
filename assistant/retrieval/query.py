"""A question as retrieval understands it, without a language model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.corpus.lookalikes import latin_words
from assistant.corpus.names import looks_like_name
from assistant.index.terms import analyse, is_stopword
from assistant.retrieval.filtering import author_in, filters_in
from assistant.retrieval.foreign import in_shared_words
from assistant.retrieval.history import FollowUp, turns_of
from assistant.retrieval.kinds import (
    Kind,
    asks_for_people,
    kind_of,
    small_talk,
    strip_markup,
)
from assistant.retrieval.language import ENGLISH, language_of
from assistant.retrieval.lookups import lookup_in
from assistant.retrieval.negation import denied_in, excluded_in
from assistant.retrieval.orders import sifted
from assistant.retrieval.question import Query
from assistant.retrieval.talk import Talk
from assistant.retrieval.times import orders_papers, times_in
from assistant.retrieval.weights import background_frequency

if TYPE_CHECKING:
    from assistant.index.lexical import LexicalIndex
    from assistant.index.snapshot import Snapshot
    from assistant.retrieval.naming import Named

__all__ = ["Query", "understand"]

_MOST_WORDS = 256
"""More words tell no more of what is asked, and each is compared with every sentence."""
_SIDE_BY_SIDE = 5
"""Papers that "the last two" may mean and still be told of one after the other."""
_HALF_WIDTH = {0xFF01 + place: 0x21 + place for place in range(94)} | {0x3000: 0x20}
"""Letters and digits as an East Asian keyboard writes them."""
_DECIMAL_COMMA = re.compile(
    r"(?<![\d,.])(\d{1,3}),(\d{1,2})(?=\s?(?:[x×%]|\\?%|times\b|percent\b))"
)


def understand(
    question: str,
    snapshot: Snapshot,
    history: Sequence[Mapping[str, object]] = (),
) -> Query:
    """Understand a question by rules.

    Args:
        question: as it was asked.
        snapshot: the collection it is asked of.
        history: the talk before it, `{"role", "content"}` each.

    Returns:
        The query; a question no rule understands is a search for its words.
    """
    return _understood(question, Talk(turns_of(history), snapshot, _understood))


def _understood(question: str, talk: Talk) -> Query:
    asked = sifted(latin_words(question.translate(_HALF_WIDTH)))
    text = _searchable(strip_markup(asked.text))
    language = language_of(text)
    if not asked.honest:
        # The text as it was typed: it tells what was refused.
        typed = " ".join(question.split())
        return Query(
            question, typed, typed, "out_of_scope", language=language, left_out=asked.left_out
        )
    chat = small_talk(text)
    if chat and not talk.continues(text):
        return Query(question, text, text, "small_talk", small_talk=chat, language=language)
    named = talk.named(text)
    query = talk.resolved(question, text, named, language)
    if query is None:
        query = _alone(question, text, talk.with_pointed(text, named), language, talk)
    return replace(query, left_out=asked.left_out) if asked.left_out else query


def _alone(question: str, text: str, named: tuple[Named, ...], language: str, talk: Talk) -> Query:
    """Understand a question that takes over nothing but what it points to."""
    snapshot = talk.snapshot
    found = None if named else talk.follow_up(text)
    kind = kind_of(text, named=len({mention.start for mention in named}))
    kind = _settled(kind, found)
    author = None
    if kind in ("list", "count") or not (named or found):
        author = author_in(text, snapshot)
        kind = "list" if kind == "fact" and (author or orders_papers(text)) else kind
    papers = kind in ("list", "count")
    # A person of the collection may be called as a place is.
    lookup = None if author else lookup_in(text, papers=papers, named=bool(named))
    excluded = excluded_in(text) if papers else None
    searched = excluded.rest if excluded else text
    where: dict[str, object] = {}
    times = None
    if papers:
        times = times_in(searched, snapshot.years, len(snapshot))
        if times.text != text:
            author = author_in(times.text, snapshot)
        where, searched = filters_in(times.text, snapshot, author)
        if times.year is not None:
            where.setdefault("year", times.year)
        if excluded is None and (excluded := denied_in(searched)):
            searched = excluded.rest
    spoken = _DECIMAL_COMMA.sub(r"\1.\2", searched).strip()
    searched, corrections = _in_its_words(spoken, language, snapshot.lexical)
    return Query(
        question=question,
        text=searched,
        standalone=_standalone(text, found, snapshot),
        kind=kind,
        named=named,
        follow_up=found,
        where=where,
        excluded=excluded.what if excluded else None,
        denied=excluded is not None and excluded.denied,
        corrections=corrections,
        language=language,
        spoken=spoken,
        without=talk.shown_before(text) if papers and not found else (),
        times=times,
        lookup=lookup,
        people=kind == "list" and asks_for_people(text),
        notes=times.notes if times else (),
    )


def _settled(kind: Kind, found: FollowUp | None) -> Kind:
    """The kind of a question whose papers the talk before it tells."""
    if found and found.listed and found.rows:
        return "list"
    if found and found.several and kind == "fact":
        few = found.whole and len(found.rows) <= _SIDE_BY_SIDE
        return "compare" if few else "list"
    if found and len(found.rows) == 1 and kind in ("list", "compare"):
        return "fact"
    return kind


def _searchable(text: str) -> str:
    """Put a question on one line; of a very long one its beginning and end, each word once."""
    words = text.split()
    if len(words) <= _MOST_WORDS:
        return " ".join(words)
    words = list(dict.fromkeys(words))
    if len(words) > _MOST_WORDS:
        words = [*words[: _MOST_WORDS // 2], *words[-_MOST_WORDS // 2 :]]
    return " ".join(words)


def _standalone(text: str, found: FollowUp | None, snapshot: Snapshot) -> str:
    if found is None or not found.rows:
        return text
    labels = [snapshot.paper(row).label for row in found.rows[:5]]
    return f"{text} (about {'; '.join(labels)})"


def _in_its_words(text: str, language: str, lexical: LexicalIndex) -> tuple[str, dict[str, str]]:
    """Write a question in the words of the collection; only English ones can be misspelt here."""
    if language != ENGLISH:
        return in_shared_words(text, language, lexical), {}
    return _respelt(text, lexical)


def _respelt(text: str, lexical: LexicalIndex) -> tuple[str, dict[str, str]]:
    """Read words that neither the collection nor the field knows as the nearest it knows."""
    corrections: dict[str, str] = {}
    pieces: list[str] = []
    done = 0
    terms = analyse(text)
    known = {
        (term.start, term.end)
        for term in terms
        if is_stopword(term.text)
        or lexical.document_frequency(term.text)
        or background_frequency(term.text)
    }
    for term in terms:
        inside = any(start <= term.start and term.end <= end for start, end in known)
        if inside or term.start < done:
            continue
        typed = text[term.start : term.end]
        read = typed if _is_name(typed, text) else lexical.respell(typed)
        if read != typed:
            corrections[typed] = read
            pieces += [text[done : term.start], read]
            done = term.end
    return "".join([*pieces, text[done:]]), corrections


def _is_name(typed: str, text: str) -> bool:
    """Tell a name nobody here bears ("fromNet"), which is no slip of the pen."""
    return looks_like_name(typed) and not (typed.isupper() or text.isupper())
