"""How a verbatim sentence is shown inside an answer's Markdown."""

from __future__ import annotations

import re

__all__ = ["cited", "label_text", "quoted"]

_MATH = re.compile(r"\$[^$\n]{1,300}\$|\\\(.{1,300}?\\\)|\\\[.{1,300}?\\\]")
_COMMAND = re.compile(r"\\(?:text\w*|emph|mbox|underline|url)\s*\{([^{}]*)\}")
_LINK = re.compile(r"\\href\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_EMPHASIS = re.compile(r"(\*{1,3})(?=\S)([^*\n]+?)(?<=\S)\1")
_ESCAPED = re.compile(r"\\([%&#_])")
_ACTIVE = re.compile(
    r"[`\[\]*|]|<(?=[A-Za-z/!?])|^(?=[#>+=-])|(?<=\n)(?=[#>+=-])|~(?=~)|&(?=#?\w+;)"
)
_SPACE = re.compile(r"\s+")


def quoted(text: str) -> str:
    """Show a quote: light LaTeX and Markdown unwrapped, nothing in it active.

    Args:
        text: a verbatim piece of an abstract.

    Returns:
        One line of Markdown in which the paper's text can be no link, image, HTML or citation;
        formulas stay as they are.
    """
    pieces: list[str] = []
    done = 0
    for formula in _MATH.finditer(text):
        pieces += [_plain(text[done : formula.start()]), formula.group().replace("|", "\\vert ")]
        done = formula.end()
    pieces.append(_plain(text[done:]))
    return _SPACE.sub(" ", "".join(pieces)).strip()


def label_text(label: str) -> str:
    """Show a paper's title or label inside Markdown.

    Args:
        label: the title, or the neutral label of a paper without one.
    """
    return quoted(label)


def cited(text: str, number: int) -> str:
    """Put a quote and its citation together.

    Args:
        text: the verbatim quote.
        number: its citation's number.
    """
    return f"“{quoted(text)}” [{number}]"


def _plain(text: str) -> str:
    text = _LINK.sub(lambda match: match[1] if match[1] == match[2] else match[2], text)
    text = _COMMAND.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\2", text)
    text = _ESCAPED.sub(r"\1", text)
    return _ACTIVE.sub(lambda match: "\\" + match.group(), text)
