"""Waiting for what happens elsewhere: in a server, in a process, in a thread."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["PATIENCE", "until"]

PATIENCE = 60.0
"""Seconds; long enough for a machine that is busy elsewhere, and spent only by what fails."""


def until(true: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Look again and again until something is true.

    Args:
        true: looks.
        what: what is waited for, told where it never comes.
        seconds: how long at most.
    """
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, f"waited in vain: {what}"
        time.sleep(0.02)
