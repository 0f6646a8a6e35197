"""What a streamed answer is made of, in the order it arrives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assistant.answering.answer import Answer, Sentence

__all__ = ["Done", "Event", "SentenceChecked", "Stage", "Status", "Token"]

Stage = Literal["searching", "reading", "writing", "checking"]


@dataclass(frozen=True, slots=True)
class Status:
    """What is being done now, in a word and a detail a reader understands."""

    stage: Stage
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text as it is written; not verified yet."""

    text: str


@dataclass(frozen=True, slots=True)
class SentenceChecked:
    """A finished sentence with its verdict."""

    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Done:
    """The whole answer; always the last event."""

    answer: Answer


Event = Status | Token | SentenceChecked | Done
