"""A question taken apart into the concepts a relevant paper must show.

"Which methods make it cheaper or faster to run a large language model?" asks for
(cheaper | faster) and (run) and (large language model): groups of alternative chunks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assistant.index.terms import Term, analyse, is_generic, is_stopword

__all__ = ["Chunk", "Topic", "topic_of"]

_OR = re.compile(
    r"\s*(?:,|/|\bor\b|\band/or\b|\bas well as\b|\boder\b|\bo\b|\bou\b)\s*", re.IGNORECASE
)
_HOLDS = re.compile(r"\s+of(?:\s+(?:the|an?|their|its))?\s+|\s*-\s*", re.IGNORECASE)
_HEAD = re.compile(
    r"^\W*(?:which|what|list|show(?: me)?|find|name|give me|are there(?: any)?|any|all|who)?"
    r"\s*(?:the |all "
    r"|other )?(?:methods?|approach(?:es)?|techniques?|frameworks?|algorithms?|systems?|projects?|"
    r"people|groups?|teams?|ones|benchmarks?(?= (?:are|do|does|is|evaluat\w+)))\b"
    r"(?:\s+\w+\s+that(?:\s+(?:they|it|their|its))?\b)?",
    re.IGNORECASE,
)

_MEANS = re.compile(r"^\W*what (?:does|do|did) [^?]+ (?P<tail>mean|stand for)\W*$", re.IGNORECASE)
_MOST_EXPANSIONS = 2


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of content words: one phrase of the question.

    Args:
        terms: stemmed terms of its words, one a word.
        spans: their offsets in the question.
        term_weights: their inverse document frequencies.
    """

    terms: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    term_weights: tuple[float, ...]

    @property
    def weight(self) -> float:
        """How much the phrase tells: the sum over its terms."""
        return sum(self.term_weights)

    @property
    def end(self) -> int:
        """Offset behind the phrase."""
        return self.spans[-1][1]


@dataclass(frozen=True, slots=True)
class Topic:
    """What a question is about.

    Args:
        text: the question.
        groups: concepts; a group's chunks are alternatives of one another.
        terms: every content term, in order, each once.
        weights: their inverse document frequencies.
        words: the terms' surfaces, in the same order.
    """

    text: str
    groups: tuple[tuple[Chunk, ...], ...]
    terms: tuple[str, ...]
    weights: tuple[float, ...]
    words: tuple[str, ...]

    @property
    def single_phrase(self) -> bool:
        """Whether the question asks for one phrase of several words, or its acronym."""
        if len(self.groups) != 1:
            return False
        places = {(chunk.spans[0][0], chunk.end) for chunk in self.groups[0]}
        return len(places) == 1 and max(len(chunk.terms) for chunk in self.groups[0]) > 1

    def placed(self) -> list[tuple[str, float, tuple[int, int]]]:
        """Return every content word with its weight and its place in the question."""
        found: dict[str, tuple[str, float, tuple[int, int]]] = {}
        known = dict(zip(self.terms, self.weights, strict=True))
        for chunk in (chunk for group in self.groups for chunk in group):
            for term, span in zip(chunk.terms, chunk.spans, strict=True):
                if term in known:
                    found.setdefault(term, (term, known[term], span))
        return list(found.values())

    def variants(self, term: str) -> list[tuple[str, ...]]:
        """Return a word and what it abbreviates or is abbreviated by, as runs of terms.

        Args:
            term: a content word of the question.
        """
        found: dict[tuple[str, ...], None] = {(term,): None}
        for group in self.groups:
            spans = [
                span
                for chunk in group
                for own, span in zip(chunk.terms, chunk.spans, strict=True)
                if own == term
            ]
            for chunk in group:
                for span in spans:
                    run = tuple(
                        own
                        for own, place in zip(chunk.terms, chunk.spans, strict=True)
                        if place[0] <= span[0] and span[1] <= place[1]
                    )
                    if run:
                        found[run] = None
        return list(found)

    @property
    def phrase(self) -> str:
        """The content words alone, as one phrase."""
        return " ".join(self.words)


Expand = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]


def topic_of(text: str, idf: Callable[[str], float], expand: Expand | None = None) -> Topic:
    """Take a question apart.

    Args:
        text: the question, resolved to stand alone.
        idf: inverse document frequency of a term in the collection.
        expand: gives what acronyms among terms stand for and the reverse, as the collection
            defines them: `{"kv": ["key valu"]}`.

    Returns:
        Its topic; where a question holds only generic words, these are its topic.
    """
    head, tail = _HEAD.match(text), _MEANS.match(text)
    first, last = head.end() if head else 0, tail.start("tail") if tail else len(text)
    every = _words(text)
    words = [word for word in every if first <= word.start < last] or every
    content = [word for word in words if not is_generic(word.text)]
    if not content:
        content = [word for word in words if not is_stopword(word.text)] or words
    groups: list[list[Chunk]] = []
    run: list[Term] = []
    for before, word in zip([None, *content], content, strict=False):
        gap = text[before.end : word.start] if before else ""
        if run and gap.strip() and not _HOLDS.fullmatch(gap):
            _close(groups, run, idf, joined=bool(_OR.fullmatch(_gap_before(text, run, groups))))
            run = []
        run.append(word)
    if run:
        _close(groups, run, idf, joined=bool(_OR.fullmatch(_gap_before(text, run, groups))))
    unique = {word.text: text[word.start : word.end] for word in reversed(content)}
    terms = tuple(dict.fromkeys(word.text for word in content))
    return Topic(
        text=text,
        groups=tuple(tuple(_with_acronyms(group, expand)) for group in groups),
        terms=terms,
        weights=tuple(idf(term) for term in terms),
        words=tuple(unique[term] for term in terms),
    )


def _with_acronyms(group: list[Chunk], expand: Expand | None) -> list[Chunk]:
    """Add the phrases that a group's acronyms stand for, and the acronyms of its phrases."""
    if expand is None:
        return group
    wider = list(group)
    for chunk in group:
        for written, others in expand(chunk.terms).items():
            for other in others[:_MOST_EXPANSIONS]:
                wider += _replaced(chunk, written.split(), other.split())
    return wider


def _replaced(chunk: Chunk, written: list[str], other: list[str]) -> list[Chunk]:
    terms = list(chunk.terms)
    for at in range(len(terms) - len(written) + 1):
        if terms[at : at + len(written)] == written:
            behind = at + len(written)
            span = (chunk.spans[at][0], chunk.spans[behind - 1][1])
            new = (*terms[:at], *other, *terms[behind:])
            spans = (*chunk.spans[:at], *([span] * len(other)), *chunk.spans[behind:])
            # The phrase weighs what it weighed as it was asked, however many words it has now.
            weight = sum(chunk.term_weights[at:behind]) / len(other)
            weights = (
                *chunk.term_weights[:at],
                *([weight] * len(other)),
                *chunk.term_weights[behind:],
            )
            return [Chunk(new, spans, weights)]
    return []


def _words(text: str) -> list[Term]:
    """Return one term a surface: the joined form stands for its parts."""
    words: list[Term] = []
    for term in analyse(text):
        if words and term.start < words[-1].end:
            continue
        words.append(term)
    return words


def _gap_before(text: str, run: list[Term], groups: list[list[Chunk]]) -> str:
    if not groups:
        return "."
    return text[groups[-1][-1].end : run[0].start]


def _close(
    groups: list[list[Chunk]], run: list[Term], idf: Callable[[str], float], *, joined: bool
) -> None:
    chunk = Chunk(
        terms=tuple(term.text for term in run),
        spans=tuple((term.start, term.end) for term in run),
        term_weights=tuple(idf(term.text) for term in run),
    )
    if joined:
        groups[-1].append(chunk)
    else:
        groups.append([chunk])
