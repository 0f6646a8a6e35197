"""Train what tells whether the best paper is about a question at all.

`python -m benchmarks.train_answerable` learns from the labelled questions that name no paper
against questions about other things (`labelled/elsewhere.txt`) and topics that are not covered.
Figures are cross-fitted over collections. Writes `assistant/retrieval/data/relevance-
answerable.json`.
"""

from __future__ import annotations

import json

import numpy as np

from assistant.index.embedders import load_embedder
from assistant.index.embedding import MiniLM
from assistant.retrieval.answerable import answerable_features
from assistant.retrieval.query import understand
from assistant.retrieval.reading import Reader
from assistant.retrieval.retriever import Retriever
from assistant.settings import load_settings
from benchmarks.collections import LABELLED, indexed, labelled
from benchmarks.train_relevance import OUT, Example, chances, fit

STRENGTH = 0.1
DECLINED_AT_MOST = 0.02


def examples(retriever: Retriever) -> list[Example]:
    """Describe each question by its best paper; one example a question."""
    elsewhere = (LABELLED / "elsewhere.txt").read_text(encoding="utf-8").splitlines()
    made: list[Example] = []
    for group, papers, questions in labelled():
        with indexed(papers, retriever.embedder) as snapshot:
            asked = [
                (row["question"], bool(row["papers"]))
                for row in questions
                if not row["history"]
                and (
                    row["kind"] in ("fact", "robust")
                    or (row["kind"] == "unanswerable" and row["note"].startswith("topic"))
                )
            ]
            for text, about in [*asked, *((text, False) for text in elsewhere)]:
                query = understand(text, snapshot)
                ranking = retriever.rank(query, snapshot)
                if query.named or not ranking.items:
                    continue
                features = {
                    name: np.array([value], dtype=np.float32)
                    for name, value in answerable_features(ranking).items()
                }
                truth = np.array([about])
                made.append(Example(group, about, features, truth, np.array([False])))
    return made


def main() -> None:
    """Cross-fit, report, fit on everything, write the file."""
    model = MiniLM()
    reader = Reader(model.embed_tokens, model.name, model.revision)
    made = examples(Retriever(reader, load_embedder(load_settings())))
    found = {}
    for group in sorted({example.group for example in made}):
        fitted = fit([example for example in made if example.group != group], STRENGTH)
        for example in (e for e in made if e.group == group):
            found[id(example)] = float(chances(fitted, example)[0])
    about = np.array([found[id(e)] for e in made if e.listed])
    away = np.array([found[id(e)] for e in made if not e.listed])
    certain = float(np.quantile(about, DECLINED_AT_MOST))
    print(f"{len(about)} about a paper, {len(away)} about other things, cross-fitted")
    print(f"  threshold {certain:.3f}: declined {np.mean(about < certain):.3f} of the former")
    print(f"  and {np.mean(away < certain):.3f} of the latter")
    stored = {
        "made_by": "python -m benchmarks.train_answerable",
        "relevant": certain,
        "certain": certain,
        **fit(made, STRENGTH),
    }
    path = OUT / "relevance-answerable.json"
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
