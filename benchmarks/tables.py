"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["table"]


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a table whose first column is text and the others numbers.

    Args:
        heads: one a column.
        rows: as many cells each.
    """
    columns = list(zip(heads, *rows, strict=True))
    widths = [max(4, *(len(cell) for cell in column)) for column in columns]

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        others = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
        return f"| {' | '.join([first, *others])} |"

    rule = "| " + " | ".join(["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]) + " |"
    return "\n".join([line(heads), rule, *(line(row) for row in rows)])
