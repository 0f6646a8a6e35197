"""Take the pictures of the page that the documents show: `python -m tools.screenshots [FOLDER]`.

Needs the `dev` extra and a Chromium on this machine. The page answers without a model, from a
collection of its own that is thrown away afterwards.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from assistant.api import Assistant
from assistant.settings import Settings
from assistant.web.serving import serve

FOLDER = Path(__file__).parents[1] / "docs" / "images"
QUESTION = "Which papers study KV caches?"
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
_Steps = Callable[[Page], None]
SCENES: dict[str, tuple[ViewportSize, str, _Steps]] = {}


def scene(name: str, viewport: ViewportSize, scheme: str) -> Callable[[_Steps], _Steps]:
    """Note what is done before a picture of that name is taken."""

    def noted(steps: _Steps) -> _Steps:
        SCENES[name] = (viewport, scheme, steps)
        return steps

    return noted


@scene("page-light", DESKTOP, "light")
@scene("page-dark", DESKTOP, "dark")
@scene("phone-light", PHONE, "light")
@scene("phone-dark", PHONE, "dark")
def proof(page: Page) -> None:
    """Open the words that prove an answer."""
    ask(page)
    page.locator("a.ap-cite").first.click()
    page.locator(".ap-card.ap-active mark").first.wait_for()


@scene("list-light", DESKTOP, "light")
def table(page: Page) -> None:
    """Show a list answer as a table."""
    ask(page, "Which papers are about reinforcement learning?")
    page.get_by_role("button", name="Table").click()


@scene("map-light", DESKTOP, "light")
def laid_out(page: Page) -> None:
    """Show where the sources of an answer lie."""
    ask(page)
    page.get_by_role("button", name="Map", exact=True).click()
    page.locator(".ap-map-label").first.wait_for()


@scene("papers-dark", DESKTOP, "dark")
def browsed(page: Page) -> None:
    """Search the collection."""
    page.get_by_role("button", name="Papers", exact=True).click()
    page.get_by_label("Search the papers").fill("sparse")
    page.locator(".ap-count", has_text="found in").wait_for()
    page.locator(".ap-pick").first.click()


def main() -> None:
    """Start the page, ask, and take every picture."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        settings = Settings(data_dir=Path(data), model="none")
        with Assistant(settings) as assistant:
            served = serve(assistant)
            browser = playwright.chromium.launch(
                executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"]
            )
            for name in SCENES:
                picture = folder / f"{name}.png"
                _take(browser, served.url, name, picture)
                print(picture)
            browser.close()
            served.close()


def _take(browser: Browser, url: str, name: str, picture: Path) -> None:
    viewport, scheme, steps = SCENES[name]
    context = browser.new_context(
        viewport=viewport,
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(url)
    page.locator(".ap-collection", has_text="papers").wait_for(timeout=60_000)
    steps(page)
    page.mouse.move(2, 2)
    page.wait_for_timeout(600)
    small(page.screenshot(), picture)
    context.close()


def ask(page: Page, question: str = QUESTION) -> None:
    """Ask and wait for the answer."""
    box = page.get_by_label("Your question")
    box.fill(question)
    box.press("Enter")
    page.locator(".ap-foot").wait_for(timeout=60_000)


def small(picture: bytes, path: Path) -> None:
    """Write a picture with a palette, a third of the size."""
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as shown:
        shown.convert("RGB").quantize(160, dither=Image.Dither.NONE).save(path, optimize=True)


def chromium_path() -> str:
    """Find a Chromium, or end with what to do."""
    names = (os.environ.get("CHROMIUM_PATH"), *CHROMIUM)
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    if found is None:
        sys.exit("no Chromium: install it, or set CHROMIUM_PATH to one")
    return found


if __name__ == "__main__":
    main()
