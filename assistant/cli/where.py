"""Filters as they are typed: `--where year=2026 --where venue=ICML`."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from assistant.errors import InputError

__all__ = ["Author", "Keyword", "Venue", "Where", "Year", "filters", "parsed_where"]

Where = Annotated[
    list[str] | None,
    typer.Option(
        help="Limit to papers: venue, year, author, keyword, id or source, such as year=2026 or "
        "'year>=2024'. Again for another field; the same field twice means either."
    ),
]
Author = Annotated[list[str] | None, typer.Option(help="Limit to an author, or part of the name.")]
Venue = Annotated[list[str] | None, typer.Option(help="Limit to a conference or journal.")]
Year = Annotated[
    list[str] | None, typer.Option(help="Limit to a year: 2026, or 2024-2026, 2024-, -2026.")
]
Keyword = Annotated[list[str] | None, typer.Option(help="Limit to a keyword of the papers' own.")]

_SIGNS = {
    ">=": "gte",
    "<=": "lte",
    "=": None,
    ">": "gt",
    "<": "lt",
}
_SIGN = re.compile(r">=|<=|=|>|<")
_ODD_SIGN = re.compile(r"\s*\w+\s*(?P<sign>!=|<>|==|=>|=<|=!|~)")
_WRITTEN = {"==": "=", "=>": ">=", "=<": "<="}


def filters(
    where: list[str] | None,
    *,
    author: list[str] | None = None,
    venue: list[str] | None = None,
    year: list[str] | None = None,
    keyword: list[str] | None = None,
) -> dict[str, object] | None:
    """Put the filters of a command together.

    Args:
        where: as `--where` takes them.
        author: names of `--author`.
        venue: names of `--venue`.
        year: years or spans of `--year`.
        keyword: words of `--keyword`.

    Returns:
        The filter; None where nothing was given.

    Raises:
        InputError: one is not of its form.
    """
    named = (("author", author), ("venue", venue), ("keyword", keyword))
    given = [f"{name}={value}" for name, values in named for value in values or []]
    given += [text for span in year or [] for text in _years(span)]
    return parsed_where([*(where or []), *given])


def _years(span: str) -> list[str]:
    first, dash, last = (part.strip() for part in span.partition("-"))
    if not dash:
        return [f"year={first}"]
    if not first and not last:
        raise InputError(f"--year {span!r} is none: write 2026, 2024-2026, 2024- or -2026")
    return [f"year>={first}"] * bool(first) + [f"year<={last}"] * bool(last)


def parsed_where(given: list[str]) -> dict[str, object] | None:
    """Read filters; the same field twice means either value.

    Args:
        given: `field=value` each; `year>=2024` and `year<2026` limit a year.

    Returns:
        The filter; None where nothing was given.

    Raises:
        InputError: one is not of that form.
    """
    where: dict[str, object] = {}
    for text in given:
        odd = _ODD_SIGN.match(text)
        if odd is not None:
            raise InputError(f"--where {text!r} has a sign that is none: {_instead(odd['sign'])}")
        # The first sign counts: values may hold any.
        found = _SIGN.search(text)
        sign = found[0] if found else None
        name, _, value = (part.strip() for part in text.partition(sign or "="))
        if sign is None or not name or not value:
            raise InputError(
                f"--where {text!r} is no filter: write field=value, such as year=2026, or "
                "'year>2024' with >=, <=, > or <"
            )
        typed: object = int(value) if name == "year" and value.isdecimal() else value
        _add(where, name, _SIGNS[sign], typed)
    return where or None


def _instead(sign: str) -> str:
    if sign in _WRITTEN:
        return f"write {_WRITTEN[sign]}"
    return "write field=value, or >=, <=, > or < for a year; ask a question to leave something out"


def _add(where: dict[str, object], name: str, bound: str | None, value: object) -> None:
    held = where.get(name)
    if held is not None and isinstance(held, dict) == (bound is None):
        raise InputError(f"--where {name} is given both as a value and as a limit")
    if bound is not None:
        where[name] = {**held, bound: value} if isinstance(held, dict) else {bound: value}
    elif isinstance(held, list):
        where[name] = [*held, value]
    else:
        where[name] = value if held is None else [held, value]
