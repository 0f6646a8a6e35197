"""A port for a server that a test starts, which nothing else is given in the meantime."""

from __future__ import annotations

import socket
import sys
from types import TracebackType
from typing import Self

__all__ = ["KeptPort"]


class KeptPort:
    """A free port of loopback, kept from others until it is let go.

    On Linux a socket stays bound to it and never listens: the kernel gives the port to nobody who
    asks for any, and a server that names it may bind beside it. Elsewhere it was free when asked.
    """

    def __init__(self) -> None:
        self._holder = socket.socket()
        self._holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._holder.bind(("127.0.0.1", 0))
        self.number = int(self._holder.getsockname()[1])
        if not sys.platform.startswith("linux"):
            self._holder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.let_go()

    def let_go(self) -> None:
        """Give the port back."""
        self._holder.close()
