"""What is printed: text of papers can do nothing to the terminal that shows it."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterable, Mapping

import typer

__all__ = [
    "as_json",
    "escape_what_cannot_be_printed",
    "print_json",
    "say",
    "say_lines",
    "shown",
    "tell",
]

# Control characters but tab and line end, and the marks that turn the direction of text.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_PICTURES = 0x2400
_DELETE, _DELETED = "\x7f", "\u2421"
_UNKNOWN = "\ufffd"


def shown(text: str) -> str:
    """Replace what a terminal would obey by a picture of it.

    Args:
        text: any text; tabs and line ends stay.
    """
    return _UNSEEN.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    char = match.group()
    if char == _DELETE:
        return _DELETED
    return chr(_PICTURES + ord(char)) if char < " " else _UNKNOWN


def as_json(value: object) -> str:
    """Write a value as one line of JSON in which every unseen character is an escape.

    Args:
        value: plain data.
    """
    text = json.dumps(value, ensure_ascii=False)
    return _UNSEEN.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def escape_what_cannot_be_printed() -> None:
    """Print what the alphabet of the output lacks as escapes; by default Python ends there."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """Print a text on standard output.

    Args:
        text: what a person asked for.
    """
    typer.echo(shown(text))


def say_lines(text: str, otherwise: str) -> None:
    """Print a text, or, where it is empty, tell so on standard error.

    Args:
        text: what a person asked for.
        otherwise: what is told when there is nothing of it.
    """
    if text:
        say(text)
    else:
        tell(otherwise)


def print_json(values: Iterable[Mapping[str, object]]) -> None:
    """Print one JSON object a line.

    Args:
        values: plain data.
    """
    for value in values:
        typer.echo(as_json(value))


def tell(line: str) -> None:
    """Print one line on standard error.

    Args:
        line: what a person should know beside what was asked for.
    """
    print(shown(" ".join(line.split())), file=sys.stderr)
