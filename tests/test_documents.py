"""The documents say what is so: their examples print what they show, their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tools.readme import README, filled, keyless

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks/README.md"]
)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
COMMAND = re.compile(r"python -m ((?:benchmarks|tools|evals)(?:\.\w+)*)")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def anchors(document: Path) -> set[str]:
    """The names under which a document's headings can be linked to."""
    text = FENCED.sub("", document.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.timeout(300)
def test_the_readme_shows_what_its_examples_print(seeded_data_dir: Path) -> None:
    text = README.read_text(encoding="utf-8")
    assert text.count("\n$ assistant ask") > 1
    assert filled(text, keyless(seeded_data_dir)) == text


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    missing = []
    for link in ("".join(found) for found in LINK.findall(text)):
        path, _, anchor = unquote(link).partition("#")
        if "://" in link or link.startswith("mailto:"):
            continue
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            missing.append(link)
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_named_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for name in COMMAND.findall(text):
        path = ROOT / name.replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), name


def test_make_targets_named_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    said = {
        name
        for document in DOCUMENTS
        for name in re.findall(r"`make ([a-z-]+)", document.read_text(encoding="utf-8"))
    }
    assert {"chat", "test"} <= said <= targets
