"""The verifier as written answers use it: one call a sentence, claims told from talk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assistant.answering.answer import Support
from assistant.answering.claims import CITATION, claims_something
from assistant.answering.drafts import Verify
from assistant.answering.plaintext import plain
from assistant.corpus.paper import Paper

if TYPE_CHECKING:
    from assistant.answering.verification import Verifier

__all__ = ["Finding", "check_with"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A `Verdict` on one sentence.

    Args:
        support: None where the sentence claims nothing of any paper.
        reason: why it is not supported.
        spans: by place in the papers given, where the supporting words stand.
    """

    support: Support | None
    reason: str | None = None
    spans: Mapping[int, tuple[int, int]] = field(default_factory=dict)


def check_with(verifier: Verifier) -> Verify:
    """Make the check of one sentence out of a verifier.

    Args:
        verifier: safe to share between threads.
    """

    def check(sentence: str, papers: Sequence[Paper]) -> Finding:
        if not claims_something(sentence) or _only_names(sentence, papers):
            return Finding(None)
        if not papers:
            return Finding("unsupported", "it cites no source")
        verdict = verifier.verify(sentence, papers)
        shown = {place: span for place, span in enumerate(verdict.spans) if span is not None}
        return Finding(verdict.support, verdict.reason, shown)

    return check


def _only_names(sentence: str, papers: Sequence[Paper]) -> bool:
    """Whether it is the title of a paper it cites and nothing else: true, and no answer."""
    words = _letters(CITATION.sub("", sentence))
    return any(words in (_letters(paper.label), _letters(paper.title or "")) for paper in papers)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, plain(text).text)).casefold()
