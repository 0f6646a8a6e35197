"""A reasoning model's private thoughts, taken out of what it streams."""

from __future__ import annotations

import regex

from assistant.answering.thought_marks import (
    CHANNEL_ENDS,
    ENDS,
    NEVER,
    NEXT_TURN,
    PLAIN_ENDS,
    visible_mark,
)

__all__ = ["ThoughtFilter", "without_thoughts"]

_MARK_STARTS = regex.compile(r"[<\[◁]")
_SENTENCE_ENDS = tuple(".!?…。！？")
_QUOTES = tuple("`\"'“‘«")
_TAIL = 16


class ThoughtFilter:
    """Removes thoughts from a stream, wherever the pieces are cut; `thought_marks` knows the marks.

    An opening tag counts at the start of the reply, of a line or of a sentence only: a paper may
    well speak of `<think>` tokens. Some servers swallow the opening tag; then everything before a
    `</think>` that stands where no sentence mentions it was a thought, and what was already handed
    on is taken back.

    Args:
        opened: the reply begins inside a thought, as was seen of this model before.
    """

    def __init__(self, *, opened: bool = False) -> None:
        self._buffer = ""
        self._ends: regex.Pattern[str] | None = ENDS if opened else None
        # What a block held: given back if no closing tag comes and the block may be no thought.
        self._kept: str | None = "" if opened else None
        self._tail = ""
        self._line_start = True
        self._may_retract = not opened
        self._channels = False
        self._wrapped = False
        self._opened = opened
        self.opens_with_thought = False

    def feed(self, piece: str) -> tuple[bool, str]:
        """Take the next piece of the reply.

        Args:
            piece: any part of the text, cut anywhere.

        Returns:
            Whether all text given so far is to be taken back, and the text that is ready.
        """
        self._buffer += piece
        return self._drain(final=False)

    def finish(self, *, complete: bool = True) -> tuple[bool, str]:
        """Say that the reply has ended; returns as `feed` does.

        Args:
            complete: the model ended it. What was cut off within a thought is a thought.
        """
        retract, text = self._drain(final=True)
        if self._ends is not None and self._kept is not None and complete:
            kept = self._kept if self._tail else self._kept.lstrip()
            if self._opened or "\n" not in kept:
                text += kept
        return retract, text

    def _drain(self, *, final: bool) -> tuple[bool, str]:
        retract, ready = False, ""
        while self._buffer:
            if self._ends is not None:
                took_back = self._leave_thought(self._ends, final=final)
                if took_back is None:
                    break
                retract, ready = retract or took_back, "" if took_back else ready
                continue
            found = _MARK_STARTS.search(self._buffer)
            place = len(self._buffer) if found is None else found.start()
            if place and self._tail:
                ready += self._show(place)
                continue
            blank = len(self._buffer) - len(self._buffer.lstrip())
            if not self._tail and blank:
                self._show(blank)
                continue
            mark = visible_mark(self._buffer, first=not self._tail, final=final)
            if mark is None:
                ready += self._show(max(place, 1))
                continue
            if mark.partial or not (final or self._decided(mark)):
                break
            took_back = self._take(mark)
            if took_back is None:
                ready += self._show(mark.end())
            elif took_back:
                retract, ready = True, ""
        return retract, ready

    def _decided(self, mark: regex.Match[str]) -> bool:
        """Tell whether enough has come behind a mark to know what it is."""
        behind = self._buffer[mark.end() :]
        if mark.lastgroup == "opening":
            return bool(behind)
        if mark.lastgroup == "turn":
            following = NEXT_TURN.match(behind.lstrip(), partial=True) or visible_mark(
                behind.lstrip(), first=False, final=False
            )
            return following is None or not following.partial
        return mark.lastgroup not in ("closing", "wrapped") or bool(behind.strip())

    def _take(self, mark: regex.Match[str]) -> bool | None:
        """Act on a mark in the visible text.

        Returns:
            Whether all that was shown is to be taken back; None where the mark is text.
        """
        behind = self._buffer[mark.end() :]
        match mark.lastgroup:
            case "plain":
                self._enter(mark, PLAIN_ENDS, kept=mark[0])
                return False
            case "head":
                return self._read_head(mark)
            case "opening":
                return self._open(mark, behind)
            case "closing":
                return self._close(behind)
            case "turn":
                return self._end_turn(mark, behind)
            case "empty":
                drop = self._line_start
            case "wrapped":
                drop = self._wrapped and not behind.strip()
            case _:
                drop = not self._tail
                self._wrapped = self._wrapped or (drop and mark.lastgroup == "wrapping")
        if drop:
            self._buffer = behind
        return False if drop else None

    def _open(self, mark: regex.Match[str], behind: str) -> bool | None:
        # "<think> is a token" may begin a line; "<think>Hm" does not.
        said = behind.startswith((" ", ".", ",", ";", ":", ")"))
        new_sentence = self._tail.rstrip().endswith(_SENTENCE_ENDS) and not said
        if not (self._line_start or new_sentence):
            self._may_retract = False
            return None
        self._enter(mark, ENDS, kept=mark[0] if self._tail and said else None)
        return False

    def _close(self, behind: str) -> bool | None:
        following = behind.lstrip()[:1]
        alone = self._line_start or behind.startswith("\n")
        attached = not self._tail[-1:].isspace() and behind[:1].isupper()
        ended = self._tail.rstrip().endswith(_SENTENCE_ENDS) and not following.islower()
        if self._tail.endswith(_QUOTES) or not (alone or attached or ended):
            return None
        if self._may_retract:
            self._start_over(behind)
            self.opens_with_thought = True
            return True
        # Told twice: what stands before it is no thought, and the tag no text.
        self._buffer = behind if alone else self._buffer
        return False if alone else None

    def _end_turn(self, mark: regex.Match[str], behind: str) -> bool | None:
        if NEXT_TURN.match(behind.lstrip()):
            self._enter(mark, NEVER, kept=None)
            return False
        following = visible_mark(behind.lstrip(), first=False, final=True)
        again = following is not None and following.lastgroup == "turn"
        if not (self._channels or again or not behind.strip()):
            return None
        self._buffer = behind.lstrip() if again else behind
        return False

    def _read_head(self, mark: regex.Match[str]) -> bool:
        first, self._channels = not self._channels, True
        if mark["channel"] and mark["channel"].lower() != "final":
            self._enter(mark, CHANNEL_ENDS, kept=None)
            return False
        # What came before the first channel is the end of a thought whose head was swallowed.
        if first and self._tail:
            self._start_over(self._buffer[mark.end() :])
            return True
        self._buffer = self._buffer[mark.end() :]
        return False

    def _enter(self, mark: regex.Match[str], ends: regex.Pattern[str], *, kept: str | None) -> None:
        self._ends, self._kept, self._may_retract = ends, kept, False
        self._opened = False
        self._buffer = self._buffer[mark.end() :]

    def _leave_thought(self, ends: regex.Pattern[str], *, final: bool) -> bool | None:
        """Look for the end of a thought.

        Returns:
            Whether all that was shown is to be taken back; None where the end has not come.
        """
        end = ends.search(self._buffer, partial=not final)
        if end is None or end.partial:
            cut = len(self._buffer) if end is None else end.start()
            if self._kept is not None:
                self._kept += self._buffer[:cut]
            self._buffer = self._buffer[cut:]
            return None
        if not final and ends is PLAIN_ENDS and end.end() == len(self._buffer):
            return None
        self._ends, self._kept = None, None
        if end.lastgroup == "head":
            self._buffer = self._buffer[end.start() :]
            head = visible_mark(self._buffer, first=False, final=True)
            return head is not None and self._read_head(head)
        self._buffer = self._buffer[end.end() :]
        return False

    def _show(self, length: int) -> str:
        text, self._buffer = self._buffer[:length], self._buffer[length:]
        if not self._tail:
            text = text.lstrip()
        if not text:
            return ""
        self._tail = (self._tail + text)[-_TAIL:]
        _, newline, last_line = text.rpartition("\n")
        blank = not last_line.strip()
        self._line_start = blank if newline else self._line_start and blank
        return text

    def _start_over(self, rest: str) -> None:
        self._buffer = rest
        self._tail, self._line_start, self._may_retract = "", True, False


def without_thoughts(text: str) -> str:
    """Remove the thoughts from a whole reply.

    Args:
        text: the reply.

    >>> without_thoughts("<think>maybe [9]</think> It halves memory [1].")
    'It halves memory [1].'
    """
    thoughts = ThoughtFilter()
    _, shown = thoughts.feed(text)
    retract, rest = thoughts.finish()
    return rest if retract else shown + rest
