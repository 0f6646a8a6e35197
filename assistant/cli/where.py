"""Filters as they are typed: `--where year=2026 --where venue=ICML`."""

from __future__ import annotations

from assistant.errors import InputError

__all__ = ["parsed_where"]

_SIGNS = {">=": "gte", "<=": "lte", "=": None}


def parsed_where(given: list[str]) -> dict[str, object] | None:
    """Read filters; the same field twice means either value.

    Args:
        given: `field=value` each; `year>=2024` and `year<=2026` limit a year.

    Returns:
        The filter; None where nothing was given.

    Raises:
        InputError: one is not of that form.
    """
    where: dict[str, object] = {}
    for text in given:
        sign = next((sign for sign in _SIGNS if sign in text), None)
        name, _, value = (part.strip() for part in text.partition(sign or "="))
        if sign is None or not name or not value:
            raise InputError(f"--where {text!r} is no filter: write field=value, such as year=2026")
        typed: object = int(value) if name == "year" and value.isdecimal() else value
        _add(where, name, _SIGNS[sign], typed)
    return where or None


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
