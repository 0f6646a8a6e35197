r"""An abstract's text without its LaTeX, Markdown and typographic variants, with its offsets kept.

Models copy `$4.7\times$` as `4.7×`, `$80$\%` as `80%`, `\textbf{SparseInfer}` as `SparseInfer`;
compared are therefore the plain forms, while a quote must still point into the text as it stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Plain", "plain"]

_GREEK = dict(
    zip(
        "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi "
        "rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma "
        "Phi Psi Omega".split(),
        "αβγδεεζηθικλμνξπρστυφφχψωΓΔΘΛΞΠΣΦΨΩ",
        strict=True,
    )
)
_MACROS = {
    **_GREEK,
    "times": "×",
    "cdot": "·",
    "ell": "l",
    "sim": "~",
    "approx": "~",
    "pm": "±",
    "leq": "≤",
    "le": "≤",
    "geq": "≥",
    "ge": "≥",
    "to": "→",
    "rightarrow": "→",
    "sqrt": "√",
    "infty": "∞",
    "frac": "",
    "dfrac": "",
    "tfrac": "",
    "percent": "%",
    "textendash": "-",
    "ldots": "...",
    "dots": "...",
}
_WRAPPERS = frozenset(
    "textbf textit textrm texttt textsc textsf text emph mathrm mathbf mathcal mathbb mathsf "
    "mathit mathtt operatorname bm boldsymbol underline url left right big Big bigl bigr "
    "displaystyle ensuremath tilde widetilde hat widehat bar rm it bf em mbox".split()
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ⁽⁾ᵀ", "0123456789-+n()T")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_QUOTES = str.maketrans("‘’ʼ“”„«»", '\'\'\'"""""')

_TOKEN = re.compile(
    r"""
    (?P<link>\\href\s*\{[^{}]*\})
  | (?P<thousands>(?<=\d)(?:\{,\}|\\,)(?=\d{3}(?!\d)))
  | (?P<escaped>\\[%&\#_$])
  | (?P<space>\\[,;:!\ >] | [\u00a0\u2000-\u200a\u202f\u3000])
  | \\(?P<macro>[A-Za-z]+)\*?[ ]?
  | (?P<delimiter>\\[()\[\]{}|])
  | (?P<between>\}\s*\{)
  | (?P<power>(?<=[\w)])\*\*(?=[-−]?\d))
  | (?P<gone>[{}$`\u200b-\u200f\u2060\ufeff\u00ad] | \*{1,3}
      | (?<!\w)_{1,2}(?=\w) | (?<=\w)_{1,2}(?!\w))
  | (?P<dash>---|—)
  | (?P<hyphen>--|[‐‑‒–−]|\u2215)
  | (?P<tie>(?<=[\w.)])~(?=[\w(\\]))
  | (?P<super>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ⁽⁾ᵀ]+)
  | (?P<sub>[₀-₉]+)
  | (?P<quote>[‘’ʼ“”„«»])
  | (?P<full>[！-～])
  | (?P<ligature>[ﬁﬂﬀﬃﬄ])
    """,
    re.VERBOSE,
)
_LIGATURES = {"ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl"}
_FIXED = {
    "link": "",
    "thousands": "",
    "space": " ",
    "delimiter": "",
    "between": "/",
    "power": "^",
    "gone": "",
    "dash": " - ",
    "tie": " ",
}


@dataclass(frozen=True, slots=True)
class Plain:
    """A text in plain form, and where each of its characters came from.

    Args:
        text: the plain form.
        starts: for each character, the offset in the original where it starts.
        ends: for each character, the offset in the original behind it.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Give the original's span of a span of the plain form.

        Args:
            start: first character in the plain form.
            end: behind the last one; a span holds at least one character.
        """
        return self.starts[start], self.ends[end - 1]


@lru_cache(maxsize=512)
def plain(text: str) -> Plain:
    """Rid a text of LaTeX, Markdown emphasis and typographic variants.

    Args:
        text: an abstract, a title or a sentence.

    Returns:
        The plain form with its offsets; case and line breaks stay.
    """
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for match in _TOKEN.finditer(text):
        replacement = _replacement(match)
        pieces += (text[done : match.start()], replacement)
        starts += (*range(done, match.start()), *[match.start()] * len(replacement))
        ends += (*range(done + 1, match.start() + 1), *[match.end()] * len(replacement))
        done = match.end()
    pieces.append(text[done:])
    starts += range(done, len(text))
    ends += range(done + 1, len(text) + 1)
    return Plain("".join(pieces), tuple(starts), tuple(ends))


def _replacement(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    found = match.group()
    if kind in _FIXED:
        return _FIXED[kind]
    if kind == "macro":
        return _macro(match["macro"], trailing=" " if found.endswith(" ") else "")
    if kind == "escaped":
        return found[1]
    if kind == "hyphen":
        return "/" if found == "\u2215" else "-"
    if kind == "super":
        return "^" + found.translate(_SUPERSCRIPTS)
    if kind == "sub":
        return found.translate(_SUBSCRIPTS)
    if kind == "quote":
        return found.translate(_QUOTES)
    if kind == "full":
        return chr(ord(found) - 0xFEE0)
    return _LIGATURES[found]


def _macro(name: str, trailing: str) -> str:
    if name in _WRAPPERS:
        return ""
    return _MACROS.get(name, name) + trailing
