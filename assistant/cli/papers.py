"""`assistant papers`: what the collection holds."""

from __future__ import annotations

import json
from typing import Annotated

import typer

__all__ = ["papers"]


def papers(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
    bibtex: Annotated[bool, typer.Option("--bibtex", help="Print BibTeX.")] = False,
) -> None:
    """List the papers: id, year, title or a neutral label."""
    from assistant.api import Assistant
    from assistant.cli.progress import shown_progress

    with Assistant(context.obj) as assistant, shown_progress() as progress:
        assistant.show_progress(progress)
        held = assistant.papers()
    if bibtex:
        from assistant.answering.exporting import bibtex as entries

        typer.echo(entries(held))
        return
    for paper in held:
        if as_json:
            typer.echo(json.dumps(paper.to_dict(), ensure_ascii=False))
        else:
            where = " ".join(str(part) for part in (paper.venue, paper.year) if part)
            typer.echo(f"{paper.id}\t{where}\t{paper.label}")
