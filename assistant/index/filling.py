"""Chroma's store of a generation, filled from the catalogue or brought up to date from a copy."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.paper import Passage
from assistant.errors import IndexDamagedError
from assistant.index.catalogue import Catalogue
from assistant.index.fingerprint import Recipe
from assistant.index.mark import STORE, Mark
from assistant.index.passages import Passages
from assistant.index.progress import Progress
from assistant.index.snapshot import EXACT_LIMIT
from assistant.index.store import Entry, PassageStore

__all__ = ["fill_store"]

_SAMPLED = 64


def fill_store(
    folder: Path,
    catalogue: Catalogue,
    recipe: Recipe,
    earlier: list[tuple[Path, Mark]],
    progress: Progress,
) -> int:
    """Fill a store in a folder that no one reads yet, from a copy of an earlier one if any.

    Args:
        folder: where the store goes.
        catalogue: the source of all passages and vectors.
        recipe: which of them.
        earlier: complete generations, newest first.
        progress: told `storing`.

    Returns:
        How many passages the store holds: those that have vectors.

    Raises:
        IndexDamagedError: Chroma refuses, or does not give back what was written.
    """
    passages = len(Passages(catalogue, recipe))

    # Where every vector is compared, the graph serves only those who open Chroma themselves.
    fine = passages > EXACT_LIMIT

    def tell(done: int) -> None:
        progress("storing", done, passages)

    tell(0)
    old = next((old for old, mark in earlier if mark.stored and _alike(mark.recipe, recipe)), None)
    if old is not None:
        try:
            shutil.copytree(old / STORE, folder)
            return _reconcile(folder, catalogue, recipe, tell, fine=fine)
        except (IndexDamagedError, OSError):
            # The earlier store cannot be read: all of it comes from the catalogue instead.
            shutil.rmtree(folder, ignore_errors=True)
    return _reconcile(folder, catalogue, recipe, tell, fine=fine)


def _reconcile(
    folder: Path,
    catalogue: Catalogue,
    recipe: Recipe,
    tell: Callable[[int], None],
    *,
    fine: bool,
) -> int:
    sample: dict[str, NDArray[np.float32]] = {}
    count = 0

    def counted() -> Iterator[Entry]:
        nonlocal count
        for entry in _entries(catalogue, recipe):
            # The first ones and then ever rarer ones: enough to see that ids and vectors agree.
            if count < _SAMPLED or count.bit_count() == 1:
                sample[entry.id] = entry.vector
            count += 1
            yield entry

    with PassageStore(folder, fine=fine) as store:
        store.reconcile(counted(), tell)
        tell(count)
        found = store.vectors(list(sample))
        if len(store) != count or not all(
            id_ in found and np.allclose(found[id_], vector, atol=1e-5)
            for id_, vector in sample.items()
        ):
            raise IndexDamagedError(f"Chroma does not give back what was written to {folder}")
    return count


def _entries(catalogue: Catalogue, recipe: Recipe) -> Iterator[Entry]:
    papers, cuts = catalogue.numbered_papers(), Passages(catalogue, recipe)
    at, paper = -1, None
    for (row, ordinal, start, stop, hashed), vector in zip(
        cuts.spans(), cuts.vectors(), strict=True
    ):
        while at < row:
            at, paper = next(papers)
        if vector is not None and paper is not None:
            passage = Passage(paper.id, paper.abstract[start:stop], start, stop)
            yield Entry.of(paper, passage, ordinal, hashed, np.frombuffer(vector, np.float32))


def _alike(old: Recipe, new: Recipe) -> bool:
    return old.vector_key == new.vector_key and old.schema == new.schema
