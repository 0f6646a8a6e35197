"""How long work is shown in a terminal; elsewhere it is quiet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assistant.index.progress import Progress, silent

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import Task, TaskID
    from rich.text import Text

__all__ = ["Followed", "can_ask", "shown_progress"]

_NAMES = {
    "reading": ("Reading papers", "papers"),
    "cutting": ("Cutting passages", "papers"),
    "indexing": ("Indexing words", "papers"),
    "embedding": ("Embedding passages", "passages"),
    "storing": ("Storing vectors", "vectors"),
}


class Followed:
    """A progress that remembers how far it is, and whether what was read is kept.

    Args:
        shown: what shows it.
        bars: what has to stand still while a person is asked.

    Attributes:
        recorded: how many papers are kept for certain.
        embedded: done and total of the passages embedded.
    """

    def __init__(self, shown: Progress = silent, bars: Bars | None = None) -> None:
        self.recorded: int | None = None
        self.embedded: tuple[int, int] | None = None
        self._shown = shown
        self._bars = bars

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take one report."""
        if stage == "recorded":
            self.recorded = done
        elif stage == "embedding":
            self.embedded = (done, total)
        self._shown(stage, done, total)

    def ask(self, question: str) -> bool:
        """Ask a person in the terminal for yes or no; no is what an empty line means.

        Args:
            question: one line.
        """
        from assistant.cli.printing import shown

        if self._bars is not None:
            self._bars.stop()
        print(f"{shown(question)} [y/N] ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline().strip().casefold()
        if self._bars is not None:
            self._bars.start()
        return answer in {"y", "yes"}


def can_ask() -> bool:
    """Tell whether there is a person who reads and types."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


@contextmanager
def shown_progress() -> Iterator[Followed]:
    """Yield a progress that draws bars on standard error while it is used."""
    if not sys.stderr.isatty():
        yield Followed()
        return
    with _bars() as bars:
        tasks: dict[str, TaskID] = {}

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in _NAMES:
                return
            name, unit = _NAMES[stage]
            if stage not in tasks:
                tasks[stage] = bars.add_task(name, total=total or None, unit=unit)
            bars.update(tasks[stage], completed=done, total=total or None)

        yield Followed(tell, bars)


def _bars() -> Bars:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    class Rate(ProgressColumn):
        """How many are done in a second."""

        def render(self, task: Task) -> Text:
            return _rate(task.finished_speed or task.speed, str(task.fields["unit"]))

    return Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def _rate(speed: float | None, unit: str) -> Text:
    from rich.text import Text

    return Text(f"{speed:,.0f} {unit}/s" if speed else "", style="progress.data.speed")
