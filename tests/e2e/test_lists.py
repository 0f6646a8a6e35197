"""List answers as tables, as files, and as what the next question is limited to."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conversing import DESKTOP, KV, PHONE, ask, retry
from tests.web.stand_in import StandIn


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_list_is_a_table_that_sorts(
    open_page: Callable[..., Page], stand_in: StandIn, viewport: dict[str, int]
) -> None:
    page = open_page(viewport)
    ask(page, KV)
    titles = [stand_in.by_id[name].label for name in ("001-17", "001-10")]
    page.get_by_role("button", name="Table").click()
    table = page.locator(".ap-list table")
    expect(table).to_be_visible()
    expect(page.locator(".ap-prose ul")).to_be_hidden()
    papers = table.locator(".ap-list-paper")
    expect(papers.first).to_contain_text(titles[0])
    expect(papers.nth(1)).to_contain_text(titles[1])
    relevance = table.get_by_role("button", name="Relevance")
    relevance.click()
    expect(papers.first).to_contain_text(titles[0])
    relevance.click()
    expect(papers.first).to_contain_text(titles[1])
    expect(table.locator("th").nth(2)).to_have_attribute("aria-sort", "ascending")
    assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]
    papers.first.locator("a.ap-cite").click()
    expect(page.locator(".ap-card.ap-active .ap-title")).to_have_text(titles[1])
    page.keyboard.press("Escape")
    ask(page, "compare")
    expect(table).to_be_visible()


def test_a_list_is_taken_along(
    open_page: Callable[..., Page], stand_in: StandIn, tmp_path: Path
) -> None:
    page = open_page()
    ask(page, KV)
    page.get_by_role("button", name="Table").click()
    taken = {}
    for name in ("CSV", "BibTeX", "Markdown"):
        with page.expect_download() as download:
            page.locator(".ap-takes").get_by_role("button", name=name).click()
        download.value.save_as(tmp_path / name)
        taken[download.value.suggested_filename] = (tmp_path / name).read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(taken["papers.csv"])))
    assert [row["id"] for row in rows] == ["001-17", "001-10"]
    assert rows[0]["why"] in stand_in.by_id["001-17"].abstract
    assert taken["papers.bib"].count("@inproceedings") == 2
    assert taken["answer.md"].startswith("2 of 38 papers study this:")


def test_the_next_questions_can_be_limited_to_a_list(
    open_page: Callable[..., Page], stand_in: StandIn
) -> None:
    page = open_page()
    ask(page, KV)
    page.get_by_role("button", name="Ask about these").click()
    expect(page.locator(".ap-chip")).to_contain_text("Asking 2 chosen papers")
    expect(page.get_by_label("Your question")).to_be_focused()
    ask(page, "compare")
    assert stand_in.wheres[-1] == {"id": ["001-17", "001-10"]}
    expect(page.locator(".ap-among")).to_have_text("Among 2 chosen papers")
    before = len(stand_in.wheres)
    stand_in.pace = 0.05
    try:
        retry(page)
    finally:
        stand_in.pace = 0.0
    assert stand_in.wheres[before:] == [{"id": ["001-17", "001-10"]}]
    page.get_by_role("button", name="Ask the whole collection").click()
    ask(page, "math")
    assert stand_in.wheres[-1] is None
