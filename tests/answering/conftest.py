"""A scripted model server, the settings that lead to it, and a plain check of sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assistant.answering import model_servers
from assistant.answering.answer import Support
from assistant.answering.citations import without_numbers
from assistant.answering.events import Event
from assistant.answering.models import ChatModel, Finish, load_chat_model
from assistant.answering.written import Written, write_answer
from assistant.api import Assistant
from assistant.corpus.paper import Paper
from assistant.corpus.sentences import sentence_spans
from assistant.settings import Settings, load_settings
from tests.answering.writing_papers import PAPERS, Write, evidence, finish
from tests.scripted_server import DEFAULT_MODEL, Connection, Request, ScriptedServer, say

MakeModel = Callable[..., ChatModel]
MakeAssistant = Callable[..., Assistant]
QUESTION = [{"role": "user", "content": "What halves memory?"}]


def ask(model: ChatModel, **given: Any) -> tuple[str, Finish]:
    reply = model.complete(QUESTION, **given)
    return reply.text, reply.finish


@pytest.fixture(autouse=True)
def _nothing_known_of_servers() -> None:
    # Ports come back: what one test's server taught must not be known of the next one.
    model_servers.forget()


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


@pytest.fixture
def make_settings(server: ScriptedServer) -> Callable[..., Settings]:
    """Settings for the scripted server; timeouts are short where a test waits for them."""

    def make(**given: Any) -> Settings:
        defaults = {"model": f"openai:{DEFAULT_MODEL}", "openai_base_url": server.url}
        return load_settings(**{**defaults, "max_retries": 0, **given})

    return make


@pytest.fixture
def make_model(make_settings: Callable[..., Settings]) -> Iterator[MakeModel]:
    made: list[ChatModel] = []

    def make(**given: Any) -> ChatModel:
        model = load_chat_model(make_settings(**given))
        assert model is not None
        made.append(model)
        return model

    yield make
    for model in made:
        model.close()


@pytest.fixture
def ask_with_model(
    seeded_data_dir: Path, make_settings: Callable[..., Settings]
) -> Iterator[MakeAssistant]:
    """Make assistants over the seeds whose model is the scripted server."""
    made: list[Assistant] = []

    def make(**given: Any) -> Assistant:
        made.append(Assistant(make_settings(data_dir=seeded_data_dir, **given)))
        return made[-1]

    yield make
    for assistant in made:
        assistant.close()


def sources_in(request: Request) -> dict[str, str]:
    """Give the papers a prompt holds, by the ids the model knows them by."""
    found = re.findall(
        r"^==\w+== source (S[0-9a-f]{4})\n(.*?)\n==\w+== end$",
        request.prompt,
        re.MULTILINE | re.DOTALL,
    )
    return dict(found)


def judging(line: Callable[[str, str], str]) -> Callable[[Request, Connection], None]:
    """Answer a judge's prompt with one line for each paper: `line` gets its id and its text."""

    def reply(request: Request, connection: Connection) -> None:
        lines = [line(name, text) for name, text in sources_in(request).items()]
        say("\n".join(lines))(request, connection)

    return reply


@dataclass(frozen=True)
class PlainVerdict:
    support: Support | None
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)
    reason: str | None = None


def plain_verify(sentence: str, papers: Sequence[Paper]) -> PlainVerdict:
    """Support a sentence whose every longer word and number stands in the abstracts together."""
    words = {word.lower() for word in re.findall(r"\d+|\w{4,}", without_numbers(sentence))}
    if not words or "abstract" in words or "abstracts" in words:
        return PlainVerdict(None)
    spans: dict[int, tuple[int, int]] = {}
    found: set[str] = set()
    for index, paper in enumerate(papers):
        count, span = max(_shared(words, paper), key=lambda pair: pair[0])
        if count:
            spans[index] = span
        found |= {word for word in words if word in paper.abstract.lower()}
    missing = sorted(words - found)
    if missing:
        return PlainVerdict("unsupported", reason=f"not in the source: {', '.join(missing)}")
    return PlainVerdict("supported", spans)


def _shared(words: set[str], paper: Paper) -> Iterator[tuple[int, tuple[int, int]]]:
    for start, end in sentence_spans(paper.abstract):
        text = paper.abstract[start:end].lower()
        yield sum(word in text for word in words), (start, end)


@pytest.fixture
def write(make_model: MakeModel, make_settings: Callable[..., Settings]) -> Write:
    """Have the scripted model write about the three papers."""

    def run(
        papers: Sequence[Paper] = PAPERS,
        history: Sequence[dict[str, str]] = (),
        question: str = "What does RelayCaching do?",
        **given: Any,
    ) -> tuple[list[Event], Written]:
        model, settings = make_model(**given), make_settings(**given)
        return finish(
            write_answer(question, evidence(*papers), history, settings, model, plain_verify)
        )

    return run
