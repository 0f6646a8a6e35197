from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evals.junit import junit
from evals.records import Check, RunRecord
from evals.reporting import report
from tests.evals.building import record, result

ABSTRACT = "Alpha is <b>3 times</b> faster. It needs 80 % of the memory."


def proven() -> dict[str, object]:
    proof = {
        "number": 1,
        "paper": "p-a",
        "label": "Alpha",
        "abstract": ABSTRACT,
        "start": 0,
        "end": 31,
        "support": "supported",
    }
    sentence = {
        "text": "Alpha is fast [1].",
        "verdict": "supported",
        "citations": [1],
        "reason": None,
        "right": True,
    }
    return {
        "text": "**Alpha** is fast [1]. <script>alert(1)</script> ![x](http://e.example/p.png)",
        "abstained": False,
        "citations": [proof],
        "sentences": [sentence],
        "warnings": ["a <warning>"],
    }


def runs() -> tuple[RunRecord, RunRecord]:
    wrong = {"passed": False, "scores": {"passed": 0.0}}
    check = [Check(name="says 3x", ok=False, got="nothing")]
    before = record([result("a"), result("b", kind="list"), result("c")])
    after = record(
        [
            result("a", answer=proven(), checks=[Check(name="answers", ok=True)]),
            result("b", kind="list", checks=check, **wrong),
            result("c", answer=None, passed=None, scores={"passed": None}, error="gone\x00 away"),
        ],
        prompt_texts={"answer": "one\nzwei <x>\n", "repair": "three\n"},
    )
    return before, after


def test_a_report_is_one_file_that_fetches_nothing_and_runs_nothing_of_an_answer() -> None:
    before, after = runs()
    page = report(after, before)
    assert "<script>alert" not in page
    assert "<img" not in page
    assert not re.search(r"<(?:link|iframe|script src)|@import|url\(", page)
    assert "default-src 'none'" in page
    assert "zwei &lt;x&gt;" in page
    assert "<mark>Alpha is &lt;b&gt;3 times&lt;/b&gt; faster.</mark>" in page


def test_junit_tells_failures_and_errors() -> None:
    root = ElementTree.fromstring(junit(runs()[1]))
    suites = {suite.get("name"): suite for suite in root}
    fact, listed = suites["fact"], suites["list"]
    assert (fact.get("tests"), fact.get("failures"), fact.get("errors")) == ("2", "0", "1")
    assert (listed.get("tests"), listed.get("failures")) == ("1", "1")
    failure = listed.find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "says 3x, got: nothing"


@pytest.mark.browser
def test_filters_and_cases_work_in_a_browser(
    isolated_home: Path, chromium_path: Path, chromium_args: list[str]
) -> None:
    from playwright.sync_api import expect, sync_playwright

    before, after = runs()
    path = isolated_home / "report.html"
    path.write_text(report(after, before), encoding="utf-8")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium_path, args=chromium_args)
        page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(path.as_uri() + "#a")

        def shown(*names: str) -> None:
            visible = page.locator(".case:not([hidden])")
            expect(visible).to_have_count(len(names))
            for place, name in enumerate(names):
                expect(visible.nth(place)).to_have_id(name)

        shown("a", "b", "c")
        expect(page.locator("#a mark")).to_be_visible()
        page.click("[data-show=wrong]")
        shown("b")
        page.click("[data-show=flipped]")
        shown("b")
        page.click("#b summary")
        expect(page.locator("#b").get_by_text("Answer before")).to_be_visible()
        page.click("[data-show=unanswered]")
        shown("c")
        page.click("[data-show=all]")
        page.fill("#search", "ALPHA fast")
        shown("a")
        page.fill("#search", "")
        page.click(".kind[data-kind=list]")
        shown("b")
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.click("#theme")
        expect(page.locator("body")).not_to_have_css("background-color", dark)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert problems == []
        browser.close()
