"""How long the page takes: start to first paint, and question to first sentence, keyless.

    python -m benchmarks.page [--runs 3]

Needs the `dev` extra and a Chromium on this machine. Each run starts a process anew; the papers
that ship are indexed before, and the browser runs already.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from assistant.api import Assistant
from assistant.settings import Settings
from tools.screenshots import chromium_path

__all__ = ["main"]

_ROOT = Path(__file__).parents[1]
_QUESTIONS = (
    "Which papers study KV caches?",
    "What goes wrong if a sparse autoencoder's L0 is too low?",
    "Which papers are about robots?",
)
_GIVE_UP = 60.0
_FIRST_WORDS = """answers => new Promise(done => {
    const begun = performance.now();
    const look = () => {
        const shown = document.querySelectorAll("#ap-chat .ap-answer .ap-prose");
        if (shown.length > answers && shown[answers].textContent.trim()) {
            done(performance.now() - begun);
        } else {
            requestAnimationFrame(look);
        }
    };
    document.querySelector("#ap-box .submit-button").click();
    look();
})"""


def main() -> None:
    """Measure, and print a table of medians with the spread."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=3, help="how often the process is started")
    runs = parser.parse_args().runs
    served, painted, usable, answered = [], [], [], []
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        with Assistant(Settings(data_dir=Path(data), model="none")) as assistant:
            assistant.search("paper")
        browser = playwright.chromium.launch(
            executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"]
        )
        for _ in range(runs):
            begun = time.time()
            with _serving(data) as url:
                served.append(time.time() - begun)
                page, paint, ready = _opened(browser, url, begun)
                painted.append(paint)
                usable.append(ready)
                answered += [_first_words(page, question) for question in _QUESTIONS]
                page.close()
        browser.close()
    print("| wait | median | least | most |\n| --- | --- | --- | --- |")
    for name, values, unit in (
        ("process start until it serves", served, "s"),
        ("process start until the first paint", painted, "s"),
        ("process start until one can type", usable, "s"),
        ("click until the first sentence", answered, "ms"),
    ):
        middle = statistics.median(values)
        told = [
            f"{value:.2f} {unit}" if unit == "s" else f"{value:.0f} {unit}"
            for value in (middle, min(values), max(values))
        ]
        print(f"| {name} | {' | '.join(told)} |")


@contextmanager
def _serving(data: str) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "assistant", "--data-dir", data]
    keyless = {**os.environ, "ASSISTANT_MODEL": "none"}
    process = subprocess.Popen(
        [*command, "chat", "--no-open", "--port", str(port)],
        cwd=_ROOT,
        env=keyless,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield _awaited(f"http://127.0.0.1:{port}/")
    finally:
        process.terminate()
        process.wait(20)


def _awaited(url: str) -> str:
    deadline = time.monotonic() + _GIVE_UP
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - our own address
                return url
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.02)
    sys.exit("the page was never served")


def _opened(browser: Browser, url: str, begun: float) -> tuple[Page, float, float]:
    """Open the page; return it with the seconds until it was painted and until it was usable."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(url)
    page.get_by_label("Your question").wait_for()
    usable = time.time() - begun
    painted = page.evaluate(
        "performance.timeOrigin"
        " + performance.getEntriesByName('first-contentful-paint')[0].startTime"
    )
    page.locator(".ap-collection", has_text="papers").wait_for()
    return page, painted / 1000 - begun, usable


def _first_words(page: Page, question: str) -> float:
    answers = page.locator(".ap-foot").count()
    page.get_by_label("Your question").fill(question)
    taken = float(page.evaluate(_FIRST_WORDS, answers))
    page.wait_for_function(
        "answers => document.querySelectorAll('.ap-foot').length > answers", arg=answers
    )
    return taken


if __name__ == "__main__":
    main()
