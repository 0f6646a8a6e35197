"""Looking for faults in a shared collection: the server, and the copy of it on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assistant.errors import ServerError
from assistant.index.checking import faults, passage_names
from assistant.index.mark import VECTORS
from assistant.index.shared.replica import Replica
from assistant.wording import counted

__all__ = ["shared_faults"]


def shared_faults(replica: Replica, *, deep: bool) -> list[str]:
    """Compare the copy with itself and with the server.

    Args:
        replica: the copy.
        deep: read every vector from the server, and have SQLite go through the whole copy.

    Returns:
        One line per fault, with the step that mends it.
    """
    found: list[str] = []
    try:
        replica.version()
        lost = replica.target.lost(replica.target.records.summary(patience=0))
        if lost is not None:
            found.append(lost)
        elif deep:
            found += _unlike_server(replica)
    except ServerError as error:
        found.append(str(error))
    return [*found, *faults(replica.folder, deep=deep, store=False)]


def _unlike_server(replica: Replica) -> Iterator[str]:
    snapshot = replica.snapshot()
    remote = replica.target.passages(snapshot.mark.recipe)
    if remote is None or not snapshot.dimension:
        return
    matrix = np.load(snapshot.folder / VECTORS, mmap_mode="r")
    names = passage_names(snapshot)
    ready = np.flatnonzero(~np.isnan(matrix[:, 0]))
    there = remote.vectors([names[row] for row in ready])
    wrong = sum(
        1
        for row in ready
        if names[row] not in there or not np.array_equal(there[names[row]], matrix[row])
    )
    if wrong:
        yield (
            f"missing on {replica.address.url}, or not as in the copy here: {wrong} of "
            f"{counted(len(ready), 'passage')}; run `assistant sync --rebuild`"
        )
