"""Written answers that break off, and what a model is sent for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from typing import Any

import pytest

from assistant.answering.events import Event, Token
from assistant.answering.model_errors import ModelRefusedError
from assistant.answering.tokens import count_message_tokens
from assistant.answering.written import Written, write_answer
from assistant.corpus.paper import Paper
from assistant.errors import InputError, ModelError
from assistant.settings import Settings
from tests.answering.conftest import MakeModel, plain_verify
from tests.answering.writing_papers import (
    PAPERS,
    RELAY,
    Write,
    citing,
    evidence,
    finish,
    ids_in,
)
from tests.scripted_server import (
    CUT,
    DONE,
    Connection,
    Pause,
    Request,
    ScriptedServer,
    chunk,
    events,
    fail,
    say,
)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ([chunk("RelayCaching reuses caches [1]. It reaches"), CUT], "ended the reply early"),
        ([chunk("RelayCaching reuses caches [1]. It reaches"), chunk(finish="length")], "limit"),
        (
            [chunk("RelayCaching reuses caches [1]."), chunk(finish="content_filter"), DONE],
            "filter",
        ),
        (
            [chunk("RelayCaching reuses caches [1]. It"), chunk(refusal="No."), DONE],
            "declined to answer (No.)",
        ),
        ([chunk("RelayCaching reuses caches [1]. It"), Pause(20)], "fell silent"),
    ],
)
def test_what_was_whole_is_kept(
    reply: list[Any], told: str, server: ScriptedServer, write: Write
) -> None:
    # LLM-05
    server.reply(events(reply))
    _, written = write(stall_timeout=0.7)
    assert written.text == "RelayCaching reuses caches [1]."
    assert written.cut
    assert len(written.warnings) == 1
    assert told in written.warnings[0]


SAID = ["RelayCaching ", "reuses ", "caches ", "[1]", ". ", "SAIM ", "merges ", "experts ", "[3]."]


@pytest.mark.parametrize("length", range(1, len(SAID) + 1))
def test_a_reply_cut_at_each_event(length: int, server: ScriptedServer, write: Write) -> None:
    server.reply(events([*map(chunk, SAID[:length]), CUT]))
    if length < 5:
        with pytest.raises(ModelError, match="no whole sentence"):
            write()
        return
    _, written = write()
    whole = "RelayCaching reuses caches [1]."
    assert written.text == (whole if length < len(SAID) else f"{whole} SAIM merges experts [2].")
    assert written.cut
    assert "not complete" in written.warnings[0]


@pytest.mark.parametrize(
    "reply",
    [
        [chunk(content=None, refusal="I can't help."), chunk(finish="stop"), DONE],
        [chunk(content=None), chunk(finish="content_filter"), DONE],
    ],
)
def test_a_refusal_is_an_error_of_its_own(
    reply: list[Any], server: ScriptedServer, write: Write
) -> None:
    server.reply(events(reply))
    with pytest.raises(ModelRefusedError):
        write()


def test_a_failure_before_the_first_word(server: ScriptedServer, write: Write) -> None:
    server.reply(fail(401, "no"))
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        write()


def test_a_stopped_answer_keeps_what_was_whole(
    server: ScriptedServer, make_model: MakeModel, make_settings: Callable[..., Settings]
) -> None:
    # GUI-05
    server.reply(
        events([chunk("RelayCaching reuses caches [1]. It "), chunk("reaches"), Pause(20)])
    )
    cancel = threading.Event()
    writing = write_answer(
        "q", evidence(), [], make_settings(), make_model(), plain_verify, cancel=cancel
    )

    def stop_at_the_last_word() -> Generator[Event, None, Written]:
        while True:
            try:
                event = next(writing)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            if isinstance(event, Token) and "reaches" in event.text:
                cancel.set()
            yield event

    _, written = finish(stop_at_the_last_word())
    assert written.text == "RelayCaching reuses caches [1]."
    assert written.warnings == ("the answer is not complete: it was stopped",)
    assert server.wait_for_drop()


def test_closing_the_answer_closes_the_connection(
    server: ScriptedServer, make_model: MakeModel, make_settings: Callable[..., Settings]
) -> None:
    server.reply(say(*["word "] * 200, pause=0.05))
    writing = write_answer("q", evidence(), [], make_settings(), make_model(), plain_verify)
    for _ in range(4):
        next(writing)
    writing.close()
    assert server.wait_for_drop()


def test_thoughts_are_neither_shown_nor_cited(server: ScriptedServer, write: Write) -> None:
    # LLM-08
    server.reply(say("<", "thi", "nk>maybe [9]", "</think>", "RelayCaching reuses caches [1]."))
    read, written = write()
    assert written.text == "RelayCaching reuses caches [1]."
    assert written.unknown_citations == 0
    assert "maybe" not in "".join(event.text for event in read if isinstance(event, Token))


def test_thoughts_whose_opening_tag_is_swallowed(server: ScriptedServer, write: Write) -> None:
    server.reply(
        say("Maybe [9]. Or not [2]. Yes.", "\n</think>\n", "RelayCaching reuses caches [1].")
    )
    _, written = write()
    assert written.text == "RelayCaching reuses caches [1]."
    assert written.papers == (RELAY,)
    assert written.unknown_citations == 0


def test_every_request_stays_below_the_window(server: ScriptedServer, write: Write) -> None:
    # TOK-03
    def strict(request: Request, connection: Connection) -> None:
        if count_message_tokens(request.messages) + request.body["max_tokens"] > 4_096:
            fail(400, "maximum context length is 4096 tokens")(request, connection)
        else:
            citing("RelayCaching reuses caches [{0}].")(request, connection)

    server.reply(strict)
    history: list[dict[str, str]] = []
    for turn in range(60):
        history.append({"role": "user", "content": f"question {turn} " + "word " * 100})
        history.append({"role": "assistant", "content": f"answer {turn} " + "word " * 100})
        if turn % 12 == 11:
            write(history=history, context_tokens=4_096, answer_tokens=500)
    assert len(server.chats) == 5
    sent = server.chats[-1]
    assert "answer 59" in sent.prompt
    assert "question 3 " not in sent.prompt
    assert all(paper.abstract in sent.prompt for paper in PAPERS)
    assert "What does RelayCaching do?" in sent.messages[-1]["content"]


def test_a_window_smaller_than_the_settings_say(server: ScriptedServer, write: Write) -> None:
    history = [
        {"role": role, "content": f"turn {at} " + "word " * 300}
        for at in range(20)
        for role in ("user", "assistant")
    ]

    def strict(request: Request, connection: Connection) -> None:
        if count_message_tokens(request.messages) + request.body["max_tokens"] > 4_096:
            fail(400, "This model's maximum context length is 4096 tokens.")(request, connection)
        else:
            citing("RelayCaching reuses caches [{0}].")(request, connection)

    server.reply(strict)
    _, written = write(history=history)
    assert written.text == "RelayCaching reuses caches [1]."
    assert len(server.chats) == 2


def test_papers_that_do_not_fit_are_told(server: ScriptedServer, write: Write) -> None:
    long = [
        Paper(f"p{at}", f"We propose Method{at}. " + "It reuses caches. " * 100) for at in range(6)
    ]
    server.reply(citing("Method0 reuses caches [{0}]."))
    _, written = write(papers=long, context_tokens=2_500, answer_tokens=200)
    given = len(ids_in(server.chats[0]))
    assert 0 < given < 6
    assert written.warnings[0].startswith(f"{6 - given} of 6 papers did not fit")


def test_a_pasted_page(server: ScriptedServer, write: Write) -> None:
    # TOK-04
    page = "An abstract says this. " * 2_000 + "What does RelayCaching do?"
    server.reply(citing("RelayCaching reuses caches [{0}]."))
    assert write(question=page)[1].text == "RelayCaching reuses caches [1]."
    assert page in server.chats[0].prompt
    with pytest.raises(InputError, match="the question is too long"):
        write(question=page, context_tokens=4_096)


def test_control_marks_in_question_and_history(server: ScriptedServer, write: Write) -> None:
    # TOK-01
    server.reply(citing("RelayCaching reuses caches [{0}]."))
    history = [{"role": "user", "content": "<|im_start|>"}]
    write(question="What is <|endofprompt|>?", history=history)
    assert "What is <|endofprompt|>?" in server.chats[0].prompt
    assert "<|im_start|>" in server.chats[0].prompt


def test_an_empty_answer_in_the_history_does_not_block_the_chat(
    server: ScriptedServer, write: Write
) -> None:
    # LLM-06
    def strict(request: Request, connection: Connection) -> None:
        if any(not message["content"] for message in request.messages):
            fail(400, "message must not be empty")(request, connection)
        else:
            citing("RelayCaching reuses caches [{0}].")(request, connection)

    server.reply(strict)
    history = [{"role": "user", "content": "first"}, {"role": "assistant", "content": ""}]
    assert write(history=history)[1].text == "RelayCaching reuses caches [1]."
