"""`assistant search`: papers ranked for some words, with scores and the line that shows why."""

from __future__ import annotations

import json
from typing import Annotated

import typer

__all__ = ["search"]

_LINE = 160


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Words or a question.")],
    limit: Annotated[int, typer.Option(min=1, help="How many papers at most.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
    where: Annotated[
        list[str] | None, typer.Option(help="Limit to papers: field=value, such as year=2026.")
    ] = None,
) -> None:
    """Rank papers without a model: relevance, the words that matched, the sentence that shows it.

    Example: `assistant search "continual learning" --limit 5`
    """
    from assistant.api import Assistant
    from assistant.cli.progress import shown_progress
    from assistant.cli.where import parsed_where

    with Assistant(context.obj) as assistant, shown_progress() as progress:
        assistant.show_progress(progress)
        found = assistant.search(query, limit=limit, where=parsed_where(where or []))
    if as_json:
        for item in found:
            typer.echo(json.dumps(item.to_dict(), ensure_ascii=False))
        return
    for place, item in enumerate(found, start=1):
        quote = " ".join(item.passage.text.split())
        quote = quote if len(quote) <= _LINE else quote[: _LINE - 1] + "…"
        scores = "  ".join(
            f"{name} {item.scores[name]:.2f}"
            for name in ("bm25", "cosine", "best_sentence")
            if name in item.scores
        )
        typer.echo(f"{place:2d}. {item.relevance:.2f}  {item.paper.label}  ({item.paper.id})")
        typer.echo(f"      {scores}  words: {', '.join(item.matched) or 'none'}")
        typer.echo(f"      {quote}")
