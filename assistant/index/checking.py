"""Looking for faults in a collection, for `assistant doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assistant.errors import IndexDamagedError
from assistant.index.catalogue import Catalogue
from assistant.index.mark import CATALOGUE, STORE, VECTORS, current_folder
from assistant.index.passages import Passages
from assistant.index.snapshot import Snapshot
from assistant.index.store import passage_id
from assistant.wording import counted

__all__ = ["faults", "passage_names"]

_TOLERANCE = 1e-5
_RUN_SYNC = "run `assistant sync` again"


def faults(collection: Path, *, deep: bool, store: bool = True) -> list[str]:
    """Compare the catalogue, the current generation and its Chroma store with each other.

    Args:
        collection: the collection's folder.
        deep: read every vector, and have SQLite go through the whole catalogue.
        store: whether the generation has a Chroma store of its own.

    Returns:
        One line per fault, with the step that mends it.
    """
    found: list[str] = []
    try:
        with Catalogue(collection / CATALOGUE, readonly=True) as catalogue:
            if deep:
                found += [
                    f"the catalogue {catalogue.path} is damaged ({line}): put a copy of it back"
                    for line in catalogue.faults()
                ]
            folder = current_folder(collection)
            if folder is None:
                return [*found, f"nothing was published yet: {_RUN_SYNC}"]
            snapshot = Snapshot(folder)
            try:
                found += _behind(snapshot, catalogue)
                if deep and snapshot.dimension:
                    found += _unlike_catalogue(snapshot, catalogue)
                if store:
                    found += _unlike_store(snapshot, deep)
            finally:
                snapshot.close()
    except IndexDamagedError as error:
        found.append(str(error))
    return found


def _behind(snapshot: Snapshot, catalogue: Catalogue) -> Iterator[str]:
    if catalogue.number("revision") != snapshot.mark.revision:
        yield f"the last sync was cut off, its papers cannot be found yet: {_RUN_SYNC}"
    if len(snapshot) != len(catalogue):
        yield f"{len(snapshot)} of {counted(len(catalogue), 'paper')} can be found: {_RUN_SYNC}"
    missing = len(snapshot) - snapshot.vectors_ready
    if snapshot.embedder_name is not None and missing:
        yield f"no vectors yet for {missing} of {counted(len(snapshot), 'paper')}: {_RUN_SYNC}"


def _unlike_catalogue(snapshot: Snapshot, catalogue: Catalogue) -> Iterator[str]:
    matrix = np.load(snapshot.folder / VECTORS, mmap_mode="r")
    cuts = Passages(catalogue, snapshot.mark.recipe)
    if len(cuts) != len(matrix):
        yield f"{len(matrix)} of {counted(len(cuts), 'passage')} can be found: {_RUN_SYNC}"
        return
    wrong = sum(
        1
        for row, kept in zip(matrix, cuts.vectors(), strict=True)
        if kept is not None and not np.array_equal(row, np.frombuffer(kept, dtype=np.float32))
    )
    if wrong:
        differ = counted(wrong, "vector differs", "vectors differ")
        yield f"{differ} from the catalogue's: run `assistant sync --rebuild`"


def _unlike_store(snapshot: Snapshot, deep: bool) -> Iterator[str]:
    if not snapshot.dimension:
        return
    if snapshot.mark.stored is None:
        yield f"Chroma holds nothing yet: {_RUN_SYNC}"
        return
    matrix = np.load(snapshot.folder / VECTORS, mmap_mode="r")
    ready = np.flatnonzero(~np.isnan(matrix[:, 0]))
    rows = ready if deep else ready[-1:]
    names = passage_names(snapshot)
    try:
        held = len(snapshot.store)
        stored = snapshot.store.vectors([names[row] for row in rows])
    except IndexDamagedError as error:
        yield f"{error}: run `assistant sync --rebuild`"
        return
    wrong = sum(
        1
        for row in rows
        if names[row] not in stored
        or not np.allclose(stored[names[row]], matrix[row], atol=_TOLERANCE)
    )
    if held != len(ready) or wrong:
        yield (
            f"Chroma in {snapshot.folder / STORE} holds {held} of "
            f"{counted(len(ready), 'passage')}, {wrong} of {len(rows)} read back wrong: run "
            "`assistant sync --rebuild`"
        )


def passage_names(snapshot: Snapshot) -> list[str]:
    """Return the store's id of each passage.

    Args:
        snapshot: the generation.
    """
    names: list[str] = []
    before, ordinal = -1, 0
    for row in snapshot.passage_papers:
        ordinal = ordinal + 1 if row == before else 0
        before = int(row)
        names.append(passage_id(snapshot.paper(before).id, ordinal))
    return names
