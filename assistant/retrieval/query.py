"""A question as retrieval understands it, without a language model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assistant.corpus.lookalikes import latin_words
from assistant.index.terms import analyse, is_generic, is_stopword
from assistant.retrieval.asking import wants_of
from assistant.retrieval.filtering import asks_by_author, filters_in
from assistant.retrieval.history import FollowUp, follow_up, turns_of
from assistant.retrieval.kinds import (
    Kind,
    SmallTalk,
    kind_of,
    small_talk,
    strip_markup,
)
from assistant.retrieval.language import ENGLISH, is_function_word, language_of
from assistant.retrieval.naming import Named, candidate_rows, names_in
from assistant.retrieval.orders import sifted
from assistant.retrieval.weights import background_frequency

if TYPE_CHECKING:
    from assistant.index.lexical import LexicalIndex
    from assistant.index.snapshot import Snapshot

__all__ = ["Query", "understand"]

_I = re.IGNORECASE
_EXCLUDING = re.compile(
    r"[,;]?\s*\b(?:but (?:not|without)|except(?: for)?|excluding|other than|apart from|"
    r"(?:and|that are|which are) not)\s+"
    r"(?:(?:about|on|for|in|those|the ones|papers|using)\s+)*"
    r"(?P<what>[^?.!;]+)",
    _I,
)
# As answers print them: with a figure, so that no plain word is looked up.
_ID = re.compile(r"(?<![\w/.-])(?=[^\s]*\d)[A-Za-z0-9][\w:/.-]{3,60}\w(?![\w/-])")
_OPENINGS = {"number": "how many", "reason": "why"}
_WORDS_TO_TELL = 5
_MOST_WORDS = 256
"""More words tell no more of what is asked, and each is compared with every sentence."""
_CLEARLY = 1.5
_HALF_WIDTH = {0xFF01 + place: 0x21 + place for place in range(94)} | {0x3000: 0x20}
"""Letters and digits as an East Asian keyboard writes them."""
_DECIMAL_COMMA = re.compile(
    r"(?<![\d,.])(\d{1,3}),(\d{1,2})(?=\s?(?:[x×%]|\\?%|times\b|percent\b))"
)
_BRACKETED = re.compile(r"\[([^\[\]]{2,60})\]")


@dataclass(frozen=True, slots=True)
class Query:
    """A question, understood.

    Args:
        question: as it was asked.
        text: what is searched for: the question less its filters, in the collection's spelling.
        standalone: the question as it reads without the talk before it.
        kind: what kind of question it is.
        small_talk: which small talk, where it is some.
        named: the papers it names, in its order.
        follow_up: what it refers to in the talk before it.
        where: filters found in it.
        excluded: what the papers must not be about.
        corrections: words as they were typed and as they were read.
        language: ISO 639-1 code.
        spoken: what `text` was made of, for an embedder that knows the question's language.
        left_out: orders to the assistant that stood in the question and are not followed.
    """

    question: str
    text: str
    standalone: str
    kind: Kind
    small_talk: SmallTalk | None = None
    named: tuple[Named, ...] = ()
    follow_up: FollowUp | None = None
    where: Mapping[str, object] = field(default_factory=dict)
    excluded: str | None = None
    corrections: Mapping[str, str] = field(default_factory=dict)
    language: str = "en"
    spoken: str = ""
    left_out: str = ""

    @property
    def focus(self) -> tuple[int, ...]:
        """Rows the answer is limited to: named papers, else those the talk points to."""
        if self.named:
            return tuple(named.row for named in self.named)
        return self.follow_up.rows if self.follow_up else ()


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
    asked = sifted(latin_words(question.translate(_HALF_WIDTH)))
    text = _searchable(strip_markup(asked.text))
    language = language_of(text)
    if not asked.honest:
        # The text as it was typed: it tells what was refused.
        typed = " ".join(question.split())
        return Query(
            question, typed, typed, "out_of_scope", language=language, left_out=asked.left_out
        )
    talk = small_talk(text)
    if talk:
        return Query(question, text, text, "small_talk", small_talk=talk, language=language)
    named = tuple(_named(text, snapshot))
    found = None
    if not named:
        found = follow_up(text, turns_of(history), lambda said: _rows_said(said, snapshot))
    kind = kind_of(text, named=len({mention.start for mention in named}))
    kind = _settled(kind, found)
    if kind == "fact" and not named and not found and asks_by_author(text, snapshot):
        kind = "list"
    excluded = _EXCLUDING.search(text) if kind in ("list", "count") else None
    searched = text[: excluded.start()] + text[excluded.end() :] if excluded else text
    where: dict[str, object] = {}
    if kind in ("list", "count"):
        where, searched = filters_in(searched, snapshot)
    searched = _DECIMAL_COMMA.sub(r"\1.\2", searched)
    spoken = searched.strip()
    searched, corrections = _respelt(searched, snapshot.lexical)
    if language != ENGLISH:
        searched = _in_shared_words(searched, language, snapshot.lexical)
    return Query(
        question=question,
        text=searched,
        standalone=_standalone(text, found, snapshot),
        kind=kind,
        named=named,
        follow_up=found,
        where=where,
        excluded=excluded["what"].strip() if excluded else None,
        corrections=corrections,
        language=language,
        spoken=spoken,
        left_out=asked.left_out,
    )


def _settled(kind: Kind, found: FollowUp | None) -> Kind:
    """The kind of a question whose papers the talk before it tells."""
    if found and found.several and kind == "fact":
        return "list"
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


def _named(text: str, snapshot: Snapshot) -> list[Named]:
    by_id = [
        Named(row, match[0], *match.span())
        for match in _ID.finditer(text)
        if (row := snapshot.row(match[0])) is not None
    ]
    rows = candidate_rows(text, snapshot.lexical)
    by_name = names_in(text, ((row, snapshot.paper(row)) for row in rows), snapshot.lexical)
    known = {named.row for named in by_id}
    return [*by_id, *(named for named in by_name if named.row not in known)]


def _rows_said(said: str, snapshot: Snapshot) -> list[int]:
    """Find the papers a message mentions: by id in brackets, by name, or by title."""
    places: dict[int, int] = {}
    for match in _BRACKETED.finditer(said):
        row = snapshot.row(match[1].strip())
        if row is not None:
            places.setdefault(row, match.start())
    rows = candidate_rows(said, snapshot.lexical)
    papers = [(row, snapshot.paper(row)) for row in rows]
    folded = said.casefold()
    for row, paper in papers:
        at = folded.find(paper.label.casefold())
        if at >= 0:
            places[row] = min(at, places.get(row, at))
    if not places:
        for named in names_in(said, papers, snapshot.lexical):
            places.setdefault(named.row, named.start)
    if not places:
        return _rows_told_of(said, snapshot.lexical)
    return sorted(places, key=lambda row: places[row])


def _rows_told_of(said: str, lexical: LexicalIndex) -> list[int]:
    """Find the one paper that an answer without a name tells of, where its words leave no doubt."""
    weights = lexical.weigh(said)
    scores = lexical.scores(list(weights), list(weights.values()))
    if len(scores) == 0 or len(weights) < _WORDS_TO_TELL:
        return []
    order = scores.argsort()[::-1]
    second = scores[order[1]] if len(order) > 1 else 0.0
    return [int(order[0])] if scores[order[0]] > _CLEARLY * second else []


def _standalone(text: str, found: FollowUp | None, snapshot: Snapshot) -> str:
    if found is None or not found.rows:
        return text
    labels = [snapshot.paper(row).label for row in found.rows[:5]]
    return f"{text} (about {'; '.join(labels)})"


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
        read = lexical.respell(typed)
        if read != typed:
            corrections[typed] = read
            pieces += [text[done : term.start], read]
            done = term.end
    return "".join([*pieces, text[done:]]), corrections


def _in_shared_words(text: str, language: str, lexical: LexicalIndex) -> str:
    """Say a question by the words it shares with the collection and the answer it wants."""
    shared = _shared_words(text, language, lexical)
    wanted = {want.name for want in wants_of(text)}
    opening = [words for name, words in _OPENINGS.items() if name in wanted]
    return " ".join([*opening[:1], shared]) if shared else text


def _shared_words(text: str, language: str, lexical: LexicalIndex) -> str:
    """Keep the words of a question in another language that the collection knows."""
    kept: list[str] = []
    done, telling = 0, False
    for term in analyse(text):
        word = text[term.start : term.end]
        if term.start < done or is_function_word(word, language) or is_stopword(term.text):
            continue
        if lexical.document_frequency(term.text):
            kept.append(word)
            telling = telling or not is_generic(term.text)
            done = term.end
    return " ".join(kept) if telling else ""
