"""Train the models of relevance: `python -m benchmarks.train_relevance`.

`read` learns from the labelled list questions; `skim` and `lexical` from these and from one half of
the known items and topics. Every figure printed is cross-fitted over collections, or from the other
half. Writes `assistant/retrieval/data/relevance-*.json`.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss

import assistant.retrieval
from assistant.index.embedders import load_embedder
from assistant.index.snapshot import Snapshot
from assistant.retrieval.facets import facets_in
from assistant.retrieval.features import Asked, match_sentences, read_features, with_ranks
from assistant.retrieval.query import understand
from assistant.retrieval.reading import Reader
from assistant.retrieval.skimming import skim
from assistant.retrieval.topic import topic_of
from assistant.retrieval.weights import TermWeights
from assistant.settings import load_settings
from benchmarks.collections import abstracts, indexed, labelled, lines, paper_of, test_data

OUT = Path(assistant.retrieval.__file__).parent / "data"
SEED = 20261130
KNOTS = 4
Floats = NDArray[np.float64]


@dataclass
class Example:
    """One question over one collection: features of every paper and which are relevant."""

    group: str
    listed: bool
    features: dict[str, NDArray[np.float32]]
    relevant: NDArray[np.bool_]
    unclear: NDArray[np.bool_]


def asked_of(text: str, snapshot: Snapshot, reader: Reader) -> Asked:
    """Prepare a question the way the retriever does.

    Args:
        text: the question as understood.
        snapshot: the collection.
        reader: the local model.
    """
    topic = topic_of(text, TermWeights(snapshot.lexical).idf, snapshot.lexical.expand)
    tokens, phrase = reader.embed_tokens([text, topic.phrase or text])
    return Asked(topic, facets_in(text), tokens, phrase.pooled)


def list_examples(reader: Reader, embedder: Any) -> dict[str, list[Example]]:
    """Describe the labelled list questions, and those on topics that are not covered."""
    made: dict[str, list[Example]] = {"read": [], "skim": [], "lexical": []}
    for group, papers, questions in labelled():
        ids = [paper.id for paper in papers]
        with indexed(papers, embedder) as snapshot:
            reading = reader.read(papers)
            for row in questions:
                absent = row["kind"] == "unanswerable" and row["note"].startswith("topic")
                if row["kind"] != "list" and not absent:
                    continue
                query = understand(row["question"], snapshot)
                asked = asked_of(query.text, snapshot, reader)
                weights = snapshot.lexical.weigh(query.text)
                labels = (
                    np.array([paper_id in row["papers"] for paper_id in ids]),
                    np.array([paper_id in row["maybe"] for paper_id in ids]),
                )
                for name, vector in (("skim", asked.tokens.pooled), ("lexical", None)):
                    skimmed = skim(snapshot, asked.topic, weights, vector)
                    made[name].append(Example(group, not absent, skimmed.features(), *labels))
                skimmed = skim(snapshot, asked.topic, weights, asked.tokens.pooled)
                matches = match_sentences(asked, reading)
                features = read_features(asked, reading, matches, skimmed.bm25, skimmed.cosine)
                made["read"].append(
                    Example(group, not absent, with_ranks(features, asked), *labels)
                )
    return made


def retrieval_examples(reader: Reader, embedder: Any) -> dict[str, list[Example]]:
    """Describe half of the known items (ICLR 2018) for the whole-paper models."""
    made: dict[str, list[Example]] = {"skim": [], "lexical": []}
    rows = [r for r in abstracts().values() if r["venue"] == "iclr" and r["year"] == 2018]
    items = lines(test_data() / "retrieval" / "known_item.jsonl")
    random.Random(SEED).shuffle(items)
    with indexed([paper_of(row, title=False) for row in rows], embedder) as snapshot:
        ids = [snapshot.paper(row).id for row in range(len(snapshot))]
        for item in items[: len(items) // 2]:
            asked = asked_of(item["query"], snapshot, reader)
            weights = snapshot.lexical.weigh(item["query"])
            relevant = np.array([paper_id in item["relevant"] for paper_id in ids])
            for name, vector in (("skim", asked.tokens.pooled), ("lexical", None)):
                features = skim(snapshot, asked.topic, weights, vector).features()
                made[name].append(
                    Example("known items", True, features, relevant, np.zeros_like(relevant))
                )
    return made


def knots_of(values: NDArray[np.float32]) -> Floats:
    """Place knots at even quantiles."""
    return np.unique(np.quantile(values, np.linspace(0.005, 0.995, KNOTS)))


def hats(values: NDArray[np.float32], knots: Floats) -> Floats:
    """Spread values over their neighbouring knots: one column a knot."""
    return np.stack([np.interp(values, knots, unit) for unit in np.eye(len(knots))], axis=1)


def fit(examples: list[Example], strength: float) -> dict[str, Any]:
    """Fit one model.

    Args:
        examples: questions to learn from.
        strength: inverse of the penalty.

    Returns:
        What goes into the model's file, thresholds aside.
    """
    names = list(examples[0].features)
    kept = [~example.unclear for example in examples]
    truth = np.concatenate([e.relevant[k] for e, k in zip(examples, kept, strict=True)])
    columns, knots = [], {}
    for name in names:
        values = np.concatenate([e.features[name][k] for e, k in zip(examples, kept, strict=True)])
        knots[name] = knots_of(values)
        columns.append(hats(values, knots[name]))
    table = np.concatenate(columns, axis=1)
    mean, scale = table.mean(axis=0), np.maximum(table.std(axis=0), 1e-3)
    model = LogisticRegression(C=strength, max_iter=3000).fit((table - mean) / scale, truth)
    slopes = model.coef_[0] / scale
    features, at = {}, 0
    for name in names:
        own = slopes[at : at + len(knots[name])]
        at += len(knots[name])
        features[name] = {
            "knots": [round(float(knot), 5) for knot in knots[name]],
            "heights": [round(float(height), 5) for height in own],
        }
    bias = float(model.intercept_[0] - (slopes * mean).sum())
    return {"bias": round(bias, 5), "features": features}


def chances(model: dict[str, Any], example: Example) -> Floats:
    """Apply a fitted model to one question."""
    logits = np.full(len(example.relevant), model["bias"])
    for name, entry in model["features"].items():
        logits += np.interp(example.features[name], entry["knots"], entry["heights"])
    return np.asarray(1 / (1 + np.exp(-logits)))


def f1(example: Example, found: Floats, relevant: float, certain: float) -> float:
    """Score one question's list; an empty list is right where nothing is relevant."""
    chosen = (found >= relevant) & (found.max() >= certain)
    hits = (chosen & example.relevant).sum()
    wrong = (chosen & ~example.relevant & ~example.unclear).sum()
    missed = (~chosen & example.relevant).sum()
    return 1.0 if hits + wrong + missed == 0 else float(2 * hits / (2 * hits + wrong + missed))


def thresholds(examples: list[Example], found: list[Floats]) -> tuple[float, float, float]:
    """Choose the pair of thresholds with the best mean score, flat regions by their middle."""
    grid = [
        (round(float(relevant), 3), round(float(certain), 3))
        for certain in np.arange(0.1, 0.8, 0.05)
        for relevant in np.arange(0.05, 0.6, 0.025)
        if relevant <= certain
    ]
    scored = [
        (float(np.mean([f1(e, p, *pair) for e, p in zip(examples, found, strict=True)])), pair)
        for pair in grid
    ]
    best = max(score for score, _ in scored)
    near = [pair for score, pair in scored if score >= best - 0.004]
    return (
        float(np.median([relevant for relevant, _ in near])),
        float(np.median([certain for _, certain in near])),
        best,
    )


def report(name: str, examples: list[Example], found: list[Floats]) -> None:
    """Print Brier score and reliability, cross-fitted."""
    truth = np.concatenate([e.relevant[~e.unclear] for e in examples])
    guess = np.concatenate([p[~e.unclear] for e, p in zip(examples, found, strict=True)])
    print(f"{name}: Brier {brier_score_loss(truth, guess):.4f} over {len(truth)} judgements")
    for low in (0.0, 0.1, 0.2, 0.4, 0.6, 0.8):
        high = {0.0: 0.1, 0.1: 0.2}.get(low, low + 0.2)
        inside = (guess >= low) & (guess < high)
        if inside.any():
            print(
                f"  {low:.1f}–{high:.1f}: n {inside.sum():5d}  said {guess[inside].mean():.2f}"
                f"  was {truth[inside].mean():.2f}"
            )


def train(name: str, lists: list[Example], more: list[Example], strength: float) -> None:
    """Cross-fit, report, fit on everything, write the file."""
    groups = sorted({example.group for example in lists})
    found: dict[int, Floats] = {}
    for group in groups:
        model = fit([e for e in lists if e.group != group] + more, strength)
        for example in lists:
            if example.group == group:
                found[id(example)] = chances(model, example)
    fitted = [found[id(example)] for example in lists]
    relevant, certain, best = thresholds(lists, fitted)
    report(name, lists, fitted)
    kept = [e for e in lists if e.listed]
    score = float(np.mean([f1(e, found[id(e)], relevant, certain) for e in kept]))
    absent = [e for e in lists if not e.listed]
    empty = float(np.mean([found[id(e)].max() < certain for e in absent]))
    print(
        f"  relevant ≥ {relevant:.3f}, best ≥ {certain:.3f}: F1 of lists {score:.3f} "
        f"({len(kept)}), empty where nothing is relevant {empty:.2f} ({len(absent)}), "
        f"both at the best pair {best:.3f}"
    )
    model = fit(lists + more, strength)
    stored = {
        "made_by": "python -m benchmarks.train_relevance",
        "relevant": relevant,
        "certain": certain,
        **model,
    }
    path = OUT / f"relevance-{name}.json"
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Train all three models."""
    settings = load_settings()
    embedder = load_embedder(settings)
    assert embedder is not None
    from assistant.index.embedding import MiniLM

    model = MiniLM()
    reader = Reader(model.embed_tokens, model.name, model.revision)
    lists = list_examples(reader, embedder)
    more = retrieval_examples(reader, embedder)
    train("read", lists["read"], [], strength=0.03)
    train("skim", lists["skim"], more["skim"], strength=0.1)
    train("lexical", lists["lexical"], more["lexical"], strength=0.1)


if __name__ == "__main__":
    main()
