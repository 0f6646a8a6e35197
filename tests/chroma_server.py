"""A Chroma server of its own for tests: started, stopped, started again on the same port."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

import httpx

from tests.ports import KeptPort

_UP_WITHIN = 60.0


class ChromaServer:
    """`chroma run` on loopback, with its data in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept = KeptPort()
        self.port = self._kept.number
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self._kept.let_go()

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        chroma = Path(sys.executable).with_name("chroma")
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *(chroma, "run", "--path", self.folder / "data"),
                    *("--host", "127.0.0.1", "--port", str(self.port)),
                ],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + _UP_WITHIN
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if httpx.get(f"{self.url}/api/v2/heartbeat", timeout=5).is_success:
                    return
            except httpx.HTTPError:
                time.sleep(0.05)
        raise AssertionError((self.folder / "server.log").read_text("utf-8", "replace"))

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(30)
            self.process = None

    def database(self) -> str:
        """Make a database that nobody else uses."""
        name = f"test-{uuid4().hex[:12]}"
        made = httpx.post(
            f"{self.url}/api/v2/tenants/default_tenant/databases", json={"name": name}, timeout=30
        )
        made.raise_for_status()
        return name
