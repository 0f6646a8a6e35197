"""What the page's script tells beside the fields: JSON, read as what a stranger may have sent."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

__all__ = ["MOST_CHOSEN", "Told"]

MOST_CHOSEN = 2_000
_LONGEST_ID = 300


@dataclass(frozen=True, slots=True)
class Told:
    """The values by name; whatever is missing or of another kind is empty."""

    values: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, text: object) -> Told:
        """Read what the script sent.

        Args:
            text: a JSON object as text, or anything else.
        """
        try:
            values = json.loads(text) if isinstance(text, str) else {}
        except (ValueError, RecursionError):
            values = {}
        return cls(values if isinstance(values, dict) else {})

    def text(self, name: str, longest: int = 500) -> str:
        """Return a text, cut to a length.

        Args:
            name: of the value.
            longest: characters at most.
        """
        value = self.values.get(name)
        return value[:longest] if isinstance(value, str) else ""

    def number(self, name: str) -> int | None:
        """Return a whole number, None where there is none.

        Args:
            name: of the value.
        """
        value = self.values.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def ids(self, name: str) -> tuple[str, ...]:
        """Return ids of papers, at most `MOST_CHOSEN`.

        Args:
            name: of the value.
        """
        value = self.values.get(name)
        given = value[:MOST_CHOSEN] if isinstance(value, list) else []
        return tuple(item for item in given if isinstance(item, str) and len(item) <= _LONGEST_ID)
