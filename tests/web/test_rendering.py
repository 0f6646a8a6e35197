"""What the chat is given: one line of safe HTML that holds what the answer holds."""

from __future__ import annotations

import csv
import html
import io
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.answer import Answer, Citation, Sentence
from assistant.answering.events import Status
from assistant.corpus.paper import Paper, Passage, Source
from assistant.retrieval.evidence import Evidence
from assistant.web.lists import Row, csv_text, rows_of
from assistant.web.rendering import (
    answer_html,
    draft_html,
    problem_html,
    question_html,
    welcome_html,
)
from tests.web.stand_in import StandIn, seed_papers

ALLOWED = {
    "div",
    "p",
    "span",
    "a",
    "ul",
    "ol",
    "li",
    "h2",
    "h4",
    "strong",
    "em",
    "code",
    "pre",
    "br",
    "hr",
    "blockquote",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "details",
    "summary",
    "mark",
    "button",
    "dl",
    "dt",
    "dd",
    "q",
}
VOID = {"br", "hr"}
ATTRIBUTES = {"class", "href", "target", "rel", "title", "type", "hidden", "start", "role"}
ATTACKS = st.sampled_from(
    [
        "<script>window.hit=1</script>",
        "<img src=x onerror=hit()>",
        "![i](https://evil.example/a.png?d=1)",
        "[x](javascript:hit())",
        "<a href='javascript:hit()'>x</a>",
        "javascript:hit()",
        "\\url{javascript:hit()}",
        "\\href{javascript:hit()}{x}",
        'https://a.b/"onmouseover=hit()',
        "</div></pre></details>",
        "\n\n<iframe src=https://evil.example>",
        "&#60;script&#62;",
        "$\\href{javascript:hit()}{x}$",
        "\\(<b>\\)",
        "<!--",
        "]]>",
        "`<b>`",
        "```\n<b>\n",
        "| <b> |\n|--|\n",
        "[1]",
        "[1, 2]",
        "**",
        "\u2063\u2061x\u2061\u2063",
        "\u2e22",
        "%%%LATEX_BLOCK_0%%%",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=40), st.lists(ATTACKS | st.text(max_size=8), max_size=6).map("".join)
)


class _Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        assert {name for name, _ in attrs} <= ATTRIBUTES, attrs
        href = dict(attrs).get("href")
        assert href is None or re.match(r"https?://|#source-\d+$", href, re.IGNORECASE), href
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")


def check(shown: str) -> str:
    assert "\n" not in shown, "a blank line would end the HTML for the chat's Markdown parser"
    assert not re.search(r"<(script|img|iframe|form|style|svg)", shown)
    checker = _Checker()
    checker.feed(shown)
    checker.close()
    assert checker.open == []
    return shown


def text_of(shown: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", shown))


def answer(**given: Any) -> Answer:
    base: dict[str, Any] = {
        "text": "Text.",
        "question": "Q?",
        "standalone_question": "Q?",
        "kind": "fact",
        "mode": "extractive",
    }
    return Answer(**(base | given))


@pytest.fixture(scope="module")
def stand_in() -> StandIn:
    return StandIn()


@given(TEXTS, TEXTS, TEXTS, TEXTS, st.integers(0, 50), st.integers(0, 50))
def test_nothing_a_paper_or_a_model_says_becomes_markup(
    text: str, abstract: str, title: str, reason: str, start: int, end: int
) -> None:
    paper = Paper(
        title,
        abstract,
        title=title or None,
        authors=(title,),
        venue=reason,
        url=abstract,
        source=Source(title, 1),
    )
    start, end = sorted((min(start, len(abstract)), min(end, len(abstract))))
    citation = Citation(1, paper, abstract[start:end], start, end, "partial")
    other = Paper("other", text, url=text)
    made = answer(
        text=text,
        question=title,
        standalone_question=reason,
        citations=(citation,),
        papers=(paper, other),
        sentences=(Sentence(text, "unsupported", (1,), reason), Sentence(title, "partial")),
        evidence=(Evidence(Passage("other", text, 0, len(text)), other, 0.5),),
        warnings=(abstract,),
        model=title,
        prompt_hash=reason,
        usage={text: 3},
        timings={title: 1.0, "total": 12.0},
        mode="written",
    )
    check(answer_html(made))
    check(draft_html(text, Status("reading", reason), made.sentences))
    check(question_html(text))
    check(problem_html(reason, text))
    check(welcome_html([paper, other]))


@given(TEXTS)
def test_a_question_is_shown_as_it_was_typed(question: str) -> None:
    from assistant.web.escaping import visible

    lines = [visible(line) for line in question.splitlines()]
    _, opened, shown = question_html(question).partition(">")
    assert opened
    assert [html.unescape(line) for line in shown.removesuffix("</div>").split("<br>")] == (
        lines or [""]
    )


@pytest.mark.parametrize(
    ("question", "long"), [("kv " * 20, False), ("kv " * 100, True), ("a\nb\nc\nd\ne", True)]
)
def test_a_long_question_leaves_room_for_its_answer(question: str, long: bool) -> None:
    assert ("ap-long" in question_html(question)) is long


def test_a_large_collection_shows_a_few_of_its_papers() -> None:
    papers = list(StandIn().by_id.values())
    assert "In this collection: 38 papers" in welcome_html(papers, 38)
    assert "A few of the 5,000 papers" in welcome_html(papers, 5_000)
    assert "assistant sync FILE" in check(welcome_html([], 0))


@pytest.mark.parametrize("question", ["kv", "compare", "math", "quantum", "xss"])
def test_every_kind_of_answer_is_safe_and_whole(stand_in: StandIn, question: str) -> None:
    made = stand_in.ask(question)
    shown = check(answer_html(made))
    for citation in made.citations:
        assert f'href="#source-{citation.number}"' in shown
        assert f"ap-n-{citation.number}" in shown


def test_a_card_holds_the_record_and_the_whole_abstract(stand_in: StandIn) -> None:
    made = stand_in.ask("kv")
    shown = answer_html(made)
    paper = made.citations[1].paper
    card = shown[shown.index("ap-n-2") :]
    assert str(paper.title) in card
    assert "ICML 2026" in card
    assert f'href="{paper.url}"' in card
    assert f'ap-supported ap-q-1">{html.escape(made.citations[1].quote)}</mark>' in card
    abstract = re.search(r'class="ap-abstract">(.*?)</p>', card)
    assert abstract is not None
    assert text_of(abstract[1]) == paper.abstract


def test_two_quotes_of_one_paper_share_a_card(stand_in: StandIn) -> None:
    shown = answer_html(stand_in.ask("math"))
    assert shown.count("ap-n-1") == 1
    abstract = shown[shown.index('class="ap-abstract"') :]
    assert abstract.count("<mark") == 2


def test_the_worst_support_names_the_card(stand_in: StandIn) -> None:
    made = stand_in.ask("math")
    weaker = replace(made.citations[1], support="unsupported")
    shown = answer_html(replace(made, citations=(made.citations[0], weaker)))
    assert 'class="ap-badge ap-unsupported"' in shown
    assert 'class="ap-cite ap-supported ap-q-1"' in shown
    assert 'class="ap-cite ap-unsupported ap-q-2"' in shown


def test_what_was_found_but_not_cited_is_listed_apart(stand_in: StandIn) -> None:
    shown = answer_html(stand_in.ask("kv"))
    cited, apart = shown.split("Found, not cited")
    assert "SparseInfer" in apart
    assert "SparseInfer" not in cited
    assert "RelayCaching" not in apart.split('class="ap-raw"')[0]
    assert "34 %" in apart


def test_an_abstention_says_so_and_shows_what_is_closest(stand_in: StandIn) -> None:
    shown = answer_html(stand_in.ask("quantum"))
    assert "Not answered by this collection" in shown
    assert "Closest in the collection" in shown
    assert "ap-cite" not in shown


def test_untitled_papers_and_papers_without_address_are_shown_plainly() -> None:
    paper = Paper("x", "We propose FooNet9 for <b>.", url="javascript:alert(1)")
    shown = answer_html(answer(text="A [1].", citations=(Citation(1, paper, "We", 0, 2),)))
    assert 'class="ap-title ap-untitled">FooNet9<' in shown
    assert "<a " not in shown.replace('<a class="ap-cite', "")


def test_the_standalone_question_is_shown_only_where_it_differs() -> None:
    assert "Understood" not in answer_html(answer(standalone_question=" q "))
    shown = answer_html(answer(standalone_question="Q of <papers>?"))
    assert "Understood as <q>Q of &lt;papers&gt;?</q>" in shown


def test_the_foot_tells_how_the_answer_came_about() -> None:
    made = answer(
        mode="written",
        model="m-1",
        judged=30,
        candidates=1200,
        timings={"total": 2345.0},
        prompt_hash="abc",
        index_fingerprint="def",
    )
    shown = text_of(answer_html(made))
    for fact in ("30 of 1,200 candidates judged", "written by m-1", "2.3 s", "abc", "def"):
        assert fact in shown
    assert "quoted, no model" in text_of(answer_html(answer()))
    assert "no model" not in text_of(answer_html(answer(kind="small_talk")))


def test_warnings_and_lost_sentences_are_never_left_out() -> None:
    made = answer(
        warnings=("Only words were searched.",), sentences=(Sentence("Gone.", "partial"),)
    )
    shown = text_of(answer_html(made))
    assert "Only words were searched." in shown
    assert "Gone. partly supported" in shown


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        ("searching", "Searching"),
        ("reading", "Reading 38 candidates"),
        ("writing", "Writing"),
        ("checking", "Checking"),
    ],
)
def test_a_draft_says_what_is_being_done(stage: Any, words: str) -> None:
    shown = check(draft_html("", Status(stage, "38 candidates" if stage == "reading" else "")))
    assert f"{words}…" in text_of(shown)
    assert shown.count("ap-step-now") == 1


def test_a_draft_has_no_link_to_open_yet() -> None:
    shown = draft_html("It is [1] and [2].", Status("writing"))
    assert shown.count('class="ap-cite ap-pending"') == 2
    assert "<a" not in shown


def test_a_problem_keeps_what_was_written() -> None:
    shown = text_of(problem_html("Stopped.", "Half a sen"))
    assert shown.startswith("Half a senStopped.")


def test_the_collection_is_listed_before_the_first_question() -> None:
    papers = seed_papers()
    shown = check(welcome_html(papers))
    assert "In this collection: 38 papers" in shown
    assert shown.count('<details class="ap-card">') == 38
    assert "<details" not in welcome_html()


def test_each_link_names_its_own_quote_where_that_is_known(stand_in: StandIn) -> None:
    made = stand_in.ask("math")
    shown = answer_html(made)
    assert re.findall(r'"ap-cite ap-supported (ap-q-\d)"', shown) == ["ap-q-1", "ap-q-2"]
    assert set(re.findall(r'<mark class="ap-mark ap-supported (ap-q-\d)"', shown)) == {
        "ap-q-1",
        "ap-q-2",
    }
    once_more = answer_html(replace(made, text=made.text + " And [1]."))
    assert 'class="ap-cite ap-supported"' in once_more
    assert 'class="ap-cite ap-supported ap-q' not in once_more


def test_a_warning_that_stands_in_the_text_is_not_shown_twice() -> None:
    warned = answer(
        text="The model m\\_1 did not answer.\n\nWords. [1]",
        warnings=("The model m_1 did not answer.", "Only words were searched."),
    )
    shown = check(answer_html(warned))
    assert shown.count("<li>") == 1
    assert "Only words were searched." in shown


def test_a_citation_of_the_record_marks_nothing_and_says_so() -> None:
    paper = seed_papers()[0]
    shown = check(
        answer_html(answer(text="ICML 2026 [1]", citations=(Citation(1, paper, "", 0, 0),)))
    )
    assert "The record shows it: venue, year, link." in shown
    assert "<mark" not in shown


def test_a_list_is_a_table_too() -> None:
    listed = StandIn().ask("kv")
    shown = check(answer_html(listed))
    assert [row.paper.id for row in rows_of(listed)] == ["001-17", "001-10"]
    assert [row.number for row in rows_of(listed)] == [1, 2]
    assert [row.why for row in rows_of(listed)] == [c.quote for c in listed.citations]
    assert "94 %" in shown
    assert '["001-17", "001-10"]' in html.unescape(shown)
    assert rows_of(StandIn().ask("compare")) == ()
    assert rows_of(StandIn().ask("quantum")) == ()


def test_the_csv_of_a_list_holds_no_formula() -> None:
    paper = Paper("=1+1", "-2", title='=HYPERLINK("x")', authors=("+a",), venue="@v")
    rows = list(csv.reader(io.StringIO(csv_text([Row(paper, "-2, \n3", None, 0.5)]))))
    assert rows[0][0] == "id"
    assert rows[1] == ["'=1+1", '\'=HYPERLINK("x")', "'+a", "'@v", "", "", "'-2, \n3", "0.50"]


@given(TEXTS, TEXTS, TEXTS)
def test_no_list_smuggles_markup(title: str, abstract: str, paper_id: str) -> None:
    papers = (Paper(paper_id, abstract + " x", title=title), Paper("b", abstract, venue=title))
    check(answer_html(answer(kind="list", papers=papers)))
