"""Making a generation from the catalogue, and letting it be the current one.

It is built beside the current one, marked complete and renamed; then one line in one file names
it. A kill at any moment leaves the old one current.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.errors import IndexDamagedError
from assistant.index.catalogue import Catalogue
from assistant.index.filters import SEPARATOR, fold
from assistant.index.fingerprint import Recipe
from assistant.index.indexing import index_papers
from assistant.index.lexical import FORMAT
from assistant.index.mark import (
    BUILDING,
    CURRENT,
    GENERATIONS,
    LEXICAL,
    MARK,
    PAPERS,
    ROWS,
    STORE,
    VECTORS,
    Mark,
    complete_generations,
    current_folder,
)
from assistant.index.passages import Passages
from assistant.index.progress import Progress
from assistant.index.vectors import write_vectors
from assistant.wording import counted

__all__ = ["Parts", "clean", "copy_papers", "counted_before", "publish", "work_folder"]


@dataclass(frozen=True, slots=True)
class Parts:
    """What of a generation was made already, outside its folder.

    Args:
        papers: the file of papers.
        lexical: the folder of the lexical index.
        store: the folder of Chroma's store; it is moved, not copied.
        stored: how many passages it holds.
    """

    papers: Path | None = None
    lexical: Path | None = None
    store: Path | None = None
    stored: int | None = None


def publish(
    catalogue: Catalogue, recipe: Recipe, parts: Parts, *, reuse: bool, progress: Progress
) -> Mark:
    """Make a generation from the catalogue and let it be the current one; nothing is embedded.

    The caller holds the writer lock.

    Args:
        catalogue: the collection's catalogue.
        recipe: which passages and vectors to take.
        parts: what of it is there already.
        reuse: whether parts of an earlier generation may be taken over where nothing changed;
            false after damage.
        progress: told `indexing`.

    Returns:
        The new generation's mark.

    Raises:
        IndexDamagedError: a paper is not cut into passages.
    """
    collection = catalogue.path.parent
    generations = collection / GENERATIONS
    generations.mkdir(exist_ok=True)
    earlier = complete_generations(collection) if reuse else []
    generation = max([catalogue.number("generation"), *map(_number, generations.iterdir())]) + 1
    folder = work_folder(collection, str(generation))
    try:
        mark = _build(folder, catalogue, recipe, generation, earlier, parts, progress)
        _flush(folder, mark)
        _write_synced(folder / MARK, json.dumps(asdict(mark)))
    except BaseException:
        # On a full disk what was begun would take the room that the next attempt needs.
        shutil.rmtree(folder, ignore_errors=True)
        raise
    name = f"{generation:06d}-{recipe.fingerprint}"
    shutil.rmtree(generations / name, ignore_errors=True)
    folder.rename(generations / name)
    catalogue.set_number("generation", generation)
    _write_synced(collection / f"{CURRENT}.new", name)
    (collection / f"{CURRENT}.new").replace(collection / CURRENT)
    return mark


def work_folder(collection: Path, name: str) -> Path:
    """Make an empty folder beside the generations that no one takes for one of them.

    Args:
        collection: the collection's folder.
        name: tells it from this process's others.
    """
    folder = collection / GENERATIONS / f"{BUILDING}{os.getpid()}-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def counted_before(earlier: list[tuple[Path, Mark]]) -> Path | None:
    """Return the lexical index of the newest generation whose counts can be taken over.

    Args:
        earlier: complete generations, newest first.
    """
    return next((old / LEXICAL for old, mark in earlier if mark.lexical == FORMAT), None)


def clean(collection: Path) -> None:
    """Remove what is no longer current; what another process still holds open stays for later.

    The caller holds the writer lock.

    Args:
        collection: the collection's folder.
    """
    current = current_folder(collection)
    for folder in (collection / GENERATIONS).iterdir():
        if folder != current:
            # On Windows an open file cannot be removed; the next writer tries again.
            shutil.rmtree(folder, ignore_errors=True)


def _build(
    folder: Path,
    catalogue: Catalogue,
    recipe: Recipe,
    generation: int,
    earlier: list[tuple[Path, Mark]],
    parts: Parts,
    progress: Progress,
) -> Mark:
    revision = catalogue.number("revision")
    same = [old for old, mark in earlier if mark.revision == revision and mark.lexical == FORMAT]
    written = parts.papers or next((old / PAPERS for old in same), None)
    if written is None:
        copy_papers(folder, catalogue)
    else:
        _link(str(written), str(folder / PAPERS))
    cuts = Passages(catalogue, recipe)
    starts, passages = _write_rows(folder, cuts)
    papers = len(starts)
    if papers != len(catalogue):
        raise IndexDamagedError(
            f"not cut into passages: {counted(len(catalogue) - papers, 'paper')} of "
            f"{catalogue.path}; run `assistant sync` again"
        )
    indexed = parts.lexical or next((old / LEXICAL for old in same), None)
    if indexed is None:
        progress("indexing", 0, papers)
        index_papers(folder / PAPERS, folder / LEXICAL, counted_before(earlier))
        progress("indexing", papers, papers)
    else:
        shutil.copytree(indexed, folder / LEXICAL, copy_function=_link)
    dimension, ready = cuts.dimension() if passages else None, 0
    if dimension:
        write_vectors(folder / VECTORS, passages, dimension, cuts.vectors())
        ready = _papers_ready(folder, starts)
    if parts.store is not None:
        parts.store.rename(folder / STORE)
    return Mark(
        generation=generation,
        recipe=recipe,
        revision=revision,
        lexical=FORMAT,
        papers=papers,
        passages=passages,
        dimension=dimension,
        vectors_ready=ready,
        stored=parts.stored,
        files={
            path.relative_to(folder).as_posix(): path.stat().st_size
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        },
    )


def copy_papers(folder: Path, catalogue: Catalogue) -> Path:
    """Copy the papers out: a reader then needs neither the catalogue nor the right to write.

    Args:
        folder: where the file goes.
        catalogue: the collection's catalogue.

    Returns:
        The file.
    """
    link = catalogue.connection
    link.create_function("fold", 1, fold, deterministic=True)
    link.execute("ATTACH ? AS out", (str(folder / PAPERS),))
    try:
        # No journal: the file counts only once its folder is marked complete.
        link.execute("PRAGMA out.journal_mode = OFF")
        link.execute("PRAGMA out.synchronous = OFF")
        link.execute(
            "CREATE TABLE out.papers (row INTEGER PRIMARY KEY, id TEXT NOT NULL, venue TEXT,"
            " year INTEGER, authors TEXT, keywords TEXT, sources TEXT)"
        )
        link.execute(
            "INSERT INTO out.papers SELECT row_number() OVER (ORDER BY row) - 1, id, venue,"
            " year, authors, keywords, ?1 || coalesce(file || ?1, '') || coalesce((SELECT"
            " group_concat(fold(source), ?1) FROM listings WHERE paper = papers.row) || ?1, '')"
            " FROM main.papers ORDER BY row",
            (SEPARATOR,),
        )
        link.execute("CREATE UNIQUE INDEX out.papers_by_id ON papers (id)")
        # Apart from what is filtered by, so that a filter reads a tenth of the file.
        link.execute("CREATE TABLE out.records (row INTEGER PRIMARY KEY, record TEXT NOT NULL)")
        link.execute(
            "INSERT INTO out.records SELECT row_number() OVER (ORDER BY row) - 1, record"
            " FROM main.papers ORDER BY row"
        )
    finally:
        link.execute("DETACH out")
    return folder / PAPERS


def _write_rows(folder: Path, cuts: Passages) -> tuple[NDArray[np.int32], int]:
    papers: list[int] = []
    spans: list[tuple[int, int]] = []
    starts: list[int] = []
    before = None
    for paper, _, start, stop, _ in cuts.spans():
        if paper != before:
            starts.append(len(papers))
            before = paper
        papers.append(len(starts) - 1)
        spans.append((start, stop))
    first = np.array(starts, dtype=np.int32)
    np.savez(
        folder / ROWS,
        papers=np.array(papers, dtype=np.int32),
        spans=np.array(spans, dtype=np.int32).reshape(-1, 2),
        starts=first,
    )
    return first, len(papers)


def _papers_ready(folder: Path, starts: NDArray[np.int32]) -> int:
    matrix = np.load(folder / VECTORS, mmap_mode="r")
    has_vector = ~np.isnan(matrix[:, 0])
    return int(np.minimum.reduceat(has_vector, starts).sum()) if len(starts) else 0


def _link(source: str, target: str) -> None:
    # The files are never written again, so two generations may share them.
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _number(folder: Path) -> int:
    head = folder.name.partition("-")[0]
    return int(head) if head.isdecimal() else 0


def _flush(folder: Path, mark: Mark) -> None:
    """Get the files onto the disk; Chroma's are left out: large, and checked when they are used."""
    for name in mark.files:
        if not name.startswith(STORE):
            with (folder / name).open("rb") as file:
                os.fsync(file.fileno())


def _write_synced(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
