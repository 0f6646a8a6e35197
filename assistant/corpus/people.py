"""Lists of authors and of keywords, in every way in which files write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from assistant.corpus.values import is_nothing, one_line

__all__ = ["author_names", "keyword_list"]

_AND = re.compile(r"\s+(?:and|AND|&)\s+|\s*,\s+and\s+")
_LONGEST_LIST = 200_000
_LONGEST_NAME = 200
_INITIALS = re.compile(r"(?:[A-Z]\.?[\s-]?){1,4}")
_SUFFIX = re.compile(r"(?:Jr|Sr|I{2,3}|IV)\.?")
_CATEGORIES = re.compile(r"[a-z-]+(?:\.[A-Za-z-]{2,})?(?: [a-z-]+(?:\.[A-Za-z-]{2,})?)*")
_TITLE_KEYS = ("name", "full_name", "fullname", "fullName", "display_name", "author", "literal")
_FIRST_KEYS = ("first", "given", "firstName", "firstname", "first_name", "forenames")
_MIDDLE_KEYS = ("middle", "middleName", "middle_name")
_LAST_KEYS = ("last", "family", "lastName", "lastname", "last_name", "surname")


def author_names(value: object) -> tuple[str, ...]:
    """Return the authors' names in order, each as it is spoken.

    Args:
        value: a list of names or of records of persons, arXiv's `authors_parsed`, or one text such
            as `A B; C D`, `B, A and D, C` or `A B, C D`.
    """
    return tuple(_decoded(name) for name in _names(value))


def keyword_list(value: object) -> tuple[str, ...]:
    """Return keywords in order, each once.

    Args:
        value: a list, or one text with `;`, `,` or `|` between keywords; arXiv's categories have
            blanks between them.
    """
    found: list[str] = []
    for entry in _entries(value):
        text = one_line(entry, _LONGEST_LIST)
        if text is None:
            continue
        if isinstance(value, list):
            found.append(text)
        elif _CATEGORIES.fullmatch(text) and "." in text:
            found += text.split()
        else:
            mark = next((mark for mark in ";|," if mark in text), None)
            found += text.split(mark) if mark else [text]
    words = (word.strip() for word in found)
    return tuple(dict.fromkeys(word for word in words if word and not is_nothing(word)))


def _entries(value: object) -> Iterable[object]:
    if isinstance(value, Mapping) and "value" in value:
        value = value["value"]
    return value if isinstance(value, list) else [value]


def _names(value: object) -> Iterator[str]:
    if isinstance(value, Mapping) and "value" in value:
        value = value["value"]
    if not isinstance(value, list):
        value = (
            [value]
            if isinstance(value, Mapping)
            else list(_listed(one_line(value, _LONGEST_LIST) or ""))
        )
    for person in value:
        name = _name(person)
        if name and len(name) <= _LONGEST_NAME and not is_nothing(name):
            yield name


def _name(person: object) -> str | None:
    if isinstance(person, str):
        name = one_line(person)
        return None if name is None else _spoken(name)
    if isinstance(person, list):  # arXiv: family name, given names, suffix
        parts = [one_line(part) or "" for part in person[:3]] + ["", "", ""]
        return " ".join(part for part in (parts[1], parts[0], parts[2]) if part) or None
    if isinstance(person, Mapping):
        if isinstance(inner := person.get("author"), Mapping):  # OpenAlex: an authorship
            person = inner
        if whole := _first(person, _TITLE_KEYS):
            return _spoken(whole)
        parts = [_first(person, keys) or "" for keys in (_FIRST_KEYS, _MIDDLE_KEYS, _LAST_KEYS)]
        return " ".join(part for part in parts if part) or None
    return None


def _first(person: Mapping[object, object], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = person.get(key)
        if isinstance(value, list):
            value = " ".join(part for part in value if isinstance(part, str))
        if found := one_line(value):
            return found
    return None


def _listed(text: str) -> Iterator[str]:
    """Cut one text into names."""
    if ";" in text:
        for piece in text.split(";"):
            yield from _AND.split(piece.strip())
        return
    people = [person.strip(" ,") for person in _AND.split(text)]
    if len(people) > 1:
        # "B, A and D, C" is BibTeX's way; in "A, B and C" the last one has no comma.
        by_comma = "," in people[-1]
        yield from people if by_comma else (name for p in people for name in p.split(","))
        return
    yield from _by_commas([part.strip() for part in text.split(",") if part.strip()])


def _by_commas(parts: list[str]) -> Iterator[str]:
    if len(parts) == 2 and not (" " in parts[0] and " " in parts[1]):
        yield ", ".join(parts)
    elif len(parts) > 2 and len(parts) % 2 == 0 and all(map(_INITIALS.fullmatch, parts[1::2])):
        yield from (f"{last}, {first}" for last, first in zip(parts[::2], parts[1::2], strict=True))
    else:
        yield from parts


def _spoken(name: str) -> str:
    """Turn `Family, Given` around."""
    parts = [part.strip() for part in name.split(",")]
    if len(parts) == 2 and all(parts) and not _SUFFIX.fullmatch(parts[1]):
        return f"{parts[1]} {parts[0]}"
    return name.strip(" ,")


def _decoded(name: str) -> str:
    if "\\" not in name and "{" not in name:
        return name
    from assistant.corpus.latex import plain_text

    return plain_text(name)
