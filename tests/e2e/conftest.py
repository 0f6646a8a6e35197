"""The page in a real browser: started once, opened anew by each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from assistant.api import Assistant
from assistant.settings import Settings
from assistant.web.serving import Served, serve
from tests.e2e.conversing import DESKTOP, LONGEST
from tests.web.stand_in import StandIn

_LEFT = ("AbortError: signal is aborted", "Unexpected error Connection errored out")
"""What Gradio writes when a page is left or loaded anew while its stream is being opened."""


@pytest.fixture(scope="session")
def stand_in() -> StandIn:
    return StandIn()


@pytest.fixture(scope="session")
def served(stand_in: StandIn) -> Iterator[Served]:
    running = serve(stand_in, say=lambda _: None)
    yield running
    running.close()


@pytest.fixture(scope="module")
def browser(chromium_path: Path, chromium_args: list[str]) -> Iterator[Browser]:
    """Closed with its file: while Playwright is open, no other test can run an event loop."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium_path, args=chromium_args)
        yield started
        started.close()


@pytest.fixture(scope="session")
def real(seed_index_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The page over the papers that ship, answered by the assistant itself, without a model."""
    folder = shutil.copytree(seed_index_dir, tmp_path_factory.mktemp("page") / "data")
    with Assistant(Settings(data_dir=folder, model="none")) as assistant:
        running = serve(assistant, say=lambda _: None)
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Browser, served: Served) -> Iterator[Callable[..., Page]]:
    """Open the page; whatever it asked of another host, or complained of, fails the test."""
    asked: list[str] = []
    complaints: list[str] = []
    contexts = []

    def opened(
        viewport: dict[str, int] = DESKTOP, url: str = served.url, **options: object
    ) -> Page:
        context = browser.new_context(viewport=viewport, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(LONGEST)
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: complaints.append(message.text) if message.type == "error" else None,
        )
        page.goto(url)
        page.get_by_label("Your question").wait_for()
        return page

    yield opened
    for context in contexts:
        context.close()
    hosts = {urlsplit(url).hostname for url in asked if url.startswith(("http", "ws"))}
    assert hosts == {"127.0.0.1"}
    assert [text for text in complaints if not text.startswith(_LEFT)] == []
