"""BibTeX and BibLaTeX: strings, cross-references and LaTeX letters resolved."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from assistant.corpus.inputs import Input
from assistant.corpus.latex import plain_text, without_commands
from assistant.corpus.reading import row_reader
from assistant.corpus.records import Row, Skipped

if TYPE_CHECKING:
    from bibtexparser.model import Block, Entry, ParsingFailedBlock

__all__ = ["entry_fields", "read_bibtex"]

_BLOCK = re.compile(r"^\s*@\s*\w+\s*[{(]")
_CROSS_REFERENCE = re.compile(r"\b(?:crossref|xdata)\s*=\s*[{\"]?\s*([^\s{}\",]+)", re.IGNORECASE)
_LONGEST = 1 << 20
_AS_IT_IS = frozenset("url doi eprint file pdf archiveprefix crossref".split())
_PERSONS = frozenset(("author", "editor"))
_TITLE_OF_PARENT = {"title": "booktitle"}
# It would print every fault it meets, which is reported here with its line.
logging.getLogger("bibtexparser").propagate = False

Fields = dict[str, str]


def entry_fields(text: str) -> Mapping[str, object] | None:
    """Read the first entry of a text.

    Args:
        text: BibTeX.

    Returns:
        Its fields, decoded; None where it is no BibTeX.
    """
    from bibtexparser.model import Entry

    entry = next((block for block in _blocks(text) if isinstance(block, Entry)), None)
    return _decoded(_resolved(entry, {})) if entry else None


@row_reader(".bib", ".bibtex")
def read_bibtex(source: Input, mapping: Mapping[str, str]) -> Iterator[Row | Skipped]:  # noqa: ARG001
    """Find the records of one BibTeX file.

    Args:
        source: the file.
        mapping: not needed: fields have names of the format.

    Returns:
        Its records, and what is none.

    Raises:
        BrokenInputError: it cannot be read to its end.
    """
    from bibtexparser.model import DuplicateFieldKeyBlock, Entry, ParsingFailedBlock, String

    strings: Fields = {}
    parents = _parents(source)
    for start, text in _chunks(source.lines()):
        for block in _blocks(text):
            place = start + (block.start_line or 0)
            entry = block.ignore_error_block if isinstance(block, DuplicateFieldKeyBlock) else block
            if isinstance(block, String):
                strings[block.key.lower()] = _value(block.value, strings)
            elif isinstance(entry, Entry):
                fields = _with_parent(_resolved(entry, strings), parents)
                yield Row(place, {**_decoded(fields), "id": entry.key})
            elif isinstance(block, ParsingFailedBlock):
                yield Skipped(source.name, place, _reason(block))


def _reason(block: ParsingFailedBlock) -> str:
    said = " ".join(str(getattr(block.error, "abort_reason", block.error)).split())
    if "end of file" in said:
        return "not BibTeX: a brace or quote of this entry is never closed"
    return f"not BibTeX: {said[:200]}"


def _blocks(text: str) -> list[Block]:
    from bibtexparser.entrypoint import parse_string

    return parse_string(text, parse_stack=[]).blocks


def _chunks(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Cut a file where an entry begins, so that one broken entry ends there too."""
    start, kept, length = 0, list[str](), 0
    for number, line in lines:
        if _BLOCK.match(line):
            if kept:
                yield start, "\n".join(kept)
            start, kept, length = number, [], 0
        if start and length < _LONGEST:
            kept.append(line)
            length += len(line)
    if kept:
        yield start, "\n".join(kept)


def _parents(source: Input) -> dict[str, Fields]:
    """Read the entries that others refer to; they stand behind those in the file."""
    from bibtexparser.model import Entry, String

    wanted = {
        found.lower()
        for _, line in source.lines()
        if "=" in line
        for found in _CROSS_REFERENCE.findall(line)
    }
    strings: Fields = {}
    parents: dict[str, Fields] = {}
    for _, text in _chunks(source.lines()) if wanted else ():
        for block in _blocks(text):
            if isinstance(block, String):
                strings[block.key.lower()] = _value(block.value, strings)
            elif isinstance(block, Entry) and block.key.strip().lower() in wanted:
                parents[block.key.strip().lower()] = _resolved(block, strings)
    return parents


def _with_parent(fields: Fields, parents: Mapping[str, Fields]) -> Fields:
    parent = parents.get((fields.get("crossref") or fields.get("xdata") or "").strip().lower(), {})
    inherited = {_TITLE_OF_PARENT.get(key, key): value for key, value in parent.items()}
    inherited |= {key: value for key, value in parent.items() if key == "booktitle"}
    return {**{k: v for k, v in inherited.items() if k not in ("abstract", "title")}, **fields}


def _resolved(entry: Entry, strings: Fields) -> Fields:
    return {field.key.strip().lower(): _value(field.value, strings) for field in entry.fields}


def _value(raw: str, strings: Fields) -> str:
    """Take braces or quotes off a value; names of strings give their text, `#` joins."""
    if "#" not in raw:
        return _piece(raw.strip(), strings)
    pieces, depth, quoted, start = list[str](), 0, False, 0
    for at, char in enumerate(raw):
        if at and raw[at - 1] == "\\":
            continue
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
        elif char == '"' and depth == 0:
            quoted = not quoted
        elif char == "#" and depth == 0 and not quoted:
            pieces.append(raw[start:at])
            start = at + 1
    pieces.append(raw[start:])
    return "".join(_piece(piece.strip(), strings) for piece in pieces)


def _piece(piece: str, strings: Fields) -> str:
    if len(piece) > 1 and (piece[0], piece[-1]) in (("{", "}"), ('"', '"')):
        return piece[1:-1]
    return strings.get(piece.lower(), piece)


def _decoded(fields: Fields) -> dict[str, object]:
    return {key: _decoded_field(key, value) for key, value in fields.items()}


def _decoded_field(key: str, value: str) -> object:
    if key == "abstract":
        return without_commands(value)
    if key in _PERSONS:
        return _persons(value)
    if key in _AS_IT_IS:
        return value.replace("\\_", "_").replace("\\%", "%").replace("\\&", "&")
    return plain_text(value)


def _persons(value: str) -> list[str]:
    from bibtexparser.middlewares.names import (
        InvalidNameError,
        parse_single_name_into_parts,
        split_multiple_persons_names,
    )

    names: list[str] = []
    for name in split_multiple_persons_names(value):
        try:
            spoken = parse_single_name_into_parts(name, strict=False).merge_first_name_first
        except InvalidNameError:
            spoken = name
        if spoken.strip().lower() != "others":
            names.append(plain_text(spoken))
    return names
