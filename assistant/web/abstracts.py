"""Abstracts and titles as HTML, with the proving words marked by their exact offsets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assistant.answering.answer import Support
from assistant.web.escaping import escape, math, named_link
from assistant.web.markup import Node, parse

__all__ = ["RANK", "Highlight", "abstract_html", "inline_html"]

_TAGS = {"strong": "strong", "em": "em"}
RANK: dict[Support, int] = {"supported": 0, "partial": 1, "unsupported": 2}


@dataclass(frozen=True, slots=True)
class Highlight:
    """Words to mark.

    Args:
        start: offset of the first character in the abstract.
        end: offset behind the last one.
        support: whether they support what cites them.
        names: classes the mark gets besides, by which it is found again.
    """

    start: int
    end: int
    support: Support = "supported"
    names: str = ""


def inline_html(text: str) -> str:
    """Return a title or a label as HTML: math and emphasis drawn, addresses as plain text.

    Args:
        text: one line.
    """
    return "".join(_html(node, (), links=False) for node in parse(text))


def abstract_html(text: str, highlights: Iterable[Highlight] = ()) -> str:
    """Return an abstract as one paragraph of HTML with marked words.

    A mark is cut at its offsets; where it ends inside a formula or a link, which cannot be cut,
    the whole of that is marked.

    Args:
        text: the abstract, as it was read.
        highlights: what to mark; overlapping ones are joined.
    """
    marks = _joined(highlights, len(text))
    nodes = parse(text)
    pieces: list[str] = []
    for mark, run in _runs(nodes, marks):
        content = "".join(_html(node, () if mark else marks) for node in run)
        pieces.append(_marked(content, mark) if mark else content)
    return "".join(pieces)


def _joined(highlights: Iterable[Highlight], length: int) -> tuple[Highlight, ...]:
    inside = (
        replace(mark, start=max(0, mark.start), end=min(length, mark.end)) for mark in highlights
    )
    found: list[Highlight] = []
    for mark in sorted((m for m in inside if m.start < m.end), key=lambda m: (m.start, m.end)):
        if found and mark.start < found[-1].end:
            last = found[-1]
            better = min(last.support, mark.support, key=RANK.__getitem__)
            names = f"{last.names} {mark.names}".strip()
            found[-1] = Highlight(last.start, max(last.end, mark.end), better, names)
        else:
            found.append(mark)
    return tuple(found)


def _runs(
    nodes: Sequence[Node], marks: Sequence[Highlight]
) -> Iterator[tuple[Highlight | None, list[Node]]]:
    """Group the pieces so that each mark is one element wherever it can be."""
    current: Highlight | None = None
    run: list[Node] = []
    for node in _cut(nodes, marks):
        mark = _around(node, marks)
        if mark is not current and run:
            yield current, run
            run = []
        current = mark
        run.append(node)
    if run:
        yield current, run


def _cut(nodes: Iterable[Node], marks: Sequence[Highlight]) -> Iterator[Node]:
    edges = sorted({edge for mark in marks for edge in (mark.start, mark.end)})
    for node in nodes:
        if node.kind != "text" or len(node.shown) != node.end - node.start:
            yield node
            continue
        inner = [edge for edge in edges if node.start < edge < node.end]
        for start, end in zip([node.start, *inner], [*inner, node.end], strict=True):
            yield Node("text", start, end, node.shown[start - node.start : end - node.start])


def _around(node: Node, marks: Sequence[Highlight]) -> Highlight | None:
    for mark in marks:
        if mark.start <= node.start and node.end <= mark.end:
            return mark
        if not node.children and mark.start < node.end and node.start < mark.end:
            return mark
    return None


def _html(node: Node, marks: Sequence[Highlight], *, links: bool = True) -> str:
    if node.kind in ("math", "display"):
        return math(node)
    if node.kind == "link":
        return named_link(node.url, node.shown) if links else escape(node.shown)
    if node.kind == "text":
        return escape(node.shown)
    tag = _TAGS[node.kind]
    inner: list[str] = []
    for mark, run in _runs(node.children, marks):
        content = "".join(_html(n, () if mark else marks, links=links) for n in run)
        inner.append(_marked(content, mark) if mark else content)
    return f"<{tag}>{''.join(inner)}</{tag}>"


def _marked(content: str, mark: Highlight) -> str:
    classes = f"ap-mark ap-{mark.support} {mark.names}".strip()
    return f'<mark class="{classes}">{content}</mark>'
