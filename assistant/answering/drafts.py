"""A written answer sentence by sentence: cut out of Markdown, checked, and put together again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Protocol

from assistant.answering.answer import Citation, Sentence, Support
from assistant.answering.citations import numbers_in, renumbered, without_numbers
from assistant.answering.names import names
from assistant.answering.numbers import numbers
from assistant.answering.phrases import say
from assistant.corpus.paper import Paper
from assistant.corpus.sentences import sentence_spans

__all__ = [
    "UNVERIFIED",
    "Checked",
    "Piece",
    "Verdict",
    "Verify",
    "assembled",
    "checked",
    "is_complete",
    "split",
]

UNVERIFIED = say("unverified", "en")
"""What stands behind a sentence that no source supports, where such sentences are kept."""

_LEAD = re.compile(r"[ \t]*(?:>[ \t]*)*(?:[-*+•][ \t]+|\d{1,2}[.)][ \t]+|#{1,6}[ \t]+)?")
_LATE_MARKS = re.compile(
    r"(?P<before>[^\]\s])(?P<end>[.!?。！？]+[\"'”’)*_]*)[ \t]*(?P<marks>(?:\[\d{1,3}\])+)"
    r"(?=\s*$|\s+[^\sa-z]|[*_]|[^\x00-\x7f])",
    re.MULTILINE,
)
_EARLY_MARKS = re.compile(r"(?P<marks>(?:\[\d{1,3}\])+)[:,]?\s+(?=[^\sa-z\[])")
# A mark that is the next sentence's subject: "… memory. [2] proposes …".
_BEFORE_SUBJECT = re.compile(
    r"(?<!e\.g\.)(?<!i\.e\.)(?<!\bal\.)(?<!\bcf\.)(?<=[.!?])\s+(?=\[\d{1,3}\] ?[a-z])"
)
_SENTENCE_END = re.compile(r"[.!?…。！？:][\"'”’)\]*_`]*$|\|$")
_CLOSING_MARKS = re.compile(r"[ \t]*(?:[.!?…。！？]+[\"'”’)\]*_`]*|\|)?$")
_WORD = re.compile(r"[^\W_]")
_LOCAL_MARKS = re.compile(r"\[\d+\](?: \[\d+\])*")


class Verdict(Protocol):
    """What a check of one sentence found."""

    @property
    def support(self) -> Support | None:
        """How far the papers support it; None where it claims nothing of any paper."""

    @property
    def spans(self) -> Mapping[int, tuple[int, int]]:
        """By place in the papers given: where in its abstract the supporting words stand."""

    @property
    def reason(self) -> str | None:
        """Why it is not supported, in a few words."""


class Verify(Protocol):
    """Checks one sentence against the papers it cites."""

    def __call__(self, sentence: str, papers: Sequence[Paper]) -> Verdict:
        """Check a sentence.

        Args:
            sentence: as it stands in the answer; `[k]` in it cites the k-th of the papers.
            papers: those it cites; none where it cites none.
        """


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence as it stands in the text, and what stands before it: blanks, a list's dash."""

    before: str
    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A checked sentence.

    Args:
        before: blanks and list marks in front of it.
        text: with the citations that hold.
        support: the verdict; None where it claims nothing of a paper.
        reason: why it is not supported.
        proofs: by citation number, where in that paper's abstract the supporting words stand.
    """

    before: str
    text: str
    support: Support | None
    reason: str | None = None
    proofs: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def sentence(self) -> Sentence:
        """The sentence as an answer lists it."""
        return Sentence(self.text, self.support, numbers_in(self.text), self.reason)


def split(text: str) -> tuple[list[Piece], str]:
    """Cut Markdown into sentences; a row of a table is one.

    Args:
        text: text with `[n]`; a mark behind the full stop belongs to the sentence it ends.

    Returns:
        The sentences in order, and what stands behind the last one.
    """
    text = _LATE_MARKS.sub(r"\g<before> \g<marks>\g<end>", text)
    pieces: list[Piece] = []
    done = 0
    for line in re.finditer(r"[^\n]+", text):
        for start, end in _spans_in_line(line[0]):
            begin = line.start() + start
            sentence = _marks_last(text[begin : line.start() + end])
            pieces.append(Piece(text[done:begin], sentence))
            done = line.start() + end
    return pieces, text[done:]


def _marks_last(sentence: str) -> str:
    """Move marks that open a sentence to its end; where they are its subject they stay."""
    found = _EARLY_MARKS.match(sentence)
    if found is None or numbers_in(sentence[found.end() :]):
        return sentence
    return _before_end(sentence[found.end() :], f" {found['marks']}")


def _spans_in_line(line: str) -> list[tuple[int, int]]:
    lead = _LEAD.match(line)
    start = lead.end() if lead else 0
    if not _WORD.search(without_numbers(line[start:])):
        return []
    if line.lstrip().startswith("|"):
        return [(len(line) - len(line.lstrip()), len(line.rstrip()))]
    starts = [start, *(found.end() for found in _BEFORE_SUBJECT.finditer(line, start))]
    return [
        (begin + first, begin + last)
        for begin, end in pairwise([*starts, len(line)])
        for first, last in sentence_spans(line[begin:end])
    ]


def is_complete(sentence: str) -> bool:
    """Tell whether a sentence has its end.

    Args:
        sentence: the last of a text; citation marks may follow the full stop.

    >>> is_complete("It halves memory [1]."), is_complete("It halves")
    (True, False)
    """
    return _SENTENCE_END.search(without_numbers(sentence).rstrip()) is not None


def checked(
    piece: Piece,
    papers: Sequence[Paper],
    order: list[int],
    recent: Sequence[int],
    verify: Verify,
    default_span: Callable[[int], tuple[int, int]],
) -> Checked:
    """Check a sentence; citations that do not hold are taken out of it.

    A claim that cites nothing, yet is said by one of the sources, gets that source's citation.

    Args:
        piece: the sentence.
        papers: all sources.
        order: places of the sources that have a number; may grow.
        recent: places of the sources the sentence before it rests on.
        verify: the check.
        default_span: where a source's words for the question stand, for a verdict without spans.
    """
    numbers = numbers_in(piece.text)
    places = [order[number - 1] for number in numbers]
    local = {number: at for at, number in enumerate(numbers, start=1)}
    verdict = verify(renumbered(piece.text, local), [papers[place] for place in places])
    if verdict.support == "unsupported" and not numbers:
        found = _found_source(piece.text, papers, recent, verify)
        if found is not None:
            place, verdict = found
            if place not in order:
                order.append(place)
            numbers, places = (order.index(place) + 1,), [place]
            piece = replace(piece, text=_cited(piece.text, numbers[0]))
    reason = _LOCAL_MARKS.sub("its source", verdict.reason) if verdict.reason else None
    if verdict.support == "unsupported":
        return Checked(piece.before, piece.text, "unsupported", reason)
    proofs = {numbers[index]: span for index, span in verdict.spans.items()}
    if not proofs and verdict.support is not None:
        proofs = {
            number: default_span(place) for number, place in zip(numbers, places, strict=True)
        }
    unproven = [number for number in numbers if number not in proofs]
    text = without_numbers(piece.text, unproven) if unproven else piece.text
    return Checked(piece.before, text, verdict.support, reason, proofs)


def _found_source(
    text: str, papers: Sequence[Paper], recent: Sequence[int], verify: Verify
) -> tuple[int, Verdict] | None:
    """Find the source that says a sentence.

    One that names nothing speaks of the source before it; a first one that gives a figure speaks
    of the best source of all.
    """
    others = [place for place in range(len(papers)) if place not in recent]
    if not names(text):
        others = others[:1] if not recent and numbers(text) else []
    for place in [*recent, *others]:
        verdict = verify(_cited(text, 1), [papers[place]])
        if verdict.support == "supported":
            return place, verdict
    return None


def _cited(text: str, number: int) -> str:
    return _before_end(text, f" [{number}]")


def _before_end(text: str, added: str) -> str:
    end = _CLOSING_MARKS.search(text)
    cut = end.start() if end else len(text)
    return f"{text[:cut]}{added}{text[cut:]}"


def assembled(
    sentences: Sequence[Checked],
    tail: str,
    papers: Sequence[Paper],
    order: Sequence[int],
    *,
    mark: str | None,
) -> tuple[str, tuple[Checked, ...], tuple[Citation, ...]]:
    """Put the answer together, numbered anew in the order of first use.

    Args:
        sentences: in order.
        tail: what stands behind the last one.
        papers: all sources.
        order: places of the sources by their present numbers.
        mark: what stands behind a sentence that no source supports, in place of its citations;
            None: such sentences are left out.

    Returns:
        The text, the sentences as they stand in it, and the proofs ordered by number.
    """
    if mark is None:
        kept = _without_dropped(sentences)
    else:
        kept = [_marked(each, mark) for each in sentences]
    text = "".join(each.before + each.text for each in kept) + (tail if kept else "")
    used = numbers_in(text)
    new = {number: place for place, number in enumerate(used, start=1)}
    final = tuple(
        replace(
            each,
            text=renumbered(each.text, new),
            proofs={new[number]: span for number, span in each.proofs.items()},
        )
        for each in kept
    )
    cited = [papers[order[number - 1]] for number in used]
    return renumbered(text, new).strip(), final, _proofs(final, cited)


def _without_dropped(sentences: Sequence[Checked]) -> list[Checked]:
    kept: list[Checked] = []
    line_start: str | None = None
    for each in sentences:
        starts_line = not kept or "\n" in each.before
        if each.support == "unsupported":
            if starts_line and line_start is None:
                line_start = each.before
            continue
        if line_start is not None and "\n" not in each.before:
            each = replace(each, before=line_start)  # noqa: PLW2901
        line_start = None
        kept.append(each)
    return kept


def _marked(each: Checked, mark: str) -> Checked:
    if each.support != "unsupported":
        return each
    return replace(each, text=_before_end(without_numbers(each.text), f" {mark}"))


def _proofs(sentences: Sequence[Checked], cited: Sequence[Paper]) -> tuple[Citation, ...]:
    found: dict[tuple[int, int, int], Citation] = {}
    for each in sentences:
        for number, (start, end) in each.proofs.items():
            paper = cited[number - 1]
            proof = Citation(
                number, paper, paper.abstract[start:end], start, end, each.support or "partial"
            )
            found.setdefault((number, start, end), proof)
    return tuple(sorted(found.values(), key=lambda proof: proof.number))
