"""What a question gives back: text, the citations that prove it, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from assistant.corpus.paper import Paper
from assistant.retrieval.evidence import Evidence

__all__ = ["Answer", "Citation", "Kind", "Mode", "Sentence", "Support"]

Support = Literal["supported", "partial", "unsupported"]
Mode = Literal["extractive", "written"]
Kind = Literal["list", "fact", "compare", "count", "small_talk", "out_of_scope"]


@dataclass(frozen=True, slots=True)
class Citation:
    """One proof: `paper.abstract[start:end] == quote`.

    Args:
        number: the `[n]` it has in the answer's text; one number a paper.
        paper: the paper cited.
        quote: the words of the abstract that show it.
        start: offset of the quote in the abstract.
        end: offset behind it.
        support: whether the quote supports the sentence that cites it.
    """

    number: int
    paper: Paper
    quote: str
    start: int
    end: int
    support: Support = "supported"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "number": self.number,
            "quote": self.quote,
            "start": self.start,
            "end": self.end,
            "support": self.support,
            "paper": self.paper.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the answer with its verdict and the numbers it cites.

    Args:
        text: the sentence, citation marks included.
        verdict: None where it claims nothing of a paper ("No abstract says this.").
        citations: the numbers it cites.
        reason: why it is not supported, in a few words.
    """

    text: str
    verdict: Support | None = None
    citations: tuple[int, ...] = ()
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "text": self.text,
            "verdict": self.verdict,
            "citations": list(self.citations),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply to one question, and everything needed to trace it.

    Args:
        text: Markdown with `[n]`; no reference list.
        question: as it was asked.
        standalone_question: as it was understood with the history.
        kind: what kind of question it was taken for.
        mode: `extractive` (the abstracts' own sentences) or `written` (by a model).
        citations: the proofs, ordered by number.
        papers: every paper the answer names; for lists all relevant ones, ordered.
        sentences: the text sentence by sentence, with verdicts.
        evidence: what was retrieved, best first.
        judged: how many candidates were judged.
        candidates: how many there were to judge.
        abstained: true when the question as asked is not answered from the collection.
        history: what was given plus this turn, as `{"role", "content"}`.
        model: the chat model's name, None in extractive mode.
        prompt_hash: of the prompts that shaped it, all of them; None where no model was asked.
        embedder: its name, None where search was lexical alone.
        index_fingerprint: of embedder, chunking and schema.
        usage: tokens, where the server told them.
        timings: milliseconds by step.
        warnings: fallbacks and limits a reader must know of.
    """

    text: str
    question: str
    standalone_question: str
    kind: Kind
    mode: Mode
    citations: tuple[Citation, ...] = ()
    papers: tuple[Paper, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    judged: int = 0
    candidates: int = 0
    abstained: bool = False
    history: tuple[dict[str, str], ...] = ()
    model: str | None = None
    prompt_hash: str | None = None
    embedder: str | None = None
    index_fingerprint: str | None = None
    usage: dict[str, int] | None = None
    timings: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The text and the references it cites."""
        from assistant.answering.exporting import as_text

        return as_text(self)

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def to_markdown(self) -> str:
        """Return the text and its references as Markdown."""
        from assistant.answering.exporting import as_markdown

        return as_markdown(self)

    def to_bibtex(self) -> str:
        """Return BibTeX entries of exactly the papers cited."""
        from assistant.answering.exporting import as_bibtex

        return as_bibtex(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that holds everything, for JSON."""
        return {
            "text": self.text,
            "question": self.question,
            "standalone_question": self.standalone_question,
            "kind": self.kind,
            "mode": self.mode,
            "abstained": self.abstained,
            "citations": [citation.to_dict() for citation in self.citations],
            "papers": [paper.to_dict() for paper in self.papers],
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            "evidence": [item.to_dict() for item in self.evidence],
            "judged": self.judged,
            "candidates": self.candidates,
            "history": [dict(turn) for turn in self.history],
            "model": self.model,
            "prompt_hash": self.prompt_hash,
            "embedder": self.embedder,
            "index_fingerprint": self.index_fingerprint,
            "usage": self.usage,
            "timings": {name: round(value, 2) for name, value in self.timings.items()},
            "warnings": list(self.warnings),
        }
