"""A planted key and a planted password are looked for in every byte written, printed and served."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.api import Assistant
from assistant.errors import AssistantError
from assistant.settings import Settings, load_settings
from assistant.web.serving import serve
from tests.scripted_server import DEFAULT_MODEL, Reply, ScriptedServer, fail, html, say

pytestmark = pytest.mark.timeout(400)

KEY = "sk-PLANTED0123456789abcdefghijKEY"
PASSWORD = "pwPLANTED9876543210word"
OTHER = "sk-ant-PLANTED55555555555555555"
SECRETS = (KEY, PASSWORD, OTHER, b64encode(f"user:{PASSWORD}".encode()).decode())
QUESTION = "How much of the KV cache does RelayCaching reuse?"

ECHOES: dict[str, Reply] = {
    "answers": say("RelayCaching achieves over 80% KV cache reuse."),
    "refuses": fail(401, f"Incorrect API key provided: {KEY}"),
    "forbids": fail(403, f"the key {KEY} of user:{PASSWORD} may not"),
    "fails": fail(500, f"failure with Authorization: Bearer {KEY} at http://user:{PASSWORD}@host"),
    "slows": fail(429, f"slow down, {KEY}"),
    "finds nothing": fail(404, f"no route for {KEY}"),
    "is a page": html(),
}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


@pytest.fixture
def environment(server: ScriptedServer) -> dict[str, str]:
    address = server.url.replace("http://", f"http://user:{PASSWORD}@")
    return {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": address,
        "ANTHROPIC_API_KEY": OTHER,
        "ASSISTANT_MODEL": f"openai:{DEFAULT_MODEL}",
        "ASSISTANT_MAX_RETRIES": "0",
    }


def hidden(*texts: str) -> None:
    for text in texts:
        for secret in SECRETS:
            at = text.find(secret)
            assert at < 0, text[max(0, at - 200) : at + 60]


def nothing_in(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            for secret in SECRETS:
                assert secret.encode() not in content, path


@pytest.mark.parametrize("reply", [ECHOES["answers"], ECHOES["fails"]], ids=["answers", "fails"])
def test_no_command_prints_or_writes_a_secret(
    server: ScriptedServer,
    environment: dict[str, str],
    seeded_data_dir: Path,
    isolated_home: Path,
    reply: Reply,
) -> None:
    server.reply(reply)
    said = []
    for words in (["ask", QUESTION], ["doctor", "--json"]):
        done = subprocess.run(
            [sys.executable, "-m", "assistant", "--log-level", "debug", *words],
            capture_output=True,
            env={**os.environ, **environment},
            timeout=100,
        )
        said.append(done.stdout.decode() + done.stderr.decode())
    given = f"Basic {b64encode(f'user:{PASSWORD}'.encode()).decode()}"
    assert {request.headers.get("authorization") for request in server.requests} == {given}
    hidden(*said)
    nothing_in(isolated_home)


def test_indexing_writes_no_secret(
    environment: dict[str, str], isolated_home: Path, tmp_path: Path
) -> None:
    source = tmp_path / "one.txt"
    source.write_text("We study caches of large models and how they are kept small.\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "assistant", "--log-level", "debug", "sync", str(source)],
        capture_output=True,
        env={**os.environ, **environment},
        timeout=100,
    )
    assert done.returncode == 0, done.stderr.decode()
    hidden(done.stdout.decode() + done.stderr.decode())
    nothing_in(isolated_home)


@pytest.fixture
def settings(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, seeded_data_dir: Path
) -> Settings:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return load_settings()


@pytest.mark.parametrize("reply", ECHOES.values(), ids=ECHOES.keys())
def test_no_object_shows_a_secret(
    server: ScriptedServer,
    settings: Settings,
    isolated_home: Path,
    reply: Reply,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    server.reply(reply)
    with Assistant(settings) as assistant:
        answer = assistant.ask(QUESTION)
        assistant.feedback(answer, "bad", "wrong")
        hidden(repr(answer), str(answer), json.dumps(answer.to_dict()), answer.to_bibtex())
        hidden(repr(settings), str(settings), repr(assistant), json.dumps(assistant.status()))
        hidden(repr(assistant.model), repr(vars(assistant)))
        assert assistant.model is not None
        try:
            assistant.model.complete([{"role": "user", "content": "x"}], max_tokens=8, seconds=5)
        except AssistantError as error:
            hidden("".join(traceback.format_exception(error)))
    hidden(caplog.text)
    nothing_in(isolated_home)


@pytest.mark.parametrize("given", [f"http//user:{PASSWORD}@host/v1", f"user:{PASSWORD}@host:80"])
def test_an_address_that_cannot_be_used_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", given)
    with pytest.raises(AssistantError) as raised, Assistant(load_settings()) as assistant:
        assistant.ask(QUESTION)
    hidden(str(raised.value), "".join(traceback.format_exception(raised.value)))


def test_the_page_serves_no_secret(
    server: ScriptedServer, settings: Settings, isolated_home: Path
) -> None:
    server.reply(ECHOES["fails"])
    with Assistant(settings) as assistant:
        running = serve(assistant, say=lambda _: None)
        try:
            for path in ("", "config", "gradio_api/info"):
                with urllib.request.urlopen(running.url + path, timeout=60) as response:
                    hidden(response.read().decode("utf-8", "replace"))
            call = urllib.request.Request(
                f"{running.url}gradio_api/call/ask",
                json.dumps({"data": [QUESTION, []]}).encode(),
                {"content-type": "application/json"},
            )
            with urllib.request.urlopen(call, timeout=60) as response:
                event = json.load(response)["event_id"]
            with urllib.request.urlopen(f"{call.full_url}/{event}", timeout=60) as response:
                said = response.read().decode()
        finally:
            running.close()
    assert "event: complete" in said
    hidden(said)
    nothing_in(isolated_home)


def test_an_evaluation_keeps_no_secret(
    server: ScriptedServer, environment: dict[str, str], isolated_home: Path, tmp_path: Path
) -> None:
    server.reply(ECHOES["fails"])
    out = tmp_path / "run.json"
    words = ["-m", "evals", "run", "--model", f"openai:{DEFAULT_MODEL}", "--out", str(out)]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, *words, "--kind", "fact", "--limit", "1"],
        capture_output=True,
        env={**os.environ, **environment, "PYTHONPATH": f"{root}:{os.environ['PYTHONPATH']}"},
        timeout=200,
    )
    hidden(done.stdout.decode() + done.stderr.decode())
    assert out.is_file(), done.stderr.decode()[-500:]
    nothing_in(tmp_path)
    nothing_in(isolated_home)
