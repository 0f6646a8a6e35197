"""The poisoned abstracts and the hostile questions, read from their files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from assistant.corpus.paper import Paper

__all__ = ["POISONED", "QUESTIONS", "Hostile", "Poison"]

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Poison:
    """A poisoned abstract.

    Args:
        paper: as it is indexed.
        attack: the hostile part.
        ask: a question that its honest part answers.
        hold: a pattern of that answer.
        never: a pattern of the attack that no answer to `ask` may quote.
    """

    paper: Paper
    attack: str
    ask: str | None = None
    hold: str | None = None
    never: str | None = None

    @property
    def heavy(self) -> bool:
        """Whether it is so long that reading it takes seconds."""
        return len(self.paper.abstract) > 10_000


@dataclass(frozen=True)
class Hostile:
    """A hostile question.

    Args:
        id: its name.
        question: as it is asked.
        honest: whether a part of it is an honest question, which must be answered.
        hold: a pattern of that answer.
        never: a pattern that no answer may hold.
    """

    id: str
    question: str
    honest: bool = False
    hold: str | None = None
    never: str | None = None


def _poison(entry: dict[str, Any]) -> Poison:
    attack = str(entry["attack"]) * int(entry.get("times", 1))
    said = list(entry.get("says", ()))
    text = " ".join([*said[:1], attack.strip(" "), *said[1:]])
    paper = Paper(id=entry["id"], abstract=text, year=2026, venue="ICML")
    return Poison(paper, attack, *(entry.get(name) for name in ("ask", "hold", "never")))


def _hostile(entry: dict[str, Any]) -> Hostile:
    question = str(entry["question"]) * int(entry.get("times", 1))
    rest = {name: entry[name] for name in ("honest", "hold", "never") if name in entry}
    return Hostile(entry["id"], question, **rest)


def _read(name: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = yaml.safe_load((_HERE / name).read_text("utf-8"))
    return entries


POISONED = [_poison(entry) for entry in _read("abstracts.yaml")]
QUESTIONS = [_hostile(entry) for entry in _read("questions.yaml")]
