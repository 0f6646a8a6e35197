"""JSON and JSON Lines: lists of records, wherever in a document they stand.

A document may have any shape: a list, a list under any key, records by their ids, documents one
after the other. `json_document` walks it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from assistant.corpus.inputs import Input
from assistant.corpus.json_document import Document
from assistant.corpus.reading import row_reader
from assistant.corpus.records import Row, Skipped
from assistant.corpus.sniffing import has_json_lines

__all__ = ["read_json"]


@row_reader(".json", ".jsonl", ".ndjson")
def read_json(source: Input, mapping: Mapping[str, str]) -> Iterator[Row | Skipped]:
    """Find the records of one JSON or JSON Lines file; its content decides which it is.

    Args:
        source: the file.
        mapping: names of fields that cannot be guessed.

    Returns:
        Its records, and what is none.

    Raises:
        BrokenInputError: it cannot be read to its end.
    """
    if has_json_lines(source.head_text, source.suffix):
        return _line_rows(source)
    return Document(source, mapping).rows()


def _line_rows(source: Input) -> Iterator[Row | Skipped]:
    for number, line in source.lines():
        if not line.strip():
            continue
        try:
            value = json.loads(line, strict=False)
        except (ValueError, RecursionError) as error:
            yield Skipped(source.name, number, _no_json(error))
            continue
        if isinstance(value, dict):
            yield Row(number, value)
        else:
            yield Skipped(source.name, number, "not a record: a JSON object is expected")


def _no_json(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON at column {error.colno}: {error.msg}"
    return "not JSON that can be read: nested too deeply, or an endless number"
