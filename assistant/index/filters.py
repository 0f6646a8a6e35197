"""`where` filters, turned into one SQL condition over a generation's papers."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from assistant.errors import InputError

__all__ = ["FILTER_KEYS", "fold", "fold_list", "sql_condition", "storable"]

SEPARATOR = "\n"
_SHORT_NAME = 3
_BOUNDS = {"gte": ">=", "lte": "<=", "gt": ">", "lt": "<"}

Condition = tuple[str, list[Any]]


def fold(text: str) -> str:
    """Bring a name to the form in which it is compared: no case, accents or extra blanks.

    Args:
        text: a venue, a person, a keyword.
    """
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(storable(bare).casefold().split())


def storable(text: str) -> str:
    """Replace what UTF-8 cannot hold (halves of surrogate pairs), so that a store takes it.

    Args:
        text: any text.
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def fold_list(names: tuple[str, ...] | list[str]) -> str:
    """Fold names into one text in which each stands between two line ends.

    Args:
        names: venues, persons, keywords.
    """
    return SEPARATOR + "".join(fold(name) + SEPARATOR for name in names)


def sql_condition(where: Mapping[str, object]) -> Condition:
    """Turn a filter into an SQL condition; several keys all hold, a list means any of it.

    Args:
        where: `venue`, `year` (a number, a list, or bounds such as `{"gte": 2024}`), `author` (the
            beginning of a word of a name; one of up to three letters must be a whole word),
            `keyword`, `id`, `source`; a value of None does not filter. `not` holds a filter that
            must not pass; what a paper does not tell does not pass.

    Returns:
        The condition and the values of its placeholders.

    Raises:
        InputError: it is no mapping, has an unknown key, or a value of the wrong kind.
    """
    conditions: list[str] = []
    values: list[Any] = []
    for key, value in where.items():
        if key == "not" and isinstance(value, Mapping):
            condition, bound = sql_condition(value)
            conditions.append(f"(NOT coalesce(({condition}), 0))")
            values.extend(bound)
            continue
        if key not in _KEYS:
            raise InputError(f"unknown filter {key!r}: use {', '.join(FILTER_KEYS)}")
        if value is None:
            continue
        condition, bound = _KEYS[key](key, value)
        conditions.append(f"({condition})")
        values.extend(bound)
    return " AND ".join(conditions) or "1", values


def _texts(key: str, value: object) -> list[str]:
    texts = [item for item in _items(value) if isinstance(item, str)]
    if len(texts) != len(_items(value)):
        raise InputError(f"filter {key!r} takes a text or a list of texts, not {value!r}")
    return texts


def _items(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]


def _venue(key: str, value: object) -> Condition:
    names = [fold(text) for text in _texts(key, value)]
    return "venue IN (SELECT value FROM json_each(?))", [json.dumps(names)]


def _identifier(key: str, value: object) -> Condition:
    return "id IN (SELECT value FROM json_each(?))", [json.dumps(_texts(key, value))]


def _part(key: str, value: object) -> Condition:
    names = [fold(text) for text in _texts(key, value)]
    # "Lovel" begins Lovelace; "Li" must be a whole word, for it stands inside too many others.
    words = [f" {name} " if len(name) <= _SHORT_NAME else f" {name}" for name in names]
    return _any_inside("(' ' || replace(authors, char(10), ' ') || ' ')", words)


def _member(column: str) -> Callable[[str, object], Condition]:
    def condition(key: str, value: object) -> Condition:
        return _any_inside(
            column, [SEPARATOR + fold(text) + SEPARATOR for text in _texts(key, value)]
        )

    return condition


def _any_inside(column: str, parts: list[str]) -> Condition:
    return " OR ".join(f"instr({column}, ?) > 0" for _ in parts) or "0", list(parts)


def _year(key: str, value: object) -> Condition:
    if isinstance(value, Mapping):
        unknown = sorted(set(value) - set(_BOUNDS))
        if unknown or not value:
            raise InputError(f"filter {key!r} takes bounds {', '.join(_BOUNDS)}, not {value!r}")
        return (
            " AND ".join(f"year {_BOUNDS[bound]} ?" for bound in value),
            [_number(year) for year in value.values()],
        )
    years = [_number(item) for item in _items(value)]
    return "year IN (SELECT value FROM json_each(?))", [json.dumps(years)]


def _number(value: object) -> int:
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise InputError(f"filter 'year' takes a year such as 2026, not {value!r}")


_KEYS: dict[str, Callable[[str, object], Condition]] = {
    "venue": _venue,
    "year": _year,
    "author": _part,
    "keyword": _member("keywords"),
    "id": _identifier,
    "source": _member("sources"),
}
FILTER_KEYS = tuple(_KEYS)
