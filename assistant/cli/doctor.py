"""`assistant doctor`: what is configured, reachable and indexed, and how to mend what is not."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["doctor"]

_WORD = "Reply with the word ready."
_SECONDS = 20.0
_MEGABYTE = 1_000_000
_LEAST_ROOM = 200 * _MEGABYTE


def doctor(
    context: typer.Context,
    deep: Annotated[
        bool, typer.Option("--deep", help="Read every vector and the whole catalogue.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check settings, index and model server; exit code 1 when something needs mending."""
    from assistant.answering.prompts import prompt_faults
    from assistant.api import Assistant
    from assistant.cli.printing import print_json, say

    with Assistant(context.obj) as assistant:
        status = assistant.status()
        findings = [*status["notices"], *([status["mismatch"]] if status["mismatch"] else [])]
        if status["papers"]:
            findings += assistant.check(deep=deep)
        else:
            # The papers that ship are for a machine's own collection, not for a group's.
            ask = "" if status["server"] else "ask a question, or "
            findings.append(f"nothing is indexed yet: {ask}run `assistant sync PATH`")
        findings += _folder_findings(Path(status["folder"]))
        findings += prompt_faults(assistant.settings)
        findings += _model_findings(assistant)
    # What a question would be warned of is often what the check finds, too.
    findings = list(dict.fromkeys(findings))
    findings = [one for one in findings if not any(_says_more(other, one) for other in findings)]
    status["findings"] = findings
    if as_json:
        print_json([status])
    else:
        for name in (
            "collection",
            "folder",
            "server",
            "mode",
            "model",
            "embedder",
            "papers",
            "vectors",
            "fingerprint",
        ):
            say(f"{name:12s} {status[name] if status[name] is not None else '–'}")
        for finding in findings:
            say(f"! {finding}")
        if not findings:
            say("all is well")
    if findings:
        raise typer.Exit(1)


def _folder_findings(folder: Path) -> list[str]:
    place = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    try:
        # Rights alone do not tell: a disk may be read-only, full, or another machine's.
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"x")
            file.flush()
        free = shutil.disk_usage(place).free
        used = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except OSError as error:
        return [
            f"{place} cannot be written: what is indexed there answers, but a sync needs a folder "
            f"that can be written ({error.strerror or error}; ASSISTANT_DATA_DIR sets where it is)"
        ]
    # A sync makes a new generation beside the old one.
    needed = max(_LEAST_ROOM, used)
    if free >= needed:
        return []
    return [
        f"{place} has {free // _MEGABYTE} MB of room left, and a sync may need "
        f"{needed // _MEGABYTE} MB: make room, or set ASSISTANT_DATA_DIR to another disk"
    ]


def _says_more(longer: str, line: str) -> bool:
    return longer != line and longer.startswith(line)


def _model_findings(assistant: object) -> list[str]:
    from assistant.api import Assistant
    from assistant.errors import ModelError

    if not isinstance(assistant, Assistant) or assistant.model is None:
        return []
    try:
        assistant.model.complete(
            [{"role": "user", "content": _WORD}], max_tokens=16, seconds=_SECONDS
        )
    except ModelError as error:
        return [str(error)]
    return []
