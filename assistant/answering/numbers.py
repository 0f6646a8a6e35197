r"""Numbers with their units, found and compared in whatever form a text writes them.

`4.7×`, `4.7x`, `$4.7\times$` and "4.7 times" are one quantity, as are `80 %`, `$80$\%` and
"80 percent", or "four out of five" and `4/5`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isclose
from typing import Literal

from assistant.answering.formulas import formula_key, formula_spans
from assistant.answering.numerals import (
    DIGITS,
    LETTER,
    MULTIPLES,
    NUMERAL,
    PARTS,
    numeral_value,
    shared_scale,
)
from assistant.answering.plaintext import plain
from assistant.answering.units import UNIT, read_unit, same_unit, written_unit

__all__ = ["Kind", "Quantity", "normalise", "numbers", "same", "shown", "stands"]

Kind = Literal["number", "range", "ratio", "size", "formula"]

_UNITED = rf"{NUMERAL}(?:{UNIT})?"
_OF = r"(?:\s(?:out\s)?of\s(?:(?:the|its|all|these|those)\s)?)"
_PARTS = r"thirds?|quarters?|fifths?|tenths?"
_QUANTITY = re.compile(
    rf"""
    (?P<size>(?<![{LETTER}\d_.^]){DIGITS}(?:[x×]|\s[x×]\s){DIGITS}(?![\w.^]))
  | (?P<ratio>(?P<part>{NUMERAL})(?:\s?/\s?|{_OF})(?P<whole>{NUMERAL})(?![\w%×/])(?!\.\d))
  | (?P<range>(?P<low>{_UNITED})(?:\s?-\s?|\sto\s|~)(?P<high>{_UNITED}))
  | (?P<between>\b[Bb]etween\s(?P<low2>{_UNITED})\sand\s(?P<high2>{_UNITED}))
  | (?P<fraction>(?i:\bhalf|\b(?:a|one|two|three|four)[ -](?:half|{_PARTS}))(?=\s(?:of|the|as)\b))
  | (?P<multiple>(?i:\b(?:twice|thrice|(?:doubl|tripl|quadrupl|halv)(?:es|ed|ing))\b))
  | (?P<number>{_UNITED})
    """,
    re.VERBOSE,
)
_NUMERAL = re.compile(NUMERAL)
_MASKED = re.compile(
    r"https?://\S+|\bwww\.\S+|\b[\w-]+\.github\.io\S*|\((?:\d|1\d)\)(?=\s)|(?m:^\s*\d{1,2}[.)]\s)"
)
_TOKEN = re.compile(r"\d[\d.,]*|\w+|.", re.DOTALL)
_RUNS_ON = re.compile(rf"[{LETTER}\d]|\.\d")
_COMMA = re.compile(r"(?<=\d),(?=\d)|(?<=[1-9])\.(?=\d{3}(?!\d))|(?<=[1-9]\d)\.(?=\d{3}(?!\d))")
_EXPONENT = re.compile(r"\^(-?\d+(?:\.\d+)?)(?!\d)")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as a text states it.

    Args:
        value: the number; the lower end of a range, the part in "four of five", the first side
            of a size. 0 for a formula.
        unit: canonical: `%`, `x` (times), `d` (dimensions), `ms`, `day` …; empty without one.
        kind: what was written.
        start: offset in the text given.
        end: offset behind it.
        text: the characters themselves.
        high: the upper end of a range, the whole of a ratio, the second side of a size.
    """

    value: float
    unit: str
    kind: Kind
    start: int
    end: int
    text: str
    high: float | None = None

    @property
    def canonical(self) -> str:
        """One spelling for all forms of this quantity."""
        if self.kind == "formula":
            return formula_key(plain(self.text).text)
        mark = {"range": "-", "ratio": "/", "size": "x"}.get(self.kind, "")
        second = "" if self.high is None else f"{mark}{self.high:.10g}"
        return f"{self.value:.10g}{second}{written_unit(self.unit)}"


def numbers(text: str, *, decimal_comma: bool = False) -> list[Quantity]:
    """Find every quantity of a text.

    Numbers inside names (`Qwen2.5-VL`, `CIFAR-10`), list marks, addresses and a bare "one" do not
    count; ordinals neither.

    Args:
        text: a sentence or an abstract, LaTeX and Markdown included.
        decimal_comma: read `4,7` as 4.7 and `23.040` as 23040, as German and Spanish write it.

    Returns:
        Quantities in the order of the text, with offsets into it.
    """
    return list(_numbers(text, decimal_comma))


def normalise(text: str) -> str:
    """Write a text so that equal facts are equal strings.

    Args:
        text: any text.

    Returns:
        Plain text with single blanks and every quantity in its canonical form; case stays.
    """
    source = plain(text).text
    pieces: list[str] = []
    done = 0
    for quantity in _find(source):
        pieces += (source[done : quantity.start], quantity.canonical)
        done = quantity.end
    pieces.append(source[done:])
    return " ".join("".join(pieces).split())


def same(a: Quantity, b: Quantity) -> bool:
    """Tell whether two quantities state the same, whatever their form.

    Args:
        a: one quantity.
        b: another.

    Returns:
        True for equal values in equal units; 88 % equals 0.88, and 4/5 equals 80 %.
    """
    if "formula" in (a.kind, b.kind):
        return a.kind == b.kind and a.canonical == b.canonical
    if {a.kind, b.kind} <= {"number", "ratio"} and a.kind != "ratio" != b.kind:
        return _same_share(a, b)
    if a.kind == b.kind and a.high is not None and b.high is not None:
        return same_unit(a.unit, b.unit) and _equal(a.value, b.value) and _equal(a.high, b.high)
    return {a.kind, b.kind} == {"number", "ratio"} and _same_share(a, b)


def shown(quantity: Quantity) -> str:
    """Give a quantity as a reader can take it in: as written, markup removed.

    Args:
        quantity: found in any text.
    """
    return quantity.canonical if quantity.kind == "formula" else plain(quantity.text).text.strip()


def stands(claim: Quantity, source: Sequence[Quantity]) -> bool:
    """Tell whether a claimed quantity is among those a source states.

    A claim without a unit may meet a source with one, never the other way round; an end of a
    range, the parts of a ratio and the exponent of a formula stand too.

    Args:
        claim: what a sentence says.
        source: what the paper says.
    """
    if any(same(claim, quantity) or _covers(quantity, claim) for quantity in source):
        return True
    if claim.kind == "range" or (claim.kind == "ratio" and not _has_ratio(source, claim.high)):
        return all(stands(end, source) for end in _ends(claim))
    return False


@lru_cache(maxsize=1024)
def _numbers(text: str, decimal_comma: bool) -> tuple[Quantity, ...]:
    made = plain(text)
    source = _COMMA.sub(_swapped, made.text) if decimal_comma else made.text
    found = []
    for quantity in _find(source):
        start, end = made.span(quantity.start, quantity.end)
        found.append(replace(quantity, start=start, end=end, text=text[start:end]))
    return tuple(found)


def _swapped(match: re.Match[str]) -> str:
    return "." if match.group() == "," else ","


def _find(source: str) -> list[Quantity]:
    formulas = formula_spans(source)
    masked = [*(match.span() for match in _MASKED.finditer(source)), *formulas]
    found = [Quantity(0.0, "", "formula", s, e, source[s:e]) for s, e in formulas]
    position = 0
    while match := _QUANTITY.search(source, position):
        behind = [end for start, end in masked if start < match.end() and match.start() < end]
        quantity = None if behind else _quantity(source, match)
        if quantity is not None:
            found.append(quantity)
            position = quantity.end
        else:
            token = _TOKEN.match(source, match.start())
            position = max(behind, default=token.end() if token else match.end())
    return sorted(found, key=lambda quantity: quantity.start)


def _quantity(source: str, match: re.Match[str]) -> Quantity | None:
    start, end = match.span()
    if match["ratio"]:
        return _ratio(source, match)
    if match["range"]:
        return _range(source, match, "low", "high")
    if match["between"]:
        return _range(source, match, "low2", "high2")
    if match["size"]:
        first, second = re.findall(DIGITS, match.group())
        sides = numeral_value(first), numeral_value(second)
        return Quantity(sides[0], "", "size", start, end, match.group(), sides[1])
    if match["fraction"]:
        part, _, whole = re.sub(r"[ -]", " ", match.group().lower()).rpartition(" ")
        share = numeral_value(part or "one"), PARTS[whole.removesuffix("s")]
        return Quantity(share[0], "", "ratio", start, end, match.group(), share[1])
    if match["multiple"]:
        word = match.group().lower()
        value = next(value for stem, value in MULTIPLES.items() if word.startswith(stem))
        return Quantity(value, "x", "number", start, end, match.group())
    return _number(source, start, end)


def _number(source: str, start: int, end: int, *, ends_range: bool = False) -> Quantity | None:
    numeral = _NUMERAL.match(source, start)
    if numeral is None or numeral.end() > end or _RUNS_ON.match(source, end):
        return None
    if numeral.group().lower() in ("one", "zero") and source[start - 1 : start] != "-":
        return None
    sign = 1 if ends_range else _sign(source, start)
    if sign is None:
        return None
    begin = start - 1 if sign < 0 else start
    unit = read_unit(source[numeral.end() : end])
    return Quantity(
        sign * numeral_value(numeral.group()), unit, "number", begin, end, source[begin:end]
    )


def _sign(source: str, start: int) -> int | None:
    """1 or -1; None where the digits belong to a name such as CIFAR-10."""
    if start == 0 or source[start - 1] != "-":
        return 1
    before = re.search(r"[\w.)]+$", source[max(0, start - 41) : start - 1])
    if before is None:
        return -1
    return 1 if before.group().isalpha() and before.group().islower() else None


def _ratio(source: str, match: re.Match[str]) -> Quantity | None:
    part, whole = numeral_value(match["part"]), numeral_value(match["whole"])
    if _sign(source, match.start()) is None or not part <= whole or whole < 2:
        return _number(source, match.start(), match.end("part"))
    return Quantity(part, "", "ratio", match.start(), match.end(), match.group(), whole)


def _range(source: str, match: re.Match[str], low: str, high: str) -> Quantity | None:
    first = _number(source, *match.span(low))
    second = _number(source, *match.span(high), ends_range=True)
    if first is None or second is None:
        return first
    units = {first.unit, second.unit} - {""}
    value = first.value * shared_scale(match[low], match[high])
    if len(units) > 1 or value >= second.value:
        return first
    text = source[first.start : second.end]
    unit = units.pop() if units else ""
    return Quantity(value, unit, "range", first.start, second.end, text, second.value)


def _equal(a: float, b: float) -> bool:
    return isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def _same_share(a: Quantity, b: Quantity) -> bool:
    (first, first_unit), (second, second_unit) = _share(a), _share(b)
    return same_unit(first_unit, second_unit) and _equal(first, second)


def _share(quantity: Quantity) -> tuple[float, str]:
    value = quantity.value / (quantity.high or 1.0)
    if quantity.kind == "ratio" or (quantity.unit == "" and 0 < value < 1):
        return value * 100, "%"
    return value, quantity.unit


def _covers(source: Quantity, claim: Quantity) -> bool:
    if source.kind == "formula" and claim.kind == "formula":
        return bool(re.search(re.escape(claim.canonical) + r"(?![\d.])", source.canonical))
    if claim.kind != "number":
        return False
    if source.kind == "formula":
        return any(_equal(float(e), claim.value) for e in _EXPONENT.findall(source.canonical))
    return any(
        _equal(end.value, claim.value) and (not claim.unit or same_unit(end.unit, claim.unit))
        for end in _ends(source)
    )


def _ends(quantity: Quantity) -> list[Quantity]:
    values = [quantity.value] if quantity.high is None else [quantity.value, quantity.high]
    return [replace(quantity, value=value, kind="number", high=None) for value in values]


def _has_ratio(source: Sequence[Quantity], whole: float | None) -> bool:
    return any(quantity.kind == "ratio" and quantity.high == whole for quantity in source)
