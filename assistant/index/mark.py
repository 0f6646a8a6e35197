"""How a generation says what it is, and which one is current.

A generation is a folder made from the catalogue: complete or not there at all. One line in one
file names the current one; readers follow that file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assistant.errors import IndexDamagedError
from assistant.index.fingerprint import Recipe

__all__ = [
    "BUILDING",
    "CATALOGUE",
    "CURRENT",
    "GENERATIONS",
    "LEXICAL",
    "MARK",
    "PAPERS",
    "ROWS",
    "STORE",
    "VECTORS",
    "Mark",
    "complete_generations",
    "current_folder",
    "current_mark",
    "read_mark",
]

CATALOGUE = "catalogue.sqlite"
CURRENT = "CURRENT"
GENERATIONS = "generations"
BUILDING = "building-"
MARK = "complete.json"
PAPERS = "papers.sqlite"
ROWS = "rows.npz"
VECTORS = "vectors.npy"
LEXICAL = "lexical"
STORE = "chroma"


@dataclass(frozen=True, slots=True)
class Mark:
    """What a complete generation says of itself, checked when it is opened.

    Args:
        generation: counts up with each one published.
        recipe: what it was made with.
        revision: the state of the catalogue's papers it was made from.
        lexical: the lexical index's format.
        papers: how many.
        passages: how many.
        dimension: numbers per vector; None where there are no vectors.
        vectors_ready: papers all of whose passages have vectors.
        stored: passages in the Chroma store; None where it was not filled.
        files: size in bytes of every file.
    """

    generation: int
    recipe: Recipe
    revision: int
    lexical: int
    papers: int
    passages: int
    dimension: int | None
    vectors_ready: int
    stored: int | None
    files: Mapping[str, int] = field(default_factory=dict)

    def verify(self, folder: Path) -> None:
        """Compare the files' sizes; Chroma's may have grown by being opened.

        Args:
            folder: the generation's folder.

        Raises:
            IndexDamagedError: a file is missing or has another size.
        """
        for name, size in self.files.items():
            try:
                found = (folder / name).stat().st_size
            except OSError:
                raise IndexDamagedError(f"{folder / name} is missing") from None
            if found < size or (found > size and not name.startswith(STORE)):
                raise IndexDamagedError(f"{folder / name} has {found} bytes instead of {size}")


def read_mark(folder: Path) -> Mark:
    """Read a generation's mark.

    Args:
        folder: the generation's folder.

    Raises:
        IndexDamagedError: there is none, or it makes no sense.
    """
    try:
        data = json.loads((folder / MARK).read_text(encoding="utf-8"))
        return Mark(**{**data, "recipe": Recipe.from_dict(data["recipe"])})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexDamagedError(f"the index in {folder} is incomplete: {error}") from error


def current_folder(collection: Path) -> Path | None:
    """Return the folder of the current generation; None before the first.

    Args:
        collection: the collection's folder.

    Raises:
        IndexDamagedError: the file that names it makes no sense.
    """
    try:
        name = (collection / CURRENT).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise IndexDamagedError(f"{collection / CURRENT} cannot be read: {error}") from error
    if not name or name != Path(name).name:
        raise IndexDamagedError(f"{collection / CURRENT} names no generation")
    return collection / GENERATIONS / name


def current_mark(collection: Path) -> Mark | None:
    """Read the current generation's mark; None where there is none that can be used.

    Publishing anew is the cure of a damaged one, so it is not told here.

    Args:
        collection: the collection's folder.
    """
    try:
        folder = current_folder(collection)
        if folder is None:
            return None
        mark = read_mark(folder)
        mark.verify(folder)
    except IndexDamagedError:
        return None
    return mark


def complete_generations(collection: Path) -> list[tuple[Path, Mark]]:
    """Return the complete generations there are, newest first.

    Args:
        collection: the collection's folder.
    """
    found = []
    for folder in sorted((collection / GENERATIONS).iterdir(), reverse=True):
        if folder.name.startswith(BUILDING):
            continue
        try:
            mark = read_mark(folder)
            mark.verify(folder)
        except IndexDamagedError:
            continue
        found.append((folder, mark))
    return found
