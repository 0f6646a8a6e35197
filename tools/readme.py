"""Write into README.md what its examples really print: `python -m tools.readme`.

A `console` block holds commands behind `$ ` and what each prints; a `text` block right behind a
`python` block holds what that prints. All of them are run keyless, over the papers that ship.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

__all__ = ["README", "filled", "keyless"]

README = Path(__file__).parents[1] / "README.md"
_CONSOLE = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
_PYTHON = re.compile(
    r"(?P<head>```python\n(?P<code>.*?)```\n\n```text\n)(?P<shown>.*?)(?=```)", re.DOTALL
)


def filled(text: str, environment: Mapping[str, str]) -> str:
    """Run every example of a text and put in what it prints.

    Args:
        text: Markdown.
        environment: for the processes; it names their data folder.

    Raises:
        CalledProcessError: an example ends with an error.
    """

    def printed(arguments: list[str]) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            env=dict(environment),
            check=True,
            capture_output=True,
            encoding="utf-8",
        )
        lines = [line.rstrip() for line in done.stdout.strip("\n").splitlines()]
        return "\n".join(lines) + "\n"

    def console(block: re.Match[str]) -> str:
        shown = []
        for line in block[0].splitlines():
            if line.startswith("$ "):
                name, *arguments = shlex.split(line[2:])
                shown.append(f"{line}\n{printed(['-m', name, *arguments])}")
        return "\n".join(shown)

    text = _CONSOLE.sub(console, text)
    return _PYTHON.sub(lambda block: block["head"] + printed(["-c", block["code"]]), text)


def keyless(data: Path) -> dict[str, str]:
    """Return this process's environment without the assistant's settings.

    Args:
        data: the data folder to use.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ASSISTANT_", "OPENAI_", "CHROMA_"))
    }
    own = {"ASSISTANT_DATA_DIR": str(data), "ASSISTANT_MODEL": "none", "PYTHONUTF8": "1"}
    return kept | own


if __name__ == "__main__":
    # Elsewhere, so that no `.env` is read.
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        made = filled(README.read_text(encoding="utf-8"), keyless(Path(folder)))
    README.write_text(made, encoding="utf-8")
