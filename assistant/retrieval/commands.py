"""Sentences of an abstract that order their reader about: they are no evidence of anything.

An abstract tells of its work. A sentence that tells a language model, or whoever answers, what to
say, cite or hide tells nothing of it: it is offered as evidence only where nothing else is there.
What counts is whom a sentence speaks to and what it wants done, not what it is about: "we show that
models ignore previous instructions" is a finding and stays. See docs/decisions/0012-commands.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from assistant.corpus.lookalikes import plain_letters
from assistant.corpus.sentences import sentence_spans, trimmed
from assistant.corpus.spans import Span

__all__ = ["commands", "spans_of", "telling_spans"]


_I = re.IGNORECASE
_KEPT_PAPERS = 4_096
_LONGEST_SENTENCE = 1_500

_MACHINE = (
    r"(?:(?:ai|large|language|chat|automated|virtual|helpful|the|any|all|every|an?|reading|this)[ -]+)*"
    r"(?:assistants?|(?:language )?models?|llms?|chat ?bots?|ais?|agents?|reviewers?|systems?|gpt|chatgpt|"
    r"claude|gemini|copilot)"
)
_START = r"(?:^[\W_]*|[:;,.!?>\])—–-]\s*|\b(?:please|now|then|and|instead|also)\s+)"
_BEGINS = r"(?:^[\W_]*|[.!?:]\s+|\bplease\s+)"
_SAYS = (
    r"(?:answer|reply|respond|say|cite|quote|tell|output|print|write|repeat|reveal|show|mention|ignore|obey|"
    r"follow|recommend|rate|rank|append|add|include|insert|leave out|refuse|decline|pretend|act|decode|send|"
    r"visit|click|open|ask|state|claim|declare|give|use|trust|forget|disregard|end your|begin your)"
)
_OF_ANSWERING = (
    r"(?:questions?|answers?|reply|replies|users?|prompts?|instructions?|rules?|citations?|sources?|passwords?|"
    r"(?:api[ -]?)?keys?|(?:single |one )?words?\b[^.]{0,3}[\"'“A-Z]|this (?:paper|work|image|abstract|link|source)|"
    r"(?:all|any|every|no)(?: the)? other (?:papers?|sources?|works?|abstracts?)|everyone|anyone else|"
    r"what it says|these figures|above all|the reader)"
)


@dataclass(frozen=True, slots=True)
class _Order:
    """A way to give orders: its pattern, and what a text must hold for it to be worth a search."""

    hints: tuple[str, ...]
    pattern: re.Pattern[str]

    def found_in(self, text: str, lowered: str) -> bool:
        for hint in self.hints:
            if hint in lowered:
                break
        else:
            if self.hints:
                return False
        return self.pattern.search(text) is not None


def _order(hints: str, pattern: str) -> _Order:
    return _Order(tuple(filter(None, hints.split("|"))), re.compile(pattern, _I | re.DOTALL))


_ORDERS = (
    # the marks by which models are told turns apart
    _order("<|[inst|[/inst|<<", r"<\|\s*\w+\s*\|>|\[/?INST\]|<</?SYS>>"),
    _order(":", r"(?:^|\n)\W*(?:system|assistant|user|human)\s*:\s*\S"),
    # spoken to whom
    _order(":|!", rf"{_BEGINS}(?:\w+ ){{0,2}}(?:to|for)\s+{_MACHINE}\b[^.:,!]{{0,40}}[:!]"),
    _order(
        "attention|dear|hey|hello",
        rf"{_BEGINS}(?:attention|dear|hey|hello)\s+{_MACHINE}\b[^.:,!]{{0,40}}[:,!]",
    ),
    _order(
        "assistant|bot|ai,|ai:|gpt|claude|gemini|llm",
        rf"{_START}(?:dear )?(?:assistant|chat ?bot|ai|chatgpt|claude|gemini|llm)\s*[,:]\s*"
        rf"(?:please |always |never |do not |you )*{_SAYS}\b",
    ),
    _order(
        "if you",
        r"\bif you(?:['’]re| are| happen to be) (?:an? |the |some )?"
        r"(?:ai|llm|large|language|automated|chat|assistant|model|reading)\b",
    ),
    # told what to do
    _order(
        "you ",
        r"\byou (?:must|should|shall|will|are to|have to|need to|may|can|ought to)"
        rf"(?: (?:not|only|always|never|now))* {_SAYS}\b[^.]{{0,60}}\b{_OF_ANSWERING}",
    ),
    _order(
        "you are|from now",
        r"\byou are (?:now|no longer|in) (?:an? |the )?\w+|\bfrom now on,? (?:you|answer|reply|act)\b",
    ),
    _order(
        "",
        rf"{_BEGINS}(?:always |never |do not |don['’]t |only |just )*{_SAYS}\b(?!-)"
        rf"(?: only| always| never| with| to| just| nothing but)*[^.:;]{{0,60}}\b{_OF_ANSWERING}",
    ),
    _order(" only", rf"{_BEGINS}(?:answer|reply|respond|say) only\b"),
    _order(
        "ignor|disregard|forget|overrid|bypass|do not follow",
        rf"(?:{_START}|\b(?:must|should) )(?:ignore|disregard|forget|override|bypass|do not follow)\b"
        r"[^.]{0,40}\b(?:instructions?|rules?|prompts?|guidelines|questions?|above|previous|earlier|"
        r"prior|everything)\b",
    ),
    # what only the one who answers has
    _order(
        "question is|end of",
        r"\bthe user['’]?s?(?: real| actual| new| next)? question is\b|"
        r"\bend of (?:the )?(?:sources?|context|documents?|system prompt)\b",
    ),
    _order(
        "system prompt|api key|password|environment var",
        rf"{_START}(?:\w+ ){{0,3}}(?:print|reveal|repeat|show|output|send)\b[^.]{{0,40}}"
        r"\b(?:system prompt|api key|password|environment variables)",
    ),
    # to be drawn or fetched, not read
    _order(
        "![|<|javascript:|data:",
        r"!\[[^\]]*\]\s?\(|<!--|"
        r"<\s*(?:script|iframe|style|object|embed|svg|form|base|input|meta)\b[^>]*[>=/]|"
        r"<\s*(?:img|a|p|link|div)\b[^>]*=|\bjavascript:|\bdata:(?:text|image)/",
    ),
    # other languages
    _order(
        "ignorier|antwort|sprachmodell|assistent",
        r"\bignorier\w*\b[^.]{0,40}(?:anweisung|regel|frage)|\bantworte\b[^.]{0,40}\b(?:nur|ausschlie)|"
        r"\ban (?:das|die|den) (?:sprachmodell|assistent|ki)\w*\s*:",
    ),
    _order(
        "忽|无视|無視|忘记|只|你现在",
        r"(?:忽略|无视|忘记|忽視|無視)[^。]{0,14}(?:指令|指示|规则|提示|命令)|只(?:能)?(?:回答|输出|回复)|你现在是",
    ),
    _order("игнорируй|отвечай", r"игнорируй\w*[^.]{0,40}(?:инструкц|правил|указан)|\bотвечай\w*\b"),
    _order(
        "ignor|répond",
        r"\bignore[zr]?\b[^.]{0,40}\b(?:instructions|consignes|règles)\b|"
        r"\brépond(?:s|ez)\b[^.]{0,30}\b(?:seulement|uniquement|que)\b",
    ),
    _order(
        "ignor|responde",
        r"\bignor[ae]\b[^.]{0,40}\b(?:instrucciones|reglas)\b|"
        r"\bresponde\b[^.]{0,30}\b(?:solo|sólo|únicamente)\b",
    ),
)
_MARKUP = re.compile(
    r"<!--.*?(?:-->|$)|(?<!<)<(script|style|form|iframe|object|svg)\b.*?</\1\s*>|</?[a-zA-Z][^<>]{0,500}/?>|"
    r"<\|.*?\|>|\[INST\].*?\[/INST\]|\[/?INST\]|<</?SYS>>|\burl\([^)]{0,500}\)|!?\[[^\]]{0,200}\]\s?\([^)]{0,500}\)|"
    r"\\href\s*\{[^{}]{0,500}\}\s*\{[^{}]{0,200}\}|(?<=[A-Za-z0-9+/=]{24})\s+(?=[A-Z])",
    _I | re.DOTALL,
)
"""What would be drawn, run or opened, or no one can read: it ends a sentence as a full stop does."""
_WORD = re.compile(r"[^\W\d_]{2,}")


def commands(sentence: str) -> bool:
    """Tell whether a sentence orders whoever answers about.

    Args:
        sentence: of an abstract, in any language.
    """
    text = plain_letters(sentence[: 2 * _LONGEST_SENTENCE])
    lowered = text.lower()
    return any(order.found_in(text, lowered) for order in _ORDERS)


def telling_spans(abstract: str) -> list[Span]:
    """Cut an abstract into the sentences that tell of its work.

    Args:
        abstract: the text.

    Returns:
        `(start, end)` of each sentence in order, without those that command; all of them where
        nothing else is there.
    """
    return list(_telling(abstract))


@lru_cache(maxsize=_KEPT_PAPERS)
def spans_of(abstract: str) -> tuple[Span, ...]:
    """Cut an abstract into all its sentences, those that command included.

    Args:
        abstract: the text.
    """
    return tuple(
        piece for span in sentence_spans(abstract) for piece in _in_lengths(abstract, span)
    )


@lru_cache(maxsize=_KEPT_PAPERS)
def _telling(abstract: str) -> tuple[Span, ...]:
    short = spans_of(abstract)
    kept: list[Span] = []
    for span in short:
        if not commands(abstract[slice(*span)]):
            kept.append(span)
            continue
        # Cut at its markup, so that what stands beside it is kept.
        pieces = _around_markup(abstract, span)
        kept += [piece for piece in pieces if not commands(abstract[slice(*piece)])]
    return tuple(kept) or short


def _in_lengths(abstract: str, span: Span) -> Iterator[Span]:
    """Cut what no one would write as one sentence at blanks: much is compared word by word."""
    start, end = span
    while end - start > _LONGEST_SENTENCE:
        blank = abstract.rfind(" ", start + 1, start + _LONGEST_SENTENCE)
        cut = blank if blank > 0 else start + _LONGEST_SENTENCE
        if (piece := trimmed(abstract, start, cut)) is not None:
            yield piece
        start = cut
    if (piece := trimmed(abstract, start, end)) is not None:
        yield piece


def _around_markup(abstract: str, span: Span) -> list[Span]:
    """Cut a sentence at its markup."""
    pieces, done = [], span[0]
    for found in _MARKUP.finditer(abstract, *span):
        pieces.append((done, found.start()))
        done = found.end()
    cut = [trimmed(abstract, *piece) for piece in (*pieces, (done, span[1]))]
    return [piece for piece in cut if piece is not None and _WORD.search(abstract, *piece)]
