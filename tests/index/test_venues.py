"""Venues are asked for by names that their records do not have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.index.filters import fold
from assistant.index.venues import is_same_venue, same_venues

ACL = "Annual Meeting of the Association for Computational Linguistics"


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("ICML", "icml"),
        ("COLM", "Second Conference on Language Modeling"),
        ("icml", "International Conference on Machine Learning"),
        ("ICML", "Proceedings of the 42nd International Conference on Machine Learning"),
        ("ICLR", "The Thirteenth International Conference on Learning Representations"),
        ("NeurIPS", "Advances in Neural Information Processing Systems 38"),
        ("ACL", ACL),
        ("EMNLP", "Conference on Empirical Methods in Natural Language Processing"),
        ("CVPR", "IEEE/CVF Conference on Computer Vision and Pattern Recognition"),
        ("IJCAI", "International Joint Conference on Artificial Intelligence"),
        ("JMLR", "Journal of Machine Learning Research"),
        ("NeurIPS", "NeurIPS 2025 Datasets and Benchmarks"),
        ("Language Modeling", "Second Conference on Language Modeling"),
        ("International Conference on Machine Learning", "ICML"),
    ],
)
def test_names_of_one_venue(asked: str, known: str) -> None:
    assert is_same_venue(asked, known)


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("ICML", "International Conference on Learning Representations"),
        ("ICLR", "International Conference on Machine Learning"),
        ("COLM", "International Conference on Computational Linguistics"),
        ("ACL", "Conference on Robot Learning"),
        ("NAACL", "ACL"),
        ("ML", "International Conference on Machine Learning"),
        ("", "ICML"),
        ("ICML", ""),
        ("IC", "ICML"),
        ("learning", "International Conference on Machine Learning"),
        ("modelling", "Second Conference on Language Modeling"),
    ],
)
def test_names_of_two(asked: str, known: str) -> None:
    assert not is_same_venue(asked, known)


def test_all_that_fit_are_chosen() -> None:
    known = ["icml", "iclr", "international conference on machine learning"]
    assert same_venues(["ICML"], known) == [known[0], known[2]]
    assert same_venues([], known) == []


@given(st.text(max_size=30), st.text(max_size=80))
def test_any_names_can_be_compared(asked: str, known: str) -> None:
    assert is_same_venue(asked, known) in (True, False)
    if fold(asked):
        assert is_same_venue(asked, asked)
