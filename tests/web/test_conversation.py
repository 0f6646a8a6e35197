"""One conversation: turns, history, errors, stopping."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from threading import Event as Signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.events import Event, Status, Token
from assistant.errors import InputError
from assistant.web.conversation import ENDED_EARLY, FAILED, STOPPED, Conversation, Message
from assistant.web.places import Places
from tests.waiting import PATIENCE
from tests.web.stand_in import StandIn

PLACES = Places(at_once=1, waiting=0)


def run(talk: Conversation, assistant: object, question: str) -> list[str]:
    async def collect() -> list[str]:
        return [talk.turns[-1].html async for _ in talk.ask(assistant, question, PLACES)]  # type: ignore[arg-type]

    return asyncio.run(collect())


class Scripted:
    """Streams what it is given, slowly, and notes whether it was closed."""

    def __init__(self, *events: Event, pace: float = 0.0, stall: bool = False) -> None:
        self.events = events
        self.pace = pace
        self.stall = stall
        self.closed = Signal()

    def stream(
        self,
        question: str,
        history: list[Message],
        where: Mapping[str, object] | None = None,
        *,
        cancel: Signal,
    ) -> Iterator[Event]:
        try:
            for event in self.events:
                time.sleep(self.pace)
                yield event
            if self.stall:
                cancel.wait(20)
        finally:
            self.closed.set()


def test_an_answer_ends_the_turn_and_makes_the_history() -> None:
    talk, assistant = Conversation(), StandIn()
    shown = run(talk, assistant, "Which papers study KV caches?")
    assert "ap-live" in shown[0]
    assert "ap-done" in shown[-1]
    assert not talk.running
    assert [message["role"] for message in talk.messages()] == ["user", "assistant"]
    run(talk, assistant, "And which are training-free?")
    assert assistant.histories[0] == []
    assert [turn["role"] for turn in assistant.histories[1]] == ["user", "assistant"]
    assert assistant.histories[1][1]["content"].startswith("2 of 38 papers")
    assert len(talk.history()) == 4


def test_the_last_turn_can_be_taken_back() -> None:
    talk, assistant = Conversation(), StandIn()
    run(talk, assistant, "kv one")
    run(talk, assistant, "kv two")
    assert talk.drop_last() == "kv two"
    assert len(talk.history()) == 2
    assert talk.drop_last() == "kv one"
    assert talk.drop_last() == ""
    assert talk.messages() == []


def test_a_refusal_is_shown_as_its_sentence_and_leaves_no_history() -> None:
    talk = Conversation()
    shown = run(talk, StandIn(), "refuse")
    assert "this question cannot be used: ask another" in shown[-1]
    assert talk.history() == []


def test_a_fault_is_a_plain_sentence_and_a_traceback_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    talk = Conversation()
    with caplog.at_level(logging.ERROR):
        shown = run(talk, StandIn(), "explode")
    assert FAILED in shown[-1]
    assert "secret" not in shown[-1]
    assert "a secret detail" in caplog.text
    assert not talk.running


def test_a_stream_that_ends_without_an_answer_says_so() -> None:
    shown = run(Conversation(), Scripted(Status("searching"), Token("Half")), "q")
    assert ENDED_EARLY in shown[-1]
    assert "Half" in shown[-1]


def test_stopping_ends_a_silent_stream_at_once_and_closes_it() -> None:
    talk, assistant = Conversation(), Scripted(Token("Half"), stall=True)

    async def stopped() -> float:
        begun = time.monotonic()
        async for _ in talk.ask(assistant, "q", PLACES):
            talk.stopping = True
        return time.monotonic() - begun

    assert asyncio.run(stopped()) < 5
    assert STOPPED in talk.turns[-1].html
    assert assistant.closed.wait(PATIENCE)


def test_leaving_ends_the_run_and_closes_the_stream() -> None:
    talk = Conversation()
    assistant = Scripted(*[Token("x ")] * 200, pace=0.02, stall=True)

    async def left() -> None:
        steps = talk.ask(assistant, "q", PLACES)
        await anext(steps)
        await anext(steps)
        await steps.aclose()

    asyncio.run(left())
    assert not talk.running
    assert assistant.closed.wait(PATIENCE)


def test_a_silent_stream_still_shows_a_sign_of_life() -> None:
    talk = Conversation()

    async def waited() -> int:
        steps = 0
        async for _ in talk.ask(Scripted(stall=True), "q", PLACES):
            steps += 1
            if steps == 3:
                talk.stopping = True
        return steps

    assert asyncio.run(waited()) >= 3


def test_fast_tokens_are_drawn_in_few_steps() -> None:
    shown = run(Conversation(), Scripted(*[Token("word ")] * 3000), "q")
    assert len(shown) < 50
    assert shown[-1].count("word") == 3000


def test_who_asks_when_all_places_are_taken_waits_and_then_is_answered() -> None:
    places = Places(at_once=1, waiting=1)
    first, second, third = Conversation(), Conversation(), Conversation()

    async def together() -> list[str]:
        running = first.ask(Scripted(stall=True), "q", places)
        await anext(running)
        waiting = second.ask(StandIn(), "kv", places)
        await anext(waiting)
        seen = [second.turns[-1].html]
        seen += [third.turns[-1].html async for _ in third.ask(StandIn(), "kv", places)]
        await running.aclose()
        seen += [second.turns[-1].html async for _ in waiting]
        return seen

    seen = asyncio.run(together())
    assert "you are next" in seen[0]
    assert "too many people are asking at once" in seen[1]
    assert "ap-done" in seen[-1]


def test_leaving_the_line_lets_the_next_one_through() -> None:
    places = Places(at_once=1, waiting=2)
    first, second, third = places.line_up(), places.line_up(), places.line_up()
    assert (first.ahead, second.ahead, third.ahead) == (None, 0, 1)
    second.leave()
    assert third.ahead == 0
    first.leave()
    assert third.ahead is None
    third.leave()
    assert places.line_up().ahead is None


def test_a_conversation_comes_back_as_it_was_and_goes_on() -> None:
    talk, assistant = Conversation("t"), StandIn()
    for question in ("kv", "compare", "math", "refuse"):
        run(talk, assistant, question)
    again = Conversation()
    again.open(talk.kept())
    assert again.messages() == talk.messages()
    assert again.history() == talk.history()
    again.name = "t"
    assert again.kept() == talk.kept()


def test_a_paper_is_kept_once_however_often_it_is_cited() -> None:
    talk, assistant = Conversation("t"), StandIn()
    for _ in range(3):
        run(talk, assistant, "kv")
    assert (
        talk.kept().count(json.dumps(assistant.by_id["001-17"].abstract, ensure_ascii=False)) == 1
    )


@given(
    st.one_of(
        st.text(),
        st.recursive(
            st.one_of(
                st.none(), st.integers(), st.text(max_size=5), st.sampled_from(["version", "turns"])
            ),
            lambda inner: st.one_of(
                st.lists(inner, max_size=3),
                st.dictionaries(
                    st.sampled_from(
                        [
                            "version",
                            "turns",
                            "papers",
                            "answer",
                            "question",
                            "problem",
                            "unfinished",
                            "scope",
                            "citations",
                        ]
                    ),
                    inner,
                    max_size=6,
                ),
            ),
        ).map(json.dumps),
    )
)
def test_what_a_browser_sends_back_is_never_trusted(text: str) -> None:
    talk = Conversation()
    with suppress(InputError):
        talk.open(text)
    assert talk.messages() is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"version":1', '"version":2'),
        ('"start":', '"start":-'),
        ('"end":', '"end":9'),
        ('"number":1', '"number":"x"'),
        ('"kind":"list"', '"kind":"nothing"'),
    ],
)
def test_a_kept_conversation_that_was_changed_is_refused(old: str, new: str) -> None:
    talk = Conversation("t")
    run(talk, StandIn(), "kv")
    assert old in talk.kept()
    with pytest.raises(InputError):
        Conversation().open(talk.kept().replace(old, new))


def test_a_question_limited_to_papers_asks_and_says_so() -> None:
    talk, assistant = Conversation(), StandIn()

    async def limited() -> None:
        async for _ in talk.ask(assistant, "kv", PLACES, ["001-17", "001-10"]):
            pass

    asyncio.run(limited())
    assert assistant.wheres == [{"id": ["001-17", "001-10"]}]
    assert "Among 2 chosen papers" in talk.messages()[0]["content"]
