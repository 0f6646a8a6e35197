"""Train the model that picks the answering sentence: `python -m benchmarks.train_sentences`.

Learns from the labelled fact, follow-up and badly typed questions; the figures are cross-fitted
over collections. Writes `assistant/retrieval/data/sentences.json`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import assistant.retrieval
from assistant.index.embedders import load_embedder
from assistant.index.embedding import MiniLM
from assistant.retrieval.answer_sentences import sentence_features, term_matches
from assistant.retrieval.query import understand
from assistant.retrieval.reading import Reader
from assistant.settings import load_settings
from benchmarks.collections import indexed, labelled
from benchmarks.train_relevance import asked_of

OUT = Path(assistant.retrieval.__file__).parent / "data" / "sentences.json"
STRENGTH = 0.05


@dataclass
class Example:
    """One question and the sentences of the paper that answers it."""

    group: str
    kind: str
    names: list[str]
    table: NDArray[np.float64]
    holds: NDArray[np.bool_]
    texts: list[str]
    facts: list[list[str]]


def examples(reader: Reader) -> list[Example]:
    """Describe the sentences of every labelled question about one paper."""
    made: list[Example] = []
    embedder = load_embedder(load_settings(embedder="none"))
    for group, papers, questions in labelled():
        by_id = {paper.id: paper for paper in papers}
        with indexed(papers, embedder) as snapshot:
            for row in questions:
                if row["kind"] not in ("fact", "chat", "robust") or len(row["papers"]) != 1:
                    continue
                query = understand(row["question"], snapshot, row["history"])
                reading = reader.read([by_id[row["papers"][0]]])
                asked = asked_of(query.text, snapshot, reader)
                named = [(named.start, named.end) for named in query.named]
                matches = term_matches(asked, reading, named)
                features = sentence_features(asked, reading, matches)
                holds = [
                    any(quote in text for fact in row["quotes"] for quote in fact)
                    for text in reading.texts
                ]
                if any(holds):
                    table = np.stack(list(features.values()), axis=1).astype(np.float64)
                    made.append(
                        Example(
                            group,
                            row["kind"],
                            list(features),
                            table,
                            np.array(holds),
                            reading.texts,
                            row["quotes"],
                        )
                    )
    return made


def fit(chosen: list[Example]) -> Pipeline:
    """Fit a standardised logistic model."""
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=2000))
    model.fit(
        np.concatenate([example.table for example in chosen]),
        np.concatenate([example.holds for example in chosen]),
    )
    return model


def answered(example: Example, order: NDArray[np.int64], shown: int) -> bool:
    """Tell whether the first sentences hold every fact asked."""
    text = " ".join(example.texts[i] for i in order[:shown])
    return all(any(quote in text for quote in fact) for fact in example.facts)


def main() -> None:
    """Cross-fit, report, fit on everything, write the file."""
    model = MiniLM()
    made = examples(Reader(model.embed_tokens, model.name, model.revision))
    hits: dict[tuple[str, int], list[bool]] = {}
    for group in sorted({example.group for example in made}):
        fitted = fit([example for example in made if example.group != group])
        for example in (e for e in made if e.group == group):
            order = np.argsort(-fitted.predict_proba(example.table)[:, 1], kind="stable")
            for shown in (1, 2, 3):
                hits.setdefault((example.kind, shown), []).append(answered(example, order, shown))
    print(f"{len(made)} questions; all facts held by the first sentences, cross-fitted:")
    for (kind, shown), found in sorted(hits.items()):
        print(f"  {kind:6s} {shown}: {np.mean(found):.3f} (n {len(found)})")
    scaler, logistic = fit(made)
    features = {
        name: {"mean": round(float(mean), 6), "weight": round(float(weight / scale), 6)}
        for name, mean, scale, weight in zip(
            made[0].names, scaler.mean_, scaler.scale_, logistic.coef_[0], strict=True
        )
    }
    stored = {
        "made_by": "python -m benchmarks.train_sentences",
        "bias": round(float(logistic.intercept_[0]), 6),
        "features": features,
    }
    OUT.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
