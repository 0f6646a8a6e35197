"""What the assistant is to other programs: the words for its tools, and what serving them needs."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Protocol
from urllib.request import Request, urlopen

from assistant.errors import AssistantError, InputError

if TYPE_CHECKING:
    from mcp.server.fastmcp import FastMCP

    from assistant.answering.answer import Answer
    from assistant.retrieval.evidence import Evidence

__all__ = ["ASK", "SEARCH", "ToolsAssistant", "check_served", "require_mcp", "tools_server"]

_LEFT_OUT = ("evidence", "history")
_MOST_FOUND = 50

ASK = (
    "Answer a question from the collection of paper abstracts. The text cites with [n]; each "
    "citation holds the words of the abstract that prove its sentence, and whether they were "
    "verified. abstained means that the collection does not answer the question."
)
SEARCH = (
    "Rank the papers of the collection for words or a question, best first, each with a "
    "calibrated relevance from 0 to 1 and the sentence that shows why."
)


class ToolsAssistant(Protocol):
    """What the tools need of the assistant."""

    async def aask(self, question: str) -> Answer:
        """Answer a question."""

    async def asearch(self, question: str, limit: int = ...) -> list[Evidence]:
        """Rank papers."""


def tools_server(assistant: ToolsAssistant, host: str = "127.0.0.1") -> FastMCP:
    """Make the server with its two tools; neither changes anything.

    Args:
        assistant: answers.
        host: the address it is served on; on this machine's own, other host names are refused.
    """
    from mcp.server.fastmcp import FastMCP
    from mcp.server.fastmcp.exceptions import ToolError

    server = FastMCP(
        "ask-papers", log_level="WARNING", host=host, json_response=True, stateless_http=True
    )

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


def check_served(url: str) -> None:
    """Ask a server for its tools, as a program that is going to use them would.

    Args:
        url: of the tools.

    Raises:
        AssistantError: it does not answer.
    """
    begin = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "ask-papers", "version": "1"},
        },
    }
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
    }
    request = Request(url, json.dumps(begin).encode(), headers)  # noqa: S310 - our own address
    try:
        with urlopen(request, timeout=10) as response:  # noqa: S310 - our own address
            served = "result" in json.load(response)
    except (OSError, ValueError) as error:
        raise AssistantError(f"the MCP tools cannot be served: {error}") from error
    if not served:
        raise AssistantError("the MCP tools cannot be served: they do not answer")


def require_mcp() -> None:
    """Check that tools can be served.

    Raises:
        InputError: the package for it is missing, or of a release that works otherwise.
    """
    try:
        found = version("mcp")
    except PackageNotFoundError:
        raise InputError('MCP tools need the mcp package: pip install "mcp<2"') from None
    if int(found.split(".")[0]) >= 2:
        raise InputError(f'MCP tools need mcp below 2, not {found}: pip install "mcp<2"')
