"""How long is waited before the next try."""

from __future__ import annotations

import time
from email.utils import format_datetime, formatdate
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.waiting import retry_after
from assistant.errors import ModelError
from tests.answering.conftest import MakeModel, ask
from tests.scripted_server import (
    CUT,
    Connection,
    Request,
    ScriptedServer,
    chunk,
    events,
    fail,
    say,
)


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
    with pytest.raises(ModelError, match="asks to wait 10 minutes"):
        ask(make_model(max_retries=2))
    assert len(server.chats) == 1


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("86400", "wait 24 hours"),
        ("  90.5 ", "wait 2 minutes"),
        ("99999999999", "more than 999 days"),
        (formatdate(time.time() + 86_400, usegmt=True), "wait 24 hours"),
        (formatdate(time.time() + 86_400 * 3), "wait 3 days"),
    ],
)
def test_a_long_wait_is_told_and_not_waited_for(
    status: int, told: str, words: str, server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(fail(status, "later", Retry_After=told))
    begun = time.monotonic()
    with pytest.raises(ModelError, match=words):
        ask(make_model(max_retries=2, total_timeout=86_400))
    assert time.monotonic() - begun < 5
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    "told", ["-5", "-86400", "soon", "", "nan", "inf", "1e9", "٥", "Thu, 99 Foo 2026", "9" * 400]
)
def test_a_wait_that_cannot_be_read_is_none(
    told: str, server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(fail(429, "later", Retry_After=told.encode().decode("latin-1")), say("It works."))
    assert ask(make_model(max_retries=1))[0] == "It works."


@given(st.text(max_size=40) | st.dates().map(str) | st.datetimes().map(format_datetime))
def test_no_wait_is_negative_or_breaks_the_reading(told: str) -> None:
    wait = retry_after(with_header(told))
    assert wait is None or 0 <= wait < float("inf")


def test_a_date_without_a_zone_is_of_greenwich() -> None:
    soon = time.strftime("%a, %d %b %Y %H:%M:%S", time.gmtime(time.time() + 60))
    assert 50 < (retry_after(with_header(soon)) or 0) <= 60


def with_header(told: str) -> Exception:
    error = Exception("later")
    error.response = SimpleNamespace(headers={"retry-after": told})  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    "script",
    [[], [chunk("", role="assistant")], [{"error": {"message": "Overloaded", "code": 503}}]],
)
def test_a_failure_before_the_first_word_is_tried_again(
    script: list[Any], server: ScriptedServer, make_model: MakeModel
) -> None:
    server.reply(events([*script, CUT]), say("It works."))
    assert ask(make_model(max_retries=1))[0] == "It works."
