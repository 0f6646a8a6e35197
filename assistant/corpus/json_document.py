"""A JSON document of any size walked for records, holding one record at a time.

The standard library's decoder reads each record from a buffer. An event parser (ijson) was tried
and left: it refuses `NaN`, which many exports hold, it loses all that follows a broken record, and
the names it builds for nested places fill the memory on hostile input.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from enum import Enum, auto

from assistant.corpus.fields import flat, plan, under
from assistant.corpus.inputs import BrokenInputError, Input
from assistant.corpus.records import Row, Skipped

__all__ = ["Document"]

_DECODER = json.JSONDecoder(strict=False)
_BLANKS = re.compile(r"[ \t\n\r]*")
_NEXT_RECORD = re.compile(r"\}\s*,\s*(?=\{)")
_DEEPEST = 6
_PIECE = 1 << 16
_LARGEST = 1 << 23
_MARGIN = 64
# Lists inside a paper's record that may hold other papers.
_OTHER_PAPERS = frozenset("references citations citedby related directreplies replies".split())
_CUT = "the file ends in the middle of a record"


class _State(Enum):
    WHOLE = auto()
    LARGE = auto()
    BROKEN = auto()


class Document:
    """One pass over a document.

    Args:
        source: the file.
        mapping: names of fields that cannot be guessed.
    """

    def __init__(self, source: Input, mapping: Mapping[str, str]) -> None:
        self._name = source.name
        self._mapping = mapping
        self._source = source
        self._text = ""
        self._at = 0
        self._pieces: Iterator[str] = iter(())
        self._ended = False
        self._lost = False
        self._damage: BrokenInputError | None = None
        self._keyed = False
        self._count = 0
        self._value: object = None
        self._found: dict[str, object] = {}
        self._fault = ""
        self._top: dict[str, object] = {}

    def rows(self) -> Iterator[Row | Skipped]:
        """Give its records in order, numbered from 1."""
        self._pieces = self._source.pieces(_PIECE)
        empty = True
        while (mark := self._peek()) and not self._lost:
            empty = False
            if mark == "[":
                yield from self._list(0)
            elif self._decode() is _State.WHOLE:
                if isinstance(self._value, dict):
                    yield from self._records(self._value, None, 0)
            elif mark == "{":
                yield from self._object(0)
            else:
                yield self._broken(self._fault, partial=True)
        if self._damage is not None and not self._lost:
            raise BrokenInputError(self._damage.reason, self._count + 1)
        if not self._count and not empty:
            yield Row(1, self._top)

    def _list(self, depth: int) -> Iterator[Row | Skipped]:
        self._at += 1
        while not self._lost:
            mark = self._peek()
            if not mark:
                yield self._broken(_CUT, partial=True)
            elif mark == "]":
                self._at += 1
                return
            elif mark == ",":
                self._at += 1
            else:
                yield from self._element(mark, depth)

    def _element(self, mark: str, depth: int) -> Iterator[Row | Skipped]:
        state = self._decode()
        if state is _State.WHOLE:
            if isinstance(self._value, dict):
                yield from self._records(self._value, None, depth, listed=True)
            elif depth == 0:
                yield self._bare(self._value)
        elif state is _State.LARGE and mark in "[{" and depth < _DEEPEST:
            yield from self._list(depth + 1) if mark == "[" else self._object(depth + 1)
        else:
            fault = self._fault
            found = self._resume()
            yield self._broken(fault, partial=not found)
            if found:
                yield from self._records(self._found, None, depth, listed=True)

    def _object(self, depth: int) -> Iterator[Row | Skipped]:
        self._at += 1
        while not self._lost:
            mark = self._peek()
            if not mark:
                yield self._broken(_CUT, partial=True)
            elif mark == "}":
                self._at += 1
                return
            elif mark == ",":
                self._at += 1
            else:
                yield from self._member(depth)

    def _member(self, depth: int) -> Iterator[Row | Skipped]:
        if self._decode() is not _State.WHOLE or not isinstance(self._value, str):
            yield self._broken(self._fault or "not JSON: a name is expected", partial=True)
            return
        key = self._value
        if self._peek() != ":":
            yield self._broken(_CUT if self._ended else "not JSON: ':' is expected", partial=True)
            return
        self._at += 1
        mark = self._peek()
        if depth == 0:
            self._top[key] = None
        if mark == "[" and depth < _DEEPEST:
            yield from self._list(depth + 1)
        elif self._decode() is _State.WHOLE:
            if isinstance(self._value, dict):
                # Beside a paper, what has a title is one too.
                listed = self._keyed and self._is_near(self._value)
                self._keyed = self._keyed or self._has(self._value, "abstract")
                yield from self._records(self._value, key, depth + 1, listed=listed)
        elif mark == "{" and depth < _DEEPEST:
            yield from self._object(depth + 1)
        else:
            yield self._broken(self._fault, partial=True)

    def _records(
        self, value: dict[str, object], key: str | None, depth: int, *, listed: bool = False
    ) -> Iterator[Row | Skipped]:
        """Find the records in a value that is held whole: itself, or what it holds."""
        if depth == 0 and not listed:
            self._top.update(value)
        before = self._count
        if not self._has(value, "abstract"):
            yield from self._within(value, depth)
        if self._count == before and (listed or self._has(value, "abstract")):
            yield self._row(value, key)

    def _within(self, value: object, depth: int) -> Iterator[Row | Skipped]:
        if depth > _DEEPEST:
            return
        keyed = isinstance(value, dict)
        members = [
            (name, inner)
            for name, inner in (value.items() if isinstance(value, dict) else _numbered(value))
            if isinstance(inner, dict | list)
        ]
        # What stands beside a paper is one too, also where its abstract is missing.
        papers = any(
            isinstance(inner, dict) and self._has(inner, "abstract") for _, inner in members
        )
        for name, inner in members:
            if isinstance(inner, list):
                if name is None or _folded(name) not in _OTHER_PAPERS:
                    yield from self._within(inner, depth + 1)
            elif not papers:
                yield from self._within(inner, depth + 1)
            elif not keyed or self._is_near(inner):
                yield self._row(inner, name)

    def _row(self, value: dict[str, object], key: str | None) -> Row:
        self._count += 1
        return Row(self._count, value, key)

    def _is_near(self, value: dict[str, object]) -> bool:
        if self._has(value, "abstract"):
            return True
        # Persons and journals have a name; what has a title is a paper.
        titles = plan(flat(value)).get("title", ())
        return any(_folded(name) not in ("name", "displayname") for name in titles)

    def _has(self, value: dict[str, object], field: str) -> bool:
        fields = flat(value)
        if field in self._mapping:
            return under(self._mapping[field], fields) is not None
        return field in plan(fields)

    def _bare(self, value: object) -> Row | Skipped:
        self._count += 1
        if isinstance(value, str):
            return Row(self._count, {"abstract": value})
        return Skipped(self._name, self._count, "not a record: a JSON object is expected")

    def _broken(self, reason: str, *, partial: bool) -> Skipped:
        self._lost = self._lost or partial
        self._count += 1
        if partial and self._damage is not None:
            reason = self._damage.reason
        return Skipped(self._name, self._count, reason, partial=partial)

    def _resume(self) -> bool:
        """Go on at the next record of a list behind a broken one."""
        while True:
            text = self._text
            for found in _NEXT_RECORD.finditer(text, self._at + 1):
                self._at = found.end()
                whole = self._decode() is _State.WHOLE
                if whole and isinstance(self._value, dict) and self._is_near(self._value):
                    self._found = self._value
                    return True
                if self._text is not text:
                    break  # The buffer moved: search it anew.
            else:
                self._at = max(self._at, len(text) - _MARGIN)
                if not self._more():
                    return False

    def _decode(self) -> _State:
        while True:
            try:
                self._value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                self._fault = "not JSON that can be read: nested too deeply"
                return _State.BROKEN
            except ValueError as error:
                near = getattr(error, "pos", 0) > len(self._text) - _MARGIN
                near = near or "Unterminated" in str(error)
                if near:
                    if len(self._text) - self._at > _LARGEST:
                        return _State.LARGE
                    if self._more():
                        continue
                self._fault = _CUT if near and self._ended else f"not JSON: {_short(error)}"
                return _State.BROKEN
            # A number at the end of the buffer may go on.
            if end == len(self._text) and self._more():
                continue
            self._at = end
            return _State.WHOLE

    def _peek(self) -> str:
        while True:
            found = _BLANKS.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        """Take more text into the buffer, as much again as it still needs."""
        kept = self._text[self._at :]
        taken, size = [kept], 0
        try:
            while size <= len(kept) and (piece := next(self._pieces, "")):
                taken.append(piece)
                size += len(piece)
        except BrokenInputError as error:
            self._damage = error
            self._pieces = iter(())
        self._text, self._at = "".join(taken), 0
        self._ended = not size
        return size > 0


def _numbered(value: object) -> Iterator[tuple[str | None, object]]:
    for each in value if isinstance(value, list) else ():
        yield None, each


def _short(error: ValueError) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else "an endless number"


def _folded(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())
