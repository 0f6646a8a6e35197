"""The assistant as Python code asks it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import assistant as package
from assistant import Answer, Assistant, AssistantError, Citation, Settings, ask
from assistant.answering.events import Done
from assistant.errors import InputError, SettingsError
from tests.asking import CACHES, ROBOTS, cited, write
from tests.conftest import ROOT


def test_ask_answers_from_the_shipped_papers_with_proofs(seeded_data_dir: Path) -> None:
    answer = ask("which papers study KV caches?")
    assert isinstance(answer, Answer)
    assert sorted(cited(answer)) == ["001-10", "001-17"]
    for citation in answer.citations:
        assert isinstance(citation, Citation)
        assert citation.quote in citation.paper.abstract
    assert "[1] " in str(answer)
    assert "001-17" in answer.to_bibtex()


def test_an_index_of_another_embedder_is_searched_with_its_own(seeded_data_dir: Path) -> None:
    # Nobody listens there, and nobody needs to: the vectors that are there are MiniLM's.
    other = Settings(embedder="openai:other", openai_base_url="http://127.0.0.1:9/v1", model="none")
    with Assistant(other) as assistant:
        answer = assistant.ask("which papers study KV caches?")
        assert sorted(cited(answer)) == ["001-10", "001-17"]
        warning = next(line for line in answer.warnings if "openai:other" in line)
        assert "minilm-l6-v2-int8" in warning
        assert "`assistant sync --rebuild`" in warning
        assert assistant.search("KV caches")[0].scores["cosine"] > 0.2
        assert assistant.status()["mismatch"] == warning


def test_ask_goes_on_with_the_talk(seeded_data_dir: Path) -> None:
    first = ask("What does RelayCaching do?")
    second = ask("How much does it cut TTFT?", history=first.history)
    assert cited(second)[0] == "001-17"
    assert "4.7" in second.citations[0].quote + second.citations[-1].quote


def test_ask_takes_a_filter(seeded_data_dir: Path) -> None:
    assert ask("which papers study KV caches?", where={"year": 2026}).citations
    assert ask("which papers study KV caches?", where={"year": 2025}).abstained
    with pytest.raises(InputError, match="unknown filter 'colour'"):
        ask("which papers study KV caches?", where={"colour": "red"})


def test_ask_follows_the_environment(
    seeded_data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cited(ask("which papers study KV caches?"))
    with Assistant(Settings(data_dir=tmp_path)) as other:
        other.sync(write(tmp_path / "own.txt", CACHES, ROBOTS))
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path))
    (paper,) = ask("which papers study robots?").papers
    assert paper.abstract == ROBOTS


def test_the_first_question_indexes_the_shipped_papers(empty: Path) -> None:
    told: list[str] = []
    with Assistant(Settings(data_dir=empty, embedder="none")) as assistant:
        assistant.show_progress(lambda stage, *_: told.append(stage))
        assert assistant.status()["papers"] == 0
        assert len(assistant.papers()) == 38
        assert assistant.status()["papers"] == 38
    assert "indexing" in told


def test_an_assistant_reads_the_environment_and_refuses_what_it_does_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSISTANT_COLOUR", "red")
    with pytest.raises(SettingsError, match="unknown setting ASSISTANT_COLOUR"):
        Assistant()


def test_search_ranks_without_a_model(seed_assistant: Assistant) -> None:
    found = seed_assistant.search("KV cache", limit=5)
    assert len(found) == 5
    assert {item.paper.id for item in found[:2]} == {"001-10", "001-17"}
    relevance = [item.relevance for item in found]
    assert relevance == sorted(relevance, reverse=True)
    for item in found:
        assert item.paper.abstract[item.passage.start : item.passage.end] == item.passage.text
    assert seed_assistant.search("KV cache", limit=0) == []
    assert seed_assistant.search("KV cache", where={"year": 1999}) == []


def test_a_search_can_be_too_long(seed_assistant: Assistant) -> None:
    with pytest.raises(InputError, match="50,000 characters"):
        seed_assistant.search("x" * 50_000)


def test_the_async_twins_do_the_same(seed_assistant: Assistant) -> None:
    question = "which papers study KV caches?"

    async def all_three() -> tuple[Answer, Answer, int]:
        answer = await seed_assistant.aask(question)
        events = [event async for event in seed_assistant.astream(question)]
        found = await seed_assistant.asearch(question, limit=3)
        assert isinstance(events[-1], Done)
        return answer, events[-1].answer, len(found)

    answer, streamed, count = asyncio.run(all_three())
    assert cited(answer) == cited(streamed) == cited(seed_assistant.ask(question))
    assert count == 3


def test_an_async_stream_can_be_left(seed_assistant: Assistant) -> None:
    async def leave() -> None:
        async for _ in seed_assistant.astream("which papers study KV caches?"):
            break

    asyncio.run(leave())


def test_errors_reach_async_callers(seed_assistant: Assistant) -> None:
    with pytest.raises(InputError, match="empty"):
        asyncio.run(seed_assistant.aask(""))


def test_the_names_users_type() -> None:
    assert set(package.__all__) <= set(dir(package))
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        package.nothing  # noqa: B018
    assert issubclass(InputError, AssistantError)


def test_from_assistant_import_ask_loads_nothing_heavy() -> None:
    heavy = "numpy pydantic chromadb langchain langchain_core openai gradio onnxruntime".split()
    code = f"import sys; from assistant import ask; print(set({heavy}) & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
