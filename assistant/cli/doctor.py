"""`assistant doctor`: what is configured, reachable and indexed, and how to mend what is not."""

from __future__ import annotations

import json
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

    with Assistant(context.obj) as assistant:
        status = assistant.status()
        findings = [*status["notices"], *([status["mismatch"]] if status["mismatch"] else [])]
        if status["papers"]:
            findings += assistant.check(deep=deep)
        else:
            findings.append("nothing is indexed yet: ask a question, or run `assistant sync PATH`")
        findings += _model_findings(assistant)
    status["findings"] = findings
    if as_json:
        typer.echo(json.dumps(status, ensure_ascii=False))
    else:
        for name in (
            "collection",
            "folder",
            "mode",
            "model",
            "embedder",
            "papers",
            "vectors",
            "fingerprint",
        ):
            typer.echo(f"{name:12s} {status[name] if status[name] is not None else '–'}")
        for finding in findings:
            typer.echo(f"! {finding}")
        if not findings:
            typer.echo("all is well")
    if findings:
        raise typer.Exit(1)


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
