"""The assistant as tools for other programs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from mcp import ClientSession, StdioServerParameters  # noqa: TID253 - the test is its client
from mcp.client.stdio import stdio_client  # noqa: TID253
from mcp.client.streamable_http import streamablehttp_client  # noqa: TID253

from assistant.errors import AssistantError, InputError
from assistant.web.serving import Served, serve
from tests.web.stand_in import StandIn

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    lines: list[str] = []
    running = serve(StandIn(), mcp=True, say=lines.append)
    assert lines[-1] == f"MCP tools: {running.url}mcp"
    yield running
    running.close()


async def called(session: ClientSession, name: str, **given: Any) -> Any:
    result = await session.call_tool(name, given)
    assert not result.isError, result.content
    told = result.structuredContent
    assert told is not None
    return told.get("result", told)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_page_serves_asking_and_searching_as_tools(served: Served) -> None:
    async def use() -> tuple[list[str], Any, Any]:
        url = f"{served.url}mcp"
        async with (
            streamablehttp_client(url) as (reading, writing, _),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            names = [tool.name for tool in (await session.list_tools()).tools]
            return (
                names,
                await called(session, "ask", question="kv"),
                await called(session, "search", words="kv", limit=1),
            )

    names, answer, found = asyncio.run(use())
    assert sorted(names) == ["ask", "search"]
    assert [citation["paper"]["id"] for citation in answer["citations"]] == ["001-17", "001-10"]
    assert [item["paper"]["id"] for item in found] == ["001-17"]


def test_the_command_serves_the_tools_over_standard_input(seeded_data_dir: Path) -> None:
    async def use() -> tuple[list[str], Any, Any, Any]:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "assistant", "--data-dir", str(seeded_data_dir), "mcp"],
            cwd=ROOT,
        )
        async with (
            stdio_client(server) as (reading, writing),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            names = [tool.name for tool in (await session.list_tools()).tools]
            answer = await called(session, "ask", question="Which papers study KV caches?")
            found = await called(session, "search", words="KV cache", limit=2)
            empty = await session.call_tool("ask", {"question": " "})
            return names, answer, found, empty

    names, answer, found, empty = asyncio.run(use())
    assert names == ["ask", "search"]
    assert {citation["paper"]["id"] for citation in answer["citations"]}
    assert "evidence" not in answer
    assert len(found) == 2
    assert empty.isError
    assert "question is empty" in empty.content[0].text


@pytest.mark.parametrize("command", [["mcp"], ["chat", "--mcp", "--no-open"]])
@pytest.mark.parametrize(
    ("have", "words"),
    [("None", "need the mcp package"), ("'2.3.0'", "need mcp below 2, not 2.3.0")],
)
def test_tools_that_cannot_be_served_are_one_line(
    command: list[str], have: str, words: str
) -> None:
    code = (
        "import importlib.metadata as m, sys\n"
        "real = m.version\n"
        "def version(name):\n"
        f"    if name == 'mcp' and not {have}: raise m.PackageNotFoundError(name)\n"
        f"    return {have} if name == 'mcp' else real(name)\n"
        "m.version = version\n"
        "from assistant.cli import main\n"
        f"sys.argv = ['assistant', *{command!r}]\n"
        "sys.exit(main())\n"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode not in (0, None)
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_tools_asked_for_and_not_served_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.web.serving._tools", lambda *_: {})
    with pytest.raises(AssistantError, match="cannot be served"):
        serve(StandIn(), mcp=True, say=lambda _: None)


def test_tools_are_not_served_past_a_password() -> None:
    with pytest.raises(InputError, match="leave out --auth"):
        serve(StandIn(), mcp=True, auth=("ada", "secret"), say=lambda _: None)


def test_a_web_page_under_another_name_cannot_use_the_tools(served: Served) -> None:
    request = Request(f"{served.url}mcp", b"{}", {"content-type": "application/json"})
    request.add_header("host", "evil.example")
    with pytest.raises(HTTPError, match="421"):
        urlopen(request)
