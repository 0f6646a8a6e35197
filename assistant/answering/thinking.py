"""A reasoning model's private thoughts, taken out of what it streams."""

from __future__ import annotations

import re

__all__ = ["ThoughtFilter", "without_thoughts"]

_NAMES = ("think", "thinking", "thought", "reasoning")
_TAG = re.compile(rf"<(/?)(?:{'|'.join(_NAMES)})>", re.IGNORECASE)
_TAGS = tuple(f"<{slash}{name}>" for name in _NAMES for slash in ("", "/"))


class ThoughtFilter:
    """Removes `<think>…</think>` from a stream, wherever the pieces are cut.

    An opening tag counts at the start of the reply or of a line only: a paper may well speak of
    `<think>` tokens. Some servers swallow the opening tag; then everything before a `</think>` at
    the start or end of a line was a thought, and what was already handed on is taken back.

    Args:
        opened: the reply begins inside a thought, as was seen of this model before.
    """

    def __init__(self, *, opened: bool = False) -> None:
        self._buffer = ""
        self._thinking = opened
        # What a block held: given back if no closing tag comes and the block may be no thought.
        self._kept: str | None = "" if opened else None
        self._visible = False
        self._line_start = True
        self._may_retract = not opened
        self.saw_thought = False
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

    def finish(self) -> tuple[bool, str]:
        """Say that the reply has ended; returns as `feed` does."""
        retract, text = self._drain(final=True)
        if self._thinking and self._kept is not None:
            text += self._kept if self._visible else self._kept.lstrip()
        return retract, text

    def _drain(self, *, final: bool) -> tuple[bool, str]:
        retract, ready = False, ""
        while self._buffer:
            if self._thinking:
                if not self._leave_thought(final=final):
                    break
                continue
            position = self._buffer.find("<")
            if position:
                ready += self._show(len(self._buffer) if position < 0 else position)
                continue
            tag = _TAG.match(self._buffer)
            if not final and self._undecided(tag):
                break
            if tag is None:
                ready += self._show(1)
            elif not tag[1] and self._line_start:
                self._enter_thought(tag)
            elif tag[1] and self._is_orphan(tag):
                retract, ready = True, ""
                self._start_over(tag)
            else:
                ready += self._show(tag.end())
        return retract, ready

    def _undecided(self, tag: re.Match[str] | None) -> bool:
        if tag is None:
            return _may_become_tag(self._buffer)
        return bool(tag[1]) and self._may_retract and len(self._buffer) == tag.end()

    def _is_orphan(self, tag: re.Match[str]) -> bool:
        alone = self._line_start or self._buffer[tag.end() : tag.end() + 1] == "\n"
        return self._may_retract and alone

    def _show(self, length: int) -> str:
        text, self._buffer = self._buffer[:length], self._buffer[length:]
        if not self._visible:
            text = text.lstrip()
        if not text:
            return ""
        self._visible = True
        _, newline, last_line = text.rpartition("\n")
        blank = not last_line.strip()
        self._line_start = blank if newline else self._line_start and blank
        return text

    def _enter_thought(self, tag: re.Match[str]) -> None:
        self._thinking, self._may_retract = True, False
        self._kept = tag[0] if self._visible else None
        self._buffer = self._buffer[tag.end() :]

    def _leave_thought(self, *, final: bool) -> bool:
        for tag in _TAG.finditer(self._buffer):
            if tag[1]:
                self._thinking, self._kept, self.saw_thought = False, None, True
                self._buffer = self._buffer[tag.end() :]
                return True
        cut = self._buffer.rfind("<")
        if cut < 0 or final or not _may_become_tag(self._buffer[cut:]):
            cut = len(self._buffer)
        if self._kept is not None:
            self._kept += self._buffer[:cut]
        self._buffer = self._buffer[cut:]
        return False

    def _start_over(self, tag: re.Match[str]) -> None:
        self._buffer = self._buffer[tag.end() :]
        self._visible, self._line_start, self._may_retract = False, True, False
        self.saw_thought = self.opens_with_thought = True


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


def _may_become_tag(text: str) -> bool:
    return any(tag.startswith(text.lower()) for tag in _TAGS)
