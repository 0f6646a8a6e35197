"""Feedback: one JSON line an answer, in one file of the data folder."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assistant.answering import feedback
from assistant.answering.answer import Answer
from assistant.answering.feedback import FILE, LONGEST_WORDS, keep_feedback
from assistant.api import Assistant
from assistant.errors import AssistantError, InputError
from assistant.settings import Settings


def answer(text: str = "Words.") -> Answer:
    return Answer(text=text, question="Q?", standalone_question="Q?", kind="fact", mode="written")


def test_feedback_is_a_line_each(tmp_path: Path) -> None:
    assistant = Assistant(Settings(data_dir=tmp_path / "new", model="none"))
    assistant.feedback(answer("One\nline\u2028more"), "good")
    assistant.feedback(answer(), "bad", "x" * 99_999)
    lines = (tmp_path / "new" / FILE).read_text("utf-8").splitlines()
    first, second = map(json.loads, lines)
    assert (first["verdict"], first["text"], first["words"]) == ("good", "One\nline\u2028more", "")
    assert len(second["words"]) == LONGEST_WORDS


def test_many_at_once_do_not_mix_their_lines(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as people:
        list(people.map(lambda n: keep_feedback(tmp_path, answer(), "good", str(n)), range(80)))
    lines = (tmp_path / FILE).read_text("utf-8").splitlines()
    assert sorted(int(json.loads(line)["words"]) for line in lines) == list(range(80))


def test_feedback_is_good_or_bad(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="good or bad"):
        keep_feedback(tmp_path, answer(), "../../x")
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_feedback(tmp_path, answer(), "good")
    held = (tmp_path / FILE).stat().st_size
    monkeypatch.setattr(feedback, "MOST_BYTES", held + 10)
    with pytest.raises(InputError, match="is full"):
        keep_feedback(tmp_path, answer(), "good")
    assert (tmp_path / FILE).stat().st_size == held


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AssistantError, match="cannot be kept"):
        keep_feedback(tmp_path / "file", answer(), "good")
