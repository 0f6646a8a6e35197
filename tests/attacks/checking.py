"""What must hold of every answer, whatever was indexed and asked."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import urlsplit

from assistant.answering.answer import Answer
from assistant.retrieval.commands import commands, telling_spans
from assistant.web.rendering import answer_html

__all__ = ["HARMLESS_TAGS", "harmless", "own_words_only"]

HARMLESS_TAGS = set(
    "a article b blockquote br button code dd del details div dl dt em h2 h3 h4 hr i input label li mark "
    "ol p pre q section span strong sub summary sup table tbody td th thead tr ul".split()
)
_OWN_ATTRIBUTES = re.compile(r"aria-\w+|data-\w+|class|id|href|target|rel|type|title|hidden|role|start|tabindex|"
                             r"colspan|open|scope|placeholder|name|for|value|checked")  # fmt: skip


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.links: list[list[str]] = []
        self._within = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag == "a":
            self.links.append([dict(attrs).get("href") or "", ""])
            self._within = True

    def handle_endtag(self, tag: str) -> None:
        self._within = self._within and tag != "a"

    def handle_data(self, data: str) -> None:
        if self._within:
            self.links[-1][1] += data


def harmless(answer: Answer) -> None:
    """Check that nothing of an answer can act: on the page, in a terminal, in Markdown."""
    page = _Elements()
    page.feed(answer_html(answer))
    for tag, attributes in page.found:
        assert tag in HARMLESS_TAGS, tag
        assert all(_OWN_ATTRIBUTES.fullmatch(name) for name in attributes), attributes
    papers = {paper.url for paper in [*answer.papers, *(found.paper for found in answer.evidence)]}
    for address, words in page.links:
        where = urlsplit(address)
        says_where = where.scheme in ("http", "https") and str(where.hostname) in words.casefold()
        assert address.startswith("#source-") or address in papers or says_where, address
    assert not re.search(r"[\x00-\x08\x0e-\x1f\x7f]", str(answer))


def own_words_only(answer: Answer) -> None:
    """Check that a quoted answer says what abstracts say, and quotes no order of theirs."""
    for citation in answer.citations:
        abstract = citation.paper.abstract
        assert abstract[citation.start : citation.end] == citation.quote
        only_orders = all(commands(abstract[slice(*span)]) for span in telling_spans(abstract))
        assert only_orders or not commands(citation.quote), citation.quote
