"""Answers in a model's words, of which each sentence is checked before it counts."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence

from assistant.answering.drafts import UNVERIFIED, Verdict, Verify
from assistant.answering.events import Event, SentenceChecked, Status
from assistant.answering.models import ChatModel, Message
from assistant.answering.writing import Writing, Written
from assistant.retrieval.evidence import Evidence
from assistant.settings import Settings
from assistant.wording import counted

__all__ = ["UNVERIFIED", "Verdict", "Verify", "Written", "write_answer"]


def write_answer(
    question: str,
    evidence: Sequence[Evidence],
    history: Sequence[Message],
    settings: Settings,
    model: ChatModel,
    verify: Verify,
    *,
    cancel: threading.Event | None = None,
) -> Generator[Event, None, Written]:
    """Let a model answer from the evidence, and check each sentence against what it cites.

    Args:
        question: as it is to be answered, understandable by itself.
        evidence: what was retrieved, best first; a paper found twice is one source.
        history: earlier turns, `role` and `content` each, oldest first.
        settings: the limits, the prompts, and what happens to what is not supported.
        model: who writes.
        verify: the check of one sentence.
        cancel: set it to stop, from any thread.

    Yields:
        `Status`, `Token` and `SentenceChecked`, the sentences in the order of the text.

    Returns:
        The answer.

    Raises:
        InputError: the question alone is longer than the model's context.
        ModelError: there is no reply, or nothing in it that could be kept.
        ValueError: there is no evidence; a model is never asked to answer from nothing.
    """
    if not evidence:
        raise ValueError("a written answer needs at least one source")
    writing = Writing(question, evidence, history, settings, model, verify, cancel)
    yield Status("writing", f"{counted(len(writing.papers), 'abstract')}, {model.name}")
    yield from writing.draft()
    yield from writing.repair()
    written, untold = writing.result()
    yield from map(SentenceChecked, untold)
    return written
