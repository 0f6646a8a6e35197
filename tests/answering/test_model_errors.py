"""Failures of a model server, each with what to do."""

from __future__ import annotations

import json

import pytest

from assistant.answering.model_errors import ContextTooLongError
from assistant.errors import ModelError
from tests.answering.conftest import MakeModel, ask
from tests.scripted_server import (
    Connection,
    Reply,
    Request,
    ScriptedServer,
    events,
    fail,
    html,
)


def page(status: int, title: str) -> Reply:
    def reply(_: Request, connection: Connection) -> None:
        connection.start(status, "text/html")
        connection.send(f"<!DOCTYPE html><html><head><title>{title}</title></head><p>x</p></html>")

    return reply


def told_in_a_body(body: object) -> Reply:
    def reply(_: Request, connection: Connection) -> None:
        connection.start(200, "application/json")
        connection.send(json.dumps(body))

    return reply


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
        (html(502), "failed (502: a web page): ask again later"),
        (
            page(503, "Down for repairs"),
            "failed (503: a web page, 'Down for repairs'): ask again later",
        ),
        (page(403, "Sign in"), "does not let this key use test-model: a web page, 'Sign in'"),
        (fail(413, "Payload Too Large"), "lower ASSISTANT_CONTEXT_TOKENS or ASSISTANT_MAX_SOURCES"),
        (fail(413, "prompt is too long: 9 tokens"), "longer than the context of test-model"),
        (fail(429), "asks to slow down: wait a moment and ask again"),
        (fail(429, "Tokens per day (TPD): 100"), "asks to slow down (Tokens per day (TPD): 100)"),
        (fail(429, Retry_After="86400"), "asks to wait 24 hours: ask again then"),
        (fail(503, "busy", Retry_After="7200"), "failed (503: busy) and asks to wait 2 hours"),
        (
            fail(400, "Client sent an HTTP request to an HTTPS server."),
            "write OPENAI_BASE_URL with https",
        ),
        (page(400, "400 The plain HTTP request was sent to HTTPS port"), "with https:// in place"),
        (told_in_a_body({"error": {"code": 401, "message": "Bad key"}}), "refused the key: check"),
        (told_in_a_body({"error": {"code": 429, "message": "Slow"}}), "asks to slow down (Slow)"),
        (
            told_in_a_body({"error": "the model is loading"}),
            "no usable reply: the model is loading",
        ),
        (told_in_a_body({"detail": "odd"}), "sent no usable reply: {'detail': 'odd'}"),
        (told_in_a_body(["odd"]), "sent no usable reply: ['odd']"),
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


def test_no_credit_is_not_tried_again(server: ScriptedServer, make_model: MakeModel) -> None:
    # LLM-03
    server.reply(fail(429, "You exceeded your current quota", code="insufficient_quota"))
    with pytest.raises(ModelError, match="credit"):
        ask(make_model(max_retries=5))
    assert len(server.chats) == 1
