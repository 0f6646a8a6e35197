"""What retrieval hands on: passages with how relevant they are and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assistant.corpus.paper import Paper, Passage

__all__ = ["Evidence"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage retrieved for a question.

    Args:
        passage: the sentence or passage that shows it best, with exact offsets.
        paper: the paper it stands in.
        relevance: calibrated probability, 0 to 1, that the paper is relevant.
        scores: the raw scores the relevance came from, by name.
        matched: the question's terms found in the paper, as they stand there.
        also: the same paper's other records (another version or venue).
    """

    passage: Passage
    paper: Paper
    relevance: float
    scores: Mapping[str, float] = field(default_factory=dict)
    matched: tuple[str, ...] = ()
    also: tuple[Paper, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, the whole paper included."""
        return {
            "relevance": round(self.relevance, 4),
            "quote": self.passage.text,
            "start": self.passage.start,
            "end": self.passage.end,
            "matched": list(self.matched),
            "scores": {name: round(value, 4) for name, value in self.scores.items()},
            "also": [paper.id for paper in self.also],
            "paper": self.paper.to_dict(),
        }
