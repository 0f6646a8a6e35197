from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from assistant.answering.feedback import FILE, keep_feedback
from assistant.errors import InputError
from evals.drafting import drafts
from tests.evals.building import A, answer, proof, said


def test_thumbs_down_of_the_page_becomes_a_draft_that_takes_nothing_for_right(
    isolated_home: Path,
) -> None:
    made = answer(said("It is\nfast [1].", 1), proofs=(proof(1, A),))
    follow_up = answer(
        said("Two.", verdict=None),
        question="and how many?",
        standalone_question="How many papers are on speed?",
        kind="count",
    )
    keep_feedback(isolated_home, made, "good")
    keep_feedback(isolated_home, made, "bad", "It gives no number.")
    keep_feedback(isolated_home, follow_up, "bad")
    keep_feedback(isolated_home, made, "bad", "again")
    text = drafts(isolated_home / FILE)
    first, second = yaml.safe_load(text)["cases"]
    assert text.startswith("# Drafts")
    assert first["id"] == "feedback-2-how-fast-is-alpha"
    assert (first["cite"], first["facts"], first["kind"]) == ([], [], "fact")
    assert first["note"] == ("Comment: It gives no number. It cited p-a. It said: It is fast [1].")
    assert second["question"] == "How many papers are on speed?"
    assert second["kind"] == "robust"
    assert "Asked as a follow-up: and how many?" in second["note"]


def test_no_thumb_down_no_draft(isolated_home: Path) -> None:
    keep_feedback(isolated_home, answer(said("Fine.")), "good")
    assert yaml.safe_load(drafts(isolated_home / FILE)) == {"cases": []}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", r"feedback\.jsonl:2: is no JSON"),
        (json.dumps({"verdict": "bad"}), r"feedback\.jsonl:2: holds no question"),
        (json.dumps({"question": "x"}), r"feedback\.jsonl:2: verdict is not good or bad"),
    ],
)
def test_a_wrong_line_is_named(isolated_home: Path, line: str, told: str) -> None:
    path = isolated_home / FILE
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=told):
        drafts(path)
