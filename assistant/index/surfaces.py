"""Surfaces, the pieces a text is cut into, and the terms each of them gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from assistant.index.words import fold, stem

__all__ = ["Form", "forms", "located", "surfaces"]

_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3035\u3040-\u30ff\u3100-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_CHAR = rf"[^\W_{_CJK}]"
_MARKS = "\u0300-\u036f"
_UNSEEN = f"{_MARKS}\u00ad\u200b-\u200d\u2060\ufeff"
_DASH = "-\u2010\u2011\u2012\u2013\u2212"
# A run of letters and digits; a decimal point and the commas of a large number belong to it.
_WORD = (
    rf"{_CHAR}+(?:(?:(?<=\d)(?:\.(?=\d)|,(?=\d{{3}}(?!\d)))|[{_UNSEEN}]+(?={_CHAR})){_CHAR}+)*"
    rf"[{_MARKS}]*"
)
_TIMES = r"(?:×|\\times(?![A-Za-z]))"
# "3\times3", "640 × 480": one measure of two numbers.
_BY = rf"(?<=\d)(?:[$}}{{]{{0,2}}{_TIMES}[${{}}]{{0,2}}|[\s~]{_TIMES}[\s~])(?=\d)"
# A hyphen or slash joins two parts that are also words of their own, "$\beta$-VAE" included.
_BREAK = rf"[$}}*]{{0,2}}(?:[{_DASH}]{{1,2}}/?|[/&+@])[${{*]{{0,2}}\\?"
# Accents, apostrophes, indices, braces and emphasis stand inside one word: "Fr\'{e}chet", "$L_0$".
_GLUE = r"(?:\\['\"`^~=.]\{?|['’]|[_^]\{?\\?|[{}$*]{1,4}\\?)"
_JOINT = rf"(?:{_BY}|{_BREAK}|{_GLUE})(?!https?://)"
# What follows a number or a name and belongs to it: "80$\%", "4.7\times", "A$^*$", "C++".
_TAIL = (
    rf"(?:(?<=\d)(?:[\s$}}{{\\~]{{0,4}}%|[\s$}}{{~\\]{{0,3}}{_TIMES})"
    r"|(?<=[A-Z])(?:\*(?![*\w])|\$?\^\{?(?:\*|\\ast(?![a-z])|\\star(?![a-z])))"
    r"|(?<=[A-Za-z])(?:\+\+|\#(?!\w)))"
)
# The first alternative is a short cut for most words; the others would take them as well.
_SURFACE = re.compile(
    r"(?=\S)(?:[A-Za-z][a-z]+(?=[\s,.;)])"
    r"|https?://[^\s{}()<>\"]+"
    r"|(?<![A-Za-z])[A-Za-z](?:\.[A-Za-z])+(?![A-Za-z])"
    rf"|\\?{_WORD}(?:{_JOINT}{_WORD})*{_TAIL}?"
    rf"|[{_CJK}]+)"
)
_ADDRESS_WORD = re.compile(_WORD)
_URL = re.compile(r"https?://")
_PIECE = re.compile(rf"(?P<joint>{_JOINT}|^\\)?(?P<word>{_WORD})")
_CJK_RUN = re.compile(f"[{_CJK}]+")
_ONLY_NUMBERS = re.compile(r"[\d.%x]+")
_PLURAL = re.compile(r"[A-Z][A-Z0-9]+s")
_HUMP = re.compile(r"\d+[dD](?![a-z])|\d+(?:\.\d+)*|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]+")
_HUMPED = re.compile(r"(?=.*[A-Z0-9])[A-Za-z0-9.]+")
_LETTER_RUN = re.compile(r"[A-Za-z]{2,}")
_MEASURE = re.compile(r"(\d+(?:\.\d+)?)[x%]")
_SIGNED = re.compile(r"([A-Za-z]{2,})[*+#]+")
_MARKUP_COMMANDS = """
    text textbf textit textsc texttt textrm textsf textnormal textsuperscript textsubscript
    textcolor emph em it bf rm sl sc tt sf cal underline mbox hbox ensuremath operatorname
    mathcal mathbb mathbf mathrm mathsf mathtt mathit mathscr mathfrak boldsymbol bm pmb
    url href cite citep citet citealp ref footnote item begin end
    left right big bigg displaystyle frac tfrac dfrac nicefrac sqrt hat bar tilde widetilde
    widehat vec overline quad qquad xspace smash
    cdot cdots ldots dots dotsc leq geq le ge ll gg lt gt neq ne in to mid sim pm mp circ
    rightarrow leftarrow mapsto langle rangle lceil rceil lfloor rfloor vert top over approx
    times otimes oplus cup cap subset subseteq
"""
_MARKUP = frozenset(_MARKUP_COMMANDS.split())
_BREAKS = frozenset("-\u2010\u2011\u2012\u2013\u2212/&+@")
_APOSTROPHES = ("'", "’")
_CONTRACTED = frozenset(("s", "re", "ve", "ll", "d", "m"))
_LONGEST_JOINED = 40
_MOST_PARTS = 5


class Form(NamedTuple):
    """One term of a surface, with offsets from the surface's own start.

    `joined` marks a compound's whole, whose parts are terms of their own.
    """

    text: str
    start: int
    end: int
    joined: bool


class _Segment(NamedTuple):
    """What stands between two hyphens or slashes; formulas and markup glue it of several words."""

    words: tuple[tuple[str, int, int], ...]
    glue: str

    @property
    def raw(self) -> str:
        return self.glue.join(word for word, _, _ in self.words)

    @property
    def start(self) -> int:
        return self.words[0][1]

    @property
    def end(self) -> int:
        return self.words[-1][2]


def surfaces(text: str) -> list[str]:
    """Cut a text into the surfaces that `forms` takes; quicker than `analyse` for indexing.

    Args:
        text: any text.
    """
    return _SURFACE.findall(text)


def located(text: str) -> Iterator[tuple[int, tuple[Form, ...]]]:
    """Go through a text's surfaces: where each begins and the terms it gives.

    Args:
        text: any text.
    """
    for match in _SURFACE.finditer(text):
        yield match.start(), forms(match.group())


@lru_cache(maxsize=1 << 16)
def forms(surface: str) -> tuple[Form, ...]:
    """Return a surface's terms.

    Args:
        surface: one match of the tokeniser's pattern, as `surfaces` gives it.
    """
    if surface.isascii() and surface.isalpha() and surface[1:].islower():
        return (Form(stem(surface.lower()), 0, len(surface), False),)
    return _composite_forms(surface)


def _composite_forms(surface: str) -> tuple[Form, ...]:
    if _CJK_RUN.match(surface):
        return _character_pairs(surface)
    if _URL.match(surface):
        return _address_forms(surface)
    if "." in surface and not any(c.isdigit() for c in surface):
        return _made(surface.replace(".", ""), 0, len(surface))
    return _compound_forms(surface)


def _character_pairs(run: str) -> tuple[Form, ...]:
    if len(run) == 1:
        return _made(run, 0, 1)
    pairs = [_made(run[i : i + 2], i, i + 2) for i in range(len(run) - 1)]
    return tuple(form for pair in pairs for form in pair)


def _address_forms(address: str) -> tuple[Form, ...]:
    found: list[Form] = []
    for word in _ADDRESS_WORD.finditer(address, address.index("/")):
        found += _word_forms(word[0], *word.span())
    return tuple(found)


def _compound_forms(surface: str) -> tuple[Form, ...]:
    segments, tail = _segments(surface)
    if not segments:
        return ()
    found: list[Form] = []
    for segment in segments[:-1]:
        found += _segment_forms(segment, "", segment.end)
    end = len(surface) if tail else segments[-1].end
    if len(segments) == 1:
        return _segment_forms(segments[0], tail, end)
    found += _segment_forms(segments[-1], tail, end)
    found = [form for form in found if form.end - form.start > 1 or form.text.isdigit()]
    return _joined(segments, tail, end) + tuple(found)


def _segments(surface: str) -> tuple[list[_Segment], str]:
    segments: list[_Segment] = []
    words: list[tuple[str, int, int]] = []
    glue, at = "", 0
    while match := _PIECE.match(surface, at):
        at = match.end()
        joint, word, span = match["joint"] or "", match["word"], match.span("word")
        if joint.endswith("\\") and word in _MARKUP:
            continue
        if joint in _APOSTROPHES and word.lower() in _CONTRACTED:
            continue
        if words and any(c in _BREAKS for c in joint):
            segments.append(_Segment(tuple(words), glue))
            words, glue = [], ""
        if words and ("×" in joint or "times" in joint):
            glue = "x"
        words.append(("l" if word == "ell" and joint.endswith("\\") else word, *span))
    if words:
        segments.append(_Segment(tuple(words), glue))
    return segments, _tail_sign(surface[at:])


def _segment_forms(segment: _Segment, tail: str, end: int) -> tuple[Form, ...]:
    if len(segment.words) == 1:
        return _word_forms(segment.raw + tail, segment.start, end)
    whole = _made(segment.raw + tail, segment.start, end)
    if segment.glue or any(len(word) < 3 for word, _, _ in segment.words):
        return whole
    parts = [form for word, a, b in segment.words for form in _word_forms(word, a, b)]
    return _as_joined(whole) + tuple(parts)


def _joined(segments: list[_Segment], tail: str, end: int) -> tuple[Form, ...]:
    raw = "".join(fold(segment.raw) for segment in segments) + tail
    if len(segments) > _MOST_PARTS or len(raw) > _LONGEST_JOINED or _ONLY_NUMBERS.fullmatch(raw):
        return ()
    return _as_joined(_made(raw, segments[0].start, end))


def _tail_sign(tail: str) -> str:
    for sign in ("%", "++", "#"):
        if tail.endswith(sign):
            return sign
    if "×" in tail or "times" in tail:
        return "x"
    return "*" if "*" in tail or "ast" in tail or "star" in tail else ""


def _word_forms(raw: str, start: int, end: int) -> tuple[Form, ...]:
    """Give a word of letters and digits, its singular acronym, and the parts of camel case."""
    if _PLURAL.fullmatch(raw):
        plural, single = _made(raw, start, end), _made(raw[:-1], start, end)
        return single if plural == single else single + plural
    whole = _made(raw, start, end)
    if measure := _MEASURE.fullmatch(raw):
        return whole + _made(measure[1], start, start + len(measure[1]))
    if bare := _SIGNED.fullmatch(raw):
        return whole + _word_forms(bare[1], start, start + len(bare[1]))
    if not _HUMPED.fullmatch(raw):
        return whole
    known = {form.text for form in whole}
    parts = [part for part in _humps(raw, start) if part.text not in known]
    return (_as_joined(whole) + tuple(parts)) if parts else whole


def _humps(raw: str, start: int) -> list[Form]:
    humps = list(_HUMP.finditer(raw))
    if len(humps) < 2:
        return []
    spans = {
        hump.span()
        for hump in humps
        if len(hump[0]) >= 3 or (len(hump[0]) == 2 and _beside_words(hump, humps))
    }
    starts, ends = {hump.start() for hump in humps}, {hump.end() for hump in humps}
    for run in _LETTER_RUN.finditer(raw):
        if run.start() in starts and run.end() in ends:
            spans.add(run.span())
    parts = [_made(raw[a:b], start + a, start + b) for a, b in sorted(spans)]
    return [form for part in parts for form in part]


def _beside_words(hump: re.Match[str], humps: list[re.Match[str]]) -> bool:
    """Two letters count as a part ("KVCache", "3DMatch") unless cut out of a name ("LoRA")."""
    text = hump[0]
    return (text.isupper() or text.isdigit()) and all(
        len(other[0]) >= 3 for other in humps if other is not hump
    )


def _as_joined(made: tuple[Form, ...]) -> tuple[Form, ...]:
    return tuple(form._replace(joined=True) for form in made)


def _made(raw: str, start: int, end: int) -> tuple[Form, ...]:
    text = stem(fold(raw))
    return (Form(text, start, end, False),) if text else ()
