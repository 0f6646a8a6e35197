"""The program as a process of its own, to which something happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from tests.ports import KeptPort
from tests.waiting import until

__all__ = ["ROOT", "Page", "paging", "run", "start"]

ROOT = Path(__file__).parents[2]
_PATIENCE = 100.0
QUESTION = "What speed-up does SparseInfer report?"
"""One fact of one shipped paper; no abstract but that one answers it."""


def start(*args: str, **environment: str) -> subprocess.Popen[str]:
    """Begin a command."""
    return subprocess.Popen(
        [sys.executable, "-m", "assistant", *args],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(*args: str, **environment: str) -> tuple[int, str, str]:
    """Run a command to its end: exit code and two streams."""
    with start(*args, **environment) as process:
        try:
            out, err = process.communicate(timeout=_PATIENCE)
        except BaseException:
            process.kill()
            raise
    return process.returncode, out, err


@dataclass(frozen=True)
class Page:
    """A page in a process of its own."""

    process: subprocess.Popen[str]
    url: str
    log: Path

    def ask(self, question: str = QUESTION, timeout: float = 60.0) -> dict[str, Any]:
        """Ask through the page's call; an error is an answer with `error` in it."""
        body = json.dumps({"data": [question, None]}).encode()
        request = Request(
            self.url + "gradio_api/call/ask", body, {"content-type": "application/json"}
        )
        with urlopen(request, timeout=timeout) as response:
            event = json.load(response)["event_id"]
        with urlopen(f"{self.url}gradio_api/call/ask/{event}", timeout=timeout) as response:
            said = response.read().decode()
        data = json.loads(said.rsplit("\ndata: ", 1)[1])
        return data[0] if "event: complete" in said else {"error": data}

    def memory(self) -> float:
        """Resident memory in MB."""
        told = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        line = next(line for line in told.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024


@contextmanager
def paging(data: Path, log: Path, **environment: str) -> Iterator[Page]:
    """Serve the page from a data folder until the block ends."""
    with KeptPort() as port, log.open("w") as written:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "assistant", "--data-dir", str(data)),
                *("chat", "--no-open", "--port", str(port.number)),
            ],
            env={**os.environ, **environment},
            stdout=written,
            stderr=written,
            text=True,
        )
        page = Page(process, f"http://127.0.0.1:{port.number}/", log)
        try:
            until(lambda: process.poll() is not None or _served(page.url), "the page", 100)
            assert process.poll() is None, log.read_text()
            yield page
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _served(url: str) -> bool:
    try:
        with urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except (URLError, ConnectionError, TimeoutError):
        return False
