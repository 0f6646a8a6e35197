"""How long work is shown in a terminal; elsewhere it is quiet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from assistant.index.progress import Progress, silent

__all__ = ["shown_progress"]

_NAMES = {
    "reading": "Reading papers",
    "cutting": "Cutting passages",
    "indexing": "Indexing words",
    "embedding": "Embedding passages",
    "storing": "Storing vectors",
}


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Yield a progress that draws bars on standard error while it is used."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(_NAMES.get(stage, stage), total=total or None)
            bars.update(tasks[stage], completed=done, total=total or None)

        yield tell
