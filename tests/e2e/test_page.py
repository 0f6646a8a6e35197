"""The page in a real browser, answered by a script so that every state can be brought about."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from assistant.corpus.sentences import sentence_spans
from assistant.web.serving import Served
from tests.e2e.conversing import DESKTOP, KV, PHONE, ask, rested, retry, still
from tests.waiting import until
from tests.web.stand_in import StandIn


def test_the_shipped_papers_are_asked_about_kv_caches(
    open_page: Callable[..., Page], real: Served, stand_in: StandIn
) -> None:
    page = open_page(url=real.url)
    expect(page.locator(".ap-panel .ap-card")).to_have_count(38)
    ask(page, KV)
    cites = page.locator(".ap-prose a.ap-cite")
    expect(cites).to_have_count(2)
    shown = {}
    for place in range(2):
        cites.nth(place).click()
        card = page.locator(".ap-panel .ap-card.ap-active")
        expect(card.locator("mark")).to_be_in_viewport()
        shown[card.locator(".ap-title").inner_text()] = card.locator("mark").inner_text()
    right = [stand_in.by_id["001-17"], stand_in.by_id["001-10"]]
    assert set(shown) == {paper.title for paper in right}
    for paper in right:
        sentences = [paper.abstract[slice(*span)] for span in sentence_spans(paper.abstract)]
        assert shown[str(paper.title)] in sentences
        assert re.search(r"KV|key–value", shown[str(paper.title)])


def test_a_follow_up_builds_on_the_answer_before(
    open_page: Callable[..., Page], real: Served
) -> None:
    page = open_page(url=real.url)
    ask(page, "What does RelayCaching do?")
    ask(page, "How much does it cut TTFT?")
    answer = page.locator(".ap-answer").last
    expect(answer.locator(".ap-prose a.ap-cite").first).to_be_visible()
    answer.locator(".ap-prose a.ap-cite").first.click()
    expect(page.locator(".ap-card.ap-active .ap-title")).to_contain_text("RelayCaching")


def test_a_citation_opens_its_card_with_the_proving_words_marked(
    open_page: Callable[..., Page], stand_in: StandIn
) -> None:
    page = open_page()
    ask(page, KV)
    cites = page.locator(".ap-prose a.ap-cite")
    expect(cites).to_have_count(2)
    cites.nth(1).click()
    card = page.locator(".ap-panel .ap-card.ap-active")
    tasm = stand_in.by_id["001-10"]
    expect(card.locator(".ap-title")).to_have_text(str(tasm.title))
    expect(card.locator("mark")).to_be_in_viewport()
    marked = card.locator("mark").inner_text()
    assert marked in tasm.abstract
    assert marked.startswith("We introduce TASM")
    expect(card.locator(".ap-abstract")).to_have_text(tasm.abstract)
    expect(card.locator(".ap-record")).to_contain_text("ICML 2026")
    link = card.locator(".ap-record a")
    expect(link).to_have_attribute("href", str(tasm.url))
    expect(link).to_have_attribute("rel", re.compile("noopener"))


def test_hover_shows_the_quote(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, KV)
    page.locator(".ap-prose a.ap-cite").first.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("We present RelayCaching, a training-free")
    expect(page.get_by_role("tooltip")).to_contain_text("verified")
    page.get_by_label("Your question").hover()
    expect(page.get_by_role("tooltip")).to_be_hidden()


def test_an_older_answer_still_opens_its_own_sources(
    open_page: Callable[..., Page], stand_in: StandIn
) -> None:
    page = open_page()
    ask(page, KV)
    ask(page, "What speed-ups does each claim?")
    expect(page.locator(".ap-panel-for")).to_have_text("What speed-ups does each claim?")
    page.locator(".ap-answer").first.locator(".ap-prose a.ap-cite").nth(1).click()
    expect(page.locator(".ap-panel-for")).to_have_text(KV)
    expect(page.locator(".ap-card.ap-active .ap-title")).to_have_text(
        str(stand_in.by_id["001-10"].title)
    )


def test_unproven_sentences_do_not_look_proven(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "Compare what each claims")
    partial = page.locator(".ap-prose .ap-said.ap-partial").first
    unsupported = page.locator(".ap-prose .ap-said.ap-unsupported").first
    expect(partial).to_have_css("text-decoration-style", "dashed")
    expect(unsupported).to_have_css("text-decoration-style", "wavy")
    expect(page.locator(".ap-verdict.ap-unsupported")).to_have_text(
        "not supported: no date stands in the abstracts"
    )
    expect(page.locator(".ap-warnings")).to_contain_text("only words were searched")


def test_formulas_are_drawn_in_every_answer_and_money_is_not(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    for _ in range(2):
        ask(page, "math")
        answer = page.locator(".ap-answer").last
        expect(answer.locator(".ap-prose .katex").first).to_be_visible()
        expect(answer.locator(".ap-prose")).to_contain_text("It costs $5 and $10.")
        expect(answer.locator(".ap-prose .katex-error")).to_have_count(0)
    page.locator(".ap-prose a.ap-cite").last.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Existing DSGD-based")
    expect(page.get_by_role("tooltip")).not_to_contain_text("We prove")
    page.locator(".ap-prose a.ap-cite").last.click()
    marks = page.locator(".ap-card.ap-active mark")
    expect(marks).to_have_count(2)
    expect(marks.first.locator(".katex").first).to_be_visible()
    expect(marks.first).not_to_have_class(re.compile("ap-dim"))
    expect(page.locator(".ap-card.ap-active mark.ap-dim")).to_contain_text("We prove that BRED")


def test_text_of_papers_models_and_people_never_becomes_markup(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    ask(page, 'xss <img src=x onerror="window.hit=1"><script>window.hit=1</script>')
    page.locator(".ap-prose a.ap-cite").first.click()
    expect(page.locator(".ap-card.ap-active .ap-abstract")).to_contain_text("<img src=x")
    expect(page.locator(".ap-question")).to_contain_text("<script>window.hit=1</script>")
    ask(page, "explode <img src=x onerror='window.hit=1'>")
    assert page.evaluate("window.hit") is None
    inside = "#ap-chat, .ap-panel"
    expect(page.locator(inside).locator("img, iframe, form, script, .ap-title b")).to_have_count(0)
    hrefs = page.locator(inside).locator("a").evaluate_all("all => all.map(a => a.href)")
    assert not [href for href in hrefs if href.startswith("javascript")]


def test_an_image_that_got_through_would_not_be_fetched(browser: Browser, served: Served) -> None:
    page = browser.new_page()
    page.goto(served.url)
    blocked = page.evaluate(
        """() => new Promise(done => {
            document.addEventListener('securitypolicyviolation', e => done(e.blockedURI));
            const image = new Image(); image.src = 'http://127.0.0.2/a.png?d=secret';
            document.body.append(image); setTimeout(() => done('nothing was blocked'), 20_000);
        })"""
    )
    page.close()
    assert "127.0.0.2" in blocked


def test_stop_ends_the_run_and_the_next_question_works(
    open_page: Callable[..., Page], stand_in: StandIn
) -> None:
    page = open_page()
    stand_in.pace = 0.2
    try:
        before = stand_in.cancelled
        ask(page, "a slow one, compare", wait=False)
        expect(page.locator(".ap-live .ap-prose")).to_contain_text("A slow answer")
        expect(page.locator(".ap-status")).to_contain_text("Writing")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".ap-problem")).to_contain_text("Stopped.")
        expect(page.locator(".ap-ended .ap-prose")).to_contain_text("A slow answer")
        until(lambda: stand_in.cancelled > before, "the run ends")
    finally:
        stand_in.pace = 0.0
    ask(page, KV)
    expect(page.locator(".ap-answer").last.locator(".ap-prose a.ap-cite")).to_have_count(2)


def test_closing_the_tab_ends_the_run(open_page: Callable[..., Page], stand_in: StandIn) -> None:
    page = open_page()
    stand_in.pace = 0.2
    try:
        before = stand_in.cancelled
        ask(page, "a slow one, compare", wait=False)
        expect(page.locator(".ap-live .ap-prose")).to_contain_text("A slow answer")
        page.close()
        until(lambda: stand_in.cancelled > before, "the run ends")
    finally:
        stand_in.pace = 0.0


def test_retry_undo_and_a_new_conversation(
    open_page: Callable[..., Page], stand_in: StandIn
) -> None:
    page = open_page()
    ask(page, KV)
    ask(page, "And which of those are training-free?")
    expect(page.locator(".ap-understood")).to_contain_text("among the papers on KV caches")
    assert [turn["role"] for turn in stand_in.histories[-1]] == ["user", "assistant"]
    before = len(stand_in.histories)
    stand_in.pace = 0.05
    try:
        retry(page)
    finally:
        stand_in.pace = 0.0
    expect(page.locator(".ap-question").last).to_have_text("And which of those are training-free?")
    assert [len(history) for history in stand_in.histories[before:]] == [2]
    page.locator(".bot-row").last.get_by_role("button", name="Undo").click()
    expect(page.locator(".ap-question")).to_have_count(1)
    expect(page.get_by_label("Your question")).to_have_value(
        "And which of those are training-free?"
    )
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".ap-question")).to_have_count(0)
    ask(page, KV)
    assert stand_in.histories[-1] == []


def test_an_example_runs_when_chosen(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.get_by_role("button", name=KV).click()
    expect(page.locator(".ap-foot")).to_have_count(1)
    expect(page.locator(".ap-question")).to_have_text(KV)


def test_errors_are_sentences(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "refuse this")
    expect(page.locator(".ap-problem")).to_have_text("this question cannot be used: ask another")
    ask(page, "explode")
    expect(page.locator(".ap-problem").last).to_contain_text("Something went wrong on the server")
    assert "a secret detail" not in page.content()


def test_two_tabs_do_not_share_a_conversation(open_page: Callable[..., Page]) -> None:
    one, other = open_page(), open_page()
    ask(one, KV)
    ask(other, "quantum")
    expect(one.locator(".ap-question")).to_have_text(KV)
    expect(other.locator(".ap-question")).to_have_text("quantum")
    expect(other.locator(".ap-answer")).to_contain_text("Not answered by this collection")


_PRESSED_AT_ONCE = """
new MutationObserver((_, seen) => {
    const button = document.querySelector('.ap-view[data-view="NAME"]');
    if (button) { seen.disconnect(); button.click(); }
}).observe(document, { childList: true, subtree: true });
"""


@pytest.mark.parametrize(
    ("name", "shown"),
    [("papers", ".ap-shelf-row"), ("map", ".ap-map-label"), ("status", "#ap-status dl")],
)
def test_a_tab_that_is_opened_while_the_page_still_loads_is_filled(
    open_page: Callable[..., Page], served: Served, name: str, shown: str
) -> None:
    page = open_page()
    page.add_init_script(_PRESSED_AT_ONCE.replace("NAME", name))
    page.goto(served.url)
    expect(page.locator(shown).first).to_be_visible()


def test_a_question_asked_while_the_page_still_loads_is_answered(
    open_page: Callable[..., Page], served: Served
) -> None:
    page = open_page()
    page.goto(served.url, wait_until="commit")
    box = page.get_by_label("Your question")
    box.fill(KV)
    box.press("Enter")
    expect(page.locator(".ap-foot")).to_have_count(1)


def test_what_is_tapped_is_as_large_as_a_fingertip(open_page: Callable[..., Page]) -> None:
    page = open_page(PHONE, has_touch=True)
    expect(page.locator(".ap-touches")).to_be_visible()
    expect(page.locator(".ap-hovers")).to_be_hidden()
    for selector in (".ap-theme", ".ap-fresh", ".ap-history", ".ap-view", "#ap-box .submit-button"):
        for button in page.locator(selector).all():
            place = button.bounding_box()
            assert place is not None
            assert min(place["width"], place["height"]) >= 44, selector
    ask(page, KV)
    page.get_by_role("button", name="A bad answer").click()
    still(page)
    place = page.get_by_role("dialog").bounding_box()
    assert place is not None
    assert place["x"] >= 0
    assert place["x"] + place["width"] <= PHONE["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_the_sources_below(open_page: Callable[..., Page], scheme: str) -> None:
    page = open_page(PHONE, color_scheme=scheme, has_touch=True)
    ask(page, KV)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    side = page.locator("#ap-side")
    expect(side).not_to_be_in_viewport()
    page.locator(".ap-prose a.ap-cite").first.tap()
    expect(page.locator(".ap-card.ap-active mark")).to_be_in_viewport()
    still(page)
    place = side.bounding_box()
    assert place is not None
    assert place["width"] == PHONE["width"]
    assert place["y"] > PHONE["height"] / 4
    page.get_by_role("button", name="Close the sources").tap()
    expect(side).not_to_be_in_viewport()


def test_the_keyboard_is_enough(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, KV)
    cite = page.locator(".ap-prose a.ap-cite").first
    cite.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    card = page.locator(".ap-card.ap-active")
    expect(card).to_have_class("ap-card ap-supported ap-n-2 ap-active")
    expect(card.locator("summary")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".ap-prose a.ap-cite").nth(1)).to_be_focused()


def test_the_question_stays_where_it_is_while_it_is_answered(
    open_page: Callable[..., Page], stand_in: StandIn
) -> None:
    page = open_page()
    ask(page, KV)
    stand_in.pace = 0.2
    try:
        ask(page, "a slow one, compare", wait=False)
        question = page.locator(".ap-question").nth(1)
        expect(page.locator(".ap-live .ap-prose")).to_contain_text("A slow answer")
        still(page)
        start = question.bounding_box()
        assert start is not None
        assert start["y"] < DESKTOP["height"] / 5
        stand_in.pace = 0.01
        rested(page)
        expect(page.locator(".ap-foot")).to_have_count(2)
        still(page)
        assert question.bounding_box() == start
    finally:
        stand_in.pace = 0.0


def test_an_answer_is_copied_with_its_references(open_page: Callable[..., Page]) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    ask(page, KV)
    page.get_by_role("button", name="Copy").click()
    # Looked for within the page: the word stands there for a moment only.
    page.wait_for_function("document.querySelector('.ap-copy').textContent === 'Copied'")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "[1] RelayCaching: Accelerating" in copied.splitlines()[-2]
    page.get_by_role("button", name="BibTeX").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('@')")


def test_light_and_dark_can_be_chosen(open_page: Callable[..., Page]) -> None:
    page = open_page()
    expect(page.locator(".ap-collection")).to_contain_text("38 papers")
    page.get_by_role("button", name="Switch between light and dark").click()
    dark = re.compile(r"\bdark\b")
    expect(page.locator("body")).to_have_class(dark)
    page.reload()
    page.get_by_label("Your question").wait_for()
    expect(page.locator("body")).to_have_class(dark)


@pytest.mark.parametrize(("viewport", "scheme"), [(DESKTOP, "dark"), (PHONE, "light")])
def test_nothing_stands_in_the_way_of_a_screen_reader(
    open_page: Callable[..., Page], viewport: dict[str, int], scheme: str
) -> None:
    page = open_page(viewport, color_scheme=scheme, reduced_motion="reduce")
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]}
    page.get_by_role("group", name="Examples").wait_for()
    found = Axe().run(page, options=rules).response["violations"]
    for question in (KV, "Compare what each claims", "quantum", "explode"):
        ask(page, question)
    page.locator(".ap-prose a.ap-cite").nth(3).click()
    still(page)
    found += Axe().run(page, options=rules).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found] == []
