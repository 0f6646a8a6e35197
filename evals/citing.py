"""Citation precision and recall, sentence by sentence.

Recall is the share of sentences that their citations support, precision the share of citations that
belong (ALCE: Gao et al. 2023, "Enabling Large Language Models to Generate Text with Citations").
Two judges give them: the papers and facts of the case, and the project's own verifier.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assistant.answering.answer import Answer, Sentence
from assistant.answering.numbers import numbers, stands
from assistant.corpus.paper import Paper
from evals.cases import Case
from evals.matching import holds, states

__all__ = ["CitationScores", "claims", "score_citations", "sentence_is_right"]

_MARK = re.compile(r"\s*\[\d+\]")


@dataclass(frozen=True, slots=True)
class CitationScores:
    """What two judges say of an answer's citations; each None without a sentence that claims.

    Args:
        precision: share of citations of papers the case allows, by the case.
        recall: share of sentences that are right, by the case.
        verified_precision: share of citations whose quote supports, by the verifier.
        verified_recall: share of sentences supported, by the verifier.
        agreement: share of sentences on which the two say the same.
    """

    precision: float | None
    recall: float | None
    verified_precision: float | None
    verified_recall: float | None
    agreement: float | None


def claims(answer: Answer) -> list[Sentence]:
    """Give the sentences that say something of a paper.

    Args:
        answer: any answer.
    """
    return [each for each in answer.sentences if each.verdict is not None or each.citations]


def score_citations(case: Case, answer: Answer, papers: Mapping[str, Paper]) -> CitationScores:
    """Judge an answer's citations.

    A sentence without a citation counts as unsupported, and as one missing citation it costs no
    precision. With no citation at all, precision is 0.

    Args:
        case: the papers and facts that are right.
        answer: the answer.
        papers: the collection by id.
    """
    said = claims(answer)
    if not said:
        return CitationScores(None, None, None, None, None)
    gold = [sentence_is_right(case, each, answer, papers) for each in said]
    verified = [each.verdict == "supported" for each in said]
    pairs = [(each, number) for each in said for number in dict.fromkeys(each.citations)]
    belongs = [_belongs(case, number, answer, papers) for _, number in pairs]
    supports = [_supports(number, answer) for _, number in pairs]
    return CitationScores(
        precision=_share(belongs),
        recall=_share(gold),
        verified_precision=_share(supports),
        verified_recall=_share(verified),
        agreement=_share([a == b for a, b in zip(gold, verified, strict=True)]),
    )


def sentence_is_right(
    case: Case, sentence: Sentence, answer: Answer, papers: Mapping[str, Paper]
) -> bool:
    """Judge one sentence by the case alone, without the verifier.

    It is right when it cites, every paper cited is among the sources and allowed by the case, every
    quote stands in its abstract, its numbers stand in the abstracts cited, a fact of the case it
    states stands in one of them, and it holds nothing forbidden.

    Args:
        case: the papers and facts that are right.
        sentence: one that claims something.
        answer: the answer it stands in.
        papers: the collection by id.
    """
    text = _MARK.sub("", sentence.text)
    if not sentence.citations or any(states(term, text) for term in case.forbid):
        return False
    if not all(_belongs(case, number, answer, papers) for number in sentence.citations):
        return False
    cited = [papers[paper_id] for paper_id in _cited(sentence.citations, answer)]
    source = "\n".join(f"{paper.title or ''}\n{paper.abstract}" for paper in cited)
    known = numbers(source)
    if not all(stands(quantity, known) for quantity in numbers(text)):
        return False
    return all(holds(fact, source) for fact in case.facts if holds(fact, text))


def _belongs(case: Case, number: int, answer: Answer, papers: Mapping[str, Paper]) -> bool:
    proofs = [proof for proof in answer.citations if proof.number == number]
    sources = {item.paper.id for item in answer.evidence}
    return bool(proofs) and all(
        proof.paper.id in case.allowed
        and proof.paper.id in sources
        and proof.paper.id in papers
        and papers[proof.paper.id].abstract[proof.start : proof.end] == proof.quote
        for proof in proofs
    )


def _supports(number: int, answer: Answer) -> bool:
    proofs = [proof for proof in answer.citations if proof.number == number]
    return any(proof.support == "supported" for proof in proofs)


def _cited(marks: tuple[int, ...], answer: Answer) -> list[str]:
    return list(dict.fromkeys(p.paper.id for p in answer.citations if p.number in marks))


def _share(values: list[bool]) -> float:
    return sum(values) / len(values) if values else 0.0
