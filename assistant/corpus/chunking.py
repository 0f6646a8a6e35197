"""Abstracts cut into passages that fit an embedder's window, at sentences, with exact offsets."""

from __future__ import annotations

from collections.abc import Callable

from assistant.corpus.paper import Paper, Passage
from assistant.corpus.sentences import sentence_spans, trimmed
from assistant.corpus.spans import Span

__all__ = ["CHUNKING", "embedded_text", "passages"]

CHUNKING = "sentences-1"
"""Names the way of cutting; part of the index's fingerprint, changed when the cuts change."""

_CHARS_PER_TOKEN = 2
_TITLE_BYTES = 300
"""What of a title is embedded: a longer one is none, and would crowd the abstract out."""


def passages(
    paper: Paper, *, count_tokens: Callable[[str], int] | None, window: int
) -> list[Passage]:
    """Cut one abstract; what fits the window stays whole.

    Args:
        paper: the paper.
        count_tokens: the embedder's own counting; None: four characters are a token.
        window: tokens that fit beside the title.

    Returns:
        Passages in order; together they hold every character that is not blank.
    """
    count = count_tokens or (lambda text: len(text) // 4 + 1)
    text = paper.abstract
    room = max(16, window - (count(_head(paper)) if paper.title else 0))
    whole = trimmed(text, 0, len(text))
    if whole is None:
        return []
    if _fits(text, room, count):
        return [_passage(paper, whole)]
    pieces = [
        piece
        for span in sentence_spans(text)
        for piece in _split_long_sentence(text, span, room, count, room * _CHARS_PER_TOKEN)
    ]
    sizes = [count(text[start:end]) for start, end in pieces]
    return [_passage(paper, span) for span in _pack(pieces, sizes, room)]


def embedded_text(paper: Paper, passage: Passage) -> str:
    """Return what is embedded for a passage: the paper's title, if any, then the passage.

    Args:
        paper: the paper.
        passage: one of its passages.
    """
    return f"{_head(paper)}\n{passage.text}" if paper.title else passage.text


def _head(paper: Paper) -> str:
    title = paper.title or ""
    data = title.encode("utf-8", "replace")
    return title if len(data) <= _TITLE_BYTES else data[:_TITLE_BYTES].decode("utf-8", "ignore")


def _passage(paper: Paper, span: Span) -> Passage:
    start, end = span
    return Passage(paper_id=paper.id, text=paper.abstract[start:end], start=start, end=end)


def _pack(pieces: list[Span], sizes: list[int], room: int) -> list[Span]:
    """Join neighbours into as few passages as fit the room, of nearly equal size."""
    total = sum(sizes)
    for count in range(max(1, -(-total // room)), len(pieces) + 1):
        groups: dict[int, list[int]] = {}
        before = 0
        for i, size in enumerate(sizes):
            groups.setdefault(int((before + size / 2) * count / total), []).append(i)
            before += size
        if all(sum(sizes[i] for i in group) <= room for group in groups.values()):
            return [(pieces[group[0]][0], pieces[group[-1]][1]) for group in groups.values()]
    return pieces


def _fits(text: str, room: int, count: Callable[[str], int]) -> bool:
    # A Latin letter is a token at most; a Korean one may be three.
    return (text.isascii() and len(text) <= room) or count(text) <= room


def _split_long_sentence(
    text: str, span: Span, room: int, count: Callable[[str], int], size: int
) -> list[Span]:
    """Cut at clauses or words into pieces of some characters, of fewer where they do not fit."""
    start, end = span
    if end - start <= 1 or _fits(text[start:end], room, count):
        return [span]
    # langchain's splitter is heavy to import and such a sentence is rare.
    from langchain_text_splitters.character import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        separators=["; ", ", ", " ", ""],
        keep_separator="end",
        chunk_size=max(1, size),
        chunk_overlap=0,
        strip_whitespace=False,
    )
    spans: list[Span] = []
    for piece in splitter.split_text(text[start:end]):
        at = text.index(piece, start)
        span_at = trimmed(text, at, at + len(piece))
        if span_at is not None:
            spans += _split_long_sentence(text, span_at, room, count, size // 2)
        start = at + len(piece)
    return spans
