"""The status tab, and a conversation to take along."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from assistant.answering.answer import Answer
from assistant.answering.exporting import bibtex
from assistant.web.escaping import escape

__all__ = ["exported", "status_html"]

_NO_MODEL = (
    "No model writes: answers are quoted from the abstracts. To have one, set OPENAI_API_KEY, or "
    "OPENAI_BASE_URL for a server of your own, in the environment or in .env, and start again."
)
_NO_EMBEDDER = (
    "Search is by words alone. Set ASSISTANT_EMBEDDER=local and run assistant sync --rebuild."
)


def status_html(status: Mapping[str, Any], answers: Iterable[Answer], changed: float | None) -> str:
    """Return what is configured and indexed, what this conversation cost, and what is missing.

    Args:
        status: what `Assistant.status()` gave.
        answers: of this conversation.
        changed: when the index last changed, in seconds of the epoch.
    """
    written = status.get("model")
    when = "unknown"
    if changed is not None:
        when = datetime.fromtimestamp(changed, UTC).strftime("%Y-%m-%d %H:%M UTC")
    rows = {
        "Answers": f"written by {written}, each sentence checked"
        if written
        else "quoted from the abstracts, no model",
        "Model": written or "none",
        "Embedder": status.get("embedder") or "none, words alone",
        "Collection": status.get("collection") or "",
        "Papers": f"{int(status.get('papers') or 0):,}",
        "Vectors": f"{int(status.get('vectors') or 0):,}",
        "Index fingerprint": status.get("fingerprint") or "",
        "Last changed": when,
        "This conversation": _spent(answers),
    }
    listed = "".join(
        f"<dt>{name}</dt><dd>{escape(str(value))}</dd>" for name, value in rows.items() if value
    )
    missing = [*(status.get("notices") or ())]
    missing += [status["mismatch"]] if status.get("mismatch") else []
    missing += [] if written else [_NO_MODEL]
    missing += [] if status.get("embedder") else [_NO_EMBEDDER]
    todo = "".join(f"<li>{escape(str(line))}</li>" for line in dict.fromkeys(missing))
    heading = "<h3>What is missing</h3>" if todo else ""
    return (
        f'<div class="ap-state"><h2>Status</h2><dl>{listed}</dl>{heading}'
        f'<ul class="ap-todo">{todo}</ul></div>'
        if todo
        else f'<div class="ap-state"><h2>Status</h2><dl>{listed}</dl></div>'
    )


def exported(kind: str, answers: Iterable[Answer]) -> tuple[str, str]:
    """Return a conversation as a file.

    Args:
        kind: `markdown`, `json` or `bibtex`.
        answers: of the conversation, in order.

    Returns:
        Its name and its text; the BibTeX holds exactly the papers cited.
    """
    given = list(answers)
    if kind == "json":
        turns = [answer.to_dict() for answer in given]
        return "conversation.json", json.dumps({"answers": turns}, ensure_ascii=False, indent=2)
    if kind == "bibtex":
        cited = {c.paper.id: c.paper for answer in given for c in answer.citations}
        return "conversation.bib", bibtex(cited.values()) + "\n"
    parts = [f"## {_heading(answer.question)}\n\n{answer.to_markdown()}" for answer in given]
    return "conversation.md", "\n\n".join(parts) + "\n"


def _heading(question: str) -> str:
    from assistant.answering.quoting import quoted

    return quoted(" ".join(question.split()))


def _spent(answers: Iterable[Answer]) -> str:
    given = list(answers)
    tokens: dict[str, int] = {}
    for answer in given:
        for name, count in (answer.usage or {}).items():
            tokens[name] = tokens.get(name, 0) + count
    asked = f"{len(given)} answer{'s' if len(given) != 1 else ''}"
    if not tokens:
        return f"{asked}, no tokens of a model, no cost"
    counts = ", ".join(f"{name} {count:,}" for name, count in tokens.items())
    return f"{asked}, tokens: {counts}; their price is the server's, not known here"
