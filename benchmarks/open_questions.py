"""Lists, topics that are not covered, and facts, asked of the papers that ship."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assistant.index.snapshot import Snapshot
from assistant.retrieval.answerable import first_paper
from assistant.retrieval.query import understand
from assistant.retrieval.ranking import Ranking
from assistant.retrieval.relevance import relevance_model
from assistant.retrieval.retriever import Retriever
from benchmarks.collections import lines, seeds, test_data
from benchmarks.kept import Kept
from benchmarks.ranking_quality import EVERYTHING, all_papers
from benchmarks.tables import table

__all__ = ["open_questions", "questions"]

LIKE_THE_PIPELINE = 8


def open_questions(*kinds: str) -> list[dict[str, Any]]:
    """Return questions over the papers that ship, which no model was trained on.

    Args:
        kinds: of these kinds.
    """
    rows = lines(test_data() / "questions_open.jsonl")
    return [row for row in rows if row["kind"] in kinds]


def questions(kept: Kept) -> None:
    """Ask lists, topics that are not covered, and facts.

    Args:
        kept: the folder of indexes.
    """
    model = relevance_model("read")
    print(f"\nThe papers that ship: relevant ≥ {model.relevant}, best ≥ {model.certain}\n")
    retriever = Retriever(kept.reader(), kept.embedder)
    with kept.indexed("seeds", seeds(), dense=True) as snapshot:
        rows = [*_lists(retriever, snapshot), *_facts(retriever, snapshot)]
        named = [
            row for row in open_questions("fact") if understand(row["question"], snapshot).named
        ]
    with kept.indexed(EVERYTHING, all_papers(), dense=False) as snapshot:
        rows += _named_among_all(Retriever(kept.reader(), None), snapshot, named)
    print(table(["", "questions", "share"], rows))


def _lists(retriever: Retriever, snapshot: Snapshot) -> list[list[str]]:
    scores = []
    for row in open_questions("list"):
        ranking = retriever.rank(understand(row["question"], snapshot), snapshot)
        scores.append(_list_f1(row, _relevant_ids(ranking)))
        if scores[-1] < 1:
            print(f"  F1 {scores[-1]:.2f}  {row['question']}")
    absent = [row for row in open_questions("unanswerable") if _asks_topic(row, snapshot)]
    empty = []
    for row in absent:
        ranking = retriever.rank(understand(row["question"], snapshot), snapshot)
        empty.append(not ranking.relevant)
        if ranking.relevant:
            print(f"  not empty  {row['question']}")
    return [
        ["list questions: macro F1", f"{len(scores)}", f"{np.mean(scores):.3f}"],
        ["topics not covered: no paper found", f"{len(empty)}", f"{np.mean(empty):.3f}"],
    ]


def _facts(retriever: Retriever, snapshot: Snapshot) -> list[list[str]]:
    ranked, chosen = [], []
    for row in open_questions("fact"):
        ranking = retriever.rank(understand(row["question"], snapshot), snapshot)
        ranked.append(ranking.items[0].paper.id in row["papers"])
        chosen.append(first_paper(ranking).paper.id in row["papers"])
        if not chosen[-1]:
            print(f"  another paper first  {row['question']}")
    return [
        ["facts: the paper ranks first", f"{len(ranked)}", f"{np.mean(ranked):.3f}"],
        ["facts: the paper is answered from", f"{len(chosen)}", f"{np.mean(chosen):.3f}"],
    ]


def _named_among_all(
    retriever: Retriever, snapshot: Snapshot, named: Sequence[dict[str, Any]]
) -> list[list[str]]:
    ranked, chosen = [], []
    for row in named:
        query = understand(row["question"], snapshot)
        ranked.append(retriever.rank(query, snapshot).items[0].paper.id in row["papers"])
        ranking = retriever.rank(query, snapshot, read=LIKE_THE_PIPELINE)
        chosen.append(first_paper(ranking).paper.id in row["papers"])
        if not chosen[-1]:
            print(f"  another paper first among all  {row['question']}")
    among = f"facts that name their method, among {len(snapshot):,}"
    return [
        [f"{among}: the paper ranks first", f"{len(ranked)}", f"{np.mean(ranked):.3f}"],
        [f"{among}: the paper is answered from", f"{len(chosen)}", f"{np.mean(chosen):.3f}"],
    ]


def _relevant_ids(ranking: Ranking) -> list[str]:
    return [item.paper.id for item in ranking.items[: ranking.relevant]]


def _list_f1(row: dict[str, Any], found: Sequence[str]) -> float:
    allowed = set(row["papers"]) | set(row["maybe"])
    hits = len(set(found) & set(row["papers"]))
    wrong = len(set(found) - allowed)
    missed = len(row["papers"]) - hits
    return 2 * hits / (2 * hits + wrong + missed)


def _asks_topic(row: dict[str, Any], snapshot: Snapshot) -> bool:
    """An unanswerable question asks for a topic where it asks for papers or points to none."""
    return not row["maybe"] or understand(row["question"], snapshot).kind == "list"
