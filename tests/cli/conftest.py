"""The command line as a person meets it: arguments in, exit code and two streams out."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.cli import main

Run = Callable[..., "Ran"]


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    def failed_with(self, said: str, code: int = 2) -> None:
        """Check that it told one line on standard error and nothing else."""
        assert self.code == code, self.err
        assert self.out == ""
        assert len(self.err.splitlines()) == 1, self.err
        assert self.err.startswith("assistant: ")
        assert said in self.err


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process."""

    def ran(*args: str, stdin: str = "", **environment: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["assistant", *args])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(bool(stop.code))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return ran


@pytest.fixture
def spawn() -> Run:
    """Run a command in a process of its own."""

    def ran(*args: str | bytes, stdin: bytes = b"", **environment: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "assistant", *args],
            input=stdin,
            capture_output=True,
            env={**os.environ, **environment},
            timeout=100,
        )
        encoding = environment.get("PYTHONIOENCODING", "utf-8")
        return Ran(
            done.returncode, done.stdout.decode(encoding, "replace"), done.stderr.decode(encoding)
        )

    return ran


@pytest.fixture
def two_papers(tmp_path: Path) -> Path:
    path = tmp_path / "two.txt"
    path.write_text(
        "We study caches of large models and how they can be kept small without any loss.\n\n"
        "Robots stand up when they fall, and they learn it without a reward in four hours.\n",
        encoding="utf-8",
    )
    return path
