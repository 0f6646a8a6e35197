"""List the benchmarks and run the quick ones: `python -m benchmarks [--list]`."""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import time
from pathlib import Path

__all__ = ["main"]

_FOLDER = Path(__file__).parent
_QUICK = {
    "speed": ["--runs", "3"],
    "verification": [],
    "dense": ["--sizes", "1000", "10000"],
    "ingest": ["--sample", "500", "--size", "10000"],
    "growth": ["--sizes", "38", "1000", "10000"],
    "compare": ["--real", "200", "--drawn", "5000"],
    "answers": [],
}
"""What is run, with its arguments: minutes, not hours, and nothing that is trained."""

_WANT_DATA = {
    "answers",
    "compare",
    "growth",
    "ingest",
    "lexical",
    "known_words",
    "retrieval",
}


def main() -> None:
    """List every command with one line; run the quick ones."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="only list them")
    given = parser.parse_args()
    commands = _commands()
    width = max(map(len, commands))
    for name, line in commands.items():
        print(f"{'*' if name in _QUICK else ' '} python -m benchmarks.{name:<{width}}  {line}")
    print("\n* run by `python -m benchmarks`. Larger data: ASSISTANT_TEST_DATA=/path.", flush=True)
    if given.list:
        return
    failed = [name for name in _QUICK if name in commands and not _ran(name)]
    if failed:
        sys.exit(f"did not come to an end: {', '.join(failed)}")


def _commands() -> dict[str, str]:
    """Return the first line of what each module says of itself, by name."""
    found = {}
    for path in sorted(_FOLDER.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not path.name.startswith("__") and '__name__ == "__main__"' in text:
            said = ast.get_docstring(ast.parse(text)) or ""
            found[path.stem] = said.split(": `python")[0].splitlines()[0].rstrip(":.")
    return found


def _ran(name: str) -> bool:
    print(f"\n## {name}\n", flush=True)
    if name in _WANT_DATA and not os.environ.get("ASSISTANT_TEST_DATA"):
        print("left out: ASSISTANT_TEST_DATA is not set")
        return True
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *_QUICK[name]], check=False)
    print(f"\n({time.perf_counter() - begun:.0f} s)", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    main()
