"""What the tests of the page do again and again."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.waiting import PATIENCE

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
KV = "Which papers study KV caches?"
LONGEST = PATIENCE * 1_000
"""Milliseconds that the browser is waited for."""

# Every question that is shown has its finished answer.
_RESTED = """() => {
    const held = (selector) => document.querySelectorAll(`#ap-chat ${selector}`).length;
    return !held(".ap-live") && held(".ap-foot") >= held(".ap-question");
}"""
# Nothing moves, and what was drawn last has been seen by the page's own script.
_STILL = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
    () => done(document.getAnimations().every((each) => each.playState !== "running")),
)))"""

expect.set_options(timeout=LONGEST)


def rested(page: Page) -> None:
    """Wait until no answer is being made or drawn."""
    page.wait_for_function(_RESTED)


def still(page: Page) -> None:
    """Wait until nothing on the page moves."""
    page.wait_for_function(_STILL)


def ask(page: Page, question: str, *, wait: bool = True) -> None:
    """Type a question and send it off."""
    rested(page)
    asked = page.locator("#ap-chat .ap-question")
    turns = asked.count()
    box = page.get_by_label("Your question")
    box.fill(question)
    box.press("Enter")
    expect(asked).to_have_count(turns + 1)
    if wait:
        rested(page)


def retry(page: Page) -> None:
    """Ask the last question again, and wait until its new answer has taken the old one's place."""
    page.locator("#ap-chat .ap-foot").last.evaluate("foot => { foot.dataset.old = 'yes'; }")
    page.get_by_role("button", name="Retry").last.click()
    expect(page.locator("#ap-chat .ap-foot[data-old]")).to_have_count(0)
    rested(page)
