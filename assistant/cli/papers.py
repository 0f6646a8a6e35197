"""`assistant papers`: what the collection holds."""

from __future__ import annotations

from typing import Annotated

import typer

from assistant.cli.where import Author, Keyword, Venue, Where, Year, filters

__all__ = ["papers"]


def papers(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
    bibtex: Annotated[bool, typer.Option("--bibtex", help="Print BibTeX.")] = False,
    where: Where = None,
    author: Author = None,
    venue: Venue = None,
    year: Year = None,
    keyword: Keyword = None,
) -> None:
    """List the papers: id, year, title or a neutral label.

    Example: `assistant papers --author Lovelace --year 2024-`
    """
    from assistant.api import Assistant
    from assistant.cli.printing import print_json, say, tell
    from assistant.cli.progress import shown_progress
    from assistant.errors import InputError

    if as_json and bibtex:
        raise InputError("--json and --bibtex are two forms of one list: leave one of them out")
    limits = filters(where, author=author, venue=venue, year=year, keyword=keyword)
    with Assistant(context.obj) as assistant, shown_progress() as progress:
        assistant.show_progress(progress)
        held = assistant.papers(where=limits)
    if not held:
        tell("nothing found")
    elif bibtex:
        from assistant.answering.exporting import bibtex as entries

        say(entries(held))
    elif as_json:
        print_json(paper.to_dict() for paper in held)
    else:
        for paper in held:
            published = " ".join(str(part) for part in (paper.venue, paper.year) if part)
            say("\t".join(" ".join(part.split()) for part in (paper.id, published, paper.label)))
