"""The tabs beside the chat, over the papers that ship; what is taken along and said of answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from assistant.api import Assistant
from assistant.corpus.paper import Paper
from assistant.settings import Settings
from assistant.web.serving import Served, serve
from tests.e2e.conversing import DESKTOP, KV, PHONE, ask, still
from tests.web.stand_in import StandIn, StandInShelf

BOTH = pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])


def show(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Views").get_by_role("button", name=name).click()


@BOTH
def test_the_collection_is_searched_as_one_types(
    open_page: Callable[..., Page], real: Served, viewport: dict[str, int]
) -> None:
    page = open_page(viewport, url=real.url)
    show(page, "Papers")
    rows = page.locator(".ap-shelf-row")
    expect(rows).to_have_count(38)
    page.get_by_label("Search the papers").press_sequentially("relaycach")
    expect(rows.first).to_contain_text("RelayCaching: Accelerating")
    page.get_by_label("Search the papers").fill("")
    expect(rows).to_have_count(38)
    page.get_by_label("Year").select_option("2026")
    expect(page.locator(".ap-count")).to_have_text("All 38 papers")
    card = rows.nth(4)
    card.locator("summary").click()
    expect(card.locator(".ap-abstract .katex").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]


def test_papers_are_filtered_by_author_and_keyword(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    papers = [
        Paper(
            "a", "We draw the first.", title="Art", authors=("Ada Lovelace",), keywords=("graphs",)
        ),
        Paper("b", "We prove it all.", title="Big", authors=("Kurt Gödel",), keywords=("proofs",)),
        Paper(
            "c", "We write programs.", title="Cat", authors=("Ada Lovelace",), keywords=("proofs",)
        ),
    ]
    settings = Settings(data_dir=tmp_path, model="none", embedder="none")
    with Assistant(settings) as assistant:
        assistant.add(papers, source="own")
        served = serve(assistant, say=lambda _: None)
        try:
            page = open_page(url=served.url)
            show(page, "Papers")
            titles = page.locator(".ap-shelf-row .ap-title")
            expect(titles).to_have_text(["Art", "Big", "Cat"])
            expect(page.locator("#ap-keywords option")).to_have_count(2)
            page.get_by_label("Keyword").fill("Proofs")
            expect(titles).to_have_text(["Big", "Cat"])
            page.get_by_label("Author").fill("godel")
            expect(titles).to_have_text(["Big"])
            expect(page.locator(".ap-count")).to_have_text("1 of 3 papers")
            page.get_by_label("Keyword").fill("")
            page.get_by_label("Author").fill("lovelace")
            expect(titles).to_have_text(["Art", "Cat"])
            page.context.close()
        finally:
            served.close()


def test_no_filter_stands_there_without_names(open_page: Callable[..., Page], real: Served) -> None:
    page = open_page(url=real.url)
    show(page, "Papers")
    expect(page.locator(".ap-shelf-row")).to_have_count(38)
    for label in ("Author", "Keyword"):
        expect(page.get_by_label(label)).to_be_hidden()


def test_selected_papers_are_asked(open_page: Callable[..., Page], real: Served) -> None:
    page = open_page(url=real.url)
    show(page, "Papers")
    page.get_by_label("Search the papers").fill("RelayCaching")
    expect(page.locator(".ap-shelf-row").first).to_contain_text("RelayCaching")
    page.locator(".ap-pick").first.click()
    expect(page.locator(".ap-picked")).to_contain_text("1 selected")
    page.get_by_role("button", name="Ask about the selected").click()
    expect(page.locator(".ap-chip")).to_contain_text("Asking 1 chosen paper")
    ask(page, "Which papers study KV caches?")
    expect(page.locator("p.ap-among")).to_have_text("Among 1 chosen paper")
    page.locator("#ap-chat a.ap-cite").first.click()
    expect(page.locator(".ap-panel .ap-number")).to_have_count(1)
    expect(page.locator(".ap-card.ap-active .ap-title")).to_contain_text("RelayCaching")


@BOTH
def test_the_map_shows_where_the_sources_lie(
    open_page: Callable[..., Page], real: Served, viewport: dict[str, int]
) -> None:
    page = open_page(viewport, url=real.url)
    ask(page, KV)
    show(page, "Map")
    expect(page.locator(".ap-map-note")).to_have_text(
        "38 papers; near means alike, colours are topics."
    )
    expect(page.locator(".ap-map-label").nth(1)).to_be_visible()
    canvas = page.locator(".ap-map-canvas")
    expect(canvas).to_have_attribute("data-sources", "2")
    canvas.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    tip = page.locator(".ap-map-tip")
    expect(tip).not_to_be_empty()
    title = tip.inner_text()
    page.keyboard.press("Enter")
    card = page.locator(".ap-panel .ap-card")
    expect(card).to_have_count(1)
    expect(card.locator(".ap-title")).to_have_text(title)
    expect(card.locator(".ap-abstract")).to_be_visible()


def test_a_point_of_the_map_is_found_with_the_mouse(
    open_page: Callable[..., Page], real: Served
) -> None:
    page = open_page(url=real.url)
    show(page, "Map")
    page.locator(".ap-map-label").first.wait_for()
    canvas = page.locator(".ap-map-canvas")
    canvas.focus()
    page.keyboard.press("ArrowRight")
    tip = page.locator(".ap-map-tip")
    expect(tip).not_to_be_empty()
    title = tip.inner_text()
    inked = canvas.evaluate(
        """canvas => {
            const { width, height } = canvas, pen = canvas.getContext("2d");
            const { data } = pen.getImageData(0, 0, width, height);
            for (let i = 3; i < data.length; i += 4) if (data[i] > 200) {
                const at = (i - 3) / 4;
                return [at % width, Math.floor(at / width)];
            }
        }"""
    )
    canvas.hover(position={"x": inked[0], "y": inked[1] + 3})
    expect(tip).not_to_have_text(title)
    canvas.click(position={"x": inked[0], "y": inked[1] + 3})
    expect(page.locator(".ap-panel .ap-card")).to_have_count(1)
    expect(page.locator(".ap-panel .ap-card .ap-title")).to_have_text(tip.inner_text())


@BOTH
def test_the_status_tells_what_answers_and_what_is_missing(
    open_page: Callable[..., Page], real: Served, viewport: dict[str, int]
) -> None:
    page = open_page(viewport, url=real.url)
    show(page, "Status")
    state = page.locator(".ap-state")
    expect(state).to_contain_text("quoted from the abstracts, no model")
    expect(state).to_contain_text("minilm-l6-v2-int8")
    expect(state.locator(".ap-todo")).to_contain_text("OPENAI_API_KEY")
    assert "/" + "data" not in state.inner_text()


def test_the_tokens_of_a_conversation_are_counted(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "compare")
    ask(page, "compare again")
    show(page, "Status")
    expect(page.locator(".ap-state")).to_contain_text(
        "2 answers, tokens: prompt 3,640, completion 192"
    )


def test_a_conversation_is_taken_along(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page()
    ask(page, KV)
    ask(page, "compare")
    page.get_by_role("button", name="History").click()
    taken = {}
    for name in ("Markdown", "JSON", "BibTeX"):
        with page.expect_download() as download:
            page.locator(".ap-exports").get_by_role("button", name=name).click()
        download.value.save_as(tmp_path / name)
        taken[download.value.suggested_filename] = (tmp_path / name).read_text("utf-8")
    assert taken["conversation.md"].startswith(f"## {KV}\n\n2 of 38 papers study this:")
    answers = json.loads(taken["conversation.json"])["answers"]
    assert [answer["question"] for answer in answers] == [KV, "compare"]
    cited = {c["paper"]["id"] for answer in answers for c in answer["citations"]}
    assert taken["conversation.bib"].count("@inproceedings{") == len(cited) == 3
    assert all(f"{{{paper_id}," in taken["conversation.bib"] for paper_id in cited)


@BOTH
def test_thumbs_and_words_are_kept(
    open_page: Callable[..., Page], stand_in: StandIn, viewport: dict[str, int]
) -> None:
    page = open_page(viewport)
    ask(page, KV)
    ask(page, "compare")
    page.get_by_role("button", name="A bad answer").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("In your words").fill("One is missing.")
    dialog.get_by_role("button", name="Send").click()
    expect(dialog).to_be_hidden()
    assert stand_in.judged[-1] == (KV, "bad", "One is missing.")
    expect(page.get_by_role("button", name="Thank you, kept")).to_have_count(1)


@pytest.mark.parametrize(("viewport", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_no_tab_stands_in_the_way_of_a_screen_reader(
    open_page: Callable[..., Page], real: Served, viewport: dict[str, int], scheme: str
) -> None:
    page = open_page(viewport, url=real.url, color_scheme=scheme, reduced_motion="reduce")
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]}
    found = []
    ask(page, KV)
    page.get_by_role("button", name="Table").click()
    page.get_by_role("button", name="Ask about these").click()
    page.get_by_role("button", name="History").click()
    still(page)
    found += Axe().run(page, options=rules).response["violations"]
    page.keyboard.press("Escape")
    for name, ready in (("Papers", ".ap-shelf-row"), ("Map", ".ap-map-label"), ("Status", "dl")):
        show(page, name)
        page.locator(f".ap-sheet {ready}").first.wait_for()
        still(page)
        found += Axe().run(page, options=rules).response["violations"]
    show(page, "Chat")
    page.get_by_role("button", name="A good answer").click()
    still(page)
    found += Axe().run(page, options=rules).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found] == []


def test_the_examples_are_made_of_the_collection(open_page: Callable[..., Page]) -> None:
    other = StandIn()
    titles = ("FoldNet: Protein Folding", "Protein Docking", "Glaciers Melt", "Rivers Run")
    other.shelf = StandInShelf(
        [Paper(title, f"We introduce {title[:7]}, a tool.", title=title) for title in titles]
    )
    served = serve(other, say=lambda _: None)
    try:
        page = open_page(url=served.url)
        examples = page.get_by_role("group", name="Examples")
        expect(examples).to_contain_text("What does FoldNet do?")
        expect(examples).not_to_contain_text("KV caches")
        page.get_by_text("Which papers are about protein?").click()
        expect(page.locator(".ap-question")).to_have_text("Which papers are about protein?")
        page.context.close()
    finally:
        served.close()
