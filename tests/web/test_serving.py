"""Starting the page: ports, headers, limits, and what the network may call."""

from __future__ import annotations

import inspect
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from assistant.errors import InputError
from assistant.web import serving
from assistant.web.serving import DEFAULT_PORT, Served, serve
from assistant.web.warmup import Loaded, Warmup, load
from tests.waiting import PATIENCE
from tests.web.stand_in import StandIn

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    running = serve(StandIn(), say=lambda _: None)
    yield running
    running.close()


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


def get(url: str) -> tuple[bytes, dict[str, str]]:
    with urlopen(url) as response:
        return response.read(), {k.lower(): v for k, v in response.headers.items()}


def call(served: Served, path: str, body: object) -> tuple[int, str]:
    request = Request(
        served.url + path, json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urlopen(request) as response:
        return response.status, response.read().decode()


def answer_to(served: Served, *data: object) -> str:
    _, begun = call(served, "gradio_api/call/ask", {"data": list(data)})
    return get(f"{served.url}gradio_api/call/ask/{json.loads(begun)['event_id']}")[0].decode()


def test_a_taken_port_that_was_asked_for_is_one_line(taken: int) -> None:
    with pytest.raises(InputError, match=f"port {taken} .* is taken") as raised:
        serve(StandIn(), port=taken)
    assert "\n" not in str(raised.value)


def test_the_default_port_taken_means_the_next_free_one_and_says_so() -> None:
    lines: list[str] = []
    with socket.socket() as holder:
        # Where another program holds it, that serves as well.
        with suppress(OSError):
            holder.bind(("127.0.0.1", DEFAULT_PORT))
            holder.listen()
        other = serve(StandIn(), say=lines.append)
    try:
        assert other.port > DEFAULT_PORT
        assert lines[0] == f"Port {DEFAULT_PORT} is taken; using {other.port}."
        assert other.url in lines[1]
    finally:
        other.close()


def test_a_port_that_another_takes_while_the_page_starts_means_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked, seen = serving._is_free, list[int]()
    with socket.socket() as other:

        def taken_behind_its_back(host: str, port: int) -> bool:
            free = looked(host, port)
            # The first look is before the page is built, the second just before it listens.
            if free and seen == [port]:
                other.bind((host, port))
                other.listen()
            if free:
                seen.append(port)
            return free

        monkeypatch.setattr(serving, "_is_free", taken_behind_its_back)
        page = serve(StandIn(), say=lambda _: None)
        try:
            assert page.port > other.getsockname()[1] >= DEFAULT_PORT
            assert json.loads(get(f"{page.url}config")[0])["title"] == "Ask papers"
        finally:
            page.close()


def test_every_response_carries_the_policy(served: Served) -> None:
    _, headers = get(served.url)
    policy = headers["content-security-policy"]
    assert "img-src 'self' data: blob:" in policy
    assert "default-src 'self'" in policy
    assert "http:" not in policy
    assert "https:" not in policy


def test_only_asking_is_offered_to_the_network(served: Served) -> None:
    offered = json.loads(get(f"{served.url}gradio_api/info")[0])
    assert list(offered["named_endpoints"]) == ["/ask"]
    assert offered["unnamed_endpoints"] == {}


def test_a_call_answers_with_plain_data(served: Served) -> None:
    said = answer_to(served, "Which papers study KV caches?", None)
    assert "event: complete" in said
    data = json.loads(said.split("data: ", 1)[1])[0]
    assert [citation["paper"]["id"] for citation in data["citations"]] == ["001-17", "001-10"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (["x" * 5_000_000, None], "longer than"),
        (["kv", [{"role": "user", "content": "x"}] * 500], "history is longer than"),
        (["refuse", None], "cannot be used"),
        ([None, None], "the question is missing: send {"),
        ([], "the question is missing: send {"),
        (["  ", None], "the question is missing"),
        ([7, None], "the question is missing"),
        ([["kv"], None], "the question is missing"),
        ([{"question": "kv"}, []], "the question is missing"),
        (["kv", "before"], "the history must be a list"),
        (["kv", {"role": "user", "content": "x"}], "the history must be a list"),
        (["kv", ["x"]], "the history must be a list"),
        (["kv", [["x", "y", "z"]]], "the history must be a list"),
        (["kv", [7]], "the history must be a list"),
        (["explode", None], "Something went wrong on the server"),
    ],
)
def test_a_call_out_of_bounds_gets_a_sentence(
    served: Served, data: list[object], words: str
) -> None:
    said = answer_to(served, *data)
    assert "event: error" in said
    assert words in said
    assert "a secret detail" not in said


@pytest.mark.parametrize("data", [["kv"], ["kv", None, None], ["kv", [], "x", 7]])
def test_fields_left_out_or_too_many_do_not_matter(served: Served, data: list[object]) -> None:
    assert "event: complete" in answer_to(served, *data)


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": "kv"}, {"data": {"a": 1}}, [], "kv"])
def test_what_is_no_call_is_refused(served: Served, body: object) -> None:
    with pytest.raises(HTTPError) as refused:
        call(served, "gradio_api/call/ask", body)
    assert refused.value.code in (400, 422)


def test_the_page_names_no_other_host_it_would_load_from(served: Served) -> None:
    page = get(served.url)[0].decode()
    theme = get(f"{served.url}theme.css")[0].decode()
    assert "fonts.googleapis" not in page + theme
    assert "url('http" not in theme


def test_the_first_lines_name_the_page(served: Served) -> None:
    config = json.loads(get(f"{served.url}config")[0])
    assert config["title"] == "Ask papers"
    assert not config["analytics_enabled"]


def test_importing_gradio_leaves_inspect_as_it_was_and_sends_nothing() -> None:
    assert os.environ["GRADIO_ANALYTICS_ENABLED"] == "False"
    assert inspect.getfile.__module__ == "inspect"


def test_the_command_line_does_not_import_gradio_with_the_server() -> None:
    code = (
        "import sys, assistant.web.serving; "
        "print(sorted({'gradio', 'chromadb', 'onnxruntime', 'pandas'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_a_password_keeps_the_page_closed() -> None:
    closed = serve(StandIn(), auth=("ada", "secret"), say=lambda _: None)
    try:
        assert "ap-banner" not in get(closed.url)[0].decode()
        with pytest.raises(OSError, match="401"):
            get(f"{closed.url}config")
    finally:
        closed.close()


def test_a_failed_load_is_told_in_a_sentence() -> None:
    def refuse() -> Loaded:
        raise InputError("the collection is locked: close the other program")

    def fail() -> Loaded:
        raise RuntimeError("a secret detail")

    refused, failed = Warmup(refuse), Warmup(fail)
    refused.start()
    failed.start()
    assert refused.wait(PATIENCE).facts == "the collection is locked: close the other program"
    assert failed.wait(PATIENCE).facts == (
        "The collection could not be loaded; the log has the details."
    )
    assert "Still loading" in Warmup(refuse).wait(0).facts


@pytest.mark.parametrize(
    ("status", "facts"),
    [
        ({}, "38 papers · quoted from the abstracts, no model"),
        ({"model": "m-1"}, "38 papers · answers by m-1, each sentence checked"),
        ({"embedder": None}, "38 papers · quoted from the abstracts, no model · searched by words"),
        ({"vectors": 7}, "no model · vectors for 7 so far"),
        ({"papers": 1}, "1 paper ·"),
        ({"papers": 87_000, "vectors": 87_000}, "87,000 papers ·"),
    ],
)
def test_what_is_loaded_is_told_in_a_line(status: dict[str, object], facts: str) -> None:
    class Other(StandIn):
        def status(self) -> dict[str, object]:
            return super().status() | status

    loaded = load(Other())
    assert facts in loaded.facts
    assert len(loaded.papers) == 38
    assert f"{loaded.held:,} paper" in loaded.facts


def test_a_dozen_people_are_answered_at_once(served: Served) -> None:
    with ThreadPoolExecutor(12) as people:
        said = list(people.map(lambda n: answer_to(served, f"kv {n}", None), range(12)))
    assert all("event: complete" in each and f"kv {n}" in each for n, each in enumerate(said))
