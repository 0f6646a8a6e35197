"""How counts, lengths of time and others' web pages are said in a sentence."""

from __future__ import annotations

import math
import re

__all__ = ["counted", "duration", "without_markup"]

_UNITS = ((1, 90, "second"), (60, 90, "minute"), (3600, 36, "hour"))
_DAY = 86_400
_LONGEST_DAYS = 999
_PAGE = re.compile(r"<!doctype html|<html[\s>]", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>([^<]*)</title>", re.IGNORECASE)


def counted(count: int, one: str, many: str | None = None) -> str:
    """Say how many there are of something.

    Args:
        count: the number.
        one: what one of them is called, such as `paper`.
        many: what several are called; by default with an s.

    >>> counted(1, "paper"), counted(0, "paper"), counted(2_000, "copy", "copies")
    ('1 paper', '0 papers', '2000 copies')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """Say a length of time in its largest whole unit, rounded up.

    Args:
        seconds: how long; beyond what anybody waits it is cut.

    >>> duration(0.2), duration(61), duration(100), duration(86_400), duration(1e30)
    ('1 second', '61 seconds', '2 minutes', '24 hours', 'more than 999 days')
    """
    for size, most, unit in _UNITS:
        if seconds <= size * most:
            return counted(max(1, math.ceil(seconds / size)), unit)
    if seconds > _DAY * _LONGEST_DAYS:
        return f"more than {_LONGEST_DAYS} days"
    return counted(math.ceil(seconds / _DAY), "day")


def without_markup(text: str) -> str:
    """Give the title of a web page, which is all of it that a line can hold.

    Args:
        text: what a server answered; what is no web page stays as it is.

    >>> without_markup("<html><title>Sign in</title>…"), without_markup("disk full")
    ("a web page, 'Sign in'", 'disk full')
    """
    if not _PAGE.search(text):
        return text
    title = _TITLE.search(text)
    return f"a web page, {title[1].strip()!r}" if title and title[1].strip() else "a web page"
