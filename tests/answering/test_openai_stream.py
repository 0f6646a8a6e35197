"""What servers stream, read as it is meant; LLM entries of the reported troubles."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assistant.answering.models import (
    Delta,
    Finish,
    Usage,
)
from assistant.errors import ModelError
from tests.answering.conftest import QUESTION, MakeModel, ask
from tests.scripted_server import (
    DONE,
    Connection,
    Request,
    ScriptedServer,
    chunk,
    events,
    say,
)


def test_text_and_usage(server: ScriptedServer, make_model: MakeModel) -> None:
    server.reply(say("It", " works", ".", usage=(12, 3)))
    read = list(make_model().stream(QUESTION))
    assert read == [Delta("It"), Delta(" works"), Delta("."), Finish("stop", Usage(12, 3))]


def test_chunks_without_choices(server: ScriptedServer, make_model: MakeModel) -> None:
    # LLM-04
    empty = {**chunk(), "choices": []}
    server.reply(
        events(
            [
                empty,
                {**chunk(), "choices": None},
                chunk("It "),
                {**chunk(), "choices": [{"index": 0, "delta": None, "finish_reason": None}]},
                chunk("works."),
                {**chunk(), "choices": [{"index": 0, "delta": {}}]},
                chunk(content=None),
                chunk(finish="stop"),
                {**empty, "usage": {"prompt_tokens": 9, "completion_tokens": 2}},
                DONE,
            ]
        )
    )
    assert ask(make_model()) == ("It works.", Finish("stop", Usage(9, 2)))


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": None, "completion_tokens": None},
        {"prompt_tokens": 0, "completion_tokens": 2},
    ],
)
def test_usage_that_nobody_counted_is_unknown(
    usage: dict[str, Any] | None, server: ScriptedServer, make_model: MakeModel
) -> None:
    # LLM-09
    last = {**chunk(finish="stop"), "usage": usage}
    server.reply(events([chunk("It works."), last, DONE]))
    assert ask(make_model()) == ("It works.", Finish("stop", None))


def test_no_usage_field(server: ScriptedServer, make_model: MakeModel) -> None:
    script = [chunk("It works."), chunk(finish="stop")]
    for each in script:
        del each["usage"]
    server.reply(events([*script, DONE]))
    assert ask(make_model())[1].usage is None


def test_usage_told_again_with_each_chunk_counts_once(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    told = [{"prompt_tokens": 9, "completion_tokens": count} for count in (1, 2, 2)]
    script = [chunk("It ", usage=told[0]), chunk("works.", usage=told[1])]
    server.reply(events([*script, chunk(finish="stop", usage=told[2]), DONE]))
    assert ask(make_model())[1].usage == Usage(9, 2)


@pytest.mark.parametrize("content", [None, ""])
def test_a_refusal(content: str | None, server: ScriptedServer, make_model: MakeModel) -> None:
    # LLM-05
    words = [chunk(content=content, refusal="I can't "), chunk(refusal="help.")]
    server.reply(events([*words, chunk(finish="stop"), DONE]))
    text, finish = ask(make_model())
    assert (text, finish.reason, finish.refusal) == ("", "refused", "I can't help.")


def test_a_content_filter(server: ScriptedServer, make_model: MakeModel) -> None:
    server.reply(events([chunk(content=None), chunk(finish="content_filter"), DONE]))
    assert ask(make_model())[1].reason == "filtered"


def test_a_reply_that_ran_into_its_limit(server: ScriptedServer, make_model: MakeModel) -> None:
    server.reply(say("It halves", finish="length"))
    assert ask(make_model()) == ("It halves", Finish("length", Usage(10, 5)))


def test_an_empty_reply_is_an_error(server: ScriptedServer, make_model: MakeModel) -> None:
    server.reply(say(""))
    with pytest.raises(ModelError, match="empty reply"):
        ask(make_model())


def test_text_in_parts(server: ScriptedServer, make_model: MakeModel) -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "It works."}]
    server.reply(events([chunk(content=parts), chunk(finish="stop"), DONE]))
    assert ask(make_model())[0] == "It works."


def test_a_server_that_cannot_stream(server: ScriptedServer, make_model: MakeModel) -> None:
    def whole(_: Request, connection: Connection) -> None:
        connection.start(200, "application/json")
        connection.send(
            '{"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": '
            '[{"index": 0, "message": {"role": "assistant", "content": "It works."}, '
            '"finish_reason": "stop"}], "usage": {"prompt_tokens": 4, "completion_tokens": 2}}'
        )

    server.reply(whole)
    assert ask(make_model()) == ("It works.", Finish("stop", Usage(4, 2)))


def thinking_server(server: ScriptedServer) -> None:
    server.reply(say("<", "thi", "nk>maybe [9]", "</think>", "It halves memory [1]."))


def test_thoughts_are_taken_out(server: ScriptedServer, make_model: MakeModel) -> None:
    # LLM-08
    thinking_server(server)
    read = list(make_model().stream(QUESTION))
    assert read[:-1] == [Delta("It halves memory [1].")]


def test_thoughts_whose_opening_tag_is_swallowed(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(say("maybe ", "[9]\n", "</think>\n\n", "It halves memory [1]."))
    model = make_model()
    assert ask(model)[0] == "It halves memory [1]."
    shown = [event for event in model.stream(QUESTION) if isinstance(event, Delta)]
    assert shown == [Delta("It halves memory [1].")]


def test_a_reply_that_is_all_thoughts_gets_more_room_once(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    thoughts = say("<think>", "hm hm hm", finish="length")
    server.reply(thoughts, say("<think>hm</think>It works."))
    model = make_model()
    assert ask(model, max_tokens=100)[0] == "It works."
    assert ask(model, max_tokens=100)[0] == "It works."
    assert [request.body["max_tokens"] for request in server.chats] == [100, 400, 400]
    server.reply(thoughts)
    with pytest.raises(ModelError, match="ASSISTANT_ANSWER_TOKENS"):
        ask(model)


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thoughts_in_a_field_of_their_own(
    name: str, server: ScriptedServer, make_model: MakeModel
) -> None:
    thought = {**chunk(), "choices": [{"index": 0, "delta": {name: "maybe [9]"}}]}
    server.reply(events([thought, thought, chunk("It works."), chunk(finish="stop"), DONE]))
    assert ask(make_model())[0] == "It works."
    server.reply(events([thought, chunk(finish="stop"), DONE]))
    with pytest.raises(ModelError, match="sent its thoughts and no answer") as caught:
        ask(make_model())
    assert "maybe" not in str(caught.value)


def test_channels_cut_into_characters(server: ScriptedServer, make_model: MakeModel) -> None:
    reply = (
        "<|channel|>analysis<|message|>We see [9].<|end|>"
        "<|start|>assistant<|channel|>final<|message|>It works [1].<|return|>"
    )
    server.reply(say(*reply))
    assert ask(make_model())[0] == "It works [1]."


def test_a_whole_reply_with_thoughts(server: ScriptedServer, make_model: MakeModel) -> None:
    def whole(_: Request, connection: Connection) -> None:
        connection.start(200, "application/json")
        message = {"content": "<think>[9]</think>It works.", "reasoning_content": "hm"}
        connection.send(json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}))

    server.reply(whole)
    assert ask(make_model())[0] == "It works."
