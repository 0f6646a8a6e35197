"""What the tests of the page do again and again."""

from __future__ import annotations

from playwright.sync_api import Page, expect

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
KV = "Which papers study KV caches?"


def ask(page: Page, question: str, *, wait: bool = True) -> None:
    answered = page.locator(".ap-foot").count()
    box = page.get_by_label("Your question")
    box.fill(question)
    box.press("Enter")
    if wait:
        expect(page.locator(".ap-foot")).to_have_count(answered + 1)
