"""Chat models against a scripted server; LLM entries of the reported troubles."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from langsmith.run_trees import configure
from langsmith.utils import tracing_is_enabled

from assistant.answering.model_errors import ContextTooLongError
from assistant.answering.model_servers import DEFAULT_OPENAI_MODEL
from assistant.answering.models import (
    ChatModel,
    Delta,
    Finish,
    ModelEvent,
    Usage,
    load_chat_model,
)
from assistant.errors import ModelError, SettingsError
from assistant.settings import Settings, load_settings
from tests.scripted_server import (
    CUT,
    DEFAULT_MODEL,
    DONE,
    Connection,
    Pause,
    Reply,
    Request,
    ScriptedServer,
    chunk,
    events,
    fail,
    html,
    say,
)

MakeModel = Callable[..., ChatModel]
QUESTION = [{"role": "user", "content": "What halves memory?"}]


def ask(model: ChatModel, **given: Any) -> tuple[str, Finish]:
    reply = model.complete(QUESTION, **given)
    return reply.text, reply.finish


def refusing(*fields: str, message: str = "Unsupported parameter: '{}'") -> Reply:
    """A server that takes no request with one of these fields."""

    def reply(request: Request, connection: Connection) -> None:
        for field in fields:
            if field in request.body:
                fail(400, message.format(field))(request, connection)
                return
        say("It works.")(request, connection)

    return reply


# --- which model


def test_without_key_and_address_there_is_no_model() -> None:
    assert load_chat_model(load_settings()) is None


@pytest.mark.parametrize("key", ["", "   "])
def test_a_blank_key_is_no_key(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # LLM-01
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert load_chat_model(load_settings()) is None
    with pytest.raises(SettingsError, match="OPENAI_API_KEY is not set"):
        load_chat_model(load_settings(model="openai:gpt-4o"))


def test_a_key_alone_turns_on_the_default() -> None:
    model = load_chat_model(load_settings(openai_api_key="sk-test"))
    assert model is not None
    assert model.name == f"openai:{DEFAULT_OPENAI_MODEL}"


def test_none_is_keyless_whatever_is_set(server: ScriptedServer) -> None:
    given = {"openai_api_key": "sk-test", "openai_base_url": server.url}
    assert load_chat_model(load_settings(model="None", **given)) is None


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("openai:gpt-4o", "openai:gpt-4o"),
        ("qwen3:8b", "openai:qwen3:8b"),
        ("my-org/finetune-7", "openai:my-org/finetune-7"),
        ("gpt-99", "openai:gpt-99"),
    ],
)
def test_names(wanted: str, name: str, make_model: MakeModel, server: ScriptedServer) -> None:
    # TOK-02: a name with a colon, a slash, or of a model nobody knows
    model = make_model(model=wanted)
    assert model.name == name
    assert ask(model)[0] == "Hello."
    assert server.chats[0].body["model"] == name.removeprefix("openai:")


@pytest.mark.parametrize("wanted", ["openai:", "anthropic: "])
def test_a_provider_without_a_name_is_refused(wanted: str) -> None:
    with pytest.raises(SettingsError, match=r"ASSISTANT_MODEL=.* names no model"):
        load_chat_model(load_settings(model=wanted, openai_api_key="sk-test"))


@pytest.mark.parametrize(
    ("wanted", "install"),
    [
        ("anthropic:claude-x", "pip install 'ask-papers[anthropic]'"),
        ("ollama:llama3", "pip install 'ask-papers[ollama]'"),
        ("mistralai:m", "pip install langchain-mistralai"),
    ],
)
def test_a_missing_package_names_the_command(
    wanted: str, install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SettingsError) as caught:
        load_chat_model(load_settings(model=wanted))
    assert install in str(caught.value)


def test_a_missing_key_of_another_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY is not set"):
        load_chat_model(load_settings(model="anthropic:claude-x"))
    Path(".env").write_text("ANTHROPIC_API_KEY=sk-ant-x\n", encoding="utf-8")
    assert load_chat_model(load_settings(model="anthropic:claude-x")) is not None


@pytest.mark.parametrize("key", ["sk-téçt", "sk- test", "sk-\ntest"])
def test_a_key_with_a_stray_character(key: str) -> None:
    with pytest.raises(SettingsError, match="copy it anew") as caught:
        load_chat_model(load_settings(openai_api_key=key))
    assert key not in str(caught.value)


# --- where it is served


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_addresses(tail: str, server: ScriptedServer, make_model: MakeModel) -> None:
    # LLM-02
    assert ask(make_model(openai_base_url=server.origin + tail))[0] == "Hello."
    assert [request.path for request in server.requests] == ["/v1/chat/completions"]


def test_an_address_without_a_version_is_tried_too(
    make_settings: Callable[..., Settings],
) -> None:
    with ScriptedServer(prefix="/inference") as server:
        model = load_chat_model(make_settings(openai_base_url=server.url))
        assert model is not None
        assert ask(model)[0] == "Hello."
        assert ask(model)[0] == "Hello."
        paths = [request.path for request in server.requests]
        assert paths == ["/inference/v1/chat/completions", *["/inference/chat/completions"] * 2]


def test_a_wrong_address_is_named(server: ScriptedServer, make_model: MakeModel) -> None:
    with pytest.raises(ModelError) as caught:
        ask(make_model(openai_base_url=f"{server.origin}/api/v7"))
    assert f"{server.origin}/api/v7/chat/completions" in str(caught.value)
    assert "OPENAI_BASE_URL" in str(caught.value)


def test_a_keyless_server_needs_no_key(server: ScriptedServer, make_model: MakeModel) -> None:
    assert ask(make_model())[0] == "Hello."


def test_the_first_served_model_is_taken(
    server: ScriptedServer, make_settings: Callable[..., Settings]
) -> None:
    server.models = ["nomic-embed-text", "llama3.2:3b", "qwen3:8b"]
    model = load_chat_model(load_settings(openai_base_url=server.url))
    assert model is not None
    assert server.requests == []
    assert model.name == "openai:llama3.2:3b"
    assert ask(model)[0] == "Hello."
    assert sum(request.path == "/v1/models" for request in server.requests) == 1


def test_a_server_that_lists_no_model(server: ScriptedServer) -> None:
    server.models = []
    model = load_chat_model(load_settings(openai_base_url=server.url))
    assert model is not None
    with pytest.raises(ModelError, match="set ASSISTANT_MODEL"):
        _ = model.name


def test_a_server_without_a_list(server: ScriptedServer) -> None:
    model = load_chat_model(load_settings(openai_base_url=f"{server.origin}/other/v1"))
    assert model is not None
    with pytest.raises(ModelError, match="OPENAI_BASE_URL"):
        _ = model.name


# --- what comes back


def test_prompts_are_traced_nowhere(
    server: ScriptedServer, make_model: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prompts would go to a tracing service too; here a second server would see them."""
    with ScriptedServer() as tracer:
        for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
            monkeypatch.setenv(name, "true")
        configure(enabled=True)
        assert tracing_is_enabled()
        monkeypatch.setenv("LANGSMITH_API_KEY", "key-of-a-tracing-service")
        monkeypatch.setenv("LANGSMITH_ENDPOINT", tracer.origin)
        server.reply(say("It works."))
        assert ask(make_model())[0] == "It works."
        assert not tracing_is_enabled()
        assert not tracer.requests


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


# --- thoughts


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


# --- what servers refuse


def test_a_server_that_knows_only_the_new_limit(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    # LLM-07, server A
    server.reply(refusing("max_tokens", "temperature"))
    model = make_model()
    assert ask(model)[0] == "It works."
    assert "max_completion_tokens" in server.chats[-1].body
    tries = len(server.chats)
    assert ask(model)[0] == "It works."
    assert len(server.chats) == tries + 1


def test_a_server_that_knows_only_the_old_limit(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    # LLM-07, server B
    server.reply(refusing("max_completion_tokens"))
    assert ask(make_model(), max_tokens=77)[0] == "It works."
    assert [request.body["max_tokens"] for request in server.chats] == [77]


def test_what_was_learned_holds_for_another_client(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(refusing("temperature"))
    ask(make_model())
    tries = len(server.chats)
    ask(make_model())
    assert len(server.chats) == tries + 1


@pytest.mark.parametrize("field", ["stream_options", "temperature"])
@pytest.mark.parametrize("message", ["Unsupported parameter: '{}'", "Unknown field {}."])
def test_a_refused_field_is_left_out(
    field: str, message: str, server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(refusing(field, message=message))
    assert ask(make_model())[0] == "It works."
    assert [field in request.body for request in server.chats] == [True, False]


def test_a_server_that_takes_no_limit_at_all(server: ScriptedServer, make_model: MakeModel) -> None:
    server.reply(refusing("max_tokens", "max_completion_tokens"))
    assert ask(make_model())[0] == "It works."
    assert len(server.chats) == 3


def test_a_model_without_a_system_role(server: ScriptedServer, make_model: MakeModel) -> None:
    def reply(request: Request, connection: Connection) -> None:
        if request.messages[0]["role"] == "system":
            fail(400, "System role not supported")(request, connection)
        else:
            say("It works.")(request, connection)

    server.reply(reply)
    rules = {"role": "system", "content": "Cite."}
    assert make_model().complete([rules, *QUESTION]).text == "It works."
    assert server.chats[-1].messages == [
        {"role": "user", "content": "Cite.\n\nWhat halves memory?"}
    ]


def test_the_same_refusal_twice_is_an_error(server: ScriptedServer, make_model: MakeModel) -> None:
    server.reply(fail(400, "temperature must be a colour"))
    with pytest.raises(ModelError, match="temperature must be a colour"):
        ask(make_model())
    assert len(server.chats) == 2


def test_empty_turns_are_not_sent(server: ScriptedServer, make_model: MakeModel) -> None:
    # LLM-06
    turns = [
        {"role": "assistant", "content": "Welcome."},
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": " \n"},
        {"role": "user", "content": "second"},
    ]
    make_model().complete(turns)
    assert server.chats[0].messages == [{"role": "user", "content": "first\n\nsecond"}]


# --- failures, each with what to do


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (fail(401, "Bad key: sk-secret"), "refused the key: check OPENAI_API_KEY"),
        (fail(403, "Not here"), "does not let this key use test-model: Not here"),
        (fail(402, "Insufficient Balance"), "no credit left"),
        (fail(429, "exceeded your current quota", code="insufficient_quota"), "no credit left"),
        (fail(404, "The model `test-model` does not exist"), "has no model test-model"),
        (fail(404, 'model "test-model" not found, try pulling it'), "has no model test-model"),
        (fail(400, "test-model is not a valid model ID"), "has no model test-model"),
        (fail(404, "Not Found"), "no chat API at"),
        (fail(429, "Rate limit reached"), "asks to slow down"),
        (fail(500, "boom"), "failed (500: boom)"),
        (fail(418, "no tea, sk-secret"), "refused the request (418): no tea, …"),
        (html(), "answered with text/html"),
        (html(502), "failed (502"),
        (events(["data: {broken\n\n"]), "a stream of something else"),
        (events([{"error": {"message": "Overloaded", "code": 503}}]), "failed (503: Overloaded)"),
        (events([{"error": {"message": "odd thing"}}]), "sent no usable reply: odd thing"),
    ],
)
def test_errors_say_what_to_do(
    reply: Reply, told: str, server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(reply)
    with pytest.raises(ModelError) as caught:
        ask(make_model(openai_api_key="sk-secret"))
    assert told in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(server.chats) == 1


def test_a_server_that_wants_a_key_names_the_variable(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    server.key = "sk-right"
    with pytest.raises(ModelError, match="wants a key: set OPENAI_API_KEY"):
        ask(make_model())
    assert ask(make_model(openai_api_key=" sk-right "))[0] == "Hello."


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        ("This model's maximum context length is 4096 tokens. However, you requested 9000", 4096),
        ("the request exceeds the available context size. n_ctx: 2048", 2048),
        ("prompt is too long: 9000 tokens", None),
    ],
)
def test_a_context_that_is_too_long(
    message: str, limit: int | None, server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(fail(400, message, code="context_length_exceeded"))
    model = make_model()
    with pytest.raises(ContextTooLongError, match="ASSISTANT_CONTEXT_TOKENS") as caught:
        ask(model)
    assert caught.value.limit == limit
    assert model.context_tokens == (limit or 16_000)
    assert len(server.chats) == 1


def test_a_server_that_is_not_there(make_model: MakeModel) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(ModelError, match=r"cannot be reached.*OPENAI_BASE_URL"):
            ask(make_model(openai_base_url=f"http://127.0.0.1:{port}"))


def test_credentials_in_the_address_are_not_told(make_model: MakeModel) -> None:
    with pytest.raises(ModelError) as caught:
        ask(make_model(openai_base_url="http://me:hunter2@127.0.0.1:1/v1"))
    assert "hunter2" not in str(caught.value)


# --- waiting


def test_too_many_requests_waits_as_told(server: ScriptedServer, make_model: MakeModel) -> None:
    # LLM-03
    times: list[float] = []

    def limited(request: Request, connection: Connection) -> None:
        times.append(time.monotonic())
        fail(429, "slow down", Retry_After="1")(request, connection)

    def works(request: Request, connection: Connection) -> None:
        times.append(time.monotonic())
        say("It works.")(request, connection)

    server.reply(limited, works)
    assert ask(make_model(max_retries=1))[0] == "It works."
    assert times[1] - times[0] >= 1


def test_a_wait_until_a_date(server: ScriptedServer, make_model: MakeModel) -> None:
    passed = formatdate(time.time() - 5, usegmt=True)
    server.reply(fail(503, "later", Retry_After=passed), say("It works."))
    assert ask(make_model(max_retries=1))[0] == "It works."


def test_a_wait_longer_than_the_time_there_is(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(fail(429, "slow down", Retry_After="600"))
    with pytest.raises(ModelError, match="slow down"):
        ask(make_model(max_retries=2))
    assert len(server.chats) == 1


def test_no_credit_is_not_tried_again(server: ScriptedServer, make_model: MakeModel) -> None:
    # LLM-03
    server.reply(fail(429, "You exceeded your current quota", code="insufficient_quota"))
    with pytest.raises(ModelError, match="credit"):
        ask(make_model(max_retries=5))
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    "script",
    [[], [chunk("", role="assistant")], [{"error": {"message": "Overloaded", "code": 503}}]],
)
def test_a_failure_before_the_first_word_is_tried_again(
    script: list[Any], server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(events([*script, CUT]), say("It works."))
    assert ask(make_model(max_retries=1))[0] == "It works."


def test_a_slow_first_word(server: ScriptedServer, make_model: MakeModel) -> None:
    server.reply(events([Pause(20)]))
    with pytest.raises(ModelError, match=r"no word within 0\.3 seconds"):
        ask(make_model(first_token_timeout=0.3, max_retries=3))
    assert server.wait_for_drop()
    assert len(server.chats) == 1


def test_a_server_that_accepts_and_says_nothing(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(lambda _, connection: connection.wait(20))
    with pytest.raises(ModelError, match=r"no word within 0\.3 seconds"):
        ask(make_model(first_token_timeout=0.3))
    assert server.wait_for_drop()


def test_pings_are_no_words(server: ScriptedServer, make_model: MakeModel) -> None:
    ping: list[Any] = [": PROCESSING\n\n", Pause(0.1)]
    server.reply(events([*ping * 100]))
    with pytest.raises(ModelError, match=r"no word within 0\.5 seconds"):
        ask(make_model(first_token_timeout=0.5))


def test_a_stall(server: ScriptedServer, make_model: MakeModel) -> None:
    server.reply(events([chunk("It halves"), Pause(20)]))
    text, finish = ask(make_model(stall_timeout=0.7))
    assert (text, finish.reason) == ("It halves", "cut")
    assert finish.detail == "the server fell silent for 0.7 seconds"
    assert server.wait_for_drop()


def test_the_time_for_all_of_it(server: ScriptedServer, make_model: MakeModel) -> None:
    server.reply(say(*["word "] * 400, pause=0.1))
    text, finish = ask(make_model(total_timeout=2.0))
    assert finish.reason == "cut"
    assert text.startswith("word")
    assert "ASSISTANT_TOTAL_TIMEOUT" in str(finish.detail)


# --- streams that break off


WHOLE = [chunk("", role="assistant"), chunk("It "), chunk("halves "), chunk("memory [1].")]


@pytest.mark.parametrize("length", range(2, len(WHOLE) + 1))
def test_a_stream_cut_at_each_event(
    length: int, server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(events([*WHOLE[:length], CUT]))
    text, finish = ask(make_model())
    assert "It halves memory [1].".startswith(text)
    assert finish.reason == "cut"
    assert finish.detail == "the server ended the reply early"


def test_a_stream_cut_in_the_middle_of_an_event(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(events([chunk("It halves"), 'data: {"id": "chatc', CUT]))
    assert ask(make_model())[1].reason == "cut"


def test_an_error_in_the_middle_of_a_stream(server: ScriptedServer, make_model: MakeModel) -> None:
    server.reply(events([chunk("It halves"), {"error": {"message": "boom", "code": 500}}]))
    text, finish = ask(make_model())
    assert (text, finish.reason) == ("It halves", "cut")
    assert "boom" in str(finish.detail)


def test_done_without_a_reason_is_not_complete(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(events([chunk("It halves"), DONE]))
    assert ask(make_model())[1].reason == "cut"


# --- stopping


def test_closing_the_stream_closes_the_connection(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    # GUI-05
    server.reply(say(*["word "] * 200, pause=0.05), say("It works."))
    model = make_model()
    stream = model.stream(QUESTION)
    for _ in range(5):
        next(stream)
    stream.close()
    assert server.wait_for_drop()
    assert ask(model)[0] == "It works."


def test_a_cancel_reaches_a_server_that_says_nothing(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(events([Pause(20)]))
    cancel = threading.Event()

    def stop() -> None:
        server.wait_for_chat()
        cancel.set()

    threading.Thread(target=stop).start()
    read: list[ModelEvent] = list(make_model().stream(QUESTION, cancel=cancel))
    assert read == [Finish("stopped")]
    assert server.wait_for_drop()


def test_threads_share_a_model(server: ScriptedServer, make_model: MakeModel) -> None:
    server.reply(refusing("temperature", "max_tokens"))
    model = make_model()
    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.append(ask(model)[0])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == ["It works."] * 8


def test_a_process_ends_quietly(server: ScriptedServer) -> None:
    code = (
        "from assistant.settings import load_settings\n"
        "from assistant.answering.models import load_chat_model\n"
        f"model = load_chat_model(load_settings(openai_base_url={server.url!r}))\n"
        "stream = model.stream([{'role': 'user', 'content': 'hi'}])\n"
        "print(next(stream).text)\n"
    )
    server.reply(say(*["word "] * 50, pause=0.05))
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=str(_root()),
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "word \n", "")


def test_nothing_heavy_is_imported_before_a_call() -> None:
    code = (
        "import sys\n"
        "from assistant.settings import load_settings\n"
        "from assistant.answering.models import load_chat_model\n"
        "load_chat_model(load_settings(openai_api_key='sk-test'))\n"
        "print([name for name in ('openai', 'langchain', 'tiktoken') if name in sys.modules])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=str(_root())
    )
    assert ended.stdout.strip() == "[]", ended.stderr


def _root() -> str:
    from tests.conftest import ROOT

    return str(ROOT)


def test_the_default_model_name() -> None:
    assert DEFAULT_MODEL != DEFAULT_OPENAI_MODEL
