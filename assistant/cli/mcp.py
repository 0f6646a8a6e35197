"""`assistant mcp`: the assistant as tools for other programs, over standard input and output."""

from __future__ import annotations

import typer

__all__ = ["mcp"]


def mcp(context: typer.Context) -> None:
    """Serve `ask` and `search` as MCP tools over standard input and output."""
    from assistant.api import Assistant
    from assistant.web.tools import require_mcp, tools_server

    require_mcp()
    with Assistant(context.obj) as assistant:
        tools_server(assistant).run("stdio")
