"""Where a quote stands in an abstract: markup, case and white space aside, letter for letter."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.answering.plaintext import plain
from assistant.corpus.sentences import sentence_spans

__all__ = ["find_verbatim", "whole_sentences"]

_AROUND = " \t\n\"'“”„‘’«».…*_`()[]"
_LEAST_WORDS = 3
_LEAST_CHARS = 12


@dataclass(frozen=True, slots=True)
class _Folded:
    text: str
    starts: list[int]
    ends: list[int]


def find_verbatim(quote: str, abstract: str) -> tuple[int, int] | None:
    r"""Find a quote in an abstract.

    Args:
        quote: as a model wrote it, with or without its quotation marks.
        abstract: the text it is said to come from.

    Returns:
        Offsets in the abstract; None where it does not stand there word for word, or is too short
        to show anything.

    >>> text = "It cuts latency by $4.7\\times$."
    >>> text[slice(*find_verbatim('"cuts latency by 4.7×"', text))]
    'cuts latency by $4.7\\times'
    """
    wanted = _folded(quote).text.strip(_AROUND)
    if len(wanted.split()) < _LEAST_WORDS and len(wanted) < _LEAST_CHARS:
        return None
    held = _folded(abstract)
    at = held.text.find(wanted)
    return None if at < 0 else (held.starts[at], held.ends[at + len(wanted) - 1])


def whole_sentences(abstract: str, start: int, end: int) -> tuple[int, int, int]:
    """Widen a span to the sentences it touches, so that no "not" is left out before it.

    Args:
        abstract: the text.
        start: offset of the span.
        end: offset behind it.

    Returns:
        Offsets of the sentences, and how many they are.
    """
    touched = [span for span in sentence_spans(abstract) if span[0] < end and start < span[1]]
    if not touched:
        return start, end, 1
    return touched[0][0], touched[-1][1], len(touched)


def _folded(text: str) -> _Folded:
    form = plain(text)
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for char, start, end in zip(form.text, form.starts, form.ends, strict=True):
        if char.isspace():
            if not chars or chars[-1] == " ":
                continue
            folded = " "
        else:
            lower = char.lower()
            folded = lower if len(lower) == 1 else char
        chars.append(folded)
        starts.append(start)
        ends.append(end)
    return _Folded("".join(chars), starts, ends)
