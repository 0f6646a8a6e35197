"""Filters as they are typed: `--where year=2026 --where venue=ICML`."""

from __future__ import annotations

from assistant.errors import InputError

__all__ = ["parsed_where"]


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
        for sign, bound in ((">=", "gte"), ("<=", "lte"), ("=", None)):
            name, found, value = text.partition(sign)
            if found:
                break
        else:
            raise InputError(f"--where {text!r} is no filter: write field=value, such as year=2026")
        name, value = name.strip(), value.strip()
        if not name or not value:
            raise InputError(f"--where {text!r} is no filter: write field=value, such as year=2026")
        typed: object = int(value) if name == "year" and value.isdigit() else value
        if bound is not None:
            held = where.setdefault(name, {})
            if not isinstance(held, dict):
                raise InputError(f"--where {name} is given both as a value and as a limit")
            held[bound] = typed
        elif name in where:
            held = where[name]
            where[name] = [*held, typed] if isinstance(held, list) else [held, typed]
        else:
            where[name] = typed
    return where or None
