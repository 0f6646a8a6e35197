"""nginx, started for a test and stopped behind it."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import until

__all__ = ["running_nginx"]


@contextmanager
def running_nginx(command: Sequence[str | Path], port: int) -> Iterator[None]:
    """Run nginx while the block lasts, from when its port can be reached.

    Args:
        command: the program with its folder and its file of settings.
        port: one that it listens on.
    """
    process = subprocess.Popen(command)
    try:
        until(lambda: process.poll() is not None or _listens(port), "nginx listens")
        assert process.poll() is None, "nginx ended; its log says why"
        yield
    finally:
        process.terminate()
        process.wait(30)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
