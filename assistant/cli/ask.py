"""`assistant ask`: one question, one answer with its references."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

__all__ = ["ask"]


def ask(
    context: typer.Context,
    question: Annotated[
        str, typer.Argument(help="The question, or `-` to read it from standard input.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything about the answer as one JSON object.")
    ] = False,
    bibtex: Annotated[
        bool, typer.Option("--bibtex", help="Print BibTeX of exactly the papers cited.")
    ] = False,
    where: Annotated[
        list[str] | None, typer.Option(help="Limit to papers: field=value, such as year=2026.")
    ] = None,
) -> None:
    """Answer a question from the abstracts, each sentence with its citation.

    Exit code 0 also when no abstract answers: the text then says so.

    Examples: `assistant ask "which papers study KV caches?"`,
    `assistant ask --json "what speed-up does SparseInfer report?"`
    """
    from assistant.api import Assistant
    from assistant.cli.progress import shown_progress
    from assistant.cli.where import parsed_where

    text = sys.stdin.read() if question == "-" else question
    with Assistant(context.obj) as assistant, shown_progress() as progress:
        assistant.show_progress(progress)
        answer = assistant.ask(text, where=parsed_where(where or []))
    if as_json:
        typer.echo(json.dumps(answer.to_dict(), ensure_ascii=False))
    elif bibtex:
        typer.echo(answer.to_bibtex())
    else:
        typer.echo(str(answer))
