"""Fit the support model: `python -m benchmarks.train_support`.

Trains on the pairs of one half of the seed papers (`benchmarks/pairs.py`), once with the local
embedder and once on words alone, and writes `assistant/answering/data/support.json`. With
ASSISTANT_TEST_DATA set, the weights of words are counted anew on its abstracts first.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from assistant.answering import support
from assistant.answering.facts import facts_of
from assistant.answering.rules import broken_rule
from assistant.answering.support import LEXICAL, WITH_VECTORS, Embed, measure
from assistant.answering.vector_cache import VectorCache
from assistant.answering.verification import refusal
from assistant.corpus.paper import Paper
from assistant.index.embedding import MiniLM
from assistant.index.terms import analyse, is_generic
from benchmarks.pairs import Pair, every_pair, halves, seed_papers

DATA = Path(support.__file__).parent / "data"
COMMAND = "python -m benchmarks.train_support"

# How much each kind counts in all: what language models do often counts more.
_SHARES = {
    "verbatim": 0.5,
    "light": 1.0,
    "strong": 1.5,
    "partly": 1.0,
    "added": 1.0,
    "contradiction": 0.3,
    "paper-unnamed-near": 0.7,
    "paper-unnamed-far": 0.5,
}
_RAREST_SHARE = 0.005
_COUNTED = 20_000


def main() -> None:
    """Count word weights where the data is at hand, fit both models, write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    data = os.environ.get("ASSISTANT_TEST_DATA")
    if data:
        _write("word_weights.json", word_weights(Path(data) / "abstracts.jsonl.gz"))
    papers = seed_papers()
    embed = VectorCache(MiniLM().embed)
    train, _ = halves(list(papers))
    pairs = [pair for pair in every_pair(papers, embed) if pair.origin in train]
    models = {
        "with_vectors": fitted(pairs, papers, embed, WITH_VECTORS),
        "lexical": fitted(pairs, papers, None, LEXICAL),
    }
    _write("support.json", {"made_by": COMMAND, "trained_on": sorted(train), **models})
    for name, model in models.items():
        print(name, json.dumps(model))


def fitted(
    pairs: Sequence[Pair], papers: dict[str, Paper], embed: Embed | None, features: Sequence[str]
) -> dict[str, Any]:
    """Fit one logistic model on the pairs that no rule decides, and set its thresholds.

    Args:
        pairs: labelled pairs.
        papers: by id.
        embed: the embedder, None for words alone.
        features: names of what is measured.

    Returns:
        Weights, bias and the two thresholds.
    """
    rows, labels, weights, kinds = [], [], [], []
    counts = Counter(pair.kind for pair in pairs)
    for pair in pairs:
        facts = [facts_of(papers[pair.paper])]
        if pair.kind not in _SHARES or broken_rule(pair.sentence, facts, ["[1]"], english=True):
            continue
        measured = measure(pair.sentence, facts, embed)
        if refusal(pair.sentence, facts, measured):
            continue
        rows.append([measured.features[name] for name in features])
        labels.append(pair.label == "supported")
        weights.append(300 * _SHARES[pair.kind] / counts[pair.kind])
        kinds.append(pair.kind)
    x, y = np.array(rows), np.array(labels)
    scaler = StandardScaler().fit(x)
    model = LogisticRegression(C=1.0, max_iter=2000)
    model.fit(scaler.transform(x), y, sample_weight=weights)
    slopes = model.coef_[0] / scaler.scale_
    bias = float(model.intercept_[0] - slopes @ scaler.mean_)
    chances = model.predict_proba(scaler.transform(x))[:, 1]
    supported, partial = thresholds(chances, np.array(kinds))
    return {
        "weights": {name: round(float(w), 4) for name, w in zip(features, slopes, strict=True)},
        "bias": round(bias, 4),
        "supported": supported,
        "partial": partial,
    }


def thresholds(chances: NDArray[np.float64], kinds: NDArray[np.str_]) -> tuple[float, float]:
    """Choose where "supported" and "partial" begin.

    Supported: the lowest probability that at most one in ten half-true sentences reaches. Partial:
    the lowest that at most one in twenty sentences about another paper reaches.

    Args:
        chances: the model's probabilities, `[n]`.
        kinds: how each pair was made, `[n]`.
    """
    half_true = np.sort(chances[(kinds == "partly") | (kinds == "added")])
    foreign = np.sort(chances[(kinds == "paper-unnamed-near") | (kinds == "paper-unnamed-far")])
    supported = float(half_true[int(0.9 * len(half_true))])
    partial = min(float(foreign[int(0.95 * len(foreign))]), supported)
    return round(supported, 3), round(partial, 3)


def word_weights(path: Path) -> dict[str, Any]:
    """Count in how many abstracts each term stands, and give the logarithm of its rarity.

    Args:
        path: abstracts as gzipped JSON Lines.
    """
    with gzip.open(path, "rt", encoding="utf-8") as file:
        abstracts = [json.loads(line)["abstract"] for line in file]
    random.Random(5).shuffle(abstracts)
    abstracts = abstracts[:_COUNTED]
    counts: Counter[str] = Counter()
    for abstract in abstracts:
        counts.update({term.text for term in analyse(abstract)})
    total = len(abstracts)
    weights = {
        term: max(round(math.log(total / count), 1), 0.5)
        for term, count in sorted(counts.items())
        if count >= _RAREST_SHARE * total and not is_generic(term) and not term[0].isdigit()
    }
    rarest = round(math.log(1 / _RAREST_SHARE), 1)
    return {"made_by": COMMAND, "abstracts": total, "rarest": rarest, "weights": weights}


def _write(name: str, data: dict[str, Any]) -> None:
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    (DATA / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
