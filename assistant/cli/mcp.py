"""`assistant mcp`: the assistant as tools for other programs, over standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from mcp.server.fastmcp import FastMCP

    from assistant.api import Assistant

__all__ = ["mcp", "tools_server"]

_LEFT_OUT = ("evidence", "history")
_MOST_FOUND = 50


def mcp(context: typer.Context) -> None:
    """Serve `ask` and `search` as MCP tools over standard input and output."""
    from assistant.api import Assistant
    from assistant.web.tools import require_mcp

    require_mcp()
    with Assistant(context.obj) as assistant:
        tools_server(assistant).run("stdio")


def tools_server(assistant: Assistant) -> FastMCP:
    """Make the server with its two tools; neither changes anything.

    Args:
        assistant: answers.
    """
    from mcp.server.fastmcp import FastMCP
    from mcp.server.fastmcp.exceptions import ToolError

    from assistant.errors import AssistantError
    from assistant.web.tools import ASK, SEARCH

    server = FastMCP("ask-papers", log_level="WARNING")

    @server.tool(name="ask", description=ASK)
    async def ask(question: str) -> dict[str, Any]:
        try:
            answer = (await assistant.aask(question)).to_dict()
        except AssistantError as error:
            raise ToolError(str(error)) from None
        return {name: value for name, value in answer.items() if name not in _LEFT_OUT}

    @server.tool(name="search", description=SEARCH)
    async def search(words: str, limit: int = 10) -> list[dict[str, Any]]:
        try:
            found = await assistant.asearch(words, max(1, min(limit, _MOST_FOUND)))
        except AssistantError as error:
            raise ToolError(str(error)) from None
        return [item.to_dict() for item in found]

    return server
