"""nginx, started for a test and stopped behind it."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

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
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(10)
