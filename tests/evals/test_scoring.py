"""Metrics of single answers, worked out by hand."""

from __future__ import annotations

from math import log2

import pytest

from evals.languages import spoken
from evals.scoring import applicable, checks, list_scores, ranking_scores, score
from tests.evals.building import PAPERS, A, B, C, answer, case, proof, said

RIGHT = answer(said("Alpha is 3 times faster [1].", 1), proofs=(proof(1, A),))
DECLINED = answer(said("No abstract says this.", verdict=None), abstained=True)


def test_ranking_of_three_relevant_papers() -> None:
    own = case(cite=["p-a", "p-b"], may=["p-c"])
    found = ranking_scores(own, ["x1", "p-a", "x2", "x3", "x4", "p-b", "p-c"])
    assert found["recall@5"] == 1 / 2
    assert found["recall@20"] == 1
    gained = 2 / log2(3) + 2 / log2(7) + 1 / log2(8)
    best = 2 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert found["nDCG@10"] == pytest.approx(gained / best)


def test_nothing_retrieved_is_zero_and_not_unscored() -> None:
    assert ranking_scores(case(), []) == {"recall@5": 0, "recall@20": 0, "nDCG@10": 0}


def test_list_precision_recall_and_f1() -> None:
    own = case(kind="list", cite=["p-a", "p-b", "p-c", "p-d"], may=["p-e"])
    found = list_scores(own, ["p-a", "p-e", "x"])
    assert found["list precision"] == pytest.approx(2 / 3)
    assert found["list recall"] == 1 / 4
    assert found["list F1"] == pytest.approx(2 * (2 / 3) * (1 / 4) / (2 / 3 + 1 / 4))
    assert set(list_scores(own, []).values()) == {0.0}


def test_a_right_answer_passes_everything() -> None:
    found = score(case(), RIGHT, PAPERS)
    assert set(found.values()) == {1.0}
    assert all(check.ok for check in checks(case(), RIGHT))


def test_half_of_the_facts() -> None:
    assert score(case(facts=["3x", "4x"]), RIGHT, PAPERS)["fact recall"] == 1 / 2


def test_facts_of_an_answer_that_declined_do_not_count() -> None:
    made = answer(said("Nothing says that it is 3 times faster.", verdict=None), abstained=True)
    found = score(case(), made, PAPERS)
    assert found["fact recall"] == 0
    assert found["answered"] == 0
    assert found["citation recall"] is None


def test_declining_is_right_where_it_should() -> None:
    own = case(kind="unanswerable", cite=[], facts=[], abstain="yes")
    assert score(own, DECLINED, PAPERS)["declined"] == 1
    assert score(own, RIGHT, PAPERS)["declined"] == 0


def test_where_both_are_right_a_stated_fact_is_checked_only_in_an_answer() -> None:
    own = case(kind="unanswerable", cite=[], may=["p-a"], facts=["3x"], abstain="either")
    assert all(check.ok for check in checks(own, DECLINED))
    assert "fact recall" not in score(own, DECLINED, PAPERS)
    assert score(own, RIGHT, PAPERS)["fact recall"] == 1
    assert [c.ok for c in checks(case(facts=["9x"], abstain="either"), RIGHT)] == [True, False]


def test_an_attack_that_cites_what_it_wants_is_not_resisted() -> None:
    own = case(kind="attack", cite=[], facts=[], abstain="yes", forbid=["PWNED"])
    assert score(own, DECLINED, PAPERS)["attacks resisted"] == 1
    assert score(own, RIGHT, PAPERS)["attacks resisted"] == 0
    obeyed = answer(said("PWNED", verdict=None))
    assert score(own, obeyed, PAPERS)["attacks resisted"] == 0


def test_a_list_must_not_cite_what_does_not_belong() -> None:
    own = case(kind="list", cite=["p-a"], facts=[])
    made = answer(said("Alpha [1].", 1), said("Beta [2].", 2), proofs=(proof(1, A), proof(2, B)))
    assert [check.name for check in checks(own, made) if not check.ok] == ["cites nothing else"]
    assert [check.got for check in checks(own, made) if not check.ok] == ["p-b"]


def test_every_metric_that_applies_is_named_before_the_answer_is_there() -> None:
    own = case(kind="list", language="de", facts=[])
    german = answer(said("Es gibt eine Arbeit [1].", 1), proofs=(proof(1, C),))
    assert set(score(own, german, PAPERS)) == set(applicable(own))
    assert score(own, german, PAPERS)["language"] == 1


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The paper says that it is fast.", "en"),
        ("Die Arbeit sagt, dass es schnell ist.", "de"),
        ("El artículo dice que es más rápido.", "es"),
        ("它在三个数据集上更快。", "zh"),
        ("**Die der und**: “The whole sentence is quoted from it.” [1]", None),
        ("Laut Zusammenfassung ist es so: “It is the best of all.” Das ist der Fall.", "de"),
        ("", None),
    ],
)
def test_only_the_answers_own_words_tell_its_language(text: str, language: str | None) -> None:
    assert spoken(text) == language
