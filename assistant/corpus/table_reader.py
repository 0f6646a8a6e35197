"""Tables: CSV and TSV, the names of the columns in the first line."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping

from assistant.corpus.fields import under
from assistant.corpus.inputs import Input
from assistant.corpus.reading import row_reader
from assistant.corpus.records import Row, Skipped
from assistant.corpus.sniffing import delimiter_of
from assistant.errors import InputError

__all__ = ["read_table"]

_LONGEST_RECORD = 1 << 20
_MOST_RESUMED = 1_000
_SEPARATOR_LINE = "sep="


@row_reader(".csv", ".tsv", ".tab")
def read_table(source: Input, mapping: Mapping[str, str]) -> Iterator[Row | Skipped]:
    """Find the records of one table; what stands between columns is found out.

    Args:
        source: the file.
        mapping: names of columns that cannot be guessed.

    Returns:
        Its records, and what is none.

    Raises:
        InputError: a named column is not there.
        BrokenInputError: it cannot be read to its end.
    """
    # A limit of the whole process: it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), 2 * _LONGEST_RECORD))
    lines = _Lines(source.lines())
    columns, mark = _columns(lines)
    if not columns:
        return
    for called in mapping.values():
        if under(called, columns) is None:
            shown = ", ".join(repr(column[:40]) for column in columns[:30])
            raise InputError(f"{source.name} has no column {called!r}; it has: {shown}")
    resumed = 0
    while (first := lines.next_number()) is not None:
        values, fault = _record(lines, mark, len(columns))
        if fault is not None:
            yield Skipped(source.name, first, fault)
            resumed += lines.back()
            if resumed > _MOST_RESUMED:
                reason = "too many quotes are never closed; the rest is not read"
                yield Skipped(source.name, first + 1, reason, partial=True)
                return
        elif any(value.strip() for value in values):
            yield Row(first, dict(zip(columns, values, strict=False)))


def _columns(lines: _Lines) -> tuple[list[str], str]:
    """Read the names of the columns; a name given twice counts once, the first time."""
    while (line := next(lines, None)) is not None:
        if (
            line.lower().startswith(_SEPARATOR_LINE)
            and len(line.strip()) == len(_SEPARATOR_LINE) + 1
        ):
            mark = line.strip()[-1]
            heading = next(lines, "")
        elif line.strip():
            mark, heading = delimiter_of(line), line
        else:
            continue
        names = next(csv.reader(_continued(heading, lines), delimiter=mark), [])
        seen: set[str] = set()
        columns = []
        for number, name in enumerate((name.strip() for name in names), start=1):
            columns.append(name if name and name not in seen else f"column {number}")
            seen.add(name)
        return columns, mark
    return [], ","


def _continued(heading: str, lines: _Lines) -> Iterator[str]:
    yield heading
    yield from lines


def _record(lines: _Lines, mark: str, columns: int) -> tuple[list[str], str | None]:
    """Read one record, or say why it is none."""
    lines.keep()
    try:
        values = next(csv.reader(lines, delimiter=mark))
    except csv.Error as error:
        return [], f"not a row of a table: {error}"
    if lines.too_long:
        return [], "a quote is never closed, or the record is endless"
    extra = values[columns:]
    if any(value.strip() for value in extra):
        return [], f"has {len(values)} columns where the first line has {columns}"
    if lines.ended or len(lines.kept) > 1:
        damage = _damage(lines.kept, mark)
        if "unexpected end of data" in damage:
            return [], "a quote is never closed: the file ends in the middle of a record"
        # A quote left open runs on to the next one, which opens another record's text.
        if len(lines.kept) > 1 and (damage or len(values) < columns):
            return [], "a quote is never closed, or one inside a text is not doubled"
    return values, None


def _damage(record: list[str], mark: str) -> str:
    """Say what a strict reader has against a record."""
    try:
        next(csv.reader([f"{line}\n" for line in record], delimiter=mark, strict=True), None)
    except csv.Error as error:
        return str(error)
    return ""


class _Lines:
    """Lines for `csv`, those of the current record kept, so that one can start anew behind it."""

    def __init__(self, numbered: Iterator[tuple[int, str]]) -> None:
        self._numbered = numbered
        self._waiting: list[tuple[int, str]] = []
        self._record: list[tuple[int, str]] = []
        self._length = 0
        self.too_long = False
        self.ended = False

    @property
    def kept(self) -> list[str]:
        """The lines of the current record."""
        return [line for _, line in self._record]

    def keep(self) -> None:
        """Begin a record."""
        self._record, self._length, self.too_long = [], 0, False

    def back(self) -> int:
        """Give up the current record but for its first line; say how many lines come again."""
        again = self._record[1:]
        self._waiting += reversed(again)
        self.ended = self.ended and not again
        self.keep()
        return 1 if again else 0

    def next_number(self) -> int | None:
        """Return the number of the next line; None at the end."""
        if not self._waiting and (line := next(self._numbered, None)) is not None:
            self._waiting.append(line)
        return self._waiting[-1][0] if self._waiting else None

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._length > _LONGEST_RECORD:
            self.too_long = True
            raise StopIteration
        if self.next_number() is None:
            self.ended = True
            raise StopIteration
        taken = self._waiting.pop()
        self._record.append(taken)
        self._length += len(taken[1])
        return f"{taken[1]}\n"
