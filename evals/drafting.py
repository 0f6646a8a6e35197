"""Makes case drafts of answers that people did not like."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from assistant.errors import InputError
from evals.cases import Kind

__all__ = ["drafts"]

_KIND_OF: dict[str, Kind] = {
    "list": "list",
    "compare": "compare",
    "small_talk": "scope",
    "out_of_scope": "scope",
    "count": "robust",
}
_HEAD = (
    "# Drafts made from feedback. Read each: say under cite, may, facts and abstain what a right\n"
    "# answer is, choose a kind, give a telling id, then move it into evals/cases/.\n"
)


def drafts(path: Path) -> str:
    """Turn the thumbs-down lines of the page's feedback file into YAML drafts.

    Nothing of the bad answer is taken for right: what it said and cited stands in the note. A
    follow-up becomes the question it was understood as, for the talk before it is not kept.

    Args:
        path: JSON lines as `assistant.answering.feedback` writes them.

    Returns:
        A YAML file whose cases still lack what only a person can say.

    Raises:
        InputError: it cannot be read or a line is no feedback.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}): check its name and encoding") from None
    made: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = _row(path, number, line)
        if row["verdict"] == "bad":
            draft = _draft(row, number)
            made.setdefault(draft["question"], draft)
    if not made:
        return _HEAD + "cases: []\n"
    text = yaml.safe_dump(
        {"cases": list(made.values())}, allow_unicode=True, sort_keys=False, width=100
    )
    return _HEAD + text


def _row(path: Path, number: int, line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InputError(f"{path.name}:{number}: is no JSON ({error}): mend or remove it") from None
    if not isinstance(row, dict) or not str(row.get("question") or "").strip():
        raise InputError(f"{path.name}:{number}: holds no question: mend or remove it")
    if row.get("verdict") not in ("good", "bad"):
        raise InputError(f"{path.name}:{number}: verdict is not good or bad: mend or remove it")
    return row


def _draft(row: Mapping[str, Any], number: int) -> dict[str, Any]:
    asked = str(row["question"]).strip()
    question = str(row.get("standalone_question") or asked).strip()
    cited = dict.fromkeys(map(str, row.get("cited") or []))
    notes = [
        f"Asked as a follow-up: {asked}" if question != asked else "",
        f"Comment: {_short(str(row['words']))}" if row.get("words") else "",
        f"It cited {', '.join(cited)}." if cited else "It cited nothing.",
        f"It said: {_short(str(row['text']))}" if row.get("text") else "",
    ]
    return {
        "id": f"feedback-{number}-{_slug(question)}",
        "kind": _KIND_OF.get(str(row.get("kind")), "fact"),
        "question": question,
        "cite": [],
        "may": [],
        "facts": [],
        "forbid": [],
        "abstain": "no",
        "note": " ".join(filter(None, notes)),
    }


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 300 else flat[:299] + "…"


def _slug(question: str) -> str:
    words = re.findall(r"[a-z\d]+", question.casefold())[:4]
    return "-".join(words) or "question"
