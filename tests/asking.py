"""Two small abstracts, and what the tests of the assistant do with them again and again."""

from __future__ import annotations

from pathlib import Path

from assistant import Answer

__all__ = ["CACHES", "ROBOTS", "cited", "write"]

CACHES = "We study caches of large models and how they can be kept small without any loss."
ROBOTS = "Robots stand up when they fall, and they learn it without a reward in four hours."


def write(path: Path, *abstracts: str) -> Path:
    """Write a file of abstracts and return its path."""
    path.write_text("\n\n".join(abstracts) + "\n", encoding="utf-8")
    return path


def cited(answer: Answer) -> list[str]:
    """The ids of the papers cited, in the order of the proofs."""
    return [citation.paper.id for citation in answer.citations]
