"""Made-up papers, answers and results whose scores can be worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.answering.answer import Answer, Citation, Sentence, Support
from assistant.corpus.paper import Paper, Passage
from assistant.retrieval.evidence import Evidence
from evals.cases import Case
from evals.records import CaseResult, Provenance, RunRecord

A = Paper(id="p-a", title="Alpha", abstract="Alpha is 3 times faster. It needs 80 % of the memory.")
B = Paper(id="p-b", title="Beta", abstract="Beta colours graphs. It is proven correct for trees.")
C = Paper(id="p-c", title="Gamma", abstract="Gamma folds shirts. It needs two arms and a table.")
PAPERS = {paper.id: paper for paper in (A, B, C)}


def case(**given: Any) -> Case:
    base: dict[str, Any] = {
        "id": "c1",
        "kind": "robust",
        "question": "How fast is Alpha?",
        "cite": ["p-a"],
        "facts": ["3x"],
    }
    return Case.model_validate(base | given)


def proof(
    number: int, paper: Paper, *, quote: str | None = None, support: Support = "supported"
) -> Citation:
    text = paper.abstract.split(". ")[0] if quote is None else quote
    start = max(0, paper.abstract.find(text))
    return Citation(number, paper, text, start, start + len(text), support)


def said(text: str, *numbers: int, verdict: Support | None = "supported") -> Sentence:
    return Sentence(text, verdict, numbers)


def evidence(*papers: Paper) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(Passage(paper.id, paper.abstract[:5], 0, 5), paper, 0.9) for paper in papers
    )


def answer(*sentences: Sentence, proofs: tuple[Citation, ...] = (), **given: Any) -> Answer:
    base: dict[str, Any] = {
        "text": " ".join(sentence.text for sentence in sentences),
        "question": "How fast is Alpha?",
        "standalone_question": "How fast is Alpha?",
        "kind": "fact",
        "mode": "extractive",
        "citations": proofs,
        "sentences": sentences,
        "evidence": evidence(A, B, C),
    }
    return Answer(**(base | given))


def result(name: str, *, kind: str = "fact", **given: Any) -> CaseResult:
    base: dict[str, Any] = {
        "id": name,
        "kind": kind,
        "digest": "d",
        "question": f"What about {name}?",
        "expected": {"cite": [], "may": [], "facts": [], "forbid": [], "abstain": "no"},
        "answer": {
            "text": f"Answer of {name}.",
            "abstained": False,
            "citations": [],
            "sentences": [],
            "warnings": [],
        },
        "seconds": 0.01,
        "scores": {"passed": 1.0},
        "passed": True,
    }
    return CaseResult.model_validate(base | given)


def results(values: Mapping[str, Sequence[float | None]], n: int) -> list[CaseResult]:
    """Results of n cases with the values of some metrics; `passed` follows the first."""
    made = []
    for place in range(n):
        scores = {name: row[place] for name, row in values.items()}
        first = next(iter(scores.values()))
        passed = None if first is None else first == 1.0
        scores["passed"] = None if passed is None else float(passed)
        made.append(result(f"c{place}", scores=scores, passed=passed))
    return made


def record(cases: list[CaseResult], **made: Any) -> RunRecord:
    from evals.metrics import summary

    base: dict[str, Any] = {
        "started": "2026-05-01T12:00:00+00:00",
        "commit": "0123456789",
        "dirty": False,
        "code": "code",
        "mode": "keyless",
        "model": None,
        "embedder": "minilm",
        "fingerprint": "f",
        "prompts": {"answer": "h1", "repair": "h2"},
        "prompt_texts": {"answer": "one\ntwo\n", "repair": "three\n"},
        "used_prompts": [],
        "versions": {"numpy": "2"},
        "seed": 7,
        "options": {},
    }
    metrics, by_kind = summary(cases, 7)
    return RunRecord(
        made=Provenance(**(base | made)), metrics=metrics, by_kind=by_kind, cases=cases
    )
