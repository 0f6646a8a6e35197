"""Files in, papers out: a registry with one reader per format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.corpus.paper import Paper
from assistant.errors import InputError

__all__ = ["ReadResult", "Skipped", "expanded", "read_paths", "reader", "readers"]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that is not a paper: where it stands and why it was left out."""

    file: str
    place: int
    reason: str

    def __str__(self) -> str:
        """Return `file:place: reason`."""
        return f"{self.file}:{self.place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What the files held.

    Args:
        papers: in the order they were read.
        skipped: what was left out, and why.
    """

    papers: tuple[Paper, ...]
    skipped: tuple[Skipped, ...] = ()


Record = Paper | Skipped
Reader = Callable[[Path], Iterator[Record]]
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


def readers() -> dict[str, Reader]:
    """Return the readers by file ending, the shipped ones loaded."""
    from assistant.corpus import text_reader  # noqa: F401  registers itself

    return dict(_READERS)


def read_paths(paths: Iterable[str | Path]) -> ReadResult:
    """Read files and folders.

    Args:
        paths: files in a known format, or folders that hold some.

    Returns:
        The papers and what was left out.

    Raises:
        InputError: a path does not exist, cannot be read, or has no reader.
    """
    known = readers()
    papers: list[Paper] = []
    skipped: list[Skipped] = []
    for path in _files(paths, known):
        try:
            for record in known[path.suffix.lower()](path):
                if isinstance(record, Paper):
                    papers.append(record)
                else:
                    skipped.append(record)
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    return ReadResult(_distinct_ids(papers), tuple(skipped))


def _files(paths: Iterable[str | Path], known: dict[str, Reader]) -> Iterator[Path]:
    for given in paths:
        path = expanded(given)
        try:
            yield from _found(path, known)
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def _found(path: Path, known: dict[str, Reader]) -> list[Path]:
    if path.is_dir():
        found = sorted(p for p in path.rglob("*") if p.suffix.lower() in known and p.is_file())
        if not found:
            raise InputError(f"{path} holds no file to read; known: {_endings(known)}")
        return found
    if not path.exists():
        raise InputError(f"{path} does not exist; give a file or a folder of papers")
    if path.suffix.lower() not in known:
        raise InputError(f"{path.name} has no reader; known formats: {_endings(known)}")
    return [path]


def expanded(given: str | Path) -> Path:
    """Read a leading `~` as a home folder.

    Args:
        given: a path as it was typed.
    """
    try:
        return Path(given).expanduser()
    except RuntimeError:
        return Path(given)  # "~x" of nobody here is a name like any other.


def _endings(known: dict[str, Reader]) -> str:
    return " ".join(sorted(known))


def _distinct_ids(papers: list[Paper]) -> tuple[Paper, ...]:
    """Keep every paper under an id of its own; the same id and text twice stays twice."""
    from dataclasses import replace

    seen: dict[str, str] = {}
    distinct: list[Paper] = []
    for paper in papers:
        own = paper.content_hash
        if seen.setdefault(paper.id, own) == own:
            distinct.append(paper)
        else:
            distinct.append(replace(paper, id=f"{paper.id}-{own[:8]}"))
    return tuple(distinct)
