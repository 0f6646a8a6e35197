"""`assistant chat`: the page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["chat"]


def chat(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(help="Port; default 7860, or the next free one.", show_default=False),
    ] = None,
    root_path: Annotated[
        str, typer.Option(help="Path under which a proxy serves the page, such as /papers.")
    ] = "",
    auth: Annotated[
        Path | None, typer.Option(help="File with one line `name:password` to ask for.")
    ] = None,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Also serve `ask` and `search` as MCP tools.")
    ] = False,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser.")
    ] = False,
) -> None:
    """Serve the chat page; nothing leaves this machine but calls to a configured model server."""
    from assistant.api import Assistant
    from assistant.web.serving import serve

    with Assistant(context.obj) as assistant:
        served = serve(
            assistant,
            host=host,
            port=port,
            root_path=root_path,
            auth=_credentials(auth) if auth else None,
            mcp=mcp,
            open_browser=open_browser,
        )
        try:
            served.wait()
        finally:
            served.close()


def _credentials(path: Path) -> tuple[str, str]:
    from assistant.errors import InputError

    try:
        line = path.expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"--auth {path} cannot be read: {reason}") from error
    name, found, password = line.partition(":")
    if not found or not name or not password or "\n" in line:
        raise InputError(f"--auth {path} must hold one line name:password")
    return name, password
