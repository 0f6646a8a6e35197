"""`assistant doctor`: what is configured, reachable and indexed, and how to mend what is not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["doctor"]

_WORD = "Reply with the word ready."
_SECONDS = 20.0


def doctor(
    context: typer.Context,
    deep: Annotated[
        bool, typer.Option("--deep", help="Read every vector and the whole catalogue.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check settings, index and model server; exit code 1 when something needs mending."""
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
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        return []
    return [
        f"{place} cannot be written: what is indexed there answers, but a sync needs a folder that "
        "can be written (ASSISTANT_DATA_DIR sets where it is)"
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
