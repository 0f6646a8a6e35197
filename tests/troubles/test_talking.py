"""Talking to the page's process: histories of any form, odd calls, tabs that close."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks.talking import PageTalk
from tests.faults.processes import Page, paging
from tests.scripted_server import ScriptedServer, say
from tests.waiting import until

FIRST, SECOND = "What does RelayCaching do?", "How much does it cut TTFT?"
SAID = "RelayCaching reuses KV caches that agents made before."


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture(scope="module")
def page(seed_index_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    log = tmp_path_factory.mktemp("page") / "log"
    with paging(seed_index_dir, log, ASSISTANT_MODEL="none") as running:
        yield running


@pytest.fixture(scope="module")
def written(
    server: ScriptedServer, seed_index_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    log = tmp_path_factory.mktemp("page") / "log"
    given = {"OPENAI_BASE_URL": server.url, "ASSISTANT_MODEL": "openai:test-model"}
    with paging(seed_index_dir, log, **given) as running:
        running.ask()
        yield running


def turn(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


FILE = {"type": "file", "file": {"path": "/etc/hostname", "size": 9}}
FORMS: dict[str, list[Any]] = {
    "messages": [turn("user", FIRST), turn("assistant", SAID)],
    "pairs": [[FIRST, SAID]],
    "parts": [turn("user", [part(FIRST)]), turn("assistant", [part(SAID)])],
    "with more fields": [
        {**turn("user", FIRST), "metadata": {"title": None}, "options": None},
        {**turn("assistant", SAID), "metadata": None},
    ],
    "with empty turns": [
        turn("assistant", None),
        turn("user", FIRST),
        turn("assistant", SAID),
        turn("user", ""),
        turn("assistant", []),
    ],
    "with a file": [turn("user", [part(FIRST), FILE]), turn("assistant", SAID), turn("user", FILE)],
    "with a blank pair": [[FIRST, SAID], [None, None], ["", None]],
}


def ask(page: Page, *data: Any) -> dict[str, Any]:
    with httpx.Client(base_url=page.url, timeout=60) as client:
        begun = client.post("gradio_api/call/ask", json={"data": list(data)})
        event = begun.json()["event_id"]
        said = client.get(f"gradio_api/call/ask/{event}").text
    data = json.loads(said.rsplit("\ndata: ", 1)[1])
    return data[0] if "event: complete" in said else {"error": data}


@pytest.mark.parametrize("form", FORMS)
def test_a_history_of_any_form_is_the_same_talk(form: str, page: Page) -> None:
    plain = ask(page, SECOND, FORMS["messages"])
    answer = ask(page, SECOND, FORMS[form])
    assert answer.get("text") == plain["text"], answer
    assert answer["history"] == plain["history"]
    assert "4.7" in answer["text"]


def test_two_turns_through_gradios_own_client(page: Page) -> None:
    from gradio_client import Client  # type: ignore[import-untyped]

    client = Client(page.url, verbose=False)
    try:
        first = client.predict(FIRST, None, api_name="/ask")
        second = client.predict(SECOND, first["history"], api_name="/ask")
    finally:
        client.close()
    assert "4.7" in second["text"]
    assert len(second["history"]) == 4


@pytest.mark.parametrize(
    "history", ["text", 7, {"role": "user"}, [7], [["a", "b", "c"]], [[[]]], [True]]
)
def test_what_is_no_history_is_a_sentence(history: Any, page: Page) -> None:
    told = ask(page, SECOND, history)
    assert "history must be a list" in str(told["error"]), told
    assert "Traceback" not in page.log.read_text()


ODD: list[Any] = [
    "",
    "../../etc/passwd",
    "/etc/passwd",
    "x" * 5_000_000,
    "\x00\ud800",
    None,
    -1,
    10**30,
    [],
    {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}},
    json.dumps({"query": "x", "limit": 10**9, "page": -1, "id": "../..", "scope": ["a"] * 5_000}),
    json.dumps({"talk": "x", "kept": "y" * 5_000_000, "verdict": "good", "words": "z", "turn": 0}),
    "[" * 50_000,
]


def state_of(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".lock", ".sqlite-wal", ".sqlite-shm")
        # The map's places are made when it is first looked at, and kept.
        if path.name != "map.json"
    }


def test_no_call_of_the_page_builds_deletes_or_reads_a_path(
    page: Page, seed_index_dir: Path
) -> None:
    # The first question writes what it read; from then on nothing may change.
    assert ask(page, FIRST, None)["citations"]
    before, memory = state_of(seed_index_dir), page.memory()
    # Each on a connection of its own: an idle one may be closed just as it is used again.
    one = httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(base_url=page.url, timeout=30, limits=one) as client:
        config = client.get("config").json()
        assert config["dependencies"]
        for event in config["dependencies"]:
            for odd in ODD:
                data = [odd] * len(event["inputs"])
                body = {"data": data, "fn_index": event["id"], "session_hash": "odd"}
                text = json.dumps(body)
                headers = {"content-type": "application/json"}
                for path in ("run/predict", "queue/join"):
                    told = client.post(f"gradio_api/{path}", content=text, headers=headers)
                    assert "root:" not in told.text
                    assert "Traceback" not in told.text
        for path in ("file=/etc/passwd", "file/etc/passwd", "file=../../etc/passwd"):
            assert "root:" not in client.get(f"gradio_api/{path}").text
        for path in ("upload", "reset", "api/sync", "call/sync", "call/rebuild", "call/remove"):
            told = client.post(f"gradio_api/{path}", json={"data": ["papers"]})
            assert told.status_code >= 400 or "event_id" not in told.text or path == "reset"
    assert ask(page, FIRST, None)["citations"]
    assert state_of(seed_index_dir) == before
    assert page.memory() - memory < 400


def test_a_tab_that_closes_ends_the_call_to_the_model(
    written: Page, server: ScriptedServer
) -> None:
    server.reply(say(*["RelayCaching is slow. "] * 100, pause=0.2))
    dropped = server.dropped
    with httpx.Client(base_url=written.url, timeout=30) as client:
        entry = entry_of(written)
        told = json.dumps({"talk": "leaving"})
        body = {"data": [None, FIRST, told], "fn_index": entry, "session_hash": "leaving"}
        assert client.post("gradio_api/queue/join", json=body).status_code == 200
        with client.stream("GET", "gradio_api/queue/data?session_hash=leaving") as stream:
            for line in stream.iter_lines():
                if "RelayCaching is slow" in line:
                    break
    until(lambda: server.dropped == dropped + 1, "the call ends")
    server.reply(say("RelayCaching reduces TTFT by up to 4.7 times."))
    assert "4.7" in ask(written, "By how much does RelayCaching cut TTFT?", None)["text"]


def entry_of(page: Page) -> int:
    import asyncio

    async def found() -> int:
        async with httpx.AsyncClient(base_url=page.url) as client:
            return await PageTalk.entry(client)

    return asyncio.run(found())
