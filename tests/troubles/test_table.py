"""The table of reported troubles: each once, each with tests that exist and are collected."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "tests" / "TROUBLES.md"
REPORTED = {"ING": 14, "TOK": 4, "LLM": 11, "CIT": 6, "RET": 9, "GUI": 9, "EVA": 4}
ROW = re.compile(
    r"^\| (?P<id>[A-Z]{3}-\d\d) \| (?P<what>[^|]+) \| (?P<tests>[^|]+) \|$", re.MULTILINE
)
TEST = re.compile(r"`(tests/[\w/]+\.py)::([\w:]+)`")


def rows() -> list[tuple[str, str]]:
    return [(row["id"], row["tests"]) for row in ROW.finditer(TABLE.read_text(encoding="utf-8"))]


def test_each_report_stands_there_once() -> None:
    wanted = [f"{kind}-{n:02d}" for kind, count in REPORTED.items() for n in range(1, count + 1)]
    assert Counter(name for name, _ in rows()) == Counter(wanted)


def test_each_has_tests_that_are_collected() -> None:
    named = {f"{path}::{name}" for _, tests in rows() for path, name in TEST.findall(tests)}
    assert all(TEST.search(tests) for _, tests in rows())
    files = sorted({name.partition("::")[0] for name in named})
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=110,
    )
    collected = {line.partition("[")[0] for line in listed.stdout.splitlines() if "::" in line}
    assert named <= collected, sorted(named - collected)
