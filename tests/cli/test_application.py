"""What all commands share: settings, help, version, and errors in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

COMMANDS = ["ask", "chat", "doctor", "mcp", "papers", "remove", "search", "sync"]


def test_help_names_every_command_and_a_first_step(run: Run) -> None:
    ran = run("--help")
    assert ran.code == 0
    for command in COMMANDS:
        assert f" {command} " in ran.out
    assert "which papers study KV caches?" in ran.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, run: Run) -> None:
    ran = run(command, "--help")
    assert ran.code == 0
    assert "Usage:" in ran.out
    assert len(ran.out.splitlines()) > 5


def test_the_version(run: Run) -> None:
    ran = run("--version")
    assert ran.code == 0
    assert ran.out.startswith("ask-papers ")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("nothing",), "no such command 'nothing': see `assistant --help`"),
        (("sarch", "x"), "sarch"),
        (("ask",), "missing argument 'question': see `assistant ask --help`"),
        (("search", "--limit", "0", "x"), "invalid value for '--limit'"),
        (("search", "--limit", "many", "x"), "see `assistant search --help`"),
        (("ask", "--x"), "no such option: --x: see `assistant ask --help`"),
        (("sync", "--source"), "see `assistant sync --help`"),
        (("--log-level",), "see `assistant --help`"),
    ],
)
def test_a_wrong_call_is_refused_in_one_line(args: tuple[str, ...], said: str, run: Run) -> None:
    run(*args).failed_with(said)


def test_a_call_without_a_command_is_explained(run: Run) -> None:
    ran = run()
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == run("--help").out


def test_what_is_typed_wrong_does_nothing_to_the_terminal(run: Run) -> None:
    ran = run("no\x1b[31mthing")
    assert "\x1b" not in ran.err
    assert ran.code == 2


def test_an_unknown_setting_names_the_nearest(run: Run) -> None:
    run("papers", ASSISTANT_COLLECTON="x").failed_with(
        "unknown setting ASSISTANT_COLLECTON in the environment: did you mean ASSISTANT_COLLECTION?"
    )


def test_an_unknown_setting_in_dotenv(run: Run) -> None:
    Path(".env").write_text("ASSISTANT_MODLE=none\n", encoding="utf-8")
    run("papers").failed_with(
        "unknown setting ASSISTANT_MODLE in .env: did you mean ASSISTANT_MODEL"
    )


def test_a_dotenv_that_is_not_utf_8(run: Run) -> None:
    Path(".env").write_bytes(b"ASSISTANT_MODEL=\xff\n")
    run("papers").failed_with(".env is not UTF-8 at byte 16: save it as UTF-8")


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--log-level", "loud", "ASSISTANT_LOG_LEVEL cannot be used"),
        ("--collection", "../x", "ASSISTANT_COLLECTION cannot be used"),
        ("--collection", "", "ASSISTANT_COLLECTION cannot be used"),
        ("--data-dir", "~nobody-of-that-name/x", "names the home of a user who is not here"),
    ],
)
def test_an_option_that_cannot_be_used(option: str, value: str, said: str, run: Run) -> None:
    run(option, value, "papers").failed_with(said)


@pytest.mark.parametrize("command", [("ask", "what is new?"), ("papers",), ("doctor",)])
def test_a_data_folder_that_is_a_file(command: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    ran = run("--data-dir", str(tmp_path / "file"), *command)
    if command == ("doctor",):
        assert ran.code == 1
        assert "Traceback" not in ran.err
    else:
        ran.failed_with("must be a folder that can be written and has room", code=1)


def test_a_collection_that_is_not_there(run: Run, seeded_data_dir: Path) -> None:
    run("--collection", "nosuch", "ask", "what is new?").failed_with(
        "the collection 'nosuch' holds no papers: run `assistant sync PATH…` to add some"
    )


def test_flags_win_over_the_environment(
    run: Run, seeded_data_dir: Path, tmp_path: Path, two_papers: Path
) -> None:
    assert run("--data-dir", str(tmp_path / "own"), "sync", str(two_papers)).code == 0
    assert len(run("papers").out.splitlines()) == 38
    assert len(run("--data-dir", str(tmp_path / "own"), "papers").out.splitlines()) == 2


def test_a_log_level_shows_more(run: Run, seeded_data_dir: Path) -> None:
    assert run("--log-level", "error", "papers").err == ""
