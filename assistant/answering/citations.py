"""From a model's own marks to `[n]`: one number a paper, in the order of first use."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence

from assistant.answering.marks import Mark, MarkScanner

__all__ = ["CitationStream", "numbers_in", "renumbered", "strip_reference_list", "without_numbers"]

_log = logging.getLogger(__name__)

_BLANK_OR_NOT = re.compile(r"\s+|\S+")
_CLOSING = frozenset(".,;:!?)]}%…。，；：！？")
_NUMBER = re.compile(r"\[([1-9][0-9]{0,2})\]")
_RUN = re.compile(
    r"([ \t]*)((?:\[[1-9][0-9]{0,2}\][ \t]*(?=\[[1-9][0-9]{0,2}\]))*\[[1-9][0-9]{0,2}\])"
)
_REFERENCE_LIST = re.compile(
    r"\n[ \t]*(?:#{1,6} *|\*\*)?(?:references?|sources?|bibliography|citations?|works cited|"
    r"quellen|literatur|referencias|fuentes|références|参考文献|来源) *:? *(?:\*\*)?:?[ \t]*\n"
    r"(?:[ \t]*(?:[-*•] *)?\[\d{1,3}\].*(?:\n|\Z)|[ \t]*\n)+\s*\Z",
    re.IGNORECASE,
)


class CitationStream:
    """Turns a model's text into text with `[n]`, piece by piece.

    What names no source is removed and counted. The outcome does not depend on where the pieces
    are cut, and text is held back only while it may still become a mark.

    Args:
        ids: the sources' ids in the order they were given to the model; one for each paper.
        aliases: other names a model may know a source by, with the source's place.
        order: places of the sources that have a number already, in the order of their numbers.
    """

    def __init__(
        self,
        ids: Sequence[str],
        *,
        aliases: Mapping[str, int] | None = None,
        order: Sequence[int] = (),
    ) -> None:
        self._scanner = MarkScanner(ids, aliases)
        self._blanks = ""
        self._removed = False
        self._run: list[int] = []
        self._last = ""
        self.order = list(order)
        """Places of the sources cited so far: the first has number 1."""
        self.unknown = 0
        """How many citations named a source that there is not."""
        self.no_answer = False
        """Whether the model said that the sources do not answer."""

    def feed(self, piece: str) -> str:
        """Take the next piece of the model's text.

        Args:
            piece: any part of it, cut anywhere.

        Returns:
            What is ready to be shown.
        """
        return "".join(self._taken(part) for part in self._scanner.feed(piece))

    def finish(self) -> str:
        """Say that the text has ended; returns the rest."""
        rest = "".join(self._taken(part) for part in self._scanner.feed("", final=True))
        if not self._removed:
            rest += self._blanks
        if self.unknown:
            _log.warning("%d citations of sources that were not given: removed", self.unknown)
        return rest

    def _taken(self, part: str | Mark) -> str:
        return self._text(part) if isinstance(part, str) else self._mark(part)

    def _text(self, text: str) -> str:
        shown = ""
        for part in _BLANK_OR_NOT.findall(text):
            if part.isspace():
                self._blanks += part
                continue
            # Behind `[1]`, a round bracket would make a link of it.
            if part[0] == "(" and self._run and not self._blanks:
                self._blanks = " "
            shown += self._laid_out(part[0]) + part
            self._last, self._run = part[-1], []
        return shown

    def _mark(self, mark: Mark) -> str:
        self.unknown += mark.unknown
        self.no_answer = self.no_answer or mark.no_answer
        numbers = ""
        for place in mark.places:
            if place in self._run:
                continue
            if place not in self.order:
                self.order.append(place)
            self._run.append(place)
            numbers += f"[{self.order.index(place) + 1}]"
        if not numbers:
            self._removed = True
            return ""
        shown = self._laid_out("[") + numbers
        self._last = "]"
        return shown

    def _laid_out(self, following: str) -> str:
        """Give the blanks before what follows; where a mark was taken out, one is enough."""
        blanks, self._blanks = self._blanks, ""
        removed, self._removed = self._removed, False
        if not removed:
            return blanks
        if not self._last:
            return ""
        if "\n" in blanks:
            return blanks[: blanks.rindex("\n") + 1]
        if following in _CLOSING:
            return ""
        joined = self._last.isalnum() and following.isalnum()
        return blanks[:1] or (" " if joined else "")


def numbers_in(text: str) -> tuple[int, ...]:
    """Give the numbers a text cites, each once, in the order of first use.

    Args:
        text: text with `[n]`.

    >>> numbers_in("Two do [2][1]; see also [2].")
    (2, 1)
    """
    return tuple(dict.fromkeys(int(number) for number in _NUMBER.findall(text)))


def without_numbers(text: str, numbers: Sequence[int] | None = None) -> str:
    """Remove citations, and the blank before them where none is left.

    Args:
        text: text with `[n]`.
        numbers: those to remove; by default all.

    >>> without_numbers("It halves memory [1][2].", [2])
    'It halves memory [1].'
    """

    def rest(found: re.Match[str]) -> str:
        kept = [
            number
            for number in _NUMBER.findall(found[2])
            if numbers is not None and int(number) not in numbers
        ]
        return found[1] + "".join(f"[{number}]" for number in kept) if kept else ""

    return _RUN.sub(rest, text)


def renumbered(text: str, numbers: Mapping[int, int]) -> str:
    """Give citations other numbers.

    Args:
        text: text with `[n]`.
        numbers: the new number of each old one.
    """
    return _NUMBER.sub(lambda found: f"[{numbers.get(int(found[1]), int(found[1]))}]", text)


def strip_reference_list(text: str) -> str:
    """Cut off a list of references at the end; the answer's own list takes its place.

    Args:
        text: text with `[n]`.
    """
    return _REFERENCE_LIST.sub("", text)
