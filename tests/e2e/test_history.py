"""Conversations that the browser keeps."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conversing import DESKTOP, KV, PHONE, ask, rested
from tests.web.stand_in import StandIn

BOTH = pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])


# As many turns of this tab's conversation as are given lie in the browser.
_KEPT = """(turns) => {
    const kept = localStorage.getItem(`ap-talk-${askPapers.state.talk}`);
    return kept && JSON.parse(kept).turns.length === turns;
}"""


def reload(page: Page) -> None:
    page.reload()
    page.get_by_label("Your question").wait_for()


@BOTH
def test_a_conversation_is_there_after_a_reload_with_its_proofs(
    open_page: Callable[..., Page], stand_in: StandIn, viewport: dict[str, int]
) -> None:
    page = open_page(viewport)
    ask(page, KV)
    ask(page, "math")
    page.wait_for_function(_KEPT, arg=2)
    reload(page)
    expect(page.locator(".ap-foot")).to_have_count(2)
    expect(page.locator(".ap-answer .ap-prose .katex").first).to_be_attached()
    page.locator(".ap-answer").first.locator("a.ap-cite").nth(1).click()
    card = page.locator(".ap-panel .ap-card.ap-active")
    expect(card.locator(".ap-title")).to_have_text(str(stand_in.by_id["001-10"].title))
    expect(card.locator("mark")).to_be_in_viewport()
    ask(page, "And which of those are training-free?")
    assert len(stand_in.histories[-1]) == 4


@BOTH
def test_conversations_are_listed_opened_renamed_and_deleted(
    open_page: Callable[..., Page], viewport: dict[str, int]
) -> None:
    page = open_page(viewport)
    ask(page, KV)
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".ap-question")).to_have_count(0)
    ask(page, "quantum")
    history = page.get_by_role("button", name="History")
    history.click()
    drawer = page.get_by_role("dialog", name="Conversations")
    expect(drawer.locator(".ap-talk-title")).to_have_text(["quantum", KV])
    drawer.get_by_role("button", name=f"Rename: {KV}").click()
    field = drawer.get_by_label("Name of the conversation")
    field.fill("Caches")
    field.press("Enter")
    expect(drawer.locator(".ap-talk-title")).to_have_text(["quantum", "Caches"])
    drawer.locator(".ap-talk-open").nth(1).click()
    expect(page.locator(".ap-question")).to_have_text(KV)
    ask(page, "compare")
    history.click()
    expect(drawer.locator(".ap-talk-title")).to_have_text(["Caches", "quantum"])
    drawer.get_by_role("button", name="Delete: Caches").click()
    expect(page.locator(".ap-question")).to_have_count(0)
    expect(drawer.locator(".ap-talk-title")).to_have_text(["quantum"])
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    reload(page)
    expect(page.locator(".ap-question")).to_have_count(0)


def test_the_last_question_can_be_edited(open_page: Callable[..., Page], stand_in: StandIn) -> None:
    page = open_page()
    ask(page, KV)
    ask(page, "compare")
    box = page.get_by_label("Your question")
    page.get_by_role("button", name="Edit").last.click()
    expect(box).to_have_value("compare")
    expect(page.locator(".ap-chip")).to_contain_text("Editing the last question")
    page.get_by_role("button", name="Ask a new question instead").click()
    expect(page.locator(".ap-chip")).to_have_count(0)
    page.get_by_role("button", name="Edit").last.click()
    before = len(stand_in.histories)
    box.fill("math")
    box.press("Enter")
    expect(page.locator(".ap-question")).to_have_text([KV, "math"])
    expect(page.locator(".ap-chip")).to_have_count(0)
    rested(page)
    assert [len(history) for history in stand_in.histories[before:]] == [2]


def test_the_oldest_conversations_make_room(open_page: Callable[..., Page]) -> None:
    page = open_page()
    kept = page.evaluate(
        """() => {
            for (let n = 0; n < 40; n += 1) {
                const turn = { question: `question ${n}`, problem: "x".repeat(300_000) };
                askPapers.keep(JSON.stringify({ name: `t${n}`, turns: [turn] }));
            }
            const texts = Object.keys(localStorage).filter((name) => name.startsWith("ap-talk-"));
            return [askPapers.talks().map((talk) => talk.title), texts.length];
        }"""
    )
    assert kept == [[f"question {n}" for n in range(39, 30, -1)], 9]


def test_a_conversation_that_cannot_be_read_is_a_sentence(open_page: Callable[..., Page]) -> None:
    page = open_page()
    rested(page)
    page.evaluate(
        "localStorage.setItem('ap-talk-' + askPapers.state.talk, '{\"version\": 1, \"turns\": 3}')"
    )
    reload(page)
    expect(page.locator(".ap-problem")).to_contain_text("delete it")
    ask(page, KV)
