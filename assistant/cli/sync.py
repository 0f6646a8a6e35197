"""`assistant sync`: bring the collection up to date with files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["sync"]

_SHOWN_REASONS = 20


def sync(
    context: typer.Context,
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files or folders of papers.", show_default=False)
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            help="Name of the source; papers it no longer lists are removed. Default: each path."
        ),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make the index anew with the configured embedder.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="End with the counts as one JSON line.")
    ] = False,
) -> None:
    """Make the collection hold what the files hold now: new papers come, gone ones go.

    What is there already is not embedded again. Example: `assistant sync papers/`
    """
    from assistant.api import Assistant
    from assistant.cli.progress import shown_progress
    from assistant.errors import InputError

    if not paths and not rebuild:
        raise InputError("name the files or folders to sync: assistant sync PATH…")
    with Assistant(context.obj) as assistant, shown_progress() as progress:
        if rebuild:
            count = assistant.rebuild(progress)
            if not paths:
                typer.echo(
                    json.dumps({"papers": count}) if as_json else f"Rebuilt: {count} papers."
                )
                return
        report = assistant.sync(*(paths or []), source=source, progress=progress)
    for reason in report.reasons[:_SHOWN_REASONS]:
        print(f"skipped {reason}", file=sys.stderr)
    if len(report.reasons) > _SHOWN_REASONS:
        print(f"… and {len(report.reasons) - _SHOWN_REASONS} more", file=sys.stderr)
    counts = report.to_dict()
    if as_json:
        typer.echo(json.dumps(counts))
        return
    said = ", ".join(
        f"{counts[name]} {name}"
        for name in ("added", "changed", "removed", "unchanged", "skipped", "duplicates")
        if counts[name]
    )
    typer.echo(f"{said or 'nothing to do'}; the collection holds {counts['papers']} papers.")
