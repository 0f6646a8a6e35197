"""RIS, as reference managers and libraries export it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assistant.corpus.inputs import Input
from assistant.corpus.reading import row_reader
from assistant.corpus.records import Row, Skipped

__all__ = ["read_ris"]

_TAG = re.compile(r"^([A-Z][A-Z0-9]) {1,2}-(?: |$)")
_LONGEST = 1 << 20


@row_reader(".ris")
def read_ris(source: Input, mapping: Mapping[str, str]) -> Iterator[Row | Skipped]:  # noqa: ARG001
    """Find the records of one RIS file.

    Args:
        source: the file.
        mapping: not needed: fields have names of the format.

    Returns:
        Its records, and what is none.

    Raises:
        BrokenInputError: it cannot be read to its end.
    """
    from rispy import loads

    for place, lines, ended in _entries(source):
        if not ended:
            reason = "the file ends inside this record: it has no ER line"
            yield Skipped(source.name, place, reason)
            continue
        # Tags once more become lists, so that no second paragraph of an abstract is lost.
        found = loads("\n".join([*lines, "ER  - "]), enforce_list_tags=False)
        if found:
            yield Row(place, _plain(found[0]))


def _plain(entry: Mapping[str, object]) -> dict[str, object]:
    """Put the tags that two habits use for one thing under one name."""
    fields = dict(entry)
    unknown = fields.pop("unknown_tag", None)
    if isinstance(unknown, Mapping):
        fields = {**{str(tag): value for tag, value in unknown.items()}, **fields}
    for name, other in (("title", "primary_title"), ("authors", "first_authors")):
        if other in fields:
            fields.setdefault(name, fields.pop(other))
    return fields


def _entries(source: Input) -> Iterator[tuple[int, list[str], bool]]:
    """Cut the file into records: the line each begins at, its lines, and whether it is whole."""
    start, lines, length = 0, list[str](), 0
    for number, line in source.lines():
        tag = _TAG.match(line)
        name = tag[1] if tag else ""
        if name == "TY":
            if lines:
                yield start, lines, True
            start, lines, length = number, [], 0
        if name == "ER":
            if lines:
                yield start, lines, True
            lines = []
        elif (name == "TY" or lines) and length < _LONGEST:
            length += len(line)
            # rispy wants the two blanks that the format asks for.
            lines.append(f"{name}  - {line[tag.end() :]}" if tag else line)
    if lines:
        yield start, lines, False
