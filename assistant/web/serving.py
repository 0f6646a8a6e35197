"""Starts the page's server: port, address, headers, and an import of gradio that is quick."""

from __future__ import annotations

import inspect
import os
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.errors import AssistantError, InputError
from assistant.index.store import require_sqlite
from assistant.web.tools import check_served, require_mcp, tools_server
from assistant.web.warmup import Warmup, load

if TYPE_CHECKING:
    import gradio as gr

    from assistant.web.handlers import PageAssistant

__all__ = ["DEFAULT_PORT", "Served", "serve"]

DEFAULT_PORT = 7860
_TRIED_PORTS = 100
_SESSIONS = 500
_MOST_BYTES = 32_000_000
"""Of one request: a conversation that a browser kept, as JSON within JSON, stays below it."""
_HERE = Path(__file__).parent

# The page needs nothing from elsewhere, so nothing from elsewhere is allowed: not an image in an
# answer, not a font. Gradio's own scripts are inline and compile templates.
_POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; img-src 'self' data: blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'"
)

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Served:
    """A running page.

    Args:
        url: its address, with a slash at the end.
        port: the port it listens on.
    """

    def __init__(self, url: str, port: int, close: Callable[[], None]) -> None:
        self.url = url
        self.port = port
        self._close = close

    def wait(self) -> None:
        """Block until the process is interrupted, then close."""
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Stop listening."""
        self._close()


def serve(
    assistant: PageAssistant,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    root_path: str = "",
    auth: tuple[str, str] | None = None,
    mcp: bool = False,
    open_browser: bool = False,
    say: Callable[[str], None] = print,
) -> Served:
    """Start the page and return while it runs.

    Args:
        assistant: answers the questions.
        host: the address to listen on.
        port: the port; None takes 7860, or the next free one.
        root_path: the path under which a proxy serves the page.
        auth: a name and a password to ask for.
        mcp: whether to serve the same as MCP tools too.
        open_browser: whether to open the page in a browser.
        say: prints a line.

    Raises:
        InputError: the port asked for is taken, or MCP tools were asked for and cannot be served.
        SettingsError: Python's own SQLite is too old for the index.
    """
    require_sqlite()
    if mcp:
        _require_tools(auth)
    _free_port(host, port)  # A taken one is told before the page is built.
    # What a first question would wait for is loaded behind the running page.
    warmup = Warmup(lambda: load(assistant))
    with _quiet_gradio():
        from assistant.web.page import build_page, page_head, page_theme
    page = build_page(assistant, warmup)
    chosen = _launch(
        page,
        host,
        port,
        root_path=root_path,
        auth=auth,
        theme=page_theme(),
        head=page_head(),
        **_launch_options(_tools(assistant, host) if mcp else {}),
    )
    url = f"http://{_shown(host)}:{chosen}/"
    if mcp:
        _check_tools(page, url)
    warmup.start()
    if port is None and chosen != DEFAULT_PORT:
        say(f"Port {DEFAULT_PORT} is taken; using {chosen}.")
    say(f"Ask papers: {url}  (Ctrl+C stops it)")
    if mcp:
        say(f"MCP tools: {url}mcp")
    if open_browser:
        import webbrowser

        webbrowser.open(url)
    return Served(url, chosen, lambda: page.close(verbose=False))


def _launch(page: gr.Blocks, host: str, port: int | None, **options: Any) -> int:
    """Listen on a port and return it; another program may take one that was just free."""
    while True:
        chosen = _free_port(host, port)
        try:
            page.launch(server_name=host, server_port=chosen, **options)
        except OSError:
            if _is_free(host, chosen):
                raise
        else:
            return chosen


def _require_tools(auth: tuple[str, str] | None) -> None:
    require_mcp()
    if auth is not None:
        raise InputError("--mcp asks for no password: leave out --auth, or serve it apart")


def _check_tools(page: gr.Blocks, url: str) -> None:
    try:
        check_served(f"{url}mcp")
    except AssistantError:
        page.close(verbose=False)
        raise


def _tools(assistant: PageAssistant, host: str) -> dict[str, Any]:
    """What the page's server needs to answer under /mcp too."""
    server = tools_server(assistant, host)
    routes = server.streamable_http_app().routes
    return {"routes": routes, "lifespan": lambda _: server.session_manager.run()}


def _launch_options(app: dict[str, Any]) -> dict[str, Any]:
    """What the page never varies: nothing shared, recorded, uploaded or offered besides asking."""
    from starlette.middleware import Middleware

    return {
        "prevent_thread_lock": True,
        "quiet": True,
        "share": False,
        "ssr_mode": False,
        "run_history": False,
        "enable_monitoring": False,
        "footer_links": [],
        "state_session_capacity": _SESSIONS,
        "max_file_size": "1kb",
        "favicon_path": _HERE / "favicon.svg",
        "mcp_server": False,
        "app_kwargs": app | {"middleware": [Middleware(_Headers), Middleware(_Limit)]},
    }


@contextmanager
def _quiet_gradio() -> Iterator[None]:
    """Import gradio without telemetry, and without the stub files it writes at each import."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    # Its queue would summarise its own speed with pandas after every question.
    os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", str(10**9))
    # gradio parses its components' sources at import to write `.pyi` files beside them, which is
    # half of its import time; it skips a class whose source file it cannot find.
    original = inspect.getfile

    def getfile(thing: Any) -> str:  # noqa: ANN401 - as in the standard library
        if str(getattr(thing, "__module__", "")).split(".")[0] == "gradio":
            raise OSError("not needed")
        return original(thing)

    inspect.getfile = getfile  # type: ignore[assignment]
    try:
        yield
    finally:
        inspect.getfile = original


def _free_port(host: str, port: int | None) -> int:
    if port is not None:
        if not _is_free(host, port):
            raise InputError(f"port {port} on {host} is taken: name another with --port")
        return port
    for candidate in range(DEFAULT_PORT, DEFAULT_PORT + _TRIED_PORTS):
        if _is_free(host, candidate):
            return candidate
    raise InputError(
        f"ports {DEFAULT_PORT} to {DEFAULT_PORT + _TRIED_PORTS - 1} are all taken: "
        "name another with --port"
    )


def _is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except OSError:
            return False
    return True


def _shown(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104 - how such an address is shown
        return "localhost"
    return f"[{host}]" if ":" in host else host


class _Headers:
    """Adds the page's policy to every response."""

    def __init__(self, app: Callable[[_Scope, _Receive, _Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        async def with_policy(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", [])
                message["headers"] = [
                    *message["headers"],
                    (b"content-security-policy", _POLICY.encode()),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                ]
            await send(message)

        await self._app(scope, receive, with_policy)


class _Limit:
    """Refuses what is larger than any request of the page, before it fills the memory."""

    def __init__(self, app: Callable[[_Scope, _Receive, _Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        from starlette.responses import PlainTextResponse

        taken = 0
        refusal = PlainTextResponse(f"at most {_MOST_BYTES:,} bytes a request", status_code=413)
        length = dict(scope.get("headers") or ()).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > _MOST_BYTES:
            await refusal(scope, receive, send)
            return

        async def counted() -> MutableMapping[str, Any]:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body") or b"")
            if taken > _MOST_BYTES:
                # Sent without a length: what was read so far is all that is taken of it.
                return {"type": "http.disconnect"}
            return message

        await self._app(scope, counted if scope["type"] == "http" else receive, send)
