"""A model server that hangs, dies, talks nonsense or never stops: the page's process goes on.

One process for all of them, so that what one fault breaks is seen by the next.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.processes import QUESTION, Page, paging, run
from tests.scripted_server import Connection, Reply, Request, ScriptedServer, chunk, html, say

_BOUND = 40.0
"""Seconds: the timeouts set below, one retry, and a slow machine."""
_HASTY = {
    "ASSISTANT_MODEL": "openai:test-model",
    "ASSISTANT_FIRST_TOKEN_TIMEOUT": "2",
    "ASSISTANT_STALL_TIMEOUT": "2",
    "ASSISTANT_TOTAL_TIMEOUT": "8",
    "ASSISTANT_MAX_RETRIES": "1",
}


def sent(*pieces: bytes, hang: bool = False) -> Reply:
    """Exactly these bytes; then the connection is closed, or nothing comes any more."""

    def reply(_: Request, connection: Connection) -> None:
        for piece in pieces:
            connection.write(piece)
        if hang:
            connection.wait(30)

    return reply


def endless(head: bytes, piece: bytes, most: int = 400_000_000) -> Reply:
    """A piece again and again, until the client has had enough of it."""

    def reply(_: Request, connection: Connection) -> None:
        connection.write(head)
        for _again in range(most // len(piece)):
            if connection.dropped:
                return
            connection.write(piece)

    return reply


def head(kind: str = "text/event-stream", *more: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close", *more, "", ""]
    return "\r\n".join(lines).encode()


def event(data: object) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


WORD = event(chunk("The model is quick. "))
JSON = "application/json"
FAULTS: dict[str, tuple[Reply, str]] = {
    "silent from the start": (sent(hang=True), "no word within 2 seconds"),
    "silent after the head": (sent(head(), hang=True), "no word within 2 seconds"),
    "silent after a word": (sent(head(), WORD, hang=True), "fell silent"),
    "alive but wordless": (
        endless(head(), b": ping\n\n" + event({"choices": []}), 2_000_000_000),
        "no word within",
    ),
    "dies after a word": (sent(head(), WORD), "ended the reply early"),
    "dies inside an event": (sent(head(), WORD, WORD[:20]), "ended the reply early"),
    "closes at once": (sent(b""), "dropped the connection"),
    "an empty reply": (sent(head()), "before its first word"),
    "an empty body": (sent(head(JSON)), "not with the chat API"),
    "no content": (sent(b"HTTP/1.1 204 No Content\r\n\r\n"), "before its first word"),
    "a web page": (html(), "not with the chat API"),
    "a web page as an error": (html(502), "failed .502"),
    "plain words": (sent(head("text/plain"), b"Hello."), "before its first word"),
    "cut off JSON": (sent(head(JSON), b'{"choices": [{"mess'), "not with the chat API"),
    "a body shorter than told": (sent(head(JSON, "Content-Length: 999"), b"{}"), "dropped"),
    "noise for a stream": (sent(head(), bytes(range(256)) * 40 + b"\n\n"), "that are no text"),
    "noise for JSON": (sent(head(JSON), bytes(range(128, 256))), "not with the chat API"),
    "noise of no kind": (sent(head("application/octet-stream"), b"\xff\xfe" * 99), "no text"),
    "no HTTP": (sent(b"SSH-2.0-OpenSSH_9.2\r\n"), "dropped the connection"),
    "a false encoding": (sent(head(JSON, "Content-Encoding: gzip"), b"{}"), "no usable reply"),
    "in a circle": (
        sent(head(JSON, "Location: /v1/chat/completions", status="302 Found")),
        "redirects in a circle",
    ),
    "events of other shapes": (
        sent(
            head(),
            *map(event, (1, None, [], "x", {"choices": {}}, {"choices": [None]})),
            *map(event, ({"choices": [{"delta": "x"}]}, {"choices": [{"delta": {"content": 7}}]})),
        ),
        "before its first word",
    ),
    "deep JSON": (sent(head(), b"data: " + b"[" * 100_000 + b"\n\n"), "not with the chat API"),
    "words without end": (endless(head(), WORD), "wrote nothing that the abstracts prove"),
    "thoughts without end": (
        endless(head(), event(chunk("<think> hm"))),
        "openai:test-model gave no answer|used up all",
    ),
    "one line of 50 MB": (
        sent(
            head(), b'data: {"choices": [{"delta": {"content": "', b"x" * 50_000_000, b'"}}]}\n\n'
        ),
        "4 MB in one line",
    ),
    "a body of 50 MB": (sent(head(JSON), b"[" * 50_000_000), "4 MB in one line"),
    "an error of 50 MB": (
        sent(head("text/plain", status="500 Oh"), b"x" * 50_000_000),
        "4 MB in one line",
    ),
    "a line without end": (endless(head(), b"x" * 65_536), "4 MB in one line"),
    "half a character": (
        sent(head(), event(chunk("It is \ud800 quick.", finish="stop")), b"data: [DONE]\n\n"),
        "wrote nothing that the abstracts prove",
    ),
    "commands for a terminal": (
        say("\x00\x1b[2J\x07The speed-up is large."),
        "wrote nothing that the abstracts prove",
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture(scope="module")
def page(
    server: ScriptedServer, seed_index_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    log = tmp_path_factory.mktemp("page") / "log"
    with paging(seed_index_dir, log, OPENAI_BASE_URL=server.url, **_HASTY) as running:
        # The first question waits for what is loaded and imported.
        running.ask()
        yield running


@pytest.mark.parametrize(("fault", "words"), FAULTS.values(), ids=FAULTS)
def test_the_abstracts_answer_soon_and_the_fault_is_told(
    fault: Reply, words: str, page: Page, server: ScriptedServer
) -> None:
    server.reply(fault)
    before, begun = page.memory(), time.monotonic()
    answer = page.ask()
    assert time.monotonic() - begun < _BOUND
    assert page.memory() - before < 200
    assert answer.get("mode") == "extractive", answer
    assert "10.33" in answer["text"]
    assert "the abstracts are quoted" in answer["warnings"][0]
    assert re.search(words, answer["warnings"][0])
    assert "\x1b" not in answer["text"] + answer["warnings"][0]
    assert "Traceback" not in page.log.read_text()


def test_afterwards_an_ordinary_reply_is_an_ordinary_answer(
    page: Page, server: ScriptedServer
) -> None:
    server.reply(say("SparseInfer achieves a 10.33 times speed up in various tasks."))
    answer = page.ask()
    assert answer["mode"] == "written", answer["warnings"]
    assert "10.33" in answer["text"]
    assert "SparseInfer" in answer["citations"][0]["paper"]["title"]


@pytest.mark.parametrize("name", ["silent after a word", "a line without end", "closes at once"])
def test_the_command_line_ends_too(name: str, server: ScriptedServer, seed_index_dir: Path) -> None:
    fault, words = FAULTS[name]
    server.reply(fault)
    code, out, err = run(
        *("--data-dir", str(seed_index_dir), "ask", "--json", QUESTION),
        OPENAI_BASE_URL=server.url,
        **_HASTY,
    )
    assert (code, err) == (0, "")
    assert words in json.loads(out)["warnings"][0]
