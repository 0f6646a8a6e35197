"""An answer in the abstracts' own sentences while it is put together."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.answering.answer import Citation, Sentence
from assistant.answering.quoting import cited
from assistant.corpus.paper import Paper

__all__ = ["Draft"]


@dataclass(slots=True)
class Draft:
    """An answer being put together.

    Args:
        text: Markdown.
        citations: the proofs.
        papers: the papers named.
        sentences: what the text says, piece by piece.
        abstained: whether the question as asked is not answered.
    """

    text: str = ""
    citations: list[Citation] = field(default_factory=list)
    papers: list[Paper] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)
    abstained: bool = False

    def cite(self, paper: Paper, start: int, end: int) -> int:
        """Add a proof and return its number; a paper keeps the number it has."""
        number = next((c.number for c in self.citations if c.paper.id == paper.id), None)
        if number is None:
            number = len({citation.number for citation in self.citations}) + 1
            self.papers.append(paper)
        self.citations.append(Citation(number, paper, paper.abstract[start:end], start, end))
        return number

    def quote(self, paper: Paper, start: int, end: int) -> str:
        """Add a verbatim sentence; return it as shown."""
        number = self.cite(paper, start, end)
        shown = cited(paper.abstract[start:end], number)
        self.sentences.append(Sentence(shown, "supported", (number,)))
        return shown

    def say(self, text: str) -> str:
        """Add a sentence of the assistant's own that claims nothing of a paper."""
        self.sentences.append(Sentence(text))
        return text
