"""From features to a calibrated probability of relevance: a logistic model in a readable file.

Made by `python -m benchmarks.train_relevance`; scikit-learn is needed only there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["RelevanceModel", "relevance_model"]

_FOLDER = Path(__file__).parent / "data"


@dataclass(frozen=True)
class RelevanceModel:
    """A logistic model over piecewise linear features (a generalised additive model).

    Hastie and Tibshirani, 1986, https://doi.org/10.1214/ss/1177013604

    Args:
        names: the features, in order.
        knots: each feature's knots, ascending; outside of them it counts as at the last one.
        heights: what the feature adds to the log-odds at each knot.
        bias: the log-odds without any feature.
        relevant: the probability from which a paper counts as relevant.
        certain: the probability the best paper must reach for any to count.
    """

    names: tuple[str, ...]
    knots: tuple[NDArray[np.float64], ...]
    heights: tuple[NDArray[np.float64], ...]
    bias: float
    relevant: float
    certain: float

    def probabilities(self, features: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float64]:
        """Return each paper's probability of being relevant.

        Args:
            features: `[papers]` each, by name.

        Returns:
            float64 `[papers]`, 0 to 1.
        """
        logits = np.full(len(features[self.names[0]]), self.bias)
        for name, knots, heights in zip(self.names, self.knots, self.heights, strict=True):
            logits += np.interp(features[name], knots, heights)
        chances: NDArray[np.float64] = 1 / (1 + np.exp(-logits))
        return chances


@lru_cache(maxsize=4)
def relevance_model(name: str) -> RelevanceModel:
    """Load a model that ships with the package.

    Args:
        name: `read` (papers read sentence by sentence), `skim` (whole-paper scores) or `lexical`
            (whole-paper scores without vectors).
    """
    stored = json.loads((_FOLDER / f"relevance-{name}.json").read_text(encoding="utf-8"))
    features = stored["features"]
    return RelevanceModel(
        names=tuple(features),
        knots=tuple(np.array(entry["knots"]) for entry in features.values()),
        heights=tuple(np.array(entry["heights"]) for entry in features.values()),
        bias=stored["bias"],
        relevant=stored["relevant"],
        certain=stored["certain"],
    )
