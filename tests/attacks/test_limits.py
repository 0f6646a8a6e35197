"""What one caller may ask of the server: each bound says what it is."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from assistant.api import Assistant
from assistant.errors import InputError
from assistant.retrieval.history import MOST_CHARS, MOST_MESSAGES
from assistant.web.conversation import FULL, Conversation, Turn
from assistant.web.handlers import AT_ONCE, WAITING
from assistant.web.keeping import MOST_KEPT, MOST_TURNS
from assistant.web.places import Places
from assistant.web.serving import Served, serve
from assistant.web.told import MOST_CHOSEN, Told
from tests.web.stand_in import StandIn

QUESTION = "What does RelayCaching do?"


@pytest.fixture(scope="module")
def stand_in() -> StandIn:
    return StandIn()


@pytest.fixture(scope="module")
def served(stand_in: StandIn) -> Iterator[Served]:
    running = serve(stand_in, say=lambda _: None)
    yield running
    running.close()


def posted(served: Served, path: str, body: bytes, kind: str = "application/json") -> str:
    request = Request(served.url + path, body, {"content-type": kind})
    with urlopen(request, timeout=60) as response:
        return str(response.read().decode())


def asked(served: Served, *data: object) -> str:
    begun = json.loads(posted(served, "gradio_api/call/ask", json.dumps({"data": data}).encode()))
    with urlopen(f"{served.url}gradio_api/call/ask/{begun['event_id']}", timeout=60) as response:
        return str(response.read().decode())


def test_a_long_question_is_refused_by_the_server(served: Served) -> None:
    said = asked(served, "a" * 20_001, [])
    assert "event: error" in said
    assert "longer than 20,000 characters: shorten it" in said


def test_a_long_history_is_refused_by_the_server(served: Served) -> None:
    talk = [{"role": "user", "content": "x"}] * 101
    assert "longer than 100 messages: shorten it" in asked(served, QUESTION, talk)


def test_a_talk_of_too_many_words_or_messages_is_refused(seed_assistant: Assistant) -> None:
    long = [{"role": "user", "content": "word " * (MOST_CHARS // 4)}]
    many = [{"role": "user", "content": "word"}] * (MOST_MESSAGES + 1)
    for history in (long, many):
        with pytest.raises(InputError, match="begin a new one"):
            seed_assistant.ask(QUESTION, history)
    allowed = [{"role": "user", "content": "word"}] * MOST_MESSAGES
    assert seed_assistant.ask(QUESTION, allowed).citations


def test_a_question_at_the_limit_is_answered_in_seconds(seed_assistant: Assistant) -> None:
    words = [f"word{i} cache" for i in range(3_000)]
    question = f"{QUESTION} {' '.join(words)}"[:20_000]
    answer = seed_assistant.ask(question)
    assert answer.timings["total"] < 20_000
    with pytest.raises(InputError, match="at most 20,000 are taken: shorten it"):
        seed_assistant.ask("a" * 20_001)


def test_a_conversation_ends_and_says_so() -> None:
    async def overrun() -> Conversation:
        talk = Conversation(turns=[Turn("before", problem="x") for _ in range(MOST_TURNS)])
        for _ in range(3):
            async for _ in talk.ask(StandIn(), QUESTION, Places(1, 1)):
                pass
        return talk

    talk = asyncio.run(overrun())
    assert len(talk.turns) == MOST_TURNS + 1
    assert talk.turns[-1].problem == FULL
    assert "begin a new one" in FULL


def test_a_kept_conversation_and_a_choice_of_papers_have_their_ends() -> None:
    with pytest.raises(InputError, match="too long to be opened again"):
        Conversation().open("x" * (MOST_KEPT + 1))
    told = Told.read(json.dumps({"scope": ["a"] * (MOST_CHOSEN + 5)}))
    assert len(told.ids("scope")) == MOST_CHOSEN


def test_an_upload_is_refused(served: Served) -> None:
    edge = "----edge"
    body = (
        f'--{edge}\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n'
        f"Content-Type: text/plain\r\n\r\n{'x' * 5_000}\r\n--{edge}--\r\n"
    ).encode()
    with pytest.raises(HTTPError) as refused:
        posted(served, "gradio_api/upload", body, f"multipart/form-data; boundary={edge}")
    assert refused.value.code in (400, 403, 404, 413)


def test_a_request_larger_than_any_of_the_page_is_refused_at_once(served: Served) -> None:
    address = urlsplit(served.url)
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=30)
    connection.putrequest("POST", "/gradio_api/call/ask")
    connection.putheader("content-type", "application/json")
    connection.putheader("content-length", str(10**9))
    connection.endheaders()
    response = connection.getresponse()
    assert response.status == 413
    assert "at most 32,000,000 bytes" in response.read().decode()
    connection.close()


def test_more_callers_than_there_is_room_for_are_told_to_wait(
    served: Served, stand_in: StandIn
) -> None:
    stand_in.pace = 0.0
    refused: list[str] = []
    body = json.dumps({"data": ["slow, compare"]}).encode()
    for _ in range(AT_ONCE + 2 * WAITING + 40):
        try:
            posted(served, "gradio_api/call/ask", body)
        except HTTPError as error:
            refused.append(f"{error.code} {error.read().decode()}")
    assert all("full" in said.lower() for said in refused)
    assert "RelayCaching" in asked(served, QUESTION, [])
