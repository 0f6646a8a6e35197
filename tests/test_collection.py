"""The collection as Python code keeps it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant import Assistant, AssistantError, Paper, Settings
from assistant.errors import InputError
from assistant.index.report import Removal, SyncReport
from tests.asking import CACHES, ROBOTS, cited, write


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
