"""Fit the support model: `python -m benchmarks.train_support`.

Trains on the pairs of one half of the seed papers (`benchmarks/pairs.py`) and writes
`assistant/answering/data/support.json`. With ASSISTANT_TEST_DATA set, the weights of words are
counted anew on its abstracts first.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from assistant.answering import support
from assistant.answering.facts import facts_of
from assistant.answering.rules import broken_rule
from assistant.answering.support import ABOUT, ABOUT_LEXICAL, SUPPORTED, Embed, measure
from assistant.answering.vector_cache import VectorCache
from assistant.answering.verification import refusal
from assistant.corpus.paper import Paper
from assistant.index.embedding import MiniLM
from assistant.index.terms import analyse, is_stopword
from benchmarks.pairs import Pair, every_pair, halves, seed_papers

DATA = Path(support.__file__).parent / "data"
COMMAND = "python -m benchmarks.train_support"

# How much each kind counts in all: what language models do often counts more.
_SUPPORT_SHARES = {
    "verbatim": 0.5,
    "light": 1.0,
    "strong": 1.5,
    "partly": 1.0,
    "added": 1.0,
    "contradiction": 0.3,
    "negation": 0.5,
    "direction": 0.2,
    "paper-unnamed-near": 0.7,
    "paper-unnamed-far": 0.5,
}
_ABOUT_SHARES = {
    "strong": 1.0,
    "light": 0.5,
    "partly": 1.0,
    "added": 0.5,
    "paper-unnamed-near": 1.0,
    "paper-unnamed-far": 0.5,
}
_HALF_TRUE_PASSING = 0.1
_FOREIGN_PASSING = 0.05
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
    with_vectors, lexical = (_undecided(pairs, papers, embedder) for embedder in (embed, None))
    models = {
        "supported": fitted(with_vectors, SUPPORTED, _SUPPORT_SHARES, "partly", _HALF_TRUE_PASSING),
        "about": fitted(with_vectors, ABOUT, _ABOUT_SHARES, "paper", _FOREIGN_PASSING),
        "about_lexical": fitted(lexical, ABOUT_LEXICAL, _ABOUT_SHARES, "paper", _FOREIGN_PASSING),
    }
    _write("support.json", {"made_by": COMMAND, "trained_on": sorted(train), **models})
    for name, model in models.items():
        print(name, json.dumps(model))


def fitted(
    rows: Sequence[tuple[Pair, Mapping[str, float]]],
    features: Sequence[str],
    shares: Mapping[str, float],
    barred: str,
    passing: float,
) -> dict[str, Any]:
    """Fit one logistic model and set its threshold.

    Args:
        rows: pairs that no rule decides, with what was measured.
        features: names of the features to take.
        shares: how much each kind of pair counts; kinds left out do not.
        barred: kinds that start with this must not pass the threshold, and count as false.
        passing: the share of them that may.

    Returns:
        Weights, bias and threshold.
    """
    rows = [(pair, measured) for pair, measured in rows if pair.kind in shares]
    counts = Counter(pair.kind for pair, _ in rows)
    x = np.array([[measured[name] for name in features] for _, measured in rows])
    bars = np.array([pair.kind.startswith(barred) for pair, _ in rows])
    y = np.array([pair.label == "supported" for pair, _ in rows]) if barred != "paper" else ~bars
    weights = [300 * shares[pair.kind] / counts[pair.kind] for pair, _ in rows]
    scaler = StandardScaler().fit(x)
    model = LogisticRegression(C=1.0, max_iter=2000)
    model.fit(scaler.transform(x), y, sample_weight=weights)
    slopes = model.coef_[0] / scaler.scale_
    chances = np.sort(model.predict_proba(scaler.transform(x))[bars, 1])
    return {
        "weights": {name: round(float(w), 4) for name, w in zip(features, slopes, strict=True)},
        "bias": round(float(model.intercept_[0] - slopes @ scaler.mean_), 4),
        "threshold": round(float(chances[int((1 - passing) * len(chances))]) + 0.001, 3),
    }


def _undecided(
    pairs: Sequence[Pair], papers: Mapping[str, Paper], embed: Embed | None
) -> list[tuple[Pair, Mapping[str, float]]]:
    rows = []
    for pair in pairs:
        facts = [facts_of(papers[pair.paper])]
        if not broken_rule(pair.sentence, facts, ["[1]"], english=True):
            measured = measure(pair.sentence, facts, embed)
            if not refusal(pair.sentence, facts, measured):
                rows.append((pair, measured.features))
    return rows


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
        if count >= _RAREST_SHARE * total and not is_stopword(term) and not term[0].isdigit()
    }
    rarest = round(math.log(1 / _RAREST_SHARE), 1)
    return {"made_by": COMMAND, "abstracts": total, "rarest": rarest, "weights": weights}


def _write(name: str, data: dict[str, Any]) -> None:
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    (DATA / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
