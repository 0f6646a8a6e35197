"""What a chat model is sent and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Delta", "Finish", "Message", "ModelEvent", "Reason", "Reply", "Retract", "Usage"]

Message = Mapping[str, str]
Reason = Literal["stop", "length", "filtered", "refused", "cut", "stopped"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them."""

    prompt: int
    completion: int

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.prompt + other.prompt, self.completion + other.completion)

    def to_dict(self) -> dict[str, int]:
        """Return the counts by the names OpenAI gives them."""
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "total_tokens": self.prompt + self.completion,
        }


@dataclass(frozen=True, slots=True)
class Delta:
    """The next piece of the reply, thoughts taken out."""

    text: str


@dataclass(frozen=True, slots=True)
class Retract:
    """All text given so far was a thought; the reply starts now."""


@dataclass(frozen=True, slots=True)
class Finish:
    """How a reply ended; the last event of a stream.

    Args:
        reason: `stop` is complete; `length` ran into the limit; `filtered` and `refused` were
            withheld; `cut` broke off; `stopped` was cancelled by the caller.
        usage: tokens; None where the server did not count them.
        refusal: the model's own words where it declined.
        detail: what broke it off, in one line.
    """

    reason: Reason
    usage: Usage | None = None
    refusal: str | None = None
    detail: str | None = None


ModelEvent = Delta | Retract | Finish


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply: its text and how it ended."""

    text: str
    finish: Finish
