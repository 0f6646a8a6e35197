"""The rules of the house that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60

# Written in pieces, so that this file does not hold what it forbids.
_REGISTRY_HOSTS = [
    "pypi" + ".org",
    "python" + "hosted",
    "npmjs" + ".",
    "yarnpkg" + ".",
    "deb.deb" + "ian.org",
    "crates" + ".io",
    "conda." + "anaconda",
    "repo.maven" + ".apache",
]
REGISTRY = re.compile("|".join(map(re.escape, _REGISTRY_HOSTS)), re.IGNORECASE)
INDEX_URL = re.compile("(--index-url|--extra-index" + "-url|--find" + r"-links)[= ]+\S*:/")
MACHINE_PATH = re.compile(r"(?<![\w./:~-])/(?:" + "|".join(["work", "root", "tmp"]) + r")/\w")
HOME_PATH = re.compile(r"(?<![\w./:~-])/(?:" + "home|Users" + r")/\w")

HEAVY = [
    "chromadb",
    "gradio",
    "langchain",
    "langchain_core",
    "numpy",
    "onnxruntime",
    "openai",
    "pandas",
    "pydantic",
]


def project_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0:
        names = listed.stdout.decode().split("\0")
        return sorted(path for name in names if name and (path := ROOT / name).is_file())
    # An archive without its history: leave out what tools made.
    made = re.compile(r"\.venv|\.git|\..*_cache|\.hypothesis|dist|build|__pycache__|.*\.egg-info")
    paths = (path for path in ROOT.rglob("*") if path.is_file())
    return sorted(
        path
        for path in paths
        if not any(made.fullmatch(part) for part in path.relative_to(ROOT).parts)
    )


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace")


def package_files() -> list[Path]:
    return sorted((ROOT / "assistant").rglob("*.py"))


def places(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in project_files()
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if pattern.search(line)
    ]


def definitions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node


def public_definitions(
    body: list[ast.stmt], prefix: str = ""
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    """Functions, classes and methods whose whole dotted name is public."""
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if node.name.startswith("_"):
            continue
        yield prefix + node.name, node
        if isinstance(node, ast.ClassDef):
            yield from public_definitions(node.body, f"{prefix}{node.name}.")


def test_the_project_has_files() -> None:
    assert {"Makefile", "pyproject.toml"} <= {path.name for path in project_files()}
    assert len(package_files()) > 10


@pytest.mark.parametrize(
    ("pattern", "sample"),
    [
        (REGISTRY, "see https://" + "pypi" + ".org/simple"),
        (INDEX_URL, "--index" + "-url https://mirror.example/simple"),
        (MACHINE_PATH, "data = '/" + "work/main/x'"),
        (HOME_PATH, "cd /" + "home/ada/x"),
    ],
    ids=["registry", "index address", "path of a machine", "path of a home"],
)
def test_no_file_names_a_registry_or_a_machine(pattern: re.Pattern[str], sample: str) -> None:
    assert pattern.search(sample), "the pattern finds nothing"
    assert places(pattern) == []


def test_files_stay_short() -> None:
    lengths = {path.relative_to(ROOT): len(text_of(path).splitlines()) for path in package_files()}
    assert {str(path): n for path, n in lengths.items() if n > MAX_FILE_LINES} == {}


def test_functions_fit_a_screen() -> None:
    long = {
        f"{path.relative_to(ROOT)}:{node.name}": node.end_lineno - node.lineno + 1
        for path in package_files()
        for node in definitions(ast.parse(text_of(path)))
        if not isinstance(node, ast.ClassDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > MAX_FUNCTION_LINES
    }
    assert long == {}


def test_every_public_name_has_a_docstring() -> None:
    missing = [
        f"{path.relative_to(ROOT)}:{node.lineno} {name}"
        for path in package_files()
        for name, node in public_definitions(ast.parse(text_of(path)).body)
        if not ast.get_docstring(node)
    ]
    assert missing == []


def test_importing_the_package_stays_light() -> None:
    code = (
        "import sys; from assistant import Answer, Assistant, Citation, Paper, ask; "
        f"print(sorted(set({HEAVY}) & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_reading_the_settings_starts_no_heavy_library() -> None:
    heavy = [name for name in HEAVY if name != "pydantic"]
    code = (
        "import sys; from assistant.settings import load_settings; load_settings(); "
        f"print(sorted(set({heavy}) & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_no_file_is_executable_by_accident() -> None:
    allowed = {Path(".ci/run"), Path("tools/setup.sh"), Path("tools/lock.sh")}
    executable = {path.relative_to(ROOT) for path in project_files() if path.stat().st_mode & 0o111}
    assert executable <= allowed


def test_make_help_lists_every_target() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", text, re.MULTILINE))
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert targets == set(re.findall(r"^  make ([a-z-]+) +\S", shown, re.MULTILINE))
