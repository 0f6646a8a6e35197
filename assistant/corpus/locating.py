"""From what a person types to files: names, folders, patterns and standard input."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from assistant.corpus.inputs import STANDARD_INPUT, Input, standard_input, unreadable
from assistant.errors import InputError

__all__ = ["Place", "expanded", "located"]

_DASH = "-"


@dataclass(frozen=True, slots=True)
class Place:
    """A file to read, or standard input.

    Args:
        path: the file; None: standard input.
        folder: the folder or pattern it was found by; None where it was named itself.
        base: the folder that the search began in.
    """

    path: Path | None
    folder: str | None = None
    base: Path | None = None

    @property
    def name(self) -> str:
        """What its records say they come from."""
        return self.path.name if self.path else STANDARD_INPUT

    @property
    def shown(self) -> str:
        """What reports call it: many folders may hold a file of the same name."""
        if self.path is None or self.base is None:
            return self.name
        return self.path.relative_to(self.base).as_posix()

    def opened(self) -> AbstractContextManager[Input]:
        """Make it ready to read, as long as the context lasts."""
        return nullcontext(Input(self.path)) if self.path else standard_input()


def expanded(given: str | Path) -> Path:
    """Read a leading `~` as a home folder.

    Args:
        given: a path as it was typed.
    """
    try:
        return Path(given).expanduser()
    except RuntimeError:
        return Path(given)  # "~x" of nobody here is a name like any other.


def located(paths: Iterable[str | Path]) -> list[Place]:
    """Find the files; each is named once, however many ways lead to it.

    Args:
        paths: files, folders, patterns with `*`, `?`, `[…]` or `**`, and `-` for standard input.
            Hidden files and folders inside a folder are left alone, and links to folders are not
            followed there.

    Returns:
        The files in the order of the paths, those of a folder sorted.

    Raises:
        InputError: a path does not exist, a pattern matches nothing, or a folder cannot be read.
    """
    found: dict[str, Place] = {}
    for given in paths:
        for place in _places(given):
            key = os.path.realpath(place.path) if place.path else _DASH
            found.setdefault(key, place)
    return list(found.values())


def _places(given: str | Path) -> Iterator[Place]:
    if str(given) == _DASH:
        yield Place(None)
        return
    path = expanded(given)
    try:
        if path.is_dir():
            yield from _inside(path, str(path), path)
        elif path.exists():
            yield Place(path)
        elif glob.has_magic(str(path)):
            yield from _matches(str(path))
        else:
            raise InputError(f"{path} does not exist; give a file or a folder of papers")
    except (OSError, ValueError) as error:
        reason = unreadable(error) if isinstance(error, OSError) else f"cannot be read: {error}"
        raise InputError(f"{path} {reason}") from error


def _matches(pattern: str) -> Iterator[Place]:
    matches = [Path(match) for match in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207  `**` and absolute patterns
    if not matches:
        raise InputError(f"{pattern} matches no file; quote the pattern, or name a folder")
    base = next(folder for folder in Path(pattern).parents if not glob.has_magic(str(folder)))
    for path in matches:
        if path.is_file():
            yield Place(path, pattern, base)
        elif "**" not in pattern and path.is_dir():
            yield from _inside(path, pattern, base)


def _inside(folder: Path, named: str, base: Path) -> Iterator[Place]:
    def stop(error: OSError) -> None:
        raise error

    files: list[Path] = []
    for here, folders, names in os.walk(folder, onerror=stop):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [Path(here, name) for name in names if not name.startswith(".")]
    if not files:
        raise InputError(f"{folder} is empty: it holds no file to read")
    yield from (Place(path, named, base) for path in sorted(files) if path.is_file())
