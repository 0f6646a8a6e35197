"""Calls of a model are kept, paced and paid for; a scripted server stands for the model."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.answering.model_servers import spec_of
from assistant.answering.prompts import fenced, new_fence
from assistant.errors import ModelError, SettingsError
from assistant.settings import Settings
from evals.calls import BudgetSpentError, Ledger, Pace, RecordedModel
from evals.pricing import Prices, load_prices
from tests.scripted_server import ScriptedServer, fail, say


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as made:
        yield made


def recorded(server: ScriptedServer, cache: Path | None = None, **given: Any) -> RecordedModel:
    settings = Settings(
        openai_base_url=server.url, openai_api_key="k", model="openai:test-model", max_retries=0
    )
    spec = spec_of(settings)
    assert spec is not None
    ledger = given.get("ledger", Ledger())
    return RecordedModel(spec, settings, ledger, given.get("pace", Pace()), cache)


def asked(question: str, source: str = "S7f3a") -> list[dict[str, str]]:
    fence = new_fence()
    text = f"{fenced(fence, f'source {source}', 'It is fast.')}\n\n{question}"
    return [
        {"role": "system", "content": f"Rules about {fence}"},
        {"role": "user", "content": text},
    ]


def test_a_reply_is_kept_though_fences_and_ids_are_drawn_anew(
    server: ScriptedServer, isolated_home: Path
) -> None:
    server.reply(say("It is fast [S7f3a]."))
    model = recorded(server, isolated_home / "calls")
    assert model.complete(asked("How fast?")).text == "It is fast [S7f3a]."
    log = model.begin(0)
    assert model.complete(asked("How fast?", "Sb00c")).text == "It is fast [Sb00c]."
    assert len(server.chats) == 1
    assert (log.calls, log.cached, log.prompt, log.completion) == (1, 1, 10, 5)


def test_what_differs_in_content_or_repeat_is_asked_anew(
    server: ScriptedServer, isolated_home: Path
) -> None:
    model = recorded(server, isolated_home / "calls")
    model.complete(asked("How fast?"))
    model.complete(asked("How slow?"))
    model.complete(asked("How fast?"), max_tokens=9)
    model.begin(1)
    model.complete(asked("How fast?"))
    assert len(server.chats) == 4


def test_a_reply_that_was_cut_is_not_kept(server: ScriptedServer, isolated_home: Path) -> None:
    server.reply(say("It is", finish="content_filter"), say("It is fast."))
    model = recorded(server, isolated_home / "calls")
    model.complete(asked("How fast?"))
    assert model.complete(asked("How fast?")).text == "It is fast."


def test_a_rate_limit_is_waited_for(server: ScriptedServer) -> None:
    server.reply(fail(429, "slow down", retry_after="0.01"), say("Now."))
    model = recorded(server)
    assert model.complete(asked("?")).text == "Now."
    assert model.log.failed == []


def test_another_failure_is_told_and_noted(server: ScriptedServer) -> None:
    server.reply(fail(401, "Incorrect API key"))
    model = recorded(server)
    with pytest.raises(ModelError):
        model.complete(asked("?"))
    assert len(model.log.failed) == 1


def test_the_limit_stops_before_the_next_call(server: ScriptedServer) -> None:
    ledger = Ledger(Prices(1_000_000, 2_000_000), limit=15)
    model = recorded(server, ledger=ledger)
    model.complete(asked("one"))
    assert ledger.spent == 10 * 1 + 5 * 2
    assert model.log.cost == 20
    with pytest.raises(BudgetSpentError, match="raise --max-cost"):
        model.complete(asked("two"))
    assert len(server.chats) == 1


def test_a_kept_reply_costs_nothing(server: ScriptedServer, isolated_home: Path) -> None:
    ledger = Ledger(Prices(1, 1))
    model = recorded(server, isolated_home / "calls", ledger=ledger)
    model.complete(asked("one"))
    spent = ledger.spent
    log = model.begin(0)
    model.complete(asked("one"))
    assert ledger.spent == spent > 0
    assert log.cost == 0


def test_a_limit_needs_a_server_that_counts(server: ScriptedServer) -> None:
    server.reply(say("Hello.", usage=None))
    model = recorded(server, ledger=Ledger(Prices(1, 1), limit=1))
    with pytest.raises(BudgetSpentError, match="counts no tokens"):
        model.complete(asked("one"))


class Waits(threading.Event):
    """Writes down how long it is waited for, and returns at once."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[int] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(round(timeout or 0))
        return False


def test_calls_keep_their_distance_and_pause_together() -> None:
    pace, waits = Pace(per_minute=2), Waits()
    for _ in range(3):
        pace.wait(waits)
    pace.pause(600)
    pace.wait(waits)
    assert waits.seconds == [30, 60, 600]


def test_prices_come_from_the_command_line_or_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert load_prices() is None
    monkeypatch.setenv("EVALS_PRICE_PROMPT", "1.5")
    with pytest.raises(SettingsError, match="one price is missing"):
        load_prices()
    assert load_prices(completion=2) == Prices(1.5, 2)
    monkeypatch.setenv("EVALS_PRICE_COMPLETION", "much")
    with pytest.raises(SettingsError, match="EVALS_PRICE_COMPLETION is no price"):
        load_prices()
