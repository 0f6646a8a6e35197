"""Answers by a model end to end, over the papers that ship: what is not proven never counts."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest

from assistant.answering.answer import Answer
from assistant.answering.events import Done, Status
from assistant.answering.models import ChatModel
from assistant.answering.prompts import hash_of_all, load_prompt
from assistant.answering.written import UNVERIFIED
from assistant.retrieval.ranking import Ranking
from assistant.retrieval.retriever import Retriever
from assistant.settings import Settings
from tests.answering.conftest import MakeAssistant, judging, sources_in
from tests.scripted_server import Connection, Reply, Request, ScriptedServer, fail, say, words

QUESTION = "How much does RelayCaching reduce the time to first token?"
TRUE = "RelayCaching reduces TTFT by up to 4.7× compared to the standard pipeline [{RelayCaching}]."
TALK = [
    {"role": "user", "content": "What does RelayCaching do?"},
    {"role": "assistant", "content": "RelayCaching reuses decoding phase KV caches [1]."},
]


def writing(text: str) -> Reply:
    """Write a text in which `{Name}` is the id of the source whose title begins with the name."""

    def reply(request: Request, connection: Connection) -> None:
        ids = {
            re.split(r"\W", text.removeprefix("Title: "), maxsplit=1)[0]: name
            for name, text in sources_in(request).items()
        }
        said = re.sub(r"\{(\w+)\}", lambda found: ids.get(found[1], "S0000"), text)
        say(*words(said))(request, connection)

    return reply


def reading(said: dict[str, Any] | str, then: Reply) -> Reply:
    """Answer the prompt that asks what a question means, and every other one with `then`."""

    def reply(request: Request, connection: Connection) -> None:
        if '{"question"' in request.messages[0]["content"]:
            text = said if isinstance(said, str) else json.dumps(said)
            say(text)(request, connection)
        else:
            then(request, connection)

    return reply


def assert_proven(answer: Answer) -> None:
    """Each citation is verbatim, and each sentence that counts as proven has one."""
    numbers = {proof.number for proof in answer.citations}
    for proof in answer.citations:
        assert proof.paper.abstract[proof.start : proof.end] == proof.quote
    for sentence in answer.sentences:
        if sentence.verdict == "supported":
            assert sentence.citations
            assert set(sentence.citations) <= numbers


def test_a_written_answer(server: ScriptedServer, ask_with_model: MakeAssistant) -> None:
    server.reply(writing(TRUE))
    answer = ask_with_model().ask(QUESTION)
    assert (answer.mode, answer.model) == ("written", "openai:test-model")
    assert answer.text == TRUE.replace("{RelayCaching}", "1")
    assert [sentence.verdict for sentence in answer.sentences] == ["supported"]
    assert "4.7" in answer.citations[0].quote
    assert answer.prompt_hash == load_prompt("answer", Settings()).hash
    assert answer.usage == {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    assert len(server.chats) == 1
    assert_proven(answer)


@pytest.mark.parametrize(
    "lie",
    [
        "RelayCaching cuts TTFT by up to 9.4× against the standard pipeline [{RelayCaching}].",
        "RelayCaching achieves over 95% KV cache reuse [{RelayCaching}].",
        "RelayCaching reaches a 10.33× speed up [{RelayCaching}].",
        "SparseInfer reduces TTFT by up to 4.7× [{SparseInfer}].",
        "SparseInfer reduces TTFT by up to 4.7× [{RelayCaching}].",
        "RelayCaching was evaluated on ImageNet by Meta in 2019 [{RelayCaching}].",
        "RelayCaching cures headaches and fixes bicycles [S9f9f].",
        "RelayCaching fails to preserve model accuracy [{RelayCaching}].",
        "RelayCaching does not reuse decoding phase KV caches of agents [{RelayCaching}].",
        "The authors won a prize for it.",
    ],
)
def test_a_lie_is_never_shown_as_proven(
    lie: str, server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    server.reply(writing(f"{TRUE} {lie}"))
    question = "What speed-ups do RelayCaching and SparseInfer each claim?"
    answer = ask_with_model().ask(question)
    assert answer.mode == "written"
    assert_proven(answer)
    told = answer.sentences[1:]
    assert told
    for sentence in told:
        assert sentence.verdict != "supported"
        if sentence.verdict == "unsupported":
            assert UNVERIFIED in sentence.text
            assert sentence.citations == ()
    assert answer.sentences[0].verdict == "supported"
    assert any("no source supports" in warning for warning in answer.warnings)


def test_where_nothing_is_proven_the_abstracts_answer(
    server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    server.reply(writing("RelayCaching cures headaches [S9f9f]. It fixes bicycles [S9f9f]."))
    answer = ask_with_model().ask(QUESTION)
    assert answer.mode == "extractive"
    assert "wrote nothing that the abstracts prove" in answer.warnings[0]
    assert answer.text.startswith("*The model could not write this answer")
    assert answer.citations[0].paper.label.startswith("RelayCaching")
    assert "headaches" not in answer.text
    assert not any("marked" in warning for warning in answer.warnings)
    assert_proven(answer)


def test_what_the_abstracts_do_not_say_is_no_answer(
    server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    server.reply(writing("The abstract of RelayCaching does not name a GPU [no-answer]."))
    answer = ask_with_model().ask("Which GPU was RelayCaching measured on?")
    assert (answer.mode, answer.abstained) == ("written", True)
    assert "[no-answer]" not in answer.text


def test_a_wrong_key_is_named_and_the_abstracts_answer(
    server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    server.key = "right"
    answer = ask_with_model(openai_api_key="wrong").ask(QUESTION)
    first, _, rest = answer.text.partition("\n\n")
    assert answer.mode == "extractive"
    assert "OPENAI_API_KEY" in first
    assert "OPENAI_API_KEY" in answer.warnings[0]
    assert "\n" not in answer.warnings[0]
    assert "wrong" not in answer.text
    assert "4.7" in rest


# --- understanding


@pytest.mark.parametrize("message", ["thanks!", "Hallo", "What will the weather be like tomorrow?"])
def test_small_talk_asks_no_model(
    message: str, server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    answer = ask_with_model().ask(message, TALK)
    assert server.requests == []
    assert answer.citations == ()


def test_a_follow_up_is_searched_and_answered_as_the_model_resolved_it(
    server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    understood = {"question": "How much does RelayCaching reduce TTFT?", "kind": "fact"}
    server.reply(reading(understood, writing(TRUE)))
    answer = ask_with_model().ask("And by how much does it cut it?", TALK)
    assert answer.standalone_question == "How much does RelayCaching reduce TTFT?"
    assert [sentence.verdict for sentence in answer.sentences] == ["supported"]
    assert "How much does RelayCaching reduce TTFT?" in server.chats[1].messages[-1]["content"]
    assert answer.usage == {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}
    hashes = [load_prompt(name, Settings()).hash for name in ("answer", "understand")]
    assert answer.prompt_hash == hash_of_all(hashes) == hash_of_all(reversed(hashes))
    assert answer.prompt_hash not in hashes


@pytest.mark.parametrize(
    ("first", "why"),
    [(fail(500, "broken"), "500"), (say("Sure, happy to help!"), "did not say")],
    ids=["server error", "no JSON"],
)
def test_where_it_cannot_be_understood_the_question_is_taken_as_it_is(
    first: Reply, why: str, server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    server.reply(first, writing(TRUE))
    answer = ask_with_model().ask(QUESTION, TALK)
    assert answer.mode == "written"
    assert answer.standalone_question == QUESTION
    assert any(
        warning.startswith("The question was taken as it was asked") and why in warning
        for warning in answer.warnings
    )


def test_a_german_question_is_searched_in_english_and_answered_in_german(
    server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    german = "Um wie viel verkürzt das Wiederverwenden der Caches früherer Agenten die Wartezeit?"
    understood = {
        "question": german,
        "english": "By how much does reusing the KV caches of previous agents reduce TTFT?",
        "kind": "fact",
    }
    said = "RelayCaching verkürzt die TTFT um bis zu 4.7× [{RelayCaching}]."
    server.reply(reading(understood, writing(said)))
    answer = ask_with_model().ask(german)
    assert answer.evidence[0].paper.label.startswith("RelayCaching")
    assert german in server.chats[1].messages[-1]["content"]
    assert answer.standalone_question == german
    assert answer.text == said.replace("{RelayCaching}", "1")
    assert [sentence.verdict for sentence in answer.sentences] == ["partial"]
    assert not any("not in English" in warning for warning in answer.warnings)


def test_a_german_question_no_model_translates_is_warned_of(
    server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    server.reply(fail(500, "broken"))
    answer = ask_with_model().ask("Was ist die Idee hinter RelayCaching und wie schnell ist es?")
    assert any("not in English and it was not translated" in said for said in answer.warnings)
    assert any("taken as it was asked" in said for said in answer.warnings)


def test_a_german_list_is_judged_and_told_in_german(
    server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    german = "Welche Arbeiten befassen sich mit KV-Caches?"
    understood = {"question": german, "english": "Which papers study KV caches?", "kind": "list"}
    then = judging(lambda name, text: f'{name}: yes "{text.splitlines()[-1][:60]}"')
    server.reply(reading(understood, then))
    answer = ask_with_model().ask(german)
    assert "Kandidaten beurteilt:" in answer.text.splitlines()[0]
    assert {paper.label.split(":")[0] for paper in answer.papers} >= {"RelayCaching"}


def test_a_long_question_is_put_in_short_for_the_search(
    server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    long = "I have been thinking about my garden for weeks now. " * 8 + QUESTION
    server.reply(reading({"question": QUESTION, "kind": "fact"}, writing(TRUE)))
    answer = ask_with_model().ask(long)
    assert answer.evidence[0].paper.label.startswith("RelayCaching")
    assert answer.standalone_question == long


def test_each_side_of_a_comparison_is_looked_up(
    server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    understood = {
        "question": "Compare the one that shares caches with the one that finds core neurons",
        "kind": "compare",
        "parts": [
            "Which speed-up does reusing decoding phase KV caches of agents give?",
            "Which speed-up does predicting core neurons from sentences give?",
        ],
    }
    server.reply(reading(understood, writing(TRUE)))
    answer = ask_with_model(max_sources=2).ask("And how do these two compare?", TALK)
    assert answer.kind == "compare"
    titles = {text.split(":")[1].strip() for text in sources_in(server.chats[1]).values()}
    assert titles >= {"RelayCaching", "SparseInfer"}


def test_what_a_model_calls_out_of_scope_is_so_where_nothing_is_found(
    server: ScriptedServer, ask_with_model: MakeAssistant
) -> None:
    german = "Wer hat die Fußballweltmeisterschaft der Männer gewonnen und wie?"
    understood = {
        "question": german,
        "english": "Who won the football world cup?",
        "kind": "out_of_scope",
    }
    server.reply(reading(understood, fail(500, "must not be asked")))
    answer = ask_with_model().ask(german)
    assert (answer.kind, answer.abstained, len(server.chats)) == ("out_of_scope", True, 1)


# --- order


def test_the_client_is_made_beside_the_search(
    server: ScriptedServer, ask_with_model: MakeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    searching = threading.Event()
    prepare, rank = ChatModel.prepare, Retriever.rank

    def preparing(model: ChatModel) -> None:
        order.append("client begun")
        # Ends only because the search runs meanwhile; one after the other would wait in vain.
        assert searching.wait(30)
        prepare(model)
        order.append("client made")

    def ranking(*given: Any, **named: Any) -> Ranking:
        order.append("search begun")
        searching.set()
        return rank(*given, **named)

    def asked(request: Request, connection: Connection) -> None:
        order.append("asked")
        writing(TRUE)(request, connection)

    monkeypatch.setattr(ChatModel, "prepare", preparing)
    monkeypatch.setattr(Retriever, "rank", ranking)
    server.reply(asked)
    ask_with_model().ask(QUESTION)
    assert set(order[:2]) == {"client begun", "search begun"}
    assert order[2:] == ["client made", "asked"]


def test_the_stages_come_in_order(server: ScriptedServer, ask_with_model: MakeAssistant) -> None:
    server.reply(writing(TRUE))
    read = list(ask_with_model().stream(QUESTION))
    stages = [event.stage for event in read if isinstance(event, Status)]
    assert list(dict.fromkeys(stages)) == ["searching", "reading", "writing"]
    assert isinstance(read[-1], Done)


MakeModel = Callable[..., ChatModel]


@pytest.mark.parametrize("name", ["openai:test-model", None])
def test_preparing_sends_nothing(
    name: str | None, server: ScriptedServer, make_model: MakeModel
) -> None:
    make_model(model=name).prepare()
    assert server.requests == []
