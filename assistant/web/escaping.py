"""The only place where a text of a paper, a model or a person becomes HTML."""

from __future__ import annotations

import html
import unicodedata
from urllib.parse import urlsplit

from assistant.web.markup import Node, safe_url

__all__ = ["LATEX_DELIMITERS", "escape", "link", "math", "named_link", "visible"]

# Invisible operators (U+2061 to U+2063) as delimiters: no text can open math by itself, and
# nothing flashes before KaTeX has drawn it.
_INLINE = ("\u2063\u2061", "\u2061\u2063")
_DISPLAY = ("\u2063\u2062", "\u2062\u2063")
LATEX_DELIMITERS: list[dict[str, str | bool]] = [
    {"left": _INLINE[0], "right": _INLINE[1], "display": False},
    {"left": _DISPLAY[0], "right": _DISPLAY[1], "display": True},
]
_DROPPED = {0x2061, 0x2062, 0x2063, 0x2064, 0x202A, 0x202B, 0x202D, 0x202E, 0xFEFF}


def visible(text: str) -> str:
    """Return the text as one line, without control, private-use and direction characters.

    Args:
        text: any text.
    """
    if text.isascii() and text.isprintable():
        return text
    kept = (" " if character in "\n\r\t\x0b\x0c\u2028\u2029" else character for character in text)
    return "".join(
        character
        for character in kept
        if ord(character) not in _DROPPED
        and unicodedata.category(character) not in ("Cc", "Co", "Cs")
    )


def escape(text: str) -> str:
    """Return the text as HTML that shows it, safe inside an element and an attribute.

    Args:
        text: any text.
    """
    return html.escape(visible(text), quote=True)


def math(node: Node) -> str:
    """Return a formula in the delimiters the page's KaTeX looks for.

    Args:
        node: a node of kind `math` or `display`.
    """
    left, right = _DISPLAY if node.kind == "display" else _INLINE
    return f'<span class="ap-math">{left}{escape(node.shown)}{right}</span>'


def link(url: str | None, words: str) -> str:
    """Return a link that opens apart, or the words alone where the address is not http(s).

    Args:
        url: the address.
        words: what is shown.
    """
    checked = safe_url(url)
    if checked is None:
        return escape(words)
    return (
        f'<a href="{escape(checked)}" target="_blank" rel="noopener noreferrer">{escape(words)}</a>'
    )


def named_link(url: str | None, words: str) -> str:
    """Return a link out of a text, which says where it leads whatever its words are.

    Args:
        url: the address.
        words: what the text shows for it.
    """
    checked = safe_url(url)
    host = urlsplit(checked).hostname if checked else None
    said = words if not host or host in words.casefold() else f"{words} ({host})"
    return link(url, said)
