"""Take the pictures of the page that the documents show: `python -m tools.screenshots [FOLDER]`.

Needs the `dev` extra and a Chromium on this machine. The page answers without a model, from a
collection of its own that is thrown away afterwards.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from assistant.api import Assistant
from assistant.settings import Settings
from assistant.web.serving import serve

FOLDER = Path(__file__).parents[1] / "docs" / "images"
QUESTION = "Which papers study KV caches?"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
SCENES: dict[str, tuple[ViewportSize, str]] = {
    "page-light": ({"width": 1280, "height": 800}, "light"),
    "page-dark": ({"width": 1280, "height": 800}, "dark"),
    "phone-light": ({"width": 390, "height": 844}, "light"),
    "phone-dark": ({"width": 390, "height": 844}, "dark"),
}


def main() -> None:
    """Start the page, ask, and take every picture."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        settings = Settings(data_dir=Path(data), model="none")
        with Assistant(settings) as assistant:
            served = serve(assistant)
            browser = playwright.chromium.launch(
                executable_path=_chromium(), args=["--no-sandbox", "--disable-gpu"]
            )
            for name in SCENES:
                picture = folder / f"{name}.png"
                _take(browser, served.url, name, picture)
                print(picture)
            browser.close()
            served.close()


def _take(browser: Browser, url: str, name: str, picture: Path) -> None:
    viewport, scheme = SCENES[name]
    context = browser.new_context(
        viewport=viewport,
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        device_scale_factor=2 if name.startswith("phone") else 1,
    )
    page = context.new_page()
    page.goto(url)
    box = page.get_by_label("Your question")
    box.fill(QUESTION)
    box.press("Enter")
    page.locator(".ap-foot").wait_for(timeout=60_000)
    page.locator("a.ap-cite").first.click()
    page.locator(".ap-card.ap-active mark").first.wait_for()
    page.mouse.move(2, 2)
    page.wait_for_timeout(600)
    page.screenshot(path=picture)
    context.close()


def _chromium() -> str:
    names = (os.environ.get("CHROMIUM_PATH"), *CHROMIUM)
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    if found is None:
        sys.exit("no Chromium: install it, or set CHROMIUM_PATH to one")
    return found


if __name__ == "__main__":
    main()
