"""What the guide to collections shows is what is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from assistant.corpus.fields import FIELDS, plan
from assistant.corpus.reading import read_paths, readers

GUIDE = (Path(__file__).parent.parent.parent / "docs/guides/collections.md").read_text("utf-8")
ABSTRACT = "We study how caches of large models can be kept small without loss."


def write_shown(folder: Path) -> None:
    """Write files whose faults stand where the guide says."""
    rows = [f"T{i},{ABSTRACT}" for i in range(30)]
    rows[15], rows[21] = "T,", "T,See the paper."
    (folder / "papers.csv").write_text("\n".join(["title,abstract", *rows]))
    line = json.dumps({"abstract": ABSTRACT})
    lines = [line] * 4 + ['{"title": "X", "abstract": "We', line]
    (folder / "export.jsonl").write_text("\n".join(lines))
    entry = f"@misc{{k, abstract={{{ABSTRACT}}}}}\n"
    (folder / "refs.bib").write_text(entry * 111 + "@misc{broken, abstract={x}\n" + entry)
    (folder / "notes.txt").write_bytes(
        f"{ABSTRACT}\n".encode() * 38 + b"\n\x81 " + ABSTRACT.encode() + b"\n"
    )
    records = json.dumps([{"abstract": ABSTRACT}] * 88)
    (folder / "export.json").write_text(records[:-20])
    (folder / "scan.pdf").write_bytes(b"%PDF-1.7")


def test_the_reports_shown_are_the_reports_made(tmp_path: Path) -> None:
    shown = re.search(r"```text\n(.*?)```", GUIDE, re.DOTALL)
    assert shown is not None
    write_shown(tmp_path)
    made = [str(skipped) for skipped in read_paths([tmp_path]).skipped]
    expected = shown[1].splitlines()
    expected[-1] = f"scan.pdf: has no reader; known formats: {' '.join(sorted(readers()))}"
    assert sorted(made) == sorted(expected)


def test_the_endings_and_fields_named_are_those_there_are() -> None:
    formats = GUIDE.split("## Formats")[1].split("\n- ")[0]
    assert set(re.findall(r"`(\.\w+)`", formats)) == set(readers())
    for field in FIELDS:
        assert f"`{field}`" in GUIDE.split("The fields are")[1]


def test_the_names_said_to_be_recognised_are() -> None:
    table = GUIDE.split("## What is recognised")[1].split("\n\n")[2]
    assert len(table.splitlines()) == 10
    for row in table.splitlines()[2:]:
        field, names = (cell.strip() for cell in row.strip("|").split("|"))
        field = {"address": "url"}.get(field, field)
        for name in re.findall(r"`([^`]+)`", names):
            if re.fullmatch(r"[A-Za-z_ ]+", name) and name != "A B, C D" and ";" not in name:
                found = plan((name,))
                known = field in found or (field == "url" and "pdf" in found)
                assert known or name == "ICLR 2024 poster", (field, name)


def test_the_python_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    assert code is not None
    (tmp_path / "a.txt").write_text(f"{ABSTRACT}\n\nshort\n")
    given = code[1].replace('["papers/", "refs.bib"]', repr([str(tmp_path)]))
    exec(compile(given, "guide", "exec"), {})
    assert "left out: a.txt:3: too short to be an abstract: 'short'" in capsys.readouterr().out
