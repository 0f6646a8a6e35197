"""The tokeniser: from text about machine learning to terms that meet however they were written."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from assistant.index.surfaces import located
from assistant.index.words import AS_WRITTEN, BOILERPLATE, STOPWORDS, stem

__all__ = [
    "Emphasis",
    "Term",
    "analyse",
    "content_words",
    "is_generic",
    "is_stopword",
    "query_terms",
    "weighted_terms",
]

_STOP_TERMS = frozenset(stem(word) for word in STOPWORDS) | STOPWORDS
_GENERIC_TERMS = frozenset(stem(word) for word in BOILERPLATE)


@dataclass(frozen=True, slots=True)
class Term:
    """A normalised, stemmed term and where its surface stands: `text[start:end]`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Emphasis:
    """How much a compound counts, a plain word being 1.

    A compound's whole and its parts are one idea, so each counts less; two words that stand
    side by side count a little once more. The values are the middle of the plateau that one
    half of the queries of benchmarks/lexical.py shows (`--choose` prints it).

    Args:
        whole: "kvcach" of "KV-cache".
        part: "kv" and "cach" of it.
        pair: "kv cach", for words side by side.
    """

    whole: float = 0.5
    part: float = 0.7
    pair: float = 0.2


_USUAL = Emphasis()


def analyse(text: str) -> list[Term]:
    r"""Cut a text into terms; a compound yields its joined form and its parts.

    "KV-caches" gives kvcach, kv and cach; "RelayCaching" relaycach, relay and cach;
    "$4.7\times$" 4.7x and 4.7. Chinese, Japanese and Korean runs give pairs of characters.

    Args:
        text: any text.

    Returns:
        Terms in the order of their surfaces, a compound before its parts;
        `0 <= start < end <= len(text)` always holds.
    """
    return [Term(f.text, at + f.start, at + f.end) for at, made in located(text) for f in made]


def query_terms(text: str) -> list[str]:
    """Return the terms a question is about, without the words questions are made of.

    Args:
        text: the question.

    Returns:
        Terms in order, each once; where only generic words are left they are kept rather
        than returning nothing.
    """
    return [term for term in weighted_terms(text) if " " not in term]


def weighted_terms(text: str, emphasis: Emphasis = _USUAL) -> dict[str, float]:
    """Return a question's terms with how much each counts, pairs of neighbours included.

    Pairs are the ordered windows of Metzler, D., Croft, W. B.: A Markov random field model for
    term dependencies. SIGIR 2005, 472-479.

    Args:
        text: the question.
        emphasis: how much compounds and pairs count.

    Returns:
        Weights by term, in order, the pairs last.
    """
    found: dict[str, float] = {}
    words: list[str] = []
    generic: set[str] = set()
    for at, made in located(text):
        compound = any(form.joined for form in made)
        for form in made:
            weight = emphasis.whole if form.joined else emphasis.part if compound else 1.0
            found[form.text] = max(found.get(form.text, 0.0), weight)
            if not form.joined and not is_stopword(form.text):
                words.append(form.text)
            if is_generic(form.text) or text[at : at + form.end].lower() in AS_WRITTEN:
                generic.add(form.text)
    content = {term: weight for term, weight in found.items() if not is_stopword(term)}
    telling = {term: weight for term, weight in content.items() if term not in generic}
    pairs = {
        f"{first} {second}": emphasis.pair
        for first, second in pairwise(words)
        if not telling or (first in telling and second in telling)
    }
    return (telling or content or found) | pairs


def content_words(text: str) -> list[str]:
    """Return a text's terms in order, function words and joined compounds left out.

    Args:
        text: any text.
    """
    return [
        form.text
        for _, made in located(text)
        for form in made
        if not form.joined and not is_stopword(form.text)
    ]


def is_stopword(term: str) -> bool:
    """Say whether a term is an English function word.

    Args:
        term: a term as `analyse` gives it.
    """
    return term in _STOP_TERMS


def is_generic(term: str) -> bool:
    """Say whether a term tells nothing of a topic: a function word or question boilerplate.

    Args:
        term: a term as `analyse` gives it.
    """
    return term in _STOP_TERMS or term in _GENERIC_TERMS
