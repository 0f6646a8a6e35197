"""Prompts are files: Markdown with front matter, a version, and a hash that every answer names."""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from assistant.errors import SettingsError
from assistant.resources import prompts_dir
from assistant.settings import Settings

__all__ = [
    "PROMPT_VARIABLES",
    "Prompt",
    "fenced",
    "hash_of_all",
    "load_prompt",
    "new_fence",
    "prompt_faults",
]

PROMPT_VARIABLES: Mapping[str, frozenset[str]] = {
    "answer": frozenset({"fence", "sources", "question"}),
    "repair": frozenset({"fence", "sources", "sentences"}),
    "understand": frozenset({"fence", "history", "question"}),
    "judge": frozenset({"fence", "sources", "question"}),
}
"""What the code fills in, by prompt; a prompt uses each of them and no other."""

_FRONT_MATTER = re.compile(r"\A---\n(?P<matter>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_PARTS = re.compile(r"\A\s*# System\n(?P<system>.*?)\n# User\n(?P<user>.*)\Z", re.DOTALL)
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_FENCE_BYTES = 8


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt, ready to be filled in.

    Args:
        name: as its file is called.
        version: its own version.
        hash: SHA-256 of the whole file's normalised text, 64 hexadecimal digits.
        system: the rules, with `{{name}}` where values go.
        user: the question's frame, likewise.
    """

    name: str
    version: str
    hash: str
    system: str
    user: str

    def messages(
        self, values: Mapping[str, str], history: Sequence[Mapping[str, str]] = ()
    ) -> list[Mapping[str, str]]:
        """Fill in the values; each is put in as it stands and never read as a template.

        Args:
            values: one for each of the prompt's variables.
            history: turns between the rules and the question.
        """
        return [
            {"role": "system", "content": _filled(self.system, values)},
            *history,
            {"role": "user", "content": _filled(self.user, values)},
        ]


def load_prompt(name: str, settings: Settings) -> Prompt:
    """Read a prompt from the settings' own folder, or else the one that ships.

    Args:
        name: a key of `PROMPT_VARIABLES`.
        settings: `prompts_dir` may replace some or all prompts.

    Raises:
        SettingsError: the file has no front matter, lacks a part, or its variables are not those
            the code fills in.
    """
    path = _path(name, settings)
    return _read(name, path, path.stat().st_mtime_ns)


def prompt_faults(settings: Settings) -> list[str]:
    """Read every prompt as an answer would.

    Args:
        settings: `prompts_dir` may replace some or all prompts.

    Returns:
        One line per fault, with the step that mends it.
    """
    found: list[str] = []
    for name in PROMPT_VARIABLES:
        try:
            load_prompt(name, settings)
        except SettingsError as error:
            found.append(str(error))
    folder = settings.prompts_dir
    if folder is not None and folder.is_dir():
        known = ", ".join(f"{name}.md" for name in PROMPT_VARIABLES)
        files = sorted(path for path in folder.glob("*.md") if path.stem not in PROMPT_VARIABLES)
        found += [f"{path} replaces no prompt: the prompts are {known}" for path in files]
        if not any((folder / f"{name}.md").is_file() for name in PROMPT_VARIABLES):
            found.append(f"{folder} replaces no prompt: put {known} in it, or unset it")
    return list(dict.fromkeys(found))


def hash_of_all(hashes: Iterable[str]) -> str | None:
    """Give one hash for all prompts that shaped an answer.

    Args:
        hashes: of each prompt that was sent, in any order and number.

    Returns:
        That of a single prompt as it is; None where none was sent.
    """
    sent = sorted(set(hashes))
    if len(sent) < 2:
        return sent[0] if sent else None
    return hashlib.sha256("\n".join(sent).encode()).hexdigest()


def new_fence() -> str:
    """Make a delimiter that no text could have foreseen."""
    return f"=={secrets.token_hex(_FENCE_BYTES)}=="


def fenced(fence: str, head: str, text: str) -> str:
    """Put a text between two lines that hold the fence, letter for letter.

    Args:
        fence: what `new_fence` gave for this call.
        head: what the text is, in a word or two.
        text: the text.
    """
    return f"{fence} {head}\n{text}\n{fence} end"


def _path(name: str, settings: Settings) -> Path:
    if settings.prompts_dir is not None:
        if not settings.prompts_dir.is_dir():
            raise SettingsError(
                f"ASSISTANT_PROMPTS_DIR={settings.prompts_dir} is no folder: create it or unset it"
            )
        own = settings.prompts_dir / f"{name}.md"
        if own.is_file():
            return own
    return prompts_dir() / f"{name}.md"


@lru_cache(maxsize=32)
def _read(name: str, path: Path, _changed: int) -> Prompt:
    text = _normalised(path)
    found = _FRONT_MATTER.match(text)
    if found is None:
        raise _wrong(path, "has no front matter: start it with name, version and variables")
    matter = _front_matter(found["matter"], path)
    if matter["name"] != name:
        raise _wrong(path, f"says its name is {matter['name']}: write name: {name}")
    parts = _PARTS.match(found["body"])
    if parts is None:
        raise _wrong(path, "lacks a part: write a heading '# System', then a heading '# User'")
    _check_variables(found["body"], matter["variables"], PROMPT_VARIABLES[name], path)
    return Prompt(
        name=name,
        version=str(matter["version"]),
        hash=hashlib.sha256(text.encode()).hexdigest(),
        system=parts["system"].strip(),
        user=parts["user"].strip(),
    )


def _normalised(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(path, f"cannot be read as UTF-8 text ({error})") from error
    lines = unicodedata.normalize("NFC", text).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip() + "\n"


def _front_matter(text: str, path: Path) -> dict[str, object]:
    import yaml

    try:
        matter = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise _wrong(path, f"has front matter that is no YAML ({error})") from error
    for key in ("name", "version", "variables"):
        if not isinstance(matter, dict) or key not in matter:
            raise _wrong(path, f"lacks {key} in its front matter")
    if not isinstance(matter["variables"], list):
        raise _wrong(path, "has variables that are no list: write variables: [fence, sources]")
    return dict(matter)


def _check_variables(body: str, declared: object, filled: frozenset[str], path: Path) -> None:
    used = set(_VARIABLE.findall(body))
    named = {str(name) for name in declared} if isinstance(declared, list) else set()
    for variable in sorted((used | named) - filled):
        known = ", ".join(sorted(filled))
        raise _wrong(path, f"uses the unknown variable {variable}: it may use {known}")
    for variable in sorted(filled - used):
        raise _wrong(path, f"never uses the variable {variable}: write {{{{{variable}}}}} in it")
    for variable in sorted(filled - named):
        raise _wrong(path, f"does not declare the variable {variable} in its front matter")


def _filled(template: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: values[found[1]], template)


def _wrong(path: Path, what: str) -> SettingsError:
    return SettingsError(f"the prompt {path} {what}")
