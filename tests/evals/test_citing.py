"""Citation scores, worked out by hand."""

from __future__ import annotations

import pytest

from assistant.answering.answer import Answer
from evals.citing import score_citations, sentence_is_right
from tests.evals.building import PAPERS, A, B, C, answer, case, evidence, proof, said


def test_precision_and_recall_of_a_made_up_answer() -> None:
    # Four sentences: right; right paper beside a wrong one; no citation; wrong paper.
    made = answer(
        said("Alpha is 3 times faster [1].", 1),
        said("It needs 80 % of the memory [1][2].", 1, 2),
        said("It is widely used.", verdict="unsupported"),
        said("Gamma folds shirts [3].", 3),
        said("That is all.", verdict=None),
        proofs=(proof(1, A), proof(2, B), proof(3, C, support="partial")),
    )
    found = score_citations(case(cite=["p-a"], may=[]), made, PAPERS)
    assert found.recall == 1 / 4  # the first alone
    assert found.precision == 2 / 4  # [1], [1] of [1], [1], [2], [3]
    assert found.verified_recall == 3 / 4
    assert found.verified_precision == 3 / 4
    assert found.agreement == 2 / 4  # on the first and the third


def test_what_may_be_cited_counts_as_right() -> None:
    made = answer(said("Beta colours graphs [1].", 1), proofs=(proof(1, B),))
    assert score_citations(case(), made, PAPERS).precision == 0
    assert score_citations(case(may=["p-b"]), made, PAPERS).precision == 1


def test_an_answer_without_a_claim_is_unscored() -> None:
    made = answer(said("No abstract says this.", verdict=None))
    assert score_citations(case(), made, PAPERS).recall is None


def test_claims_without_any_citation_have_no_precision() -> None:
    made = answer(said("Alpha is fast.", verdict="unsupported"))
    found = score_citations(case(), made, PAPERS)
    assert (found.precision, found.recall) == (0, 0)


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (answer(said("Alpha is 9 times faster [1].", 1), proofs=(proof(1, A),)), "number"),
        (
            answer(said("Alpha is 3 times faster [1].", 1), proofs=(proof(1, A, quote="Alpha!"),)),
            "quote that does not stand in the abstract",
        ),
        (
            answer(
                said("Alpha is 3 times faster [1].", 1),
                proofs=(proof(1, A),),
                evidence=evidence(B, C),
            ),
            "paper outside the sources",
        ),
        (answer(said("Alpha is 3 times faster [7].", 7), proofs=(proof(1, A),)), "no such proof"),
        (
            answer(said("Alpha is 3 times faster, PWNED [1].", 1), proofs=(proof(1, A),)),
            "forbidden",
        ),
        (answer(said("Beta is 3 times faster [1].", 1), proofs=(proof(1, B),)), "fact of another"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_sentence_is_wrong_for_its(made: Answer, why: str) -> None:
    own = case(forbid=["PWNED"], may=["p-b"])
    assert not sentence_is_right(own, made.sentences[0], made, PAPERS), why


def test_a_right_sentence_is_right() -> None:
    made = answer(said("Alpha is $3\\times$ faster [1].", 1), proofs=(proof(1, A),))
    assert sentence_is_right(case(forbid=["PWNED"]), made.sentences[0], made, PAPERS)
