"""What a model is told of its unsupported sentences, and what it makes of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.answering.citations import numbers_in, without_numbers
from assistant.answering.drafts import Checked

__all__ = ["complaints", "corrections"]

_LINE = re.compile(r"^\s*(?:[-*]\s*)?\**(\d{1,3})\**\s*[:.)]\s*(.*\S)\s*$")
_WITHDRAWN = re.compile(r"\W*delete\W*", re.IGNORECASE)


def complaints(
    wrong: Sequence[Checked], ids: Sequence[str], order: Sequence[int]
) -> tuple[str, list[int]]:
    """Number the sentences and say what is wrong with each.

    Args:
        wrong: the unsupported sentences.
        ids: the sources' ids.
        order: places of the sources by their citation numbers.

    Returns:
        The text for the model, and the places of the sources it speaks of.
    """
    lines: list[str] = []
    cited: list[int] = []
    for number, each in enumerate(wrong, start=1):
        places = [order[citation - 1] for citation in numbers_in(each.text)]
        named = ", ".join(ids[place] for place in places) or "no source"
        sentence = " ".join(without_numbers(each.text).split())
        lines.append(f"{number}: {sentence}\n   It cites {named}. Wrong: {each.reason or named}.")
        cited += [place for place in places if place not in cited]
    return "\n".join(lines), cited


def corrections(reply: str, *, count: int) -> dict[int, str]:
    """Read the model's corrections.

    Args:
        reply: its whole reply.
        count: how many sentences it was given.

    Returns:
        By number the corrected sentence, empty where it was withdrawn; what cannot be read is
        missing.
    """
    found: dict[int, str] = {}
    for line in reply.splitlines():
        match = _LINE.match(line)
        if match and 1 <= int(match[1]) <= count:
            text = "" if _WITHDRAWN.fullmatch(match[2]) else match[2]
            found.setdefault(int(match[1]), text)
    return found
