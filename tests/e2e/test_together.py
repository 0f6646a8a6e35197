"""Ten people at the same page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conversing import ask
from tests.web.stand_in import StandIn

PEOPLE = 10


@pytest.mark.timeout(400)
def test_ten_people_ask_at_once_and_see_their_own_answers(
    open_page: Callable[..., Page], stand_in: StandIn
) -> None:
    pages = [open_page() for _ in range(PEOPLE)]
    questions = [f"slow {n}, compare" for n in range(PEOPLE)]
    # Slow enough that the first one still writes when the last one has begun.
    stand_in.pace = 0.5
    try:
        for page, question in zip(pages, questions, strict=True):
            ask(page, question, wait=False)
        for page in pages:
            expect(page.locator(".ap-live .ap-prose")).to_contain_text("A slow answer")
        for page in pages:
            expect(page.locator(".ap-live")).to_have_count(1)
        stand_in.pace = 0.0
        for page, question in zip(pages, questions, strict=True):
            expect(page.locator(".ap-foot")).to_have_count(1)
            expect(page.locator(".ap-question")).to_have_text(question)
            expect(page.locator(".ap-status")).to_have_count(0)
    finally:
        stand_in.pace = 0.0
    assert all(history == [] for history in stand_in.histories[-PEOPLE:])
