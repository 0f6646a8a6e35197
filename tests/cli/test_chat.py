"""`assistant chat`: what is refused before a page is served."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_a_port_in_use_is_one_line(run: Run, seeded_data_dir: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = run("chat", "--port", str(port))
    assert ran.code != 0
    assert "Traceback" not in ran.err
    (line,) = [line for line in ran.err.splitlines() if line.startswith("assistant: ")]
    assert str(port) in line


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"user\xe9:password", "cannot be read: it is not UTF-8"),
        (b"nopassword", "must hold one line name:password"),
        (b"user:", "must hold one line name:password"),
        (b"user:password\nother:password", "must hold one line name:password"),
    ],
    ids=["missing", "not UTF-8", "no colon", "no password", "two lines"],
)
def test_a_password_file_that_is_none(
    content: bytes | None, said: str, run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "auth"
    if content is not None:
        path.write_bytes(content)
    run("chat", "--auth", str(path)).failed_with(said)
