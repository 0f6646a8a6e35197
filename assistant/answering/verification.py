"""The verifier: does the cited paper say what the sentence says?

Numbers and names must stand in the paper, the sentence must not say the opposite, and a small model
over word and vector overlap must find it supported. Everything runs here, without a language model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assistant.answering.answer import Support
from assistant.answering.claims import claims_something
from assistant.answering.clauses import clauses
from assistant.answering.facts import Facts, facts_of
from assistant.answering.plaintext import plain
from assistant.answering.polarity import contradiction
from assistant.answering.rules import broken_rule, without_marks
from assistant.answering.support import Measured, SupportModel, measure
from assistant.answering.vector_cache import VectorCache
from assistant.corpus.paper import Paper
from assistant.retrieval.language import ENGLISH, language_of

__all__ = ["UNCHECKED_LANGUAGE", "Verdict", "Verifier", "claims_something", "refusal"]

UNCHECKED_LANGUAGE = "not checked in this language"
"""The reason given where only numbers and names could be compared."""

# Function words that German, French, Spanish, Italian and Portuguese do not have.
_ENGLISH_ALONE = frozenset(
    """the of and to that for with by are it this from which its not or than but while they their
    have has such does only these both into can""".split()
)
_ENGLISH_EVERY = 12
_CLEAR_COVER = 0.8

_BEST_FIRST: tuple[Support, ...] = ("supported", "partial", "unsupported")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the verifier found for one sentence.

    Args:
        support: of the sentence as a whole.
        reason: why it is not supported, in a few words; None where it is.
        spans: for each cited paper the offsets in its abstract that show it; None where the paper
            shows nothing of it.
        score: probability of support by the model, 0 to 1; 0 where a rule decided.
        papers: support by each cited paper, in the order given.
        better: id of a paper among `others` that does support the sentence, where the cited ones
            do not.
    """

    support: Support
    reason: str | None
    spans: tuple[tuple[int, int] | None, ...]
    score: float
    papers: tuple[Support, ...]
    better: str | None = None


class Verifier:
    """Checks sentences of answers against the papers they cite; safe to share between threads.

    Args:
        embed: turns texts into float32 `[n, dim]` with rows of length 1; None to compare words
            alone, which has its own weights.
    """

    def __init__(self, embed: Callable[[Sequence[str]], NDArray[np.float32]] | None) -> None:
        self._embed = None if embed is None else VectorCache(embed)
        self._model = SupportModel(with_vectors=embed is not None)

    def prepare(self, papers: Sequence[Paper]) -> None:
        """Take papers apart and embed their sentences, once for all sentences that cite them.

        Args:
            papers: what an answer may cite.
        """
        facts = [facts_of(paper) for paper in papers]
        if self._embed is not None:
            self._embed([sentence for fact in facts for sentence in fact.sentences])

    def verify(
        self,
        sentence: str,
        papers: Sequence[Paper],
        *,
        others: Sequence[Paper] = (),
        labels: Sequence[str] | None = None,
        language: str | None = None,
    ) -> Verdict:
        """Check one sentence.

        Args:
            sentence: as it stands in the answer; its citation marks tell which paper proves which
                part where `labels` are those marks.
            papers: the papers it cites.
            others: more papers, searched when the cited ones do not support it.
            labels: how a reason calls each paper; by default `[1]`, `[2]`, … in order.
            language: the answer's, as an ISO 639-1 code, where it is known.

        Returns:
            The verdict; `unsupported` where nothing is cited.
        """
        if not papers:
            return Verdict("unsupported", "cites no paper", (), 0.0, ())
        names = labels or [f"[{i}]" for i in range(1, len(papers) + 1)]
        english = _is_english(without_marks(sentence), language)
        facts = [facts_of(paper) for paper in papers]
        verdict = self._checked(sentence, facts, names, english=english)
        if verdict.support == "supported" or not english:
            return verdict
        cited = {paper.id for paper in papers}
        candidates = (other for other in others if other.id not in cited)
        better = next((other.id for other in candidates if self._supports(other, sentence)), None)
        return replace(verdict, better=better) if better else verdict

    def _supports(self, paper: Paper, sentence: str) -> bool:
        facts = [facts_of(paper)]
        verdict = self._checked(without_marks(sentence), facts, ["[1]"], english=True)
        return verdict.support == "supported"

    def _checked(
        self, sentence: str, facts: Sequence[Facts], labels: Sequence[str], *, english: bool
    ) -> Verdict:
        text = without_marks(sentence)
        reason = broken_rule(sentence, facts, labels, english=english)
        if reason:
            return _refused(reason, facts)
        if not english:
            return _unchecked(facts)
        copied = copied_span(text, facts[0]) if len(facts) == 1 else None
        if copied:
            return Verdict("supported", None, (copied,), 1.0, ("supported",))
        measured = self._measured(text, facts)
        reason = refusal(text, facts, measured)
        if reason:
            return _refused(f"{' '.join(labels)} says otherwise: {reason}", facts)
        return self._judged(text, facts, labels, measured)

    def _measured(self, text: str, facts: Sequence[Facts]) -> Measured:
        """Vectors are made only where words alone leave the place in doubt: they take most time."""
        by_words = measure(text, facts, None)
        clear = by_words.features["best_cover"] >= _CLEAR_COVER
        if self._embed is None or (clear and self._model.level(by_words.features) == "supported"):
            return by_words
        return measure(text, facts, self._embed)

    def _judged(
        self, text: str, facts: Sequence[Facts], labels: Sequence[str], measured: Measured
    ) -> Verdict:
        score = self._model.probability(measured.features)
        support = self._model.level(measured.features)
        each = [support] if len(facts) == 1 else [self._share(text, fact) for fact in facts]
        spans = tuple(
            None if level == "unsupported" else span
            for level, span in zip(each, measured.spans, strict=True)
        )
        idle = [label for label, level in zip(labels, each, strict=True) if level == "unsupported"]
        if support == "supported" and idle:
            reason: str | None = f"{' '.join(idle)} does not say this"
            return Verdict("partial", reason, spans, score, tuple(each))
        reason = {
            "supported": None,
            "partial": f"{' '.join(labels)} says only part of this",
            "unsupported": f"{' '.join(labels)} does not say this",
        }[support]
        return Verdict(support, reason, spans, score, tuple(each))

    def _share(self, text: str, fact: Facts) -> Support:
        """What one of several papers supports of a sentence: its best clause counts."""
        levels = {
            self._model.level(measure(piece, [fact], self._embed).features)
            for piece in (text, *clauses(text))
        }
        return next(level for level in _BEST_FIRST if level in levels)


def refusal(text: str, facts: Sequence[Facts], measured: Measured) -> str | None:
    """Tell whether a sentence says the opposite of its sources.

    Args:
        text: the sentence, citation marks left out.
        facts: of the papers it cites.
        measured: the sentence held against them.

    Returns:
        The words in conflict, None where there is no conflict.
    """
    every = [sentence for fact in facts for sentence in fact.sentences]
    return contradiction(text, measured.nearest, every)


def copied_span(text: str, fact: Facts) -> tuple[int, int] | None:
    """Find a sentence, or two, that a text copies; markup, case and white space do not count.

    Args:
        text: a sentence of an answer.
        fact: of the paper.

    Returns:
        Offsets in the abstract.
    """
    wanted = _bare(text)
    for i, (start, end) in enumerate(fact.spans):
        for last in (end, *(stop for _, stop in fact.spans[i + 1 : i + 2])):
            if wanted == _bare(fact.paper.abstract[start:last]):
                return start, last
    return None


def _is_english(text: str, language: str | None) -> bool:
    """Made for questions, `language_of` takes statements with few function words for Italian."""
    if language in (None, ENGLISH) and language_of(text) == ENGLISH:
        return True
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return sum(word in _ENGLISH_ALONE for word in words) * _ENGLISH_EVERY >= len(words)


def _bare(text: str) -> str:
    return " ".join(plain(text).text.split()).casefold().rstrip(".")


def _refused(reason: str, facts: Sequence[Facts]) -> Verdict:
    unsupported: Support = "unsupported"
    return Verdict(unsupported, reason, (None,) * len(facts), 0.0, (unsupported,) * len(facts))


def _unchecked(facts: Sequence[Facts]) -> Verdict:
    partial: Support = "partial"
    spans = tuple((0, len(fact.paper.abstract)) for fact in facts)
    return Verdict(partial, UNCHECKED_LANGUAGE, spans, 0.0, (partial,) * len(facts))
