"""What people think of answers, kept on this machine as JSON lines."""

from __future__ import annotations

import errno
import json
import os
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from threading import Lock

from assistant.answering.answer import Answer
from assistant.errors import AssistantError, InputError

__all__ = ["FILE", "LONGEST_WORDS", "MOST_BYTES", "keep_feedback"]

FILE = "feedback.jsonl"
LONGEST_WORDS = 4_000
MOST_BYTES = 50_000_000
_LONGEST_TEXT = 20_000
_lock = Lock()


def keep_feedback(folder: Path, answer: Answer, verdict: str, words: str = "") -> None:
    """Append one line on an answer.

    Args:
        folder: the data folder; the file's name in it is fixed.
        answer: what was judged.
        verdict: `good` or `bad`.
        words: why, in the person's words; cut to 4,000 characters.

    Raises:
        InputError: another verdict, or the file has grown to 50 MB.
        AssistantError: the file cannot be written.
    """
    if verdict not in ("good", "bad"):
        raise InputError(f"feedback is good or bad, not {verdict!r}")
    line = json.dumps(
        {
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
            "verdict": verdict,
            "words": words[:LONGEST_WORDS],
            "question": answer.question[:_LONGEST_TEXT],
            "standalone_question": answer.standalone_question[:_LONGEST_TEXT],
            "text": answer.text[:_LONGEST_TEXT],
            "cited": [citation.paper.id for citation in answer.citations],
            "kind": answer.kind,
            "mode": answer.mode,
            "model": answer.model,
            "prompt_hash": answer.prompt_hash,
            "index_fingerprint": answer.index_fingerprint,
        }
    )
    path = folder / FILE
    try:
        with _lock:
            folder.mkdir(parents=True, exist_ok=True)
            if path.exists() and path.stat().st_size + len(line) > MOST_BYTES:
                raise InputError(f"{path} is full: move it away to keep more feedback")
            # One write of one line to a file opened to append: processes do not mix their lines.
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(handle, "ab", buffering=0) as file:
                _append(file, line.encode("ascii") + b"\n")
    except OSError as error:
        raise AssistantError(f"the feedback cannot be kept in {path}: {error.strerror}") from error


def _append(file: FileIO, line: bytes) -> None:
    """Write a whole line or nothing: half of one would spoil the next."""
    begun = os.fstat(file.fileno()).st_size
    written = file.write(line)
    if written == len(line):
        return
    # What another process added behind it meanwhile stays.
    if os.fstat(file.fileno()).st_size == begun + written:
        file.truncate(begun)
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
