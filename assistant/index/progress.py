"""How long work tells of its progress."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "silent"]


class Progress(Protocol):
    """Told how far a long piece of work is; called often, so it should be quick."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take one report.

        Args:
            stage: `reading`, `cutting`, `recorded` (nothing of what was read can be lost any
                more), `indexing`, `embedding` or `storing`.
            done: how many are done.
            total: how many there are; 0 where that is not known.
        """


def silent(stage: str, done: int, total: int) -> None:
    """Take a report and do nothing.

    Args:
        stage: the stage.
        done: how many are done.
        total: how many there are.
    """
