"""`assistant search`: papers ranked for some words, with scores and the line that shows why."""

from __future__ import annotations

from typing import Annotated

import typer

from assistant.cli.where import Author, Keyword, Venue, Where, Year, filters

__all__ = ["search"]

_LINE = 160


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Words or a question.")],
    limit: Annotated[int, typer.Option(min=1, help="How many papers at most.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
    where: Where = None,
    author: Author = None,
    venue: Venue = None,
    year: Year = None,
    keyword: Keyword = None,
) -> None:
    """Rank papers without a model: relevance, the words that matched, the sentence that shows it.

    Example: `assistant search "continual learning" --limit 5`
    """
    from assistant.api import Assistant
    from assistant.cli.printing import print_json, say, tell
    from assistant.cli.progress import shown_progress

    limits = filters(where, author=author, venue=venue, year=year, keyword=keyword)
    with Assistant(context.obj) as assistant, shown_progress() as progress:
        assistant.show_progress(progress)
        found = assistant.search(query, limit=limit, where=limits)
    if not found:
        tell("nothing found")
    if as_json:
        print_json(item.to_dict() for item in found)
        return
    for place, item in enumerate(found, start=1):
        quote = " ".join(item.passage.text.split())
        quote = quote if len(quote) <= _LINE else quote[: _LINE - 1] + "…"
        scores = "  ".join(
            f"{name} {item.scores[name]:.2f}"
            for name in ("bm25", "cosine", "best_sentence")
            if name in item.scores
        )
        label = " ".join(item.paper.label.split())
        say(f"{place:2d}. {item.relevance:.2f}  {label}  ({item.paper.id})")
        say(f"      {scores}  words: {', '.join(item.matched) or 'none'}")
        say(f"      {quote}")
