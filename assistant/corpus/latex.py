"""LaTeX in titles, names and abstracts: letters become letters, mathematics stays as it is."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from assistant.corpus.values import LONGEST_LINE

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text

__all__ = ["plain_text", "with_letters"]

_LONGEST_ABSTRACT = 100_000

_MATH = re.compile(
    r"(\$\$[^$]*\$\$|\$[^$]*\$|\\\(.{,2000}?\\\)|\\\[.{,2000}?\\\]"
    r"|\\begin\{(\w+\*?)\}.{,2000}?\\end\{\2\})",
    re.DOTALL,
)
_LETTER = re.compile(
    r"""\{\\["'`^~=.]\{?(?:[A-Za-z]|\\[ij])\}?\}"""
    r"""|\\["'`^~=.](?:\{(?:[A-Za-z]|\\[ij])\}|[A-Za-z]|\\[ij](?![A-Za-z]))"""
    r"""|\{\\[uvHcbdkr](?:\{[A-Za-z]\}|\s[A-Za-z])\}|\\[uvHcbdkr]\{[A-Za-z]\}"""
    r"""|\{\\(?:ss|ae|AE|oe|OE|aa|AA|o|O|l|L|i|j)\}|\\(?:ss|ae|AE|oe|OE|aa|AA|o|O|l|L)(?:\{\}|(?![A-Za-z]))"""
)
_SWITCHES = "em bf it sc tt sf rm sl bfseries itshape scshape ttfamily small large cal".split()
_BARE = re.compile(r"(?<!\\)[%&$]")


def plain_text(text: str) -> str:
    """Return a title or a name without braces and commands, its mathematics unchanged.

    Args:
        text: as BibTeX holds it.
    """
    if len(text) > LONGEST_LINE or not any(char in text for char in "\\{}~$`'-"):
        return text
    pieces = _MATH.split(text)
    # Every match leaves two pieces: the mathematics, and the name of its environment or None.
    shown = [
        piece if i % 3 == 1 else _converted(piece or "")
        for i, piece in enumerate(pieces)
        if i % 3 < 2
    ]
    return " ".join("".join(shown).split())


def with_letters(text: str) -> str:
    r"""Return an abstract with its accented letters as letters; nothing else changes.

    Args:
        text: as BibTeX holds it, such as `Fr{\'e}chet` with `$\mathcal{O}(n)$`.
    """
    if "\\" not in text or len(text) > _LONGEST_ABSTRACT:
        return text
    pieces = _MATH.split(text)
    return "".join(
        piece if i % 3 == 1 else _LETTER.sub(lambda found: _converted(found[0]), piece or "")
        for i, piece in enumerate(pieces)
        if i % 3 < 2
    )


@lru_cache(maxsize=4096)
def _converted(text: str) -> str:
    from pylatexenc.latexwalker import LatexWalkerError

    # To the converter a bare per cent sign begins a comment, an ampersand a table's next cell, and
    # a dollar that no other closes mathematics.
    try:
        found = _converter().latex_to_text(_BARE.sub(r"\\\g<0>", text))
    except (LatexWalkerError, RecursionError):
        return text
    return str(found) if found.strip() or not text.strip() else text


@lru_cache(maxsize=1)
def _converter() -> LatexNodes2Text:
    from pylatexenc.latex2text import (
        LatexNodes2Text,
        MacroTextSpec,
        get_default_latex_context_db,
    )

    known = get_default_latex_context_db()
    switches = [MacroTextSpec(name, "") for name in _SWITCHES]
    known.add_context_category("switches", macros=switches, prepend=True)
    # A command of the authors' own would vanish.
    known.set_unknown_macro_spec(
        MacroTextSpec("", simplify_repl=lambda node: node.latex_verbatim())
    )
    return LatexNodes2Text(latex_context=known, strict_latex_spaces=True, keep_comments=True)
