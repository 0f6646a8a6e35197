"""How far a run is, on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evals.records import CaseResult

__all__ = ["bar"]


@contextmanager
def bar(total: int) -> Iterator[Callable[[CaseResult, int, int], None]]:
    """Show a progress bar; plain silence where standard error is no terminal.

    Args:
        total: answers in all.

    Yields:
        What to call with each result, how many are done, and how many there are.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    wrong = 0
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=total)

        def told(result: CaseResult, done: int, _: int) -> None:
            nonlocal wrong
            wrong += not result.passed
            progress.update(task, completed=done, description=f"{wrong} not right")

        yield told
