"""What a question asks to be counted, and whether an abstract counts anything of the kind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.answering.numbers import Quantity, numbers
from assistant.answering.verbatim import whole_sentences
from assistant.corpus.spans import Span
from assistant.index.terms import analyse, is_generic

__all__ = ["other_count", "uncounted"]

_I = re.IGNORECASE
_ASKS = re.compile(
    r"(?:^|[.,;:?!]|\band)\W*(?:(?:in|on|of|for|from|to|with|across|by) )?"
    r"(?:how many|(?:what is |what's )?(?:the )?number of)\s+(?:of (?:the|its|their) )?"
    r"(?P<phrase>(?:[\w-]+ ){0,4}?(?:[\w-]{3,}s|people|children|women|men))\b"
    r"(?=\s+(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|must|should|in|on|of|for|"
    r"from|to|with|that|which|who|it|they|took|take|[\w-]+ed)\b|\s*[?.,]|\s*$)",
    _I,
)
_SCORES = re.compile(r"\b(?:points?|percent|percentage|per cent)$", _I)
_TIMES = re.compile(r"\b(?:times|degrees|orders)\b", _I)
_PERSONS = frozenset(
    "people children women men participants users subjects humans annotators students patients "
    "workers experts volunteers speakers authors persons adults teachers clinicians physicians "
    "respondents raters judges players readers reviewers developers programmers".split()
)
# What text is put in order by is counted everywhere, and is seldom what a question is after.
_OF_THE_TEXT = frozenset(
    "challenges challenge stages stage steps step folds fold ways aspects aspect components "
    "component contributions contribution issues issue problems problem properties property "
    "limitations insights questions observations directions reasons key main major types kinds "
    "parts modules module phases phase factors perspectives paradigms families variants scenarios "
    "settings setting".split()
)
_MANY = re.compile(r"\b(?:dozens|tens|hundreds|thousands|millions|billions)\b", _I)
_WITHOUT_NUMBER = re.compile(
    r"\b(?:single|one|pair of|couple of|no|zero|without(?: an?| any)?)\s+"
    r"(?P<nouns>[\w-]+(?:\s[\w-]+){0,2})",
    _I,
)
_WORD = re.compile(r"[^\W\d_][\w-]*")
_YEAR = range(1950, 2100)
_BEHIND = 4
_A_PAIR = 2


def uncounted(question: str, text: str) -> str | None:
    """Name what a question asks to be counted, where an abstract counts nothing that it could be.

    Args:
        question: the question.
        text: the abstract, with the title.

    Returns:
        Such as "how many images"; None where nothing is asked, or some count stands there.
    """
    asked = _ASKS.search(question)
    if asked is None or _TIMES.search(asked["phrase"]):
        return None
    said, words = f"how many {asked['phrase'].strip()}", set(asked["phrase"].lower().split())
    if _SCORES.search(asked["phrase"]):
        scored = any(q.unit in ("%", "x", "point") or "." in q.text for q in numbers(text))
        return None if scored or any(True for _ in _counts(text)) else said
    if _OF_THE_TEXT & words:
        return None
    if _is_unit(asked["phrase"]) and any(q.unit not in ("", "%", "x") for q in numbers(text)):
        return None
    wanted = _terms(asked["phrase"])
    alone = (found["nouns"] for found in _WITHOUT_NUMBER.finditer(text))
    if _MANY.search(text) or any(_terms(nouns) & wanted for nouns in alone):
        return None
    might = any(
        _terms(nouns) & wanted or _may_be_meant(quantity, nouns, words)
        for quantity, nouns in _counts(text)
    )
    return None if might else said


def _is_unit(phrase: str) -> bool:
    """Tell what is measured ("GPU hours") from what is counted."""
    return any(quantity.unit for quantity in numbers(f"5 {phrase.split()[-1]}"))


def _may_be_meant(quantity: Quantity, nouns: str, asked: set[str]) -> bool:
    """Tell whether a count may be what is asked for under another name."""
    words = nouns.lower().split()
    counted = next((word for word in words if word.endswith("s")), words[0] if words else "")
    if (quantity.high or quantity.value) <= _A_PAIR or counted in _OF_THE_TEXT:
        return False
    return not _PERSONS & asked or not words or bool(_PERSONS & set(words))


def other_count(question: str, text: str) -> tuple[str, Span] | None:
    """Find a count in a question that an abstract gives otherwise.

    Args:
        question: such as "What are the ten databases of X?".
        text: the abstract: "a sandbox with five databases".

    Returns:
        What the question says ("ten databases") and the sentence that says otherwise; None where
        the abstract has that number too, or counts no such thing.
    """
    held = [count for count in _counts(text) if count[0].kind == "number"]
    values = {quantity.value for quantity in numbers(text)}
    for quantity, nouns in _counts(question):
        if quantity.kind != "number" or quantity.value < 2 or quantity.value in values:
            continue
        head = _head(nouns)
        if not head or is_generic(head):
            continue
        same = [count for count in held if head == _head(count[1])]
        if len(same) == 1:
            start, end, _ = whole_sentences(text, same[0][0].start, same[0][0].end)
            said = question[quantity.start : quantity.end]
            return f"{said} {nouns}", (start, end)
    return None


def _counts(text: str) -> Iterator[tuple[Quantity, str]]:
    """Give the numbers that count something, each with up to four words behind it."""
    for quantity in numbers(text):
        if quantity.unit or quantity.kind in ("size", "formula"):
            continue
        written = text[quantity.start : quantity.end]
        if quantity.value % 1 or (quantity.value in _YEAR and written.isdigit()):
            continue
        yield quantity, _nouns(text, quantity.end)


def _nouns(text: str, at: int) -> str:
    words: list[str] = []
    while len(words) < _BEHIND:
        found = _WORD.match(text, at + 1) if text[at : at + 1] in (" ", "-") else None
        if found is None:
            break
        words.append(found[0])
        at = found.end()
    return " ".join(words)


def _head(nouns: str) -> str:
    """The first plural of some words, stemmed; empty where there is none."""
    for word in nouns.split():
        if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
            return next((term.text for term in analyse(word)), "")
    return ""


def _terms(words: str) -> set[str]:
    return {term.text for term in analyse(words)}
