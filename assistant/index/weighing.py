"""A question's terms, weighed for one collection: its spelling, its compounds, its acronyms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from assistant.index.acronyms import Acronyms
from assistant.index.surfaces import Form, located
from assistant.index.terms import is_generic, is_stopword, weighted_terms
from assistant.index.vocabulary import Spelling, is_known_word
from assistant.index.words import fold, stem

__all__ = ["respell", "weigh"]

# As much as did no harm on half of the queries of benchmarks/lexical.py.
_TOGETHER_WEIGHT = 0.2
_ACRONYM_WEIGHT = 0.1
_SPELLED_OUT_WEIGHT = 0.3
_SPELLED_OUT_STEM_WEIGHT = 0.1
_MOST_TOGETHER = 4
_TIMES_AS_OFTEN = 200


def respell(text: str, frequency: Callable[[str], int], spelling: Spelling) -> str:
    """Write a question with the collection's words where it has ones the collection lacks.

    Args:
        text: the question.
        frequency: in how many documents a term stands.
        spelling: the collection's words.
    """
    pieces, done = [], 0
    for at, made in located(text):
        for form in _unknown(made, frequency):
            start, end = at + form.start, at + form.end
            found = spelling.nearest(fold(text[start:end])) if start >= done else None
            if found:
                pieces += [text[done:start], found]
                done = end
    return "".join([*pieces, text[done:]])


def weigh(
    text: str,
    frequency: Callable[[str], int],
    spelling: Spelling,
    acronyms: Acronyms,
    *,
    rare: int,
) -> dict[str, float]:
    """Weigh the terms of a question, those it only implies included.

    Args:
        text: the question, respelt.
        frequency: in how many documents a term stands.
        spelling: the collection's words.
        acronyms: what stands for what in it.
        rare: in how many documents a term may stand and still be a slip of their authors' pens.

    Returns:
        Weights by term, the question's own first.
    """
    weights = weighted_terms(text)
    for term in _written_together(text, frequency):
        weights.setdefault(term, _TOGETHER_WEIGHT)
    for term in _meant_as_well(text, frequency, spelling, rare):
        weights.setdefault(term, 1.0)
    for key, phrases in acronyms.expand([term for term in weights if " " not in term]).items():
        for term, weight in _alternative(key, phrases[0]):
            weights.setdefault(term, weight)
    return weights


def _unknown(made: tuple[Form, ...], frequency: Callable[[str], int]) -> list[Form]:
    """Of a surface's terms the unknown ones, the whole before its parts."""
    if any(form.joined and frequency(form.text) for form in made):
        return []
    unknown = [
        form
        for form in made
        if not (is_generic(form.text) or frequency(form.text) or is_known_word(form.text))
    ]
    return [] if all(form.joined for form in unknown) else unknown


def _written_together(text: str, frequency: Callable[[str], int]) -> list[str]:
    """Words the collection also writes as one: "GPT 4" where it has GPT-4."""
    spans = [(at, at + made[0].end, made[0].text) for at, made in located(text) if made]
    found = []
    for first, (start, _, opening) in enumerate(spans):
        for last in range(first + 1, min(first + _MOST_TOGETHER, len(spans))):
            _, end, closing = spans[last]
            if text[spans[last - 1][1] : spans[last][0]] != " ":
                break
            if not is_stopword(opening) and not is_stopword(closing):
                found.append(stem(fold(text[start:end])))
    return [joined for joined in found if frequency(joined)]


def _meant_as_well(
    text: str, frequency: Callable[[str], int], spelling: Spelling, rare: int
) -> Iterator[str]:
    """For words that a few documents misspell just so: what nearly all others write."""
    for at, made in located(text):
        word = text[at : at + made[0].end] if len(made) == 1 else ""
        if not word[1:].islower() or is_known_word(made[0].text):
            continue
        if 0 < frequency(made[0].text) <= rare:
            often = _TIMES_AS_OFTEN * max(1, spelling.count(fold(word)))
            other = spelling.nearest(fold(word), slips=1, least=often)
            if other and not is_generic(stem(other)):
                yield stem(other)


def _alternative(key: str, phrase: str) -> Iterator[tuple[str, float]]:
    """Weigh what stands for a term: the phrase as such more than the common words in it."""
    stems = phrase.split()
    if len(stems) == 1:
        yield phrase, _ACRONYM_WEIGHT if " " in key else _SPELLED_OUT_WEIGHT
        return
    for first, second in pairwise(stems):
        yield f"{first} {second}", _SPELLED_OUT_WEIGHT
    for word in stems:
        yield word, _SPELLED_OUT_STEM_WEIGHT
