"""LaTeX in titles, names and abstracts: letters become letters, mathematics stays as it is."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from assistant.corpus.values import LONGEST_LINE

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text

__all__ = ["plain_text", "without_commands"]

_LONGEST_ABSTRACT = 100_000
_OPEN, _CLOSE = "\ue000", "\ue001"
"""What stands around the number of a formula that was put by; taken out of the text before."""

_NO_MARKS = str.maketrans("", "", _OPEN + _CLOSE)
_KEPT = re.compile(rf"{_OPEN}(\d+){_CLOSE}")

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
_SYMBOLS = {"textless": "<", "textgreater": ">", "textbar": "|", "texttimes": "×"}
_QUOTES = {"``": "“", "''": "”", "`": "‘", "'": "’", '"': '"', "--": "–", "---": "—"}
_DRESSED = re.compile(
    rf"(?P<letter>{_LETTER.pattern}"
    rf"|\{{\\text[a-z]+(?:\{{\}})?\}}|\\text[a-z]+(?:\{{\}}|(?![A-Za-z{{])))"
    r"|\{(?P<quote>``|''|`|'|\"|-{2,3})\}"
    r"|\{\\?(?P<sign>[%&#_])\}|\\(?P<bare>[%&#_])"
    r"|(?P<around>\{)?\\(?:text(?:bf|it|tt|sc|sf|rm|sl|md|up|normal)?|emph|mbox|underline|url|"
    r"href\{[^{}]*\})\{(?P<dressed>[^{}\\]*)\}(?(around)\})"
    r"|\{\\(?:em|it|bf|sc|tt|sf|rm|sl)\s+(?P<switched>[^{}\\]*)\}"
    r"|(?P<braced>\{)?\\ensuremath\{(?P<math>[^{}$]*)\}(?(braced)\})"
    # An argument of a command that is not known is left to it.
    r"|(?P<unknown>\\[A-Za-z]+\*?(?:\{[^{}]*\})+)"
    r"|\{(?P<word>[^\W_][\w.+-]*|" + f"{_OPEN}"
    r"\d+"
    f"{_CLOSE}"
    r")\}"
)
_COMMAND = re.compile(r"\\[A-Za-z]+\*?$")
_DEEPEST = 4
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


def without_commands(text: str) -> str:
    r"""Return an abstract without the commands that only dress words; its mathematics is unchanged.

    Args:
        text: as BibTeX holds it, such as `Fr{\'e}chet` with `10{\%}`, `{``}a{''}`, `\emph{all}` and
            `$\mathcal{O}(n)$`. A command that is not known stays as it is.
    """
    if ("\\" not in text and "{" not in text) or len(text) > _LONGEST_ABSTRACT:
        return text
    kept: list[str] = []

    def put_by(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"{_OPEN}{len(kept) - 1}{_CLOSE}"

    text = _MATH.sub(put_by, text.translate(_NO_MARKS))
    for _ in range(_DEEPEST):
        text, count = _DRESSED.subn(_undressed, text)
        if not count:
            break
    return _KEPT.sub(lambda found: kept[int(found[1])], text)


def _undressed(found: re.Match[str]) -> str:
    kind = found.lastgroup or ""
    inner = found[kind]
    if kind == "letter":
        return _converted(inner)
    if kind == "quote":
        return _QUOTES[inner]
    shown = f"${inner}$" if kind == "math" else inner
    # The braces may be those of an outer command's argument.
    begin = found.start()
    outer = found[0].startswith("{\\") and _COMMAND.search(found.string, max(0, begin - 40), begin)
    return f"{{{shown}}}" if outer else shown


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
    symbols = [MacroTextSpec(name, sign) for name, sign in _SYMBOLS.items()]
    known.add_context_category("dress", macros=[*switches, *symbols], prepend=True)
    # A command of the authors' own would vanish.
    known.set_unknown_macro_spec(
        MacroTextSpec("", simplify_repl=lambda node: node.latex_verbatim())
    )
    return LatexNodes2Text(latex_context=known, strict_latex_spaces=True, keep_comments=True)
