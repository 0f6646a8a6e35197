"""Talks without a model: what goes on with what was shown, and what is looked up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assistant.answering.answer import Answer
from assistant.api import Assistant
from assistant.corpus.paper import Paper
from assistant.settings import Settings
from tests.answering.conftest import MakeAssistant
from tests.scripted_server import ScriptedServer

BEES = [
    Paper(
        "hive",
        "Honey bees regulate the heat of their hive. We present HiveNet, a camera system that counts "
        "bees at the entrance of a hive. HiveNet outperforms manual counting by 12 %.",
        title="HiveNet: Counting Bees at the Entrance",
        authors=("Ada Abel", "Bo Berg"),
        year=2019,
    ),
    Paper(
        "dance",
        "The waggle dance of honey bees tells where food is. We propose DanceMap, a decoder of the "
        "dance that needs no markers. A limitation of our method is that it only works in daylight.",
        title="DanceMap: Reading the Waggle Dance of Bees",
        authors=("Cy Clark",),
        year=2023,
    ),
    Paper(
        "mite",
        "Varroa mites threaten honey bees. We introduce MiteScan, which finds mites on bees by sound, "
        "without a camera. Unlike HiveNet, it needs no light. Code: https://github.com/google/mitescan.",
        title="MiteScan: Hearing Mites on Bees",
        authors=("Dee Dorn", "Ada Abel"),
        year=2025,
    ),
    Paper(
        "tide",
        "Tides turn turbines. We study TideFlow, a model of tidal turbines near islands, and report "
        "their yield over ten years.",
        title="TideFlow: Turbines near Islands",
        authors=("Eve Ekman",),
    ),
]


@pytest.fixture(scope="module")
def bees(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    folder = tmp_path_factory.mktemp("bees")
    with Assistant(Settings(data_dir=folder, model="none")) as assistant:
        assistant.add(BEES, source="test")
        yield assistant


def cited(answer: Answer) -> list[str]:
    return list(dict.fromkeys(citation.paper.id for citation in answer.citations))


def talk(assistant: Assistant, *questions: str) -> list[Answer]:
    answers: list[Answer] = []
    for question in questions:
        answers.append(assistant.ask(question, answers[-1].history if answers else ()))
    return answers


def test_ordinals_always_mean_the_list_shown_last(bees: Assistant) -> None:
    shown, second, first, third, both, last = talk(
        bees,
        "which papers study bees?",
        "tell me about the second one",
        "and the first one?",
        "what about the third?",
        "compare the first two",
        "the last one",
    )
    listed = cited(shown)
    assert sorted(listed) == ["dance", "hive", "mite"]
    assert [cited(answer) for answer in (second, first, third, both, last)] == [
        listed[1:2],
        listed[:1],
        listed[2:],
        listed[:2],
        listed[2:],
    ]
    assert both.kind == "compare"


@pytest.mark.parametrize(
    "question", ["the last two", "the first two please", "tell me about the first two"]
)
def test_some_of_a_list_are_all_told_of(question: str, bees: Assistant) -> None:
    shown, some = talk(bees, "which papers study bees?", question)
    listed = cited(shown)
    assert cited(some) == (listed[1:] if "last" in question else listed[:2])


def test_a_place_behind_the_end_of_the_list_is_told(bees: Assistant) -> None:
    answer = talk(bees, "which papers study bees?", "and the fifth one?")[-1]
    assert answer.abstained
    assert "papers in it: 3" in answer.text


@pytest.mark.parametrize("question", ["more", "any others?", "not those, others", "show me more"])
def test_papers_shown_are_not_shown_again(question: str, bees: Assistant) -> None:
    shown, further = talk(bees, "which papers study bees?", question)
    assert not set(cited(shown)) & set(cited(further))
    assert "already shown: 3" in further.text


def test_other_papers_leave_out_those_listed(bees: Assistant) -> None:
    shown, other = talk(bees, "which papers study mites?", "which other papers study bees?")
    assert cited(shown) == ["mite"]
    assert sorted(cited(other)) == ["dance", "hive"]


def test_a_topic_alone_takes_over_the_frame(bees: Assistant) -> None:
    nothing, tides, newer = talk(
        bees, "which papers study volcanoes?", "and turbines?", "and since 2024?"
    )
    assert nothing.abstained
    assert (tides.kind, cited(tides)) == ("list", ["tide"])
    assert newer.abstained


def test_a_pronoun_is_compared_with_a_name(bees: Assistant) -> None:
    answer = talk(bees, "What does HiveNet do?", "compare it with MiteScan")[-1]
    assert (answer.kind, cited(answer)) == ("compare", ["hive", "mite"])


def test_one_name_alone_is_not_compared_with_a_stranger(bees: Assistant) -> None:
    answer = bees.ask("compare MiteScan")
    assert cited(answer) == ["mite"]
    assert "Unlike HiveNet" in answer.text


def test_more_is_told_of_a_paper_until_all_is(bees: Assistant) -> None:
    answers = talk(bees, "What is DanceMap?", "why?", "tell me more", "more", "more")
    quotes = [citation.quote for answer in answers for citation in answer.citations]
    assert len(quotes) == len(set(quotes)) == 3
    assert "no more than was quoted" in answers[-1].text


def test_papers_near_another_leave_it_out(bees: Assistant) -> None:
    answer = bees.ask("papers like HiveNet")
    assert answer.kind == "list"
    assert "hive" not in cited(answer)
    assert set(cited(answer)[:2]) == {"dance", "mite"}


def test_who_cites_a_paper_is_not_told_by_abstracts(bees: Assistant) -> None:
    answer = bees.ask("which papers cite HiveNet?")
    assert answer.abstained
    assert "do not tell who cites" in answer.text
    assert cited(answer) == ["mite"]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("which papers contain the word mites?", ["mite"]),
        ("which abstracts mention the word MITE?", []),
        ('how many abstracts mention "honey bees"?', ["hive", "dance", "mite"]),
        ("how many abstracts mention turbine?", ["tide"]),
    ],
)
def test_a_word_is_looked_up_letter_by_letter(
    question: str, found: list[str], bees: Assistant
) -> None:
    answer = bees.ask(question)
    assert cited(answer) == found
    assert (f"{len(found)} of 4 abstracts" in answer.text) is bool(found)


def test_where_authors_work_is_not_told_but_what_names_the_place_is_shown(bees: Assistant) -> None:
    answer = bees.ask("papers from Google")
    assert answer.abstained
    assert "where authors work" in answer.text
    assert cited(answer) == ["mite"]


def test_who_wrote_about_a_topic_lists_authors(bees: Assistant) -> None:
    answer = bees.ask("who wrote about turbines?")
    assert cited(answer) == ["tide"]
    assert "(Eve Ekman)" in answer.text


def test_a_limitation_is_quoted_where_it_is_stated_and_missed_where_not(bees: Assistant) -> None:
    stated = bees.ask("What are the limitations of DanceMap?")
    assert "daylight" in stated.citations[0].quote
    missed = bees.ask("What are the limitations of HiveNet?")
    assert missed.abstained
    assert "does not give limitations" in missed.text


def test_what_is_denied_is_left_out(bees: Assistant) -> None:
    answer = bees.ask("which papers on bees do not use a camera?")
    assert sorted(cited(answer)) == ["dance", "mite"]
    assert cited(answer)[0] == "mite"
    assert "do not state “camera”" in answer.text


def test_the_newest_come_first_and_their_years_are_told(bees: Assistant) -> None:
    answer = bees.ask("newest papers on bees")
    assert cited(answer) == ["mite", "dance", "hive"]
    assert "(2025)" in answer.text
    assert "Papers here that tell no year: 1" in answer.text
    oldest = talk(bees, "which papers study bees?", "which of those is the oldest?")[-1]
    assert cited(oldest) == ["hive"]


@pytest.mark.parametrize(
    "question",
    [
        "quels articles parlent de turbines ?",
        "welche Arbeiten behandeln Turbinen?",
        "qué artículos tratan de turbinas?",
        "quali articoli parlano di turbine?",
        "quais artigos falam de turbinas?",
        "welke artikelen gaan over turbines?",
    ],
)
def test_lists_are_asked_for_in_other_languages(question: str, bees: Assistant) -> None:
    answer = bees.ask(question)
    assert (answer.kind, cited(answer)) == ("list", ["tide"])
    assert any("not in English" in warning for warning in answer.warnings)


def test_a_name_nobody_bears_is_no_slip_of_the_pen(bees: Assistant) -> None:
    assert not any("Read" in warning for warning in bees.ask("does HiveNot7 help?").warnings)


@pytest.mark.parametrize(
    "question",
    [
        "which abstracts contain the word attention?",
        "papers that cite RelayCaching",
        "papers from Google",
        "papers like RelayCaching",
    ],
)
def test_what_is_looked_up_asks_no_model(
    question: str, server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    answer = ask_with_model().ask(question)
    assert answer.kind == "list"
    assert not answer.warnings
    assert len(server.requests) == 0
