"""`assistant sync`, `papers`, `remove`, `search`: the collection and what is in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant import Assistant, Paper, Settings
from tests.cli.conftest import Run


def test_a_first_sync_starts_without_the_shipped_papers(run: Run, two_papers: Path) -> None:
    ran = run("sync", str(two_papers))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "2 added; the collection holds 2 papers.\n"
    assert len(run("papers").out.splitlines()) == 2


def test_sync_ends_with_the_counts_as_one_json_line(run: Run, two_papers: Path) -> None:
    two_papers.write_text(two_papers.read_text(encoding="utf-8") + "\nToo short.\n", "utf-8")
    ran = run("sync", "--json", str(two_papers))
    assert json.loads(ran.out.splitlines()[-1]) == {
        "added": 2,
        "changed": 0,
        "removed": 0,
        "unchanged": 0,
        "skipped": 1,
        "duplicates": 0,
        "papers": 2,
    }
    assert ran.err == "skipped two.txt:5: too short to be an abstract: 'Too short.'\n"


def test_a_second_sync_changes_nothing_and_a_shorter_file_removes(
    run: Run, two_papers: Path
) -> None:
    run("sync", str(two_papers))
    assert run("sync", str(two_papers)).out == "2 unchanged; the collection holds 2 papers.\n"
    first = two_papers.read_text(encoding="utf-8").split("\n\n")[0]
    two_papers.write_text(first, encoding="utf-8")
    ran = run("sync", str(two_papers))
    assert ran.out == "1 removed, 1 unchanged; the collection holds 1 paper.\n"


def test_many_reasons_are_cut_short(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text("\n\n".join([*(f"Short {i}." for i in range(30)), "x" * 60 + "."]), "utf-8")
    ran = run("sync", str(path))
    assert ran.code == 0
    assert len(ran.err.splitlines()) == 21
    assert ran.err.splitlines()[-1] == "… and 10 more"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("nowhere.txt", None, "nowhere.txt does not exist; give a file or a folder of papers"),
        ("binary.txt", b"\x80" * 90, "binary.txt is no text: its bytes are neither UTF-8"),
        ("picture.png", b"\x89PNG", "picture.png has no reader; known formats: "),
        ("x" * 300 + ".txt", None, "cannot be read: File name too long"),
    ],
    ids=["missing", "not UTF-8", "unknown format", "too long"],
)
def test_a_path_that_cannot_be_synced(
    name: str, content: bytes | None, said: str, run: Run, tmp_path: Path, seeded_data_dir: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    run("sync", str(tmp_path / name)).failed_with(said)
    assert len(run("papers").out.splitlines()) == 38


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file no one can read")
def test_a_file_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "memory.txt").symlink_to("/proc/self/mem")
    run("sync", str(tmp_path / "memory.txt")).failed_with("memory.txt cannot be read: ")


def test_sync_without_a_path(run: Run) -> None:
    run("sync").failed_with("name the files or folders to sync: assistant sync PATH…")


def test_rebuild(run: Run, two_papers: Path) -> None:
    run("sync", str(two_papers))
    assert run("sync", "--rebuild").out == "Rebuilt: 2 papers.\n"
    assert json.loads(run("sync", "--rebuild", "--json").out) == {"papers": 2}


def test_a_named_source_is_replaced_as_a_whole(run: Run, two_papers: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Whales sing in the deep, and we record what they sing for years.\n", "utf-8")
    run("sync", "--source", "mine", str(two_papers))
    ran = run("sync", "--source", "mine", str(other))
    assert ran.out == "1 added, 2 removed; the collection holds 1 paper.\n"


def test_papers_are_listed_with_their_ids(run: Run, seeded_data_dir: Path) -> None:
    lines = run("papers").out.splitlines()
    assert len(lines) == 38
    assert lines[13] == "000-14\tICML 2026\tLeakGFN"
    records = [json.loads(line) for line in run("papers", "--json").out.splitlines()]
    assert [record["id"] for record in records] == [line.split("\t")[0] for line in lines]
    assert records[13]["title"] is None
    assert run("papers", "--bibtex").out.count("@inproceedings{") == 38


def test_nothing_unknown_is_printed_as_none(run: Run, two_papers: Path) -> None:
    run("sync", str(two_papers))
    for args in (("papers",), ("search", "caches"), ("ask", "which papers study caches?")):
        assert "None" not in run(*args).out


def test_remove(run: Run, two_papers: Path) -> None:
    run("sync", str(two_papers))
    first = run("papers").out.split("\t")[0]
    assert run("remove", first).out == "Removed 1 paper.\n"
    run("remove", first).failed_with(
        f"no paper has the id '{first}': `assistant papers` lists them"
    )
    assert len(run("papers").out.splitlines()) == 1


def test_search_shows_relevance_words_and_the_line(run: Run, seeded_data_dir: Path) -> None:
    ran = run("search", "--limit", "2", "KV cache reuse")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert len(lines) == 6
    assert "(001-17)" in lines[0]
    assert "words: KV" in lines[1]
    records = [json.loads(line) for line in run("search", "--json", "KV caches").out.splitlines()]
    assert len(records) == 10
    first = records[0]
    assert first["quote"] == first["paper"]["abstract"][first["start"] : first["end"]]
    assert 0 <= first["relevance"] <= 1


@pytest.mark.parametrize("query", ["", "  ", "\u200b"])
def test_an_empty_search(query: str, run: Run, seeded_data_dir: Path) -> None:
    run("search", query).failed_with("the question is empty")


@pytest.mark.parametrize(
    "args",
    [
        ("search", "???"),
        ("search", "--json", "--year", "1999", "caches"),
        ("papers", "--venue", "x"),
        ("papers", "--bibtex", "--year", "1999"),
    ],
)
def test_a_search_for_nothing_says_so(
    args: tuple[str, ...], run: Run, seeded_data_dir: Path
) -> None:
    ran = run(*args)
    assert (ran.code, ran.out, ran.err) == (0, "", "nothing found\n")


RICH = [
    Paper(
        "rich",
        "We measure how penguins swim in cold water, with small sensors on their backs.",
        title="How \x1b[31mpenguins\x07 swim\u202e\x9b2J",
        authors=("Ada Lovelace", "Kurt Gödel"),
        venue="ACL",
        year=2024,
        keywords=("Penguins", "swimming"),
    ),
    Paper(
        "poor",
        "We measure how seals swim in warm water, with large cameras on a boat.",
        title="Seals",
        authors=("Emmy Noether",),
        venue="ICML",
        year=2020,
    ),
]


@pytest.fixture
def rich() -> None:
    with Assistant(Settings(embedder="none")) as assistant:
        assistant.add(RICH, source="own")


@pytest.mark.parametrize(
    ("args", "ids"),
    [
        (("--author", "godel"), ["rich"]),
        (("--author", "ada", "--author", "noether"), ["rich", "poor"]),
        (("--author", "ada", "--venue", "icml"), []),
        (("--keyword", "penguins"), ["rich"]),
        (("--keyword", "penguin"), []),
        (("--venue", "acl"), ["rich"]),
        (("--year", "2020"), ["poor"]),
        (("--year", "2021-"), ["rich"]),
        (("--year", "-2021"), ["poor"]),
        (("--year", "2020-2024"), ["rich", "poor"]),
        (("--where", "year>=2024"), ["rich"]),
        (("--where", "author=Lovelace", "--year", "2024"), ["rich"]),
        (("--where", "keyword=swimming"), ["rich"]),
    ],
)
@pytest.mark.usefixtures("rich")
def test_filters_hold_in_every_command(args: tuple[str, ...], ids: list[str], run: Run) -> None:
    listed = run("papers", "--json", *args, ASSISTANT_EMBEDDER="none")
    assert [json.loads(line)["id"] for line in listed.out.splitlines()] == ids
    found = run("search", "--json", *args, "how animals swim in water")
    assert sorted(json.loads(line)["paper"]["id"] for line in found.out.splitlines()) == sorted(ids)
    answered = json.loads(run("ask", "--json", *args, "which papers measure how animals swim?").out)
    assert {paper["id"] for paper in answered["papers"]} <= set(ids)


@pytest.mark.usefixtures("rich")
def test_a_span_of_years_that_is_none(run: Run) -> None:
    for span, said in (("-", "write 2026, 2024-2026, 2024- or -2026"), ("soon", "not 'soon'")):
        run("papers", "--year", span, ASSISTANT_EMBEDDER="none").failed_with(said)


@pytest.mark.usefixtures("rich")
def test_what_is_known_of_a_paper_is_cited(run: Run) -> None:
    answer = run("ask", "which papers measure how penguins swim?", ASSISTANT_EMBEDDER="none").out
    assert "ACL 2024" in answer
    entry = run("papers", "--bibtex", "--keyword", "penguins").out
    assert "author = {Ada Lovelace and Kurt Gödel}" in entry
    assert "booktitle = {ACL}" in entry
    assert "year = {2024}" in entry


@pytest.mark.usefixtures("rich")
@pytest.mark.parametrize(
    "args",
    [
        ("papers",),
        ("papers", "--bibtex"),
        ("papers", "--json"),
        ("search", "penguins"),
        ("search", "--json", "penguins"),
        ("ask", "which papers measure how penguins swim?"),
        ("ask", "--json", "which papers measure how penguins swim?"),
        ("ask", "--bibtex", "which papers measure how penguins swim?"),
    ],
)
def test_a_title_does_nothing_to_the_terminal(args: tuple[str, ...], run: Run) -> None:
    out = run(*args, ASSISTANT_EMBEDDER="none").out
    assert "penguins" in out
    assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(out)
    if "--json" in args:
        (line,) = [line for line in out.splitlines() if "Ada Lovelace" in line]
        assert "\\u001b[31m" in line
        assert repr(RICH[0].title)[1:-1] in repr(json.loads(line))


@pytest.mark.parametrize("command", ["papers", "ask"])
def test_two_forms_at_once_are_refused(command: str, run: Run, seeded_data_dir: Path) -> None:
    question = ["which papers study KV caches?"] * (command == "ask")
    run(command, "--json", "--bibtex", *question).failed_with("leave one of them out")


def test_bibtex_of_an_answer_that_cites_nothing(run: Run, seeded_data_dir: Path) -> None:
    ran = run("ask", "--bibtex", "How do I bake pizza?")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "nothing found: the answer cites no paper\n"


def test_who_reads_the_output_may_stop_early(seeded_data_dir: Path) -> None:
    import subprocess
    import sys

    command = f'"{sys.executable}" -m assistant papers --json | head -n 1'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=100)
    assert json.loads(done.stdout)["id"] == "000-01"
    assert done.stderr == ""
