"""How a verbatim sentence is shown inside an answer's Markdown."""

from __future__ import annotations

import re

__all__ = ["cited", "label_text", "quoted"]

_MATH = re.compile(
    r"\$[^$\n`]{1,300}\$|(?<!\\)\\\([^\n`]{1,300}?(?<!\\)\\\)|(?<!\\)\\\[[^\n`]{1,300}?(?<!\\)\\\]"
)
_COMMAND = re.compile(r"\\(?:text\w*|emph|mbox|underline|url)\s*\{([^{}]*)\}")
_LINK = re.compile(r"\\href\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
# Bold may begin inside a word, as in "**p**rompt"; a star behind one is its own, as in "RRT*, A*".
_BOLD = re.compile(
    r"(?:(?<![\w*])|(?<!\*)(?=\*\*[^\W\d]))(\*{2,3})(?=[^\s*])([^*\n]+?)(?<=\S)\1(?!\*)"
)
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])")
_ESCAPED = re.compile(r"\\([%&#_])")
_ACTIVE = re.compile(
    r"[`\[\]*|]|<(?=[A-Za-z/!?])|~(?=~)|&(?=#?\w+;)|\\(?=[!-/:-@\[-`{-~])|(?<![^\W_])_|_(?![^\W_])"
)
_IN_FORMULA = {"|": "\\vert ", "<": "< ", "]": "] "}
_ACTIVE_IN_FORMULA = re.compile(r"\||<(?=[A-Za-z/!?])|\](?=[(\[])")
_LEADING = re.compile(r"^(\d{1,9}(?=[.)](?:\s|$))|(?=[#>+-]))")
_SPACE = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")


def quoted(text: str) -> str:
    """Show a quote: light LaTeX and Markdown unwrapped, nothing in it active.

    Args:
        text: a verbatim piece of an abstract.

    Returns:
        One line of Markdown in which the paper's text can be no link, image, HTML or citation;
        formulas mean what they meant.
    """
    text = _CONTROL.sub("", text)
    pieces: list[str] = []
    done = 0
    for formula in _MATH.finditer(text):
        pieces += [_plain(text[done : formula.start()]), _formula(formula.group())]
        done = formula.end()
    pieces.append(_plain(text[done:]))
    return _LEADING.sub(r"\1\\", _SPACE.sub(" ", "".join(pieces)).strip())


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
    text = _ITALIC.sub(r"\1", _BOLD.sub(r"\2", text))
    text = _ESCAPED.sub(r"\1", text)
    return _ACTIVE.sub(lambda match: "\\" + match.group(), text)


def _formula(text: str) -> str:
    """Write a formula so that a reader of Markdown who knows no formulas finds no link in it."""
    return _ACTIVE_IN_FORMULA.sub(lambda match: _IN_FORMULA[match.group()], text)
