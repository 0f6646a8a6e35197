"""`assistant remove`: take papers, or a whole source, out of the collection."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["remove"]


def remove(
    context: typer.Context,
    paper_ids: Annotated[
        list[str] | None, typer.Argument(help="Ids as `assistant papers` lists them.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(help="A source that is gone: its name, or the path it was synced from."),
    ] = None,
) -> None:
    """Remove papers by their ids, or all that only one source lists.

    A later sync of their source brings them back.
    """
    from assistant.api import Assistant
    from assistant.errors import InputError
    from assistant.wording import counted

    if not paper_ids and source is None:
        raise InputError("name the papers to remove: assistant remove ID…, or --source NAME")
    with Assistant(context.obj) as assistant:
        count = assistant.remove(*paper_ids) if paper_ids else 0
        if source is not None:
            count += assistant.remove_source(source)
    if not count and paper_ids:
        raise InputError(f"no paper has the id {paper_ids[0]!r}: `assistant papers` lists them")
    if not count:
        raise InputError(f"no paper comes from {source!r} alone: `assistant papers --json` tells")
    typer.echo(f"Removed {counted(count, 'paper')}.")
