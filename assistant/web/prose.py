"""An answer's Markdown as HTML: a small, closed set of elements, and `[n]` as links.

Raw HTML, images and links of the text's own are off in the parser, so what a model or an abstract
says can only ever be shown. Sentences that are not proven are wrapped where they stand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from assistant.answering.answer import Sentence, Support
from assistant.answering.phrases import UNVERIFIED_MARKS
from assistant.web.abstracts import inline_html
from assistant.web.escaping import escape, math, named_link
from assistant.web.markup import Node, match_tex, parse

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

__all__ = ["VERDICTS", "Prose", "citation_counts", "prose_html"]

VERDICTS: dict[Support, str] = {
    "supported": "verified",
    "partial": "partly supported",
    "unsupported": "not supported",
}

# Punctuation no abstract uses: it leaves emphasis beside it intact, as a letter would not.
_OPEN = {"partial": "\u2e22", "unsupported": "\u2e24", "pending": "\u2e26"}
_CLOSE = "\u2e23"
_STATE = {sign: name for name, sign in _OPEN.items()}
_SIGNS = re.compile(f"([{''.join(_OPEN.values())}{_CLOSE}])")
_BLOCK_START = re.compile(r"\s*(?:(?:[-*+]|\d+[.)]|#{1,6}|>|\|)\s+)*")
_ROW_END = re.compile(r"[\s|]*$")
_GAP = re.compile(r"(?:\s|\[\d+\])+")
_REFERENCE = re.compile(r"\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\s*,?\]")
_PLAIN_TAGS = {"p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td"}


@dataclass(frozen=True, slots=True)
class Prose:
    """What came of a text.

    Args:
        html: one line of HTML.
        unplaced: unproven sentences that could not be found in the text.
    """

    html: str
    unplaced: tuple[Sentence, ...] = ()


def prose_html(
    text: str,
    *,
    links: Mapping[int, Sequence[str]],
    sentences: Sequence[Sentence] = (),
    urls: frozenset[str] = frozenset(),
    draft: bool = False,
) -> Prose:
    """Return an answer's text as HTML.

    Args:
        text: Markdown with `[n]`.
        links: by its number, the HTML of each citation in the order of the text; the last one
            stands for all that follow. Other numbers stay text.
        sentences: the checked sentences, in order.
        urls: addresses that may be links: those of the cited papers.
        draft: whether what follows the last checked sentence is still unchecked.
    """
    marked, flagged, unplaced = _with_signs(_SIGNS.sub("", text), sentences, draft=draft)
    walk = _Walk(links, urls, flagged)
    return Prose(walk.blocks(_parser().parse(marked)), unplaced)


def citation_counts(text: str) -> Counter[int]:
    """Count how often each number is cited.

    Args:
        text: Markdown with `[n]`.
    """
    found = _REFERENCE.finditer(re.sub(r"\\.", "", text))
    return Counter(int(number) for each in found for number in re.findall(r"\d+", each[1]))


def _with_signs(
    text: str, sentences: Sequence[Sentence], *, draft: bool
) -> tuple[str, list[Sentence], tuple[Sentence, ...]]:
    """Put signs around the sentences that are not proven; they survive the Markdown parser."""
    pieces: list[str] = []
    flagged: list[Sentence] = []
    unplaced: list[Sentence] = []
    done = 0
    for sentence in sentences:
        weak = sentence.verdict in ("partial", "unsupported")
        place = _find(text, sentence.text, done)
        if place is None:
            if weak:
                unplaced.append(sentence)
            continue
        start, end = place
        if weak and sentence.verdict is not None:
            # What the plain text says in brackets, the page says beside the sentence.
            words = text[start:end]
            for mark in UNVERIFIED_MARKS:
                words = words.replace(f" {mark}", "")
            pieces += (text[done:start], _OPEN[sentence.verdict], words, _CLOSE)
            flagged.append(sentence)
        else:
            pieces.append(text[done:end])
        done = end
    rest = text[done:]
    lead = _BLOCK_START.match(rest)
    cut = lead.end() if lead else 0
    if draft and rest[cut:].strip():
        rest = rest[:cut] + _OPEN["pending"] + rest[cut:]
    return "".join([*pieces, rest]), flagged, tuple(unplaced)


def _find(text: str, sentence: str, start: int) -> tuple[int, int] | None:
    lead = _BLOCK_START.match(sentence)
    words = _GAP.split(_ROW_END.sub("", sentence[lead.end() if lead else 0 :]))
    if not any(words):
        return None
    # In a draft the marks may still stand behind the full stop, and be more than hold in the end.
    shape = r"(?:\s|\[\d+\])*".join(re.escape(word) for word in words if word)
    found = re.compile(rf"{shape}(?:\s*\[\d+\])*").search(text, start)
    return found.span() if found else None


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.disable(["link", "image", "autolink", "html_inline", "html_block", "reference"])
    parser.inline.ruler.before("escape", "tex", _tex_rule)
    return parser


def _tex_rule(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "\\$":
        return False
    node = match_tex(state.src, state.pos)
    if state.src[state.pos : state.pos + 2] in ("\\[", "\\]") and not _is_formula(node):
        # An escaped bracket: a piece of a quote, so never a citation.
        if not silent:
            state.push("literal", "", 0).content = state.src[state.pos + 1]
        state.pos += 2
        return True
    if node is None:
        return False
    if not silent:
        token = state.push("tex", "", 0)
        token.content = state.src[node.start : node.end]
        token.meta = {"node": node}
    state.pos = node.end
    return True


def _is_formula(node: Node | None) -> bool:
    return node is not None and any(sign in node.shown for sign in "\\^_=<>+")


class _Walk:
    """Turns tokens into HTML while it keeps track of the sentence it is in."""

    def __init__(
        self, links: Mapping[int, Sequence[str]], urls: frozenset[str], flagged: list[Sentence]
    ) -> None:
        self._links = links
        self._cited: Counter[int] = Counter()
        self._urls = urls
        self._flagged = iter(flagged)
        self._state: str | None = None

    def blocks(self, tokens: Sequence[Token]) -> str:
        return "".join(self._block(token) for token in tokens)

    def _block(self, token: Token) -> str:
        if token.type == "inline":
            return "".join(self._inline(child) for child in token.children or ())
        if token.type in ("fence", "code_block"):
            lines = [self._signed(line, escape) for line in token.content.rstrip("\n").split("\n")]
            return f"<pre><code>{'<br>'.join(lines)}</code></pre>"
        if token.type == "hr":
            return "<hr>"
        return self._tag(token)

    def _tag(self, token: Token) -> str:
        tag, opening = token.tag, token.nesting == 1
        if token.hidden:
            return ""
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            return "<h4>" if opening else "</h4>"
        if tag not in _PLAIN_TAGS:
            return ""
        if tag == "table":
            return '<div class="ap-table"><table>' if opening else "</table></div>"
        return f"<{tag}{_attributes(token.attrs)}>" if opening else f"</{tag}>"

    def _inline(self, token: Token) -> str:
        if token.type == "text":
            return self._signed(token.content, self._words)
        if token.type == "tex":
            return self._tex(token)
        if token.type == "code_inline":
            return self._signed(token.content, lambda part: f"<code>{escape(part)}</code>")
        if token.type in ("softbreak", "hardbreak"):
            return "<br>" if token.type == "hardbreak" else " "
        if token.tag in ("strong", "em"):
            return f"<{'' if token.nesting == 1 else '/'}{token.tag}>"
        return self._wrapped(escape(token.content))

    def _tex(self, token: Token) -> str:
        node = token.meta["node"]
        if node.kind in ("math", "display"):
            drawn = math(node)
        elif node.kind == "link":
            known = node.url in self._urls
            drawn = named_link(node.url, node.shown) if known else escape(node.shown)
        else:
            drawn = inline_html(_SIGNS.sub("", token.content))
        signs = _SIGNS.findall(token.content)
        before = "".join(self._turn(sign) for sign in signs if sign in _STATE)
        wrapped = self._wrapped(drawn)
        return before + wrapped + "".join(self._turn(sign) for sign in signs if sign == _CLOSE)

    def _signed(self, content: str, draw: Callable[[str], str]) -> str:
        drawn: list[str] = []
        for part in _SIGNS.split(content):
            if _SIGNS.fullmatch(part):
                drawn.append(self._turn(part))
            elif part:
                drawn.append(self._wrapped(draw(part)))
        return "".join(drawn)

    def _turn(self, sign: str) -> str:
        if sign in _STATE:
            self._state = _STATE[sign]
            return ""
        self._state = None
        sentence = next(self._flagged, None)
        if sentence is None or sentence.verdict is None:
            return ""
        reason = f": {escape(sentence.reason)}" if sentence.reason else ""
        return (
            f' <span class="ap-verdict ap-{sentence.verdict}">'
            f"{VERDICTS[sentence.verdict]}{reason}</span>"
        )

    def _wrapped(self, drawn: str) -> str:
        if self._state is None or not drawn.strip():
            return drawn
        return f'<span class="ap-said ap-{self._state}">{drawn}</span>'

    def _words(self, text: str) -> str:
        drawn: list[str] = []
        done = 0
        for found in _REFERENCE.finditer(text):
            numbers = [int(number) for number in re.findall(r"\d+", found[1])]
            if not all(number in self._links for number in numbers):
                continue
            drawn.append(self._plain(text[done : found.start()]))
            drawn.extend(self._link(number) for number in numbers)
            done = found.end()
        return "".join(drawn) + self._plain(text[done:])

    def _link(self, number: int) -> str:
        given = self._links[number]
        place = min(self._cited[number], len(given) - 1)
        self._cited[number] += 1
        return given[place]

    def _plain(self, text: str) -> str:
        return "".join(
            named_link(node.url, node.shown)
            if node.kind == "link" and node.url in self._urls
            else escape(text[node.start : node.end])
            for node in parse(text)
        )


def _attributes(given: Mapping[str, str | int | float]) -> str:
    kept = ""
    if str(given.get("start", "")).isdigit():
        kept += f' start="{given["start"]}"'
    for side in ("right", "center"):
        if given.get("style") == f"text-align:{side}":
            kept += f' class="ap-{side}"'
    return kept
