"""The calibrated models: readable files that give probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assistant.retrieval.relevance import relevance_model

NAMES = ["read", "skim", "lexical", "answerable"]


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_whole(name: str) -> None:
    model = relevance_model(name)
    assert any(len(knots) > 1 for knots in model.knots)
    assert len(set(model.names)) == len(model.names) == len(model.knots) == len(model.heights)
    for knots, heights in zip(model.knots, model.heights, strict=True):
        assert len(knots) == len(heights) >= 1
        assert (np.diff(knots) > 0).all()
        assert np.isfinite(heights).all()
    assert 0 < model.relevant < 1
    assert 0 < model.certain < 1


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_whatever_the_features_the_result_is_a_probability(name: str, data: st.DataObject) -> None:
    model = relevance_model(name)
    size = data.draw(st.integers(1, 4))
    floats = st.floats(-1e6, 1e6, width=32)
    features = {
        feature: data.draw(arrays(np.float32, size, elements=floats)) for feature in model.names
    }
    chances = model.probabilities(features)
    assert chances.shape == (size,)
    assert ((chances >= 0) & (chances <= 1)).all()
    assert np.array_equal(chances, model.probabilities(features))


def test_a_model_is_loaded_once() -> None:
    assert relevance_model("read") is relevance_model("read")
