"""The commands put together, with the options they share."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli import ask, chat, doctor, mcp, papers, remove, search, sync

__all__ = ["COMMANDS", "app"]

app = typer.Typer(
    name="assistant",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Ask a collection of paper abstracts; every sentence of an answer is proven by a citation "
    'that was checked.\n\nStart with `assistant ask "which papers study KV caches?"` or '
    "`assistant chat`; add your own papers with `assistant sync PATH`.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from assistant.resources import package_version

        typer.echo(f"ask-papers {package_version()}")
        raise typer.Exit


@app.callback()
def shared(
    context: typer.Context,
    collection: Annotated[
        str | None, typer.Option(help="The collection to use; collections keep things apart.")
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Where the index lives, instead of ASSISTANT_DATA_DIR.")
    ] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.")] = None,
    _version_wanted: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and stop.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Read the settings that all commands share."""
    from assistant.settings import load_settings

    settings = load_settings(collection=collection, data_dir=data_dir, log_level=log_level)
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
    )
    context.obj = settings


COMMANDS = {
    command.__name__: command
    for command in (
        chat.chat,
        ask.ask,
        search.search,
        sync.sync,
        papers.papers,
        remove.remove,
        mcp.mcp,
        doctor.doctor,
    )
}
"""What the command line can do, by name, in the order in which the help lists it."""

for _command in COMMANDS.values():
    app.command()(_command)
