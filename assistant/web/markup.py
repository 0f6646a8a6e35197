"""Paper text as authors write it: math, bold, emphasis and addresses, each with its offsets.

Nothing else in an abstract is markup: a leading `#`, a `<b>` or a `1.` is text. The dollar rule
is Pandoc's (`tex_math_dollars` in its manual): the opening dollar has a character right of it,
the closing one a character left of it and no digit right of it, so "$5 and $10" stays money.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

__all__ = ["Kind", "Node", "match_tex", "parse", "safe_url", "urls_in"]

Kind = Literal["text", "math", "display", "strong", "em", "link"]

_LONGEST_MATH = 600
_DEEPEST = 4
_STYLES: dict[str, Kind] = {
    "textbf": "strong",
    "bf": "strong",
    "textit": "em",
    "emph": "em",
    "em": "em",
    "it": "em",
}
_COMMAND = re.compile(r"\\(textbf|textit|emph)\s*\{")
_SWITCH = re.compile(r"\{\\(bf|em|it)\s+")
_URL_COMMAND = re.compile(r"\\(url|href)\s*\{")
_ESCAPED = re.compile(r"\\([%&#_$])")
_URL = re.compile(r"https?://[^\s<>\"`\\^{}|$\u00b4\u2018-\u201f]+", re.IGNORECASE)
_BOLD = re.compile(r"\*\*(?=[^\s*])(.{1,400}?)(?<=[^\s*])\*\*", re.DOTALL)
_BARE_MATH = re.compile(
    r"\\(?:mathcal|mathbb|mathbf|mathrm|mathit|mathsf|boldsymbol|tilde|hat|bar|sqrt)\{[^{}$\\]{1,40}\}"
    r"|\\frac\{[^{}$\\]{1,40}\}\{[^{}$\\]{1,40}\}"
    r"|\\(?:times|pm|mp|cdot|ell|infty|approx|sim|leq?|geq?|neq|ll|gg|rightarrow|to|log|ln|exp"
    r"|alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|pi|rho"
    r"|sigma|tau|phi|varphi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Phi|Psi|Omega)"
    r"(?![A-Za-z])"
)
_MONEY = re.compile(r"\d[\d.,]*\s?(?:[kKMB]\b)?[^\\^_=<>{}$]*\s[A-Za-z]{2,}")
# KaTeX refuses these in text it does not trust, and would drop what they hold.
_NOT_DRAWN = re.compile(r"\\(?:href|url|includegraphics|html\w*)\b")
_STARTS = re.compile(r"[\\$*{]|https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a text.

    Args:
        kind: what it is.
        start: offset of its first character in the text, markup included.
        end: offset behind its last one.
        shown: the text, the TeX without delimiters, or the words of a link; empty with children.
        url: the address of a link, http or https.
        children: what stands inside bold or emphasis, offsets into the same text.
    """

    kind: Kind
    start: int
    end: int
    shown: str = ""
    url: str | None = None
    children: tuple[Node, ...] = ()


def parse(text: str) -> tuple[Node, ...]:
    """Split a text into pieces that cover it without gap or overlap.

    Args:
        text: an abstract or a title.
    """
    return tuple(_merged(_nodes(text, 0, len(text), 0)))


def match_tex(text: str, at: int) -> Node | None:
    """Return the TeX construct that starts at an offset, None where there is none.

    Args:
        text: any text.
        at: an offset of it.
    """
    return _tex(text, at, len(text), 0)


def safe_url(url: str | None) -> str | None:
    """Return the address if a browser may be sent there: http or https with a host.

    Args:
        url: any text, or None.
    """
    if url is None or not _URL.fullmatch(url.strip()):
        return None
    try:
        host = urlsplit(url.strip()).hostname
    except ValueError:
        return None
    return url.strip() if host else None


def urls_in(text: str) -> frozenset[str]:
    """Return the addresses a text names.

    Args:
        text: an abstract.
    """
    return frozenset(node.url for node in _flat(parse(text)) if node.url)


def _flat(nodes: tuple[Node, ...]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from _flat(node.children)


def _nodes(text: str, start: int, end: int, depth: int) -> Iterator[Node]:
    at = start
    while at < end:
        begin = _STARTS.search(text, at, end)
        if begin is None:
            break
        node = _special(text, begin.start(), end, depth)
        if node is None:
            yield _text(text, at, begin.start() + 1)
            at = begin.start() + 1
            continue
        if node.start > at:
            yield _text(text, at, node.start)
        yield node
        at = node.end
    if at < end:
        yield _text(text, at, end)


def _special(text: str, at: int, end: int, depth: int) -> Node | None:
    if text[at] == "*":
        bold = _BOLD.match(text, at, end)
        if bold is None or depth >= _DEEPEST:
            return None
        children = tuple(_merged(_nodes(text, bold.start(1), bold.end(1), depth + 1)))
        return Node("strong", at, bold.end(), children=children)
    if text[at] in "hH":
        return _bare_url(text, at, end)
    return _tex(text, at, end, depth)


def _tex(text: str, at: int, end: int, depth: int) -> Node | None:
    if text[at] == "$":
        return _dollar_math(text, at, end)
    if text[at] == "{":
        switch = _SWITCH.match(text, at, end)
        return _styled(text, at, at, switch, end, depth) if switch else None
    if text[at] != "\\":
        return None
    if text.startswith("\\(", at):
        return _delimited_math(text, at, end, "\\)", "math")
    if text.startswith("\\[", at):
        return _delimited_math(text, at, end, "\\]", "display")
    command = _COMMAND.match(text, at, end)
    if command:
        return _styled(text, at, command.end() - 1, command, end, depth)
    if address := _URL_COMMAND.match(text, at, end):
        return _url_command(text, at, address, end)
    if escaped := _ESCAPED.match(text, at, end):
        return Node("text", at, escaped.end(), escaped[1])
    if bare := _BARE_MATH.match(text, at, end):
        return Node("math", at, bare.end(), bare[0])
    return None


def _dollar_math(text: str, at: int, end: int) -> Node | None:
    if at and text[at - 1] == "\\":
        return None
    if text.startswith("$$", at):
        close = text.find("$$", at + 2, min(end, at + _LONGEST_MATH))
        body = text[at + 2 : close] if close > 0 else ""
        return Node("display", at, close + 2, body.strip()) if _is_drawn(body) else None
    limit = min(end, at + _LONGEST_MATH)
    close = at
    while (close := text.find("$", close + 1, limit)) > 0:
        if text[close - 1] == "\\":
            continue
        body = text[at + 1 : close]
        follows = text[close + 1 : close + 2]
        if not body.strip() or "\n\n" in body:
            return None
        return Node("math", at, close + 1, body) if _is_math(body, follows) else None
    return None


def _is_math(body: str, follows: str) -> bool:
    # Authors write `$ x^2 $` and `$\sim$10` too: where the body is TeX beyond doubt, it is math.
    if _MONEY.match(body) or not _is_drawn(body):
        return False
    if any(sign in body for sign in "\\^_"):
        return True
    return not (body[0].isspace() or body[-1].isspace() or follows.isdigit())


def _delimited_math(
    text: str, at: int, end: int, closing: str, kind: Literal["math", "display"]
) -> Node | None:
    close = text.find(closing, at + 2, min(end, at + _LONGEST_MATH))
    body = text[at + 2 : close].strip() if close > 0 else ""
    return Node(kind, at, close + 2, body) if _is_drawn(body) else None


def _is_drawn(body: str) -> bool:
    return bool(body.strip()) and not _NOT_DRAWN.search(body)


def _styled(
    text: str, at: int, brace: int, found: re.Match[str], end: int, depth: int
) -> Node | None:
    close = _closing_brace(text, brace, end)
    if close is None or depth >= _DEEPEST or not text[found.end() : close].strip():
        return None
    children = tuple(_merged(_nodes(text, found.end(), close, depth + 1)))
    return Node(_STYLES[found[1]], at, close + 1, children=children)


def _url_command(text: str, at: int, found: re.Match[str], end: int) -> Node | None:
    close = _closing_brace(text, found.end() - 1, end)
    if close is None:
        return None
    address = _ESCAPED.sub(r"\1", text[found.end() : close].strip())
    words, stop = address, close + 1
    if found[1] == "href":
        second = _closing_brace(text, stop, end) if text[stop : stop + 1] == "{" else None
        if second is None:
            return None
        words, stop = _ESCAPED.sub(r"\1", text[stop + 1 : second]), second + 1
    url = safe_url(address)
    if url is None:
        return Node("text", at, stop, words)
    return Node("link", at, stop, words.strip() or url, url=url)


def _bare_url(text: str, at: int, end: int) -> Node | None:
    found = _URL.match(text, at, end)
    if found is None:
        return None
    url = found[0]
    while url and (url[-1] in ".,;:!?*'_" or (url[-1] in ")]" and _unopened(url))):
        url = url[:-1]
    return Node("link", at, at + len(url), url, url=url) if safe_url(url) else None


def _unopened(url: str) -> bool:
    opening = {")": "(", "]": "["}[url[-1]]
    return url.count(opening) < url.count(url[-1])


def _closing_brace(text: str, at: int, end: int) -> int | None:
    depth = 0
    for place in range(at, min(end, at + 2000)):
        if text[place - 1 : place] == "\\":
            continue
        if text[place] == "{":
            depth += 1
        elif text[place] == "}":
            depth -= 1
            if depth == 0:
                return place
    return None


def _text(text: str, start: int, end: int) -> Node:
    return Node("text", start, end, text[start:end])


def _merged(nodes: Iterator[Node]) -> Iterator[Node]:
    """Join neighbouring plain texts whose shown form is the text itself."""
    held: Node | None = None
    for node in nodes:
        plain = node.kind == "text" and len(node.shown) == node.end - node.start
        if plain and held is not None:
            held = Node("text", held.start, node.end, held.shown + node.shown)
            continue
        if held is not None:
            yield held
        held = node if plain else None
        if not plain:
            yield node
    if held is not None:
        yield held
