"""Ten people at the same page."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e.conversing import ask
from tests.web.stand_in import StandIn

PEOPLE = 10


def test_ten_people_ask_at_once_and_see_their_own_answers(
    open_page: Callable[..., Page], stand_in: StandIn
) -> None:
    pages = [open_page() for _ in range(PEOPLE)]
    questions = [f"slow {n}, compare" for n in range(PEOPLE)]
    stand_in.pace = 0.03
    try:
        for page, question in zip(pages, questions, strict=True):
            ask(page, question, wait=False)
        for page in pages:
            expect(page.locator(".ap-live .ap-prose, .ap-done .ap-prose")).to_contain_text(
                "A slow answer", timeout=20_000
            )
        live = [page.locator(".ap-live").count() for page in pages]
        stand_in.pace = 0.0
        for page, question in zip(pages, questions, strict=True):
            expect(page.locator(".ap-foot")).to_have_count(1, timeout=20_000)
            expect(page.locator(".ap-question")).to_have_text(question)
            expect(page.locator(".ap-status")).to_have_count(0)
    finally:
        stand_in.pace = 0.0
    assert sum(live) >= PEOPLE // 2, "they were answered one after the other"
    assert all(history == [] for history in stand_in.histories[-PEOPLE:])
