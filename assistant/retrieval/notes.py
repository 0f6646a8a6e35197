"""How a question was understood, to be said with its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Note"]


@dataclass(frozen=True, slots=True)
class Note:
    """Something an answer must say of how its question was read.

    Args:
        name: which of the assistant's sentences says it.
        values: what is put into that sentence.
    """

    name: str
    values: Mapping[str, object] = field(default_factory=dict)
