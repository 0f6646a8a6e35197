"""`assistant ask`: one question, one answer with its references."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from assistant.cli.where import Author, Keyword, Venue, Where, Year, filters

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
    where: Where = None,
    author: Author = None,
    venue: Venue = None,
    year: Year = None,
    keyword: Keyword = None,
) -> None:
    """Answer a question from the abstracts, each sentence with its citation.

    Exit code 0 also when no abstract answers: the text then says so.

    Examples: `assistant ask "which papers study KV caches?"`,
    `assistant ask --json "what speed-up does SparseInfer report?"`
    """
    from assistant.api import Assistant
    from assistant.cli.printing import print_json, say, say_lines
    from assistant.cli.progress import shown_progress
    from assistant.errors import InputError

    if as_json and bibtex:
        raise InputError("--json and --bibtex are two forms of one answer: leave one of them out")
    limits = filters(where, author=author, venue=venue, year=year, keyword=keyword)
    text = sys.stdin.read() if question == "-" else question
    with Assistant(context.obj) as assistant, shown_progress() as progress:
        assistant.show_progress(progress)
        answer = assistant.ask(text, where=limits)
    if as_json:
        print_json([answer.to_dict()])
    elif bibtex:
        say_lines(answer.to_bibtex(), "nothing found: the answer cites no paper")
    else:
        say(str(answer))
