"""A scripted OpenAI-compatible server on loopback, for tests.

    with ScriptedServer() as server:
        server.reply(say("It halves memory [1]."))
        settings = load_settings(openai_base_url=server.url, model="openai:test-model")
        ...
    assert server.requests[0].body["messages"]

Replies are used up in order and the last one stays. A reply is a function that gets the request
and the `Connection` to write to, so that a test may script whatever a server can do.
"""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, cast

from tests.waiting import PATIENCE

__all__ = [
    "CUT",
    "DONE",
    "Connection",
    "Pause",
    "Reply",
    "Request",
    "ScriptedServer",
    "chunk",
    "events",
    "fail",
    "html",
    "say",
    "words",
]

DEFAULT_MODEL = "test-model"


@dataclass(frozen=True)
class Pause:
    """The server stays silent; it wakes up when the client goes away."""

    seconds: float


class _Mark:
    """A mark in a script."""


CUT = _Mark()
"""Close the connection here, without a word."""
DONE = _Mark()
"""The `[DONE]` line that ends a stream."""


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The chat messages."""
        return cast("list[dict[str, Any]]", self.body["messages"])

    @property
    def prompt(self) -> str:
        """All messages' text in one."""
        return "\n".join(str(message["content"]) for message in self.messages)


class Connection:
    """The way back to the client."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self._handler = handler
        self.dropped = False

    def start(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        """Send the head; the body ends when the connection is closed."""
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", kind)
        self._handler.send_header("Connection", "close")
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.end_headers()
        self._handler.close_connection = True

    def send(self, text: str) -> None:
        """Send a part of the body."""
        self.write(text.encode())

    def write(self, data: bytes) -> None:
        """Send bytes as they are, the head included where `start` was not called."""
        self._handler.close_connection = True
        try:
            self._handler.wfile.write(data)
            self._handler.wfile.flush()
        except OSError:
            self.dropped = True

    def wait(self, seconds: float) -> None:
        """Stay silent, until the client goes away at most."""
        ends = time.monotonic() + seconds
        while not self.dropped and (left := ends - time.monotonic()) > 0:
            readable, _, _ = select.select([self._handler.connection], [], [], min(left, 0.05))
            if readable and not self._peek():
                self.dropped = True

    def _peek(self) -> bytes:
        try:
            return bytes(self._handler.connection.recv(1, socket.MSG_PEEK))
        except OSError:
            return b""


Reply = Callable[[Request, Connection], None]


def chunk(
    text: str | None = None,
    *,
    finish: str | None = None,
    usage: dict[str, int] | None = None,
    **delta: Any,
) -> dict[str, Any]:
    """One chunk of a streamed completion."""
    if text is not None:
        delta["content"] = text
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": DEFAULT_MODEL,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        "usage": usage,
    }


def events(script: Iterable[Any]) -> Reply:
    """Stream a script: dicts become `data:` lines, strings are sent raw, `Pause`, `CUT`, `DONE`."""
    steps = list(script)

    def reply(_: Request, connection: Connection) -> None:
        connection.start()
        for step in steps:
            if connection.dropped or step is CUT:
                return
            if isinstance(step, Pause):
                connection.wait(step.seconds)
            elif step is DONE:
                connection.send("data: [DONE]\n\n")
            elif isinstance(step, str):
                connection.send(step)
            else:
                connection.send(f"data: {json.dumps(step)}\n\n")

    return reply


def say(
    *pieces: str,
    finish: str | None = "stop",
    usage: tuple[int, int] | None = (10, 5),
    pause: float = 0.0,
) -> Reply:
    """Stream these pieces as a whole, proper answer."""
    script: list[Any] = [chunk("", role="assistant")]
    for piece in pieces:
        script += [Pause(pause), chunk(piece)] if pause else [chunk(piece)]
    script.append(chunk(finish=finish))
    if usage is not None:
        counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
        script.append({**chunk(usage={**counts, "total_tokens": sum(usage)}), "choices": []})
    return events([*script, DONE])


def words(text: str) -> list[str]:
    """Cut a text into words with the blank before each, as models stream it."""
    first, *rest = text.split(" ")
    return [first, *(f" {word}" for word in rest)]


def fail(status: int, message: str = "", *, code: str | None = None, **headers: str) -> Reply:
    """Answer with an error in OpenAI's form."""

    def reply(_: Request, connection: Connection) -> None:
        connection.start(status, "application/json", **headers)
        error = {"message": message, "type": code or "error", "code": code, "param": None}
        connection.send(json.dumps({"error": error}))

    return reply


def html(status: int = 200) -> Reply:
    """Answer with a web page, as proxies and wrong addresses do."""

    def reply(_: Request, connection: Connection) -> None:
        connection.start(status, "text/html; charset=utf-8")
        connection.send("<!doctype html><html><body>Sign in</body></html>")

    return reply


@dataclass
class ScriptedServer:
    """The server; a context manager.

    Args:
        models: names that `/v1/models` lists.
        key: the key it wants, None for a server that wants none.
        prefix: where the API is; other paths are 404.
    """

    models: list[str] = field(default_factory=lambda: [DEFAULT_MODEL])
    key: str | None = None
    prefix: str = "/v1"
    requests: list[Request] = field(default_factory=list)
    dropped: int = 0
    _replies: list[Reply] = field(default_factory=lambda: [say("Hello.")])

    def __enter__(self) -> ScriptedServer:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                server._serve(self)

            def do_GET(self) -> None:
                server._serve(self)

            def log_message(self, *_: Any) -> None:
                return

        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def url(self) -> str:
        """The address of the API."""
        return self.origin + self.prefix

    @property
    def chats(self) -> list[Request]:
        """The chat requests alone."""
        return [request for request in self.requests if request.path.endswith("/completions")]

    def reply(self, *replies: Reply) -> None:
        """Set what chat requests are answered with, in order; the last one stays."""
        with self._lock:
            self._replies = list(replies)

    def wait_for_drop(self, seconds: float = PATIENCE) -> bool:
        """Wait until a client has closed its connection in the middle of a reply."""
        with self._changed:
            return self._changed.wait_for(lambda: self.dropped > 0, seconds)

    def wait_for_chat(self, seconds: float = PATIENCE) -> bool:
        """Wait until a client has asked for a chat."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self.chats), seconds)

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        request = Request(
            method=handler.command,
            path=handler.path.partition("?")[0],
            headers={name.lower(): value for name, value in handler.headers.items()},
            body=json.loads(raw) if raw else {},
        )
        connection = Connection(handler)
        with self._changed:
            self.requests.append(request)
            reply = self._route(request)
            self._changed.notify_all()
        reply(request, connection)
        with self._changed:
            self.dropped += connection.dropped
            self._changed.notify_all()

    def _route(self, request: Request) -> Reply:
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return fail(401, "Incorrect API key provided", code="invalid_api_key")
        if request.path == f"{self.prefix}/models":
            return self._list_models
        if request.path == f"{self.prefix}/chat/completions":
            return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        return fail(404, "Not Found")

    def _list_models(self, _: Request, connection: Connection) -> None:
        listed = [{"id": name, "object": "model"} for name in self.models]
        connection.start(200, "application/json")
        connection.send(json.dumps({"object": "list", "data": listed}))
