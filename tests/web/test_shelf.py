"""The papers tab, the status tab, and what is taken along."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.api import Assistant
from assistant.corpus.paper import Paper
from assistant.settings import Settings
from assistant.web.outlook import exported, status_html
from assistant.web.shelf import Bookcase
from assistant.web.told import MOST_CHOSEN, Told
from tests.web.stand_in import StandIn, StandInShelf


@pytest.fixture
def bookcase(seeded_data_dir: Path) -> Iterator[Bookcase]:
    with Assistant(Settings(data_dir=seeded_data_dir, model="none")) as assistant:
        yield Bookcase(assistant)


def ids(shown: str) -> list[str]:
    return re.findall(r'class="ap-id" hidden>([^<]*)<', shown)


def test_all_papers_stand_there_before_anything_is_typed(bookcase: Bookcase) -> None:
    shown = bookcase.find("{}")
    assert "All 38 papers" in shown
    assert len(ids(shown)) == 38
    told = re.search(r'ap-names" hidden>([^<]*)<', shown)
    assert told is not None
    names = json.loads(html.unescape(told[1]))
    assert names["years"] == [2026]
    assert names["venues"] == ["ICML"]


def test_half_a_title_finds_its_paper_first(bookcase: Bookcase) -> None:
    assert "RelayCaching" in bookcase.find('{"query": "relaycach"}').split("</summary>")[0]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"year": "1999"}, "0 of 38 papers"),
        ({"venue": "icml", "year": "2026"}, "All 38 papers"),
        ({"year": "20x6"}, "a year has digits only"),
        ({"query": "caches", "year": "1999"}, "No paper found"),
    ],
)
def test_filters_narrow_what_is_shown(bookcase: Bookcase, told: dict[str, str], words: str) -> None:
    assert words in bookcase.find(json.dumps(told))


def test_the_facts_of_the_papers_narrow_too() -> None:
    assistant = StandIn()
    assistant.shelf = StandInShelf(FACTS)
    shown = Bookcase(assistant).find("{}")
    told = re.search(r'ap-names" hidden>([^<]*)<', shown)
    assert told is not None
    names = json.loads(html.unescape(told[1]))
    assert names["authors"] == ["Ada Lovelace", "Kurt Gödel"]
    assert names["keywords"] == ["graphs", "proofs"]


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ({"author": "godel"}, ["b"]),
        ({"author": "Ada"}, ["a", "c"]),
        ({"author": "Ada", "keyword": "Graphs"}, ["a"]),
        ({"keyword": "proofs"}, ["b", "c"]),
        ({"keyword": "proof"}, []),
        ({"author": "Ada", "query": "second"}, ["c"]),
    ],
)
def test_authors_and_keywords_narrow_what_is_shown(
    told: dict[str, str], found: list[str], tmp_path: Path
) -> None:
    with Assistant(Settings(data_dir=tmp_path, model="none", embedder="none")) as assistant:
        assistant.add(FACTS, source="own")
        assert ids(Bookcase(assistant).find(json.dumps(told))) == found


FACTS = [
    Paper("a", "We draw the first thing of all.", authors=("Ada Lovelace",), keywords=("graphs",)),
    Paper("b", "We prove what nobody believed.", authors=("Kurt Gödel",), keywords=("proofs",)),
    Paper("c", "We write the second program.", authors=("Ada Lovelace",), keywords=("proofs",)),
]


@given(
    st.text()
    | st.recursive(
        st.none() | st.integers() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(
                st.sampled_from(
                    ["query", "venue", "year", "author", "keyword", "count", "id", "scope"]
                ),
                inner,
            )
        ),
    ).map(json.dumps)
)
def test_no_letter_of_a_stranger_breaks_the_shelf(text: str) -> None:
    told, bookcase = Told.read(text), Bookcase(StandIn())
    assert all(isinstance(item, str) for item in told.ids("scope"))
    assert bookcase.find(text).startswith("<p class=")
    assert isinstance(bookcase.card(text), str)


def test_only_so_many_papers_can_be_chosen() -> None:
    told = Told.read(json.dumps({"scope": [str(n) for n in range(MOST_CHOSEN + 5)]}))
    assert len(told.ids("scope")) == MOST_CHOSEN


def test_a_card_is_found_by_its_id() -> None:
    assert ids(Bookcase(StandIn()).card('{"id": "001-17"}')) == ["001-17"]
    assert Bookcase(StandIn()).card('{"id": "none"}') == ""


def test_the_status_says_how_to_mend_what_is_missing() -> None:
    base = StandIn().status()
    assert "OPENAI_API_KEY" in status_html(base, (), None)
    full = {**base, "model": "<m-1>", "folder": "/secret/place", "notices": ["A <b>notice</b>."]}
    shown = status_html(full, [StandIn().ask("compare")], 0.0)
    assert "written by &lt;m-1&gt;" in shown
    assert "A &lt;b&gt;notice&lt;/b&gt;." in shown
    assert "1 answer, tokens: prompt 1,820, completion 96" in shown
    assert "1970-01-01 00:00 UTC" in shown
    assert "OPENAI_API_KEY" not in shown
    assert "/secret" not in shown


def test_bibtex_holds_exactly_the_papers_cited_once() -> None:
    assistant = StandIn()
    answers = [assistant.ask(question) for question in ("kv", "compare", "kv", "quantum")]
    name, text = exported("bibtex", answers)
    assert name == "conversation.bib"
    assert re.findall(r"@inproceedings\{([^,]*),", text) == ["001-17", "001-10", "001-19"]
    assert exported("bibtex", [])[1].strip() == ""
