"""`assistant remove`: take papers out of the collection."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["remove"]


def remove(
    context: typer.Context,
    paper_ids: Annotated[list[str], typer.Argument(help="Ids as `assistant papers` lists them.")],
) -> None:
    """Remove papers by their ids; a later sync of their source brings them back."""
    from assistant.api import Assistant
    from assistant.errors import InputError

    with Assistant(context.obj) as assistant:
        count = assistant.remove(*paper_ids)
    if not count:
        raise InputError(f"no paper has the id {paper_ids[0]!r}: `assistant papers` lists them")
    typer.echo(f"Removed {count} {'paper' if count == 1 else 'papers'}.")
