"""What a request holds, and how it is changed for a server that refuses it."""

from __future__ import annotations

import threading

import pytest
from langsmith.run_trees import configure
from langsmith.utils import tracing_is_enabled

from assistant.errors import ModelError
from tests.answering.conftest import QUESTION, MakeModel, ask
from tests.scripted_server import (
    Connection,
    Reply,
    Request,
    ScriptedServer,
    fail,
    say,
)


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


def refusing(*fields: str, message: str = "Unsupported parameter: '{}'") -> Reply:
    """A server that takes no request with one of these fields."""

    def reply(request: Request, connection: Connection) -> None:
        for field in fields:
            if field in request.body:
                fail(400, message.format(field))(request, connection)
                return
        say("It works.")(request, connection)

    return reply


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
