"""Which format a file is in, told by its ending, or by its content where that says nothing."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Container
from typing import TYPE_CHECKING

from assistant.corpus.fields import plan

if TYPE_CHECKING:
    from assistant.corpus.inputs import Input

__all__ = ["FACTS_FILE", "delimiter_of", "ending_of", "has_json_lines", "is_facts"]

FACTS_FILE = "papers.tsv"
"""The table that may stand beside text files and say what they do not."""

DELIMITERS = ",\t;|"
_TEXTS = (".txt", ".text")
_LINES = (".jsonl", ".ndjson")
_ENTRIES = (
    "article book inbook incollection inproceedings conference proceedings manual misc online "
    "mastersthesis phdthesis thesis techreport report unpublished string preamble comment"
)
_BIBTEX = re.compile(
    rf"^[ \t]*@[ \t]*(?:{'|'.join(_ENTRIES.split())})[ \t]*[{{(]", re.IGNORECASE | re.MULTILINE
)
_RIS = re.compile(r"^TY {1,2}- ?[A-Z]", re.MULTILINE)
_RIS_END = re.compile(r"^ER {1,2}-", re.MULTILINE)
_RECORDS = re.compile(r'\[?\s*\{\s*"')
_TAGGED = re.compile(r"(?:PMID- ?\d|FN (?:Clarivate|Thomson|ISI)|PT [A-Z]\n(?:AU|TI) )")
_NO_ENDING = re.compile(r"(?:\.\d*)?")


def ending_of(source: Input, known: Container[str], *, guess_text: bool) -> str | None:
    """Choose the reader of a file.

    Args:
        source: the file.
        known: endings that have a reader.
        guess_text: a file without an ending may be a table or plain text.

    Returns:
        One of the known endings; None where none fits.
    """
    suffix = source.suffix
    if suffix in known and suffix not in _TEXTS:
        return suffix
    head = source.head_text.lstrip()
    found = None
    if _RIS.match(head) and (_RIS_END.search(head) or suffix in _TEXTS or len(head) > 2_000):
        found = ".ris"
    elif (first := _BIBTEX.search(head)) and not head[: first.start()].strip("% \t\n").count(
        "\n\n"
    ):
        found = ".bib" if first.start() == 0 or suffix not in known else None
    elif head[:1] in ("{", "[") and (suffix not in known or _RECORDS.match(head)):
        found = ".json" if _holds_json(head) else None
    elif _TAGGED.match(head):
        found = ".nbib"
    elif suffix in _TEXTS and _is_table(head, surely=True):
        found = ".csv"
    if found is None and suffix not in known and guess_text:
        if _is_table(head):
            found = ".csv"
        elif _NO_ENDING.fullmatch(suffix):
            found = ".txt"
    return found or (suffix if suffix in known else None)


def has_json_lines(head: str, suffix: str) -> bool:
    """Tell JSON Lines from one JSON document, whatever the ending says.

    Args:
        head: how the file begins.
        suffix: its ending, which decides where both are possible.
    """
    lines = [line.strip() for line in head.split("\n") if line.strip()][:2]
    if len(lines) < 2 or lines[0].startswith("["):
        return False
    if _object(lines[0]):
        return True
    if lines[0] == "{" or lines[0].endswith(("[", ":", ",", "[{", ": {")):
        return False  # A document over several lines.
    return any(map(_object, lines[1:])) or suffix in _LINES


def delimiter_of(line: str) -> str:
    """Find what stands between the columns of a table.

    Args:
        line: its first line, the columns' names.
    """

    def worth(mark: str) -> tuple[int, int]:
        columns = _columns(line, mark)
        return len(plan(columns)), len(columns)

    return max(DELIMITERS, key=worth)


def is_facts(source: Input) -> bool:
    """Tell whether a file is the table that speaks of text files beside it.

    Args:
        source: the file.
    """
    if source.name != FACTS_FILE:
        return False
    columns = source.head_text.split("\n", 1)[0].split("\t")
    return {"file", "number"} <= set(columns) and "abstract" not in plan(columns)


def _holds_json(head: str) -> bool:
    if _object(head.split("\n", 1)[0]):
        return True
    try:
        json.JSONDecoder(strict=False).raw_decode(head)
    except RecursionError:
        return False
    except ValueError as error:
        # What is only cut off is JSON so far.
        at = getattr(error, "pos", 0)
        return at > 1 and (at > len(head) - 100 or "Unterminated" in str(error))
    return True


def _object(line: str) -> bool:
    try:
        return isinstance(json.loads(line, strict=False), dict)
    except (ValueError, RecursionError):
        return False


def _is_table(head: str, *, surely: bool = False) -> bool:
    line = head.split("\n", 1)[0]
    columns = _columns(line, delimiter_of(line))
    found = plan(columns)
    if surely and not {"title", "id"} & set(found):
        return False
    return len(columns) > 1 and "abstract" in found


def _columns(line: str, mark: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=mark), [])
    except csv.Error:
        return []
