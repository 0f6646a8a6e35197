"""Streams of a chat model: silence, breaks and stops; LLM entries of the reported troubles."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest

from assistant.answering.models import (
    Finish,
    ModelEvent,
)
from assistant.errors import ModelError
from tests.answering.conftest import QUESTION, MakeModel, ask
from tests.conftest import ROOT
from tests.scripted_server import (
    CUT,
    DONE,
    Pause,
    ScriptedServer,
    chunk,
    events,
    say,
)


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
        cwd=ROOT,
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
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=ROOT
    )
    assert ended.stdout.strip() == "[]", ended.stderr
