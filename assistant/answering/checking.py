"""The verifier as written answers use it: one call a sentence, claims told from talk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assistant.answering.answer import Support
from assistant.answering.claims import claims_something
from assistant.answering.drafts import Verify
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
        if not claims_something(sentence):
            return Finding(None)
        if not papers:
            return Finding("unsupported", "it cites no source")
        verdict = verifier.verify(sentence, papers)
        shown = {place: span for place, span in enumerate(verdict.spans) if span is not None}
        return Finding(verdict.support, verdict.reason, shown)

    return check
