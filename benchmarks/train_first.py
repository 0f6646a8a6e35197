"""Train which paper a fact question is answered from: `python -m benchmarks.train_first`.

Among the best papers of the labelled fact questions that name none; figures are cross-fitted over
collections. Writes `assistant/retrieval/data/first-paper.json`.
"""

from __future__ import annotations

import json

import numpy as np
from sklearn.linear_model import LogisticRegression

from assistant.index.embedders import load_embedder
from assistant.index.embedding import MiniLM
from assistant.retrieval.answerable import CONSIDERED, first_features
from assistant.retrieval.query import understand
from assistant.retrieval.reading import Reader
from assistant.retrieval.retriever import Retriever
from assistant.settings import load_settings
from benchmarks.collections import indexed, labelled
from benchmarks.train_relevance import OUT, Floats

Case = tuple[str, Floats, list[bool]]


def cases(retriever: Retriever) -> list[Case]:
    """Describe the best papers of each question, and which is right."""
    made: list[Case] = []
    for group, papers, questions in labelled():
        with indexed(papers, retriever.embedder) as snapshot:
            for row in questions:
                if row["kind"] not in ("fact", "robust") or len(row["papers"]) != 1:
                    continue
                query = understand(row["question"], snapshot)
                if query.named or query.kind != "fact":
                    continue
                items = retriever.rank(query, snapshot).items[:CONSIDERED]
                table = np.array([first_features(item) for item in items])
                made.append((group, table, [item.paper.id in row["papers"] for item in items]))
    return made


def fit(chosen: list[Case]) -> Floats:
    """Fit weights so that the right paper of a pair scores higher."""
    gaps = [
        table[right.index(True)] - table[j]
        for _, table, right in chosen
        if any(right)
        for j in range(len(right))
        if not right[j]
    ]
    both = np.concatenate([np.array(gaps), -np.array(gaps)])
    scale = both.std(axis=0)
    truth = [1] * len(gaps) + [0] * len(gaps)
    model = LogisticRegression(C=0.3, fit_intercept=False).fit(both / scale, truth)
    return np.asarray(model.coef_[0] / scale)


def main() -> None:
    """Cross-fit, report, fit on everything, write the file."""
    model = MiniLM()
    reader = Reader(model.embed_tokens, model.name, model.revision)
    made = cases(Retriever(reader, load_embedder(load_settings())))
    plain = np.mean([right[0] for _, _, right in made])
    hits = []
    for group in sorted({case[0] for case in made}):
        weights = fit([case for case in made if case[0] != group])
        hits += [
            right[int(np.argmax(table @ weights))] for own, table, right in made if own == group
        ]
    print(f"{len(made)} questions: right paper first by relevance {plain:.3f}, ", end="")
    print(f"with the best sentence {np.mean(hits):.3f} (cross-fitted)")
    relevance, sentence = (round(float(weight), 4) for weight in fit(made))
    stored = {
        "made_by": "python -m benchmarks.train_first",
        "relevance": relevance,
        "best_sentence": sentence,
    }
    (OUT / "first-paper.json").write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
