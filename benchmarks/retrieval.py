"""Retrieval quality and speed: `python -m benchmarks.retrieval PART… [--keep FOLDER]`.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
from ir_measures import RR, Qrel, R, ScoredDoc, nDCG
from numpy.typing import NDArray

from assistant.corpus.paper import Paper
from assistant.index.snapshot import Snapshot
from assistant.retrieval.reading import Reader
from assistant.retrieval.retriever import Retriever
from benchmarks.collections import abstracts, lines, paper_of, test_data
from benchmarks.kept import Kept, kept
from benchmarks.lexical import HARDEST, KNOWN_VENUES, TOPIC_VENUES, Plain
from benchmarks.rankers import (
    Scorer,
    cosines,
    fused,
    langchain_recipe,
    lexical,
    plain,
    ranked,
)
from benchmarks.train_relevance import SEED

DEPTH = 20
Row = dict[str, Any]


def measured(
    snapshot: Snapshot, queries: Sequence[Row], scorer: Scorer
) -> dict[str, NDArray[np.float64]]:
    rows = rows_by_id(snapshot)
    qrels, run = [], []
    spent = []
    for number, query in enumerate(queries):
        qrels += [Qrel(str(number), str(rows[i]), 1) for i in query["relevant"] if i in rows]
        started = time.perf_counter()
        scores = scorer(query["query"])
        spent.append(1e3 * (time.perf_counter() - started))
        best = np.argsort(-scores, kind="stable")[:DEPTH]
        run += [
            ScoredDoc(str(number), str(row), float(DEPTH - place))
            for place, row in enumerate(best)
            if scores[row] > 0
        ]
    table: dict[str, NDArray[np.float64]] = {}
    for measure in (RR @ 10, nDCG @ 10, R @ 20):
        found = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
        table[str(measure)] = np.array([found.get(str(n), 0.0) for n in range(len(queries))])
    return table | {"ms": np.array(spent)}


def rows_by_id(snapshot: Snapshot) -> dict[str, int]:
    """Give every paper's row, also by the ids under which its abstract came once more."""
    own = {paper.content_hash: row for row, paper in enumerate(snapshot.papers())}
    papers = (paper_of(row, title=False) for row in abstracts().values())
    hashes = ((paper.id, paper.content_hash) for paper in papers)
    return {paper_id: own[digest] for paper_id, digest in hashes if digest in own}
