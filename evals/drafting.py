"""Makes case drafts of answers that people did not like."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from assistant.errors import InputError
from evals.cases import KINDS

__all__ = ["drafts"]

_DOWN = frozenset({"down", "dislike", "bad", "-1", "no", "false"})
_RATINGS = ("rating", "vote", "feedback", "liked", "thumb")
_KIND_OF = {
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
    """Turn the thumbs-down lines of a feedback file into YAML drafts.

    Each line is an object with `question`, a rating (`rating`, `vote`, `feedback`, `liked` or
    `thumb`), and where there are any `history`, `comment` and `answer`: its text, or all of it as
    `Answer.to_dict` gives it. Nothing of the bad answer is taken for right: what it said stands in
    the note.

    Args:
        path: JSON lines.

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
        if not _is_down(row, f"{path.name}:{number}"):
            continue
        draft = _draft(row, number)
        made.setdefault(json.dumps([draft["question"], draft.get("history")]), draft)
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
    return row


def _is_down(row: Mapping[str, Any], where: str) -> bool:
    for name in _RATINGS:
        if name in row:
            return str(row[name]).strip().casefold() in _DOWN
    raise InputError(f'{where}: holds no rating: add "rating": "down", or remove the line')


def _draft(row: Mapping[str, Any], number: int) -> dict[str, Any]:
    answer = row.get("answer")
    whole: Mapping[str, Any] = answer if isinstance(answer, dict) else {"text": answer or ""}
    history = _history(row)
    kind = "chat" if history else _KIND_OF.get(str(whole.get("kind")), "fact")
    assert kind in KINDS
    cited = [str(proof.get("paper", {}).get("id", "")) for proof in whole.get("citations", [])]
    notes = [
        f"Comment: {row['comment']}" if row.get("comment") else "",
        "It declined." if whole.get("abstained") else "",
        f"It cited {', '.join(dict.fromkeys(filter(None, cited)))}." if any(cited) else "",
        f"It said: {_short(str(whole.get('text') or ''))}" if whole.get("text") else "",
    ]
    draft: dict[str, Any] = {
        "id": f"feedback-{number}-{_slug(str(row['question']))}",
        "kind": kind,
        "question": str(row["question"]).strip(),
    }
    if history:
        draft["history"] = history
    draft |= {"cite": [], "may": [], "facts": [], "forbid": [], "abstain": "no"}
    draft["note"] = " ".join(filter(None, notes))
    return draft


def _history(row: Mapping[str, Any]) -> list[dict[str, str]]:
    turns = row.get("history") or []
    return [
        {"role": str(turn["role"]), "content": str(turn["content"])}
        for turn in turns
        if isinstance(turn, dict)
        and turn.get("role") in ("user", "assistant")
        and turn.get("content")
    ]


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 300 else flat[:299] + "…"


def _slug(question: str) -> str:
    words = re.findall(r"[a-z\d]+", question.casefold())[:4]
    return "-".join(words) or "question"
