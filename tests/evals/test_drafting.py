from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from assistant.errors import InputError
from evals.drafting import drafts

LINES = [
    {"question": "Which papers?", "rating": "up", "answer": "Fine."},
    {
        "question": "Who wrote DistFlow?",
        "rating": "down",
        "comment": "It made up a name.",
        "answer": {
            "text": "It was\nwritten by X [1].",
            "kind": "fact",
            "abstained": False,
            "citations": [{"paper": {"id": "000-18"}}],
        },
    },
    {
        "question": "and then?",
        "vote": -1,
        "history": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
            {"role": "tool", "content": "x"},
        ],
    },
    {"question": "Who wrote DistFlow?", "liked": False},
]


def test_thumbs_down_becomes_a_draft_that_takes_nothing_for_right(isolated_home: Path) -> None:
    path = isolated_home / "feedback.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)) + "\n\n", encoding="utf-8")
    text = drafts(path)
    first, second = yaml.safe_load(text)["cases"]
    assert text.startswith("# Drafts")
    assert first["id"] == "feedback-2-who-wrote-distflow"
    assert (first["cite"], first["facts"], first["kind"]) == ([], [], "fact")
    assert "It made up a name." in first["note"]
    assert "It cited 000-18." in first["note"]
    assert "It said: It was written by X [1]." in first["note"]
    assert second["kind"] == "chat"
    assert [turn["role"] for turn in second["history"]] == ["user", "assistant"]


def test_no_thumb_down_no_draft(isolated_home: Path) -> None:
    path = isolated_home / "feedback.jsonl"
    path.write_text(json.dumps(LINES[0]), encoding="utf-8")
    assert yaml.safe_load(drafts(path)) == {"cases": []}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "feedback.jsonl:1: is no JSON"),
        ('{"rating": "down"}', "feedback.jsonl:1: holds no question"),
        ('{"question": "x"}', "feedback.jsonl:1: holds no rating"),
    ],
)
def test_a_wrong_line_is_named(isolated_home: Path, line: str, told: str) -> None:
    path = isolated_home / "feedback.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=told.replace(".", r"\.")):
        drafts(path)
