"""Files in, papers out: a registry with one reader per format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path

from assistant.corpus.fields import checked_mapping
from assistant.corpus.inputs import BrokenInputError, Input, unreadable
from assistant.corpus.locating import Place, expanded, located
from assistant.corpus.paper import Paper
from assistant.corpus.records import Record, Row, Skipped, papers_of
from assistant.corpus.sniffing import ending_of, is_facts
from assistant.errors import InputError

__all__ = [
    "ReadResult",
    "Reader",
    "Record",
    "Skipped",
    "expanded",
    "read_paths",
    "read_records",
    "reader",
    "readers",
    "row_reader",
]


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What the files held.

    Args:
        papers: in the order they were read.
        skipped: what was left out, and why.
    """

    papers: tuple[Paper, ...]
    skipped: tuple[Skipped, ...] = ()


Reader = Callable[[Input, Mapping[str, str]], Iterator[Record]]
RowReader = Callable[[Input, Mapping[str, str]], Iterator[Row | Skipped]]
_READERS: dict[str, Reader] = {}


def reader(*suffixes: str) -> Callable[[Reader], Reader]:
    """Register a function that reads one file of a format.

    Args:
        suffixes: file endings it reads, such as `".txt"`.
    """

    def register(function: Reader) -> Reader:
        for suffix in suffixes:
            _READERS[suffix.lower()] = function
        return function

    return register


def row_reader(*suffixes: str) -> Callable[[RowReader], Reader]:
    """Register a function that finds the records of a format with named fields.

    What they may be called, and what is wrong with one that is no paper, is the same for all of
    them: see `papers_of`.

    Args:
        suffixes: file endings it reads, such as `".ris"`.
    """

    def register(rows: RowReader) -> Reader:
        @wraps(rows)
        def read(source: Input, mapping: Mapping[str, str]) -> Iterator[Record]:
            yield from papers_of(source.name, rows(source, mapping), mapping)

        return reader(*suffixes)(read)

    return register


def readers() -> dict[str, Reader]:
    """Return the readers by file ending, the shipped ones loaded."""
    from assistant.corpus import (  # noqa: F401  each registers itself
        bibtex_reader,
        json_reader,
        ris_reader,
        table_reader,
        tagged_reader,
        text_reader,
    )

    return dict(_READERS)


def read_paths(
    paths: Iterable[str | Path], *, mapping: Mapping[str, str] | None = None
) -> ReadResult:
    """Read files and folders into memory.

    Args:
        paths: as in `read_records`.
        mapping: as in `read_records`.

    Returns:
        The papers and what was left out.

    Raises:
        InputError: a path does not exist, or nothing at all could be read.
    """
    papers: list[Paper] = []
    skipped: list[Skipped] = []
    for record in read_records(paths, mapping=mapping):
        if isinstance(record, Paper):
            papers.append(record)
        else:
            skipped.append(record)
    return ReadResult(tuple(papers), tuple(skipped))


def read_records(
    paths: Iterable[str | Path], *, mapping: Mapping[str, str] | None = None
) -> Iterator[Record]:
    """Read files and folders one record at a time, whatever their size.

    Args:
        paths: files, folders, patterns such as `papers/**/*.json`, or `-` for standard input. A
            file reached twice is read once.
        mapping: a paper's field to its name in the files, for names that cannot be guessed, such
            as `{"abstract": "Inhalt"}`.

    Returns:
        Papers, each under an id of its own, and what was left out, in the files' order.

    Raises:
        InputError: a path does not exist, a mapping names no field of a paper, or (while reading)
            nothing at all could be read.
    """
    return _read(located(paths), checked_mapping(mapping))


def _read(places: list[Place], mapping: Mapping[str, str]) -> Iterator[Record]:
    known = readers()
    ids = _DistinctIds()
    refused: list[Skipped] = []
    read = False
    for place in places:
        papers = 0
        try:
            with place.opened() as source:
                function = _reader(source, place, known)
                if function is None:
                    continue
                for record in function(source, mapping):
                    if not read:
                        read = True
                        yield from refused
                    if isinstance(record, Paper):
                        papers += 1
                        yield ids.distinct(record)
                    else:
                        yield replace(record, file=place.shown)
            continue
        except BrokenInputError as error:
            stands = "what came before was read" if papers else "nothing of it was read"
            fault = Skipped(place.shown, error.place, f"{error.reason}; {stands}", partial=True)
        except InputError as error:
            reason = str(error).removeprefix(f"{place.name} ")
            fault = Skipped(place.shown, 0, reason, partial=True)
        except OSError as error:
            fault = Skipped(place.shown, 0, unreadable(error), partial=True)
        except _UnknownFormatError:
            fault = Skipped(place.shown, 0, f"has no reader; known formats: {_endings(known)}")
        if read:
            yield fault
        else:
            refused.append(fault)
    if refused and not read:
        raise InputError(_nothing_read(places, refused, known))


def _reader(source: Input, place: Place, known: Mapping[str, Reader]) -> Reader | None:
    """Choose by ending, and by content where the ending says nothing; None: not to be read."""
    if place.folder is not None and is_facts(source):
        return None
    ending = ending_of(source, known, guess_text=place.folder is None)
    if ending is None:
        raise _UnknownFormatError
    if what := source.no_text():
        raise InputError(f"{source.name} is {what}")
    return known[ending]


class _UnknownFormatError(Exception):
    pass


def _nothing_read(places: list[Place], refused: list[Skipped], known: Mapping[str, Reader]) -> str:
    faults = [fault for fault in refused if fault.partial]
    folder = next((place.folder for place in places if place.folder is not None), None)
    if not faults and folder is not None:
        return f"{folder} holds no file to read; known: {_endings(known)}"
    first = (faults or refused)[0]
    more = len(refused) - 1
    others = f" ({more} more could not be read either)" if more else ""
    return f"{first.file} {first.reason}{others}"


def _endings(known: Mapping[str, Reader]) -> str:
    return " ".join(sorted(known))


class _DistinctIds:
    """Keeps every paper under an id of its own; the same id and text twice stays twice."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def distinct(self, paper: Paper) -> Paper:
        own = paper.content_hash
        if self._texts.setdefault(paper.id, own) == own:
            return paper
        return replace(paper, id=f"{paper.id}-{own[:8]}")
