"""The assistant as Python code uses it."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import assistant as package
from assistant import Answer, Assistant, AssistantError, Citation, Paper, Settings, ask
from assistant.answering.events import Done
from assistant.errors import InputError, SettingsError
from assistant.index.report import Removal, SyncReport
from tests.conftest import ROOT

CACHES = "We study caches of large models and how they can be kept small without any loss."
ROBOTS = "Robots stand up when they fall, and they learn it without a reward in four hours."


def write(path: Path, *abstracts: str) -> Path:
    path.write_text("\n\n".join(abstracts) + "\n", encoding="utf-8")
    return path


def cited(answer: Answer) -> list[str]:
    return [citation.paper.id for citation in answer.citations]


@pytest.fixture
def empty(isolated_home: Path) -> Path:
    """A data folder in which there is nothing yet."""
    return isolated_home / "data"


# --- asking


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


# --- the collection


def test_a_sync_makes_the_collection_what_the_files_are(empty: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "papers.txt", CACHES, ROBOTS)
    with Assistant(Settings(data_dir=empty)) as assistant:
        assert assistant.sync(path) == SyncReport(added=2, papers=2)
        assert assistant.sync(path) == SyncReport(unchanged=2, papers=2)
        assert len(assistant.ask("which papers study robots?").citations) == 1
        write(path, CACHES.replace("small", "tiny"))
        report = assistant.sync(path)
        assert (report.removed, report.papers) == (2, 1)
        assert assistant.ask("which papers study robots?").abstained
        assert "tiny" in assistant.ask("which papers study caches?").citations[0].quote
        (paper,) = assistant.papers()
        assert assistant.remove(paper.id, "nothing") == 1


def test_a_correction_reaches_every_answer(empty: Path) -> None:
    wrong = Paper("p", f"{CACHES} It saves 53\\% of the memory.")
    right = Paper("p", f"{CACHES} It saves 35\\% of the memory.")
    with Assistant(Settings(data_dir=empty)) as assistant:
        assistant.add([wrong], source="own")
        assert "53" in assistant.ask("How much memory is saved?").citations[0].quote
        assert assistant.add([right], source="own").changed == 1
        answer = assistant.ask("How much memory is saved?")
        assert "35" in answer.citations[0].quote
        assert "saves 53" not in json.dumps(answer.to_dict())
        assert not any("53" in item.paper.abstract for item in assistant.search("53"))


def test_the_same_abstract_twice_is_stored_once(empty: Path, tmp_path: Path) -> None:
    one = write(tmp_path / "one.txt", CACHES, f"{CACHES} ", ROBOTS)
    two = write(tmp_path / "two.txt", CACHES)
    with Assistant(Settings(data_dir=empty)) as assistant:
        report = assistant.sync(one, two)
        assert (report.added, report.duplicates, report.papers) == (2, 1, 2), report
        answer = assistant.ask("which papers study caches?")
        assert len(answer.citations) == len(answer.papers) == 1
        assert [paper.abstract for paper in assistant.papers()] == [CACHES, ROBOTS]


def test_a_large_removal_wants_a_yes(empty: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "papers.txt", CACHES, ROBOTS)
    asked: list[str] = []

    def confirm(lost: Removal) -> bool:
        asked.append(str(lost))
        return len(asked) > 1

    with Assistant(Settings(data_dir=empty, embedder="none")) as assistant:
        assistant.sync(path)
        write(path)
        for refused in ({}, {"confirm": confirm}):
            with pytest.raises(AssistantError, match="nothing was changed"):
                assistant.sync(path, **refused)  # type: ignore[arg-type]
            assert len(assistant.papers()) == 2
        assert assistant.sync(path, confirm=confirm).removed == 2
        assert asked == [f"the source {path} holds no paper now and held 2"] * 2


def test_a_dry_run_tells_and_writes_nothing(empty: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "papers.txt", CACHES, ROBOTS, ROBOTS.upper())
    with Assistant(Settings(data_dir=empty, embedder="none")) as assistant:
        seen = assistant.sync(path, dry_run=True)
        assert seen == SyncReport(added=2, duplicates=1, papers=2)
        assert not empty.exists()
        assert assistant.sync(path) == seen
        assert assistant.sync(path).twins == seen.twins
        assert len(seen.twins) == 1


def test_a_path_that_is_not_there_makes_no_collection(empty: Path, tmp_path: Path) -> None:
    with Assistant(Settings(data_dir=empty, embedder="none")) as assistant:
        with pytest.raises(InputError, match="does not exist"):
            assistant.sync(tmp_path / "nowhere.txt")
        assert not empty.exists()


def test_two_names_of_one_file_are_one_source(empty: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "papers.txt", CACHES, ROBOTS)
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    with Assistant(Settings(data_dir=empty, embedder="none")) as assistant:
        assistant.sync(path)
        write(path, CACHES)
        assert assistant.sync(link).removed == 1
        assert assistant.sync(path, source="mine") == SyncReport(unchanged=1, papers=1)


def test_papers_can_be_filtered(empty: Path) -> None:
    with Assistant(Settings(data_dir=empty, embedder="none")) as assistant:
        assistant.add([RICH, POOR], source="own")
        assert assistant.papers({"author": "lovelace"}) == [RICH]
        assert assistant.papers({"keyword": "Penguins", "year": {"gte": 2024}}) == [RICH]
        assert assistant.papers({"venue": "ICML"}) == []
        assert assistant.papers({}) == [RICH, POOR]


RICH = Paper(
    "rich",
    "We measure how penguins swim in cold water, with small sensors on their backs.",
    title="How penguins swim",
    authors=("Ada Lovelace",),
    venue="ACL",
    year=2024,
    url="https://a.example/penguins",
    keywords=("penguins",),
)
POOR = Paper("poor", "We measure how seals swim in warm water, with large cameras on a boat.")


def test_records_with_and_without_facts_live_together(empty: Path) -> None:
    with Assistant(Settings(data_dir=empty)) as assistant:
        assert assistant.add([RICH, POOR], source="own").papers == 2
        assert assistant.papers() == [RICH, POOR]
        answer = assistant.ask("which papers measure how animals swim in water?")
        assert sorted(cited(answer)) == ["poor", "rich"]
        shown = f"{answer} {answer.to_markdown()} {answer.to_bibtex()}"
        assert "None" not in shown
        assert "title unknown" in shown
        assert assistant.ask("Who wrote How penguins swim?").citations[0].paper == RICH
        assert [e.paper for e in assistant.search("swim", where={"year": 2024})] == [RICH]


def test_real_records_mix_with_the_shipped_ones(empty: Path, test_data: Path) -> None:
    with gzip.open(test_data / "abstracts.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(next(file)) for _ in range(60)]
    fields = ("id", "abstract", "title", "venue", "year", "url")
    papers = [Paper(**{name: row.get(name) for name in fields}) for row in rows]
    with Assistant(Settings(data_dir=empty, embedder="none")) as assistant:
        assistant.papers()
        report = assistant.add(papers, source="real")
        assert report.papers == 38 + 60 - report.duplicates - report.skipped
        for item in assistant.search("learning", limit=40):
            assert item.paper.label
            assert "None" not in item.paper.label


def test_half_a_surrogate_pair_spoils_nothing(empty: Path) -> None:
    with Assistant(Settings(data_dir=empty)) as assistant:
        assistant.add([Paper("bad", f"\ud800 {CACHES}", title="\udcff Caches"), RICH], source="own")
        assert sorted(paper.id for paper in assistant.papers()) == ["bad", "rich"]
        answer = assistant.ask("which papers study \ud800caches?", [{"content": "\udcff"}])
        assert cited(answer) == ["bad"]
        json.dumps(answer.to_dict(), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "filler",
    [
        "The weather was mild and nothing of note was seen on most of the days that year. ",
        "the weather was mild and nothing of note was seen on most of the days that year, ",
    ],
    ids=["sentences", "one sentence"],
)
def test_the_end_of_a_very_long_abstract_can_be_found(empty: Path, filler: str) -> None:
    long = f"We kept a diary. {filler * 740}. At last a purple giraffe ate 1,234 acacia leaves."
    assert len(long) > 59_000
    with Assistant(Settings(data_dir=empty)) as assistant:
        assistant.add([Paper("diary", long), RICH, POOR], source="own")
        assert assistant.status()["papers"] == 3
        answer = assistant.ask("How many acacia leaves did the purple giraffe eat?")
        assert set(cited(answer)) == {"diary"}
        assert any("1,234" in citation.quote for citation in answer.citations)
        assert len({citation.number for citation in answer.citations}) == 1


def test_collections_keep_things_apart(seeded_data_dir: Path, tmp_path: Path) -> None:
    mine = Settings(collection="mine")
    with Assistant(mine) as assistant:
        with pytest.raises(InputError, match="the collection 'mine' holds no papers: run"):
            assistant.ask("which papers study caches?")
        assistant.sync(write(tmp_path / "own.txt", CACHES, ROBOTS))
        assert len(assistant.papers()) == 2
    with Assistant(Settings()) as assistant:
        assert len(assistant.papers()) == 38


@pytest.mark.parametrize(
    "path", ["nowhere.txt", "~nobody-of-that-name/x.txt", "We propose a method. " * 60]
)
def test_a_path_that_cannot_be_synced_changes_nothing(path: str, seeded_data_dir: Path) -> None:
    with Assistant(Settings()) as assistant:
        with pytest.raises(InputError):
            assistant.sync(path)
        with pytest.raises(InputError, match="name the files or folders to sync"):
            assistant.sync()
        assert len(assistant.papers()) == 38


def test_status_tells_what_is_there_and_no_secret(seeded_data_dir: Path) -> None:
    with Assistant(Settings(openai_api_key="sk-secret-123", model="none")) as assistant:
        status = assistant.status()
        assert (status["papers"], status["vectors"], status["mode"]) == (38, 38, "extractive")
        assert "sk-secret" not in json.dumps(status)
        assert assistant.check(deep=True) == []


def test_an_index_of_another_embedder_is_searched_by_words_and_says_so(
    seeded_data_dir: Path,
) -> None:
    with Assistant(Settings(embedder="none")) as assistant:
        assert assistant.rebuild() == 38
    with Assistant(Settings()) as assistant:
        answer = assistant.ask("which papers study KV caches?")
        assert {"001-10", "001-17"} <= set(cited(answer))
        assert any("assistant sync --rebuild" in warning for warning in answer.warnings)
        assert assistant.rebuild() == 38
        assert not assistant.ask("which papers study KV caches?").warnings


def test_a_closed_assistant_lets_go_of_its_files(seeded_data_dir: Path) -> None:
    assistant = Assistant(Settings())
    assistant.ask("which papers study KV caches?")
    assistant.close()
    assistant.close()


# --- the package


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


def test_a_source_that_is_gone_can_be_removed(empty: Path, tmp_path: Path) -> None:
    one, two = write(tmp_path / "one.txt", CACHES), write(tmp_path / "two.txt", CACHES, ROBOTS)
    with Assistant() as assistant:
        assistant.sync(one, two)
        two.unlink()
        assert assistant.remove_source(str(two)) == 1
        assert [paper.abstract for paper in assistant.papers()] == [CACHES]
        assert assistant.remove_source("nobody") == 0


def test_the_shipped_papers_stay_out_where_a_first_sync_was_cut_off(empty: Path) -> None:
    class KilledError(BaseException):
        pass

    def papers() -> Iterator[Paper]:
        yield Paper(id="a", abstract=CACHES)
        raise KilledError

    with Assistant() as assistant, pytest.raises(KilledError):
        assistant.add(papers(), source="mine")
    with Assistant() as assistant, pytest.raises(InputError, match="first sync of mine"):
        assistant.ask("Which papers study caches?")
