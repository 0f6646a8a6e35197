"""Lexical ranking against plain BM25: `python -m benchmarks.lexical [--choose]`.

Known items are one-sentence summaries by authors, each with its one paper; topics are keyword
phrases with all papers that list them. No titles are indexed. The settings were chosen on one half
of the queries (`--choose` prints the grid); the table shows all of them and the other half.
"""

from __future__ import annotations

import argparse
import itertools
import re
import resource
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import Stemmer
from ir_measures import RR, Qrel, ScoredDoc, nDCG
from numpy.typing import NDArray

from assistant.index.lexical import K1, B, LexicalIndex
from assistant.index.terms import Emphasis, query_terms, weighted_terms
from benchmarks.collections import abstracts, lines, test_data

HARDEST = 200
DEPTH = 10
SEED = 7
KNOWN_VENUES = {("iclr", 2018)}
TOPIC_VENUES = {("iclr", 2018), ("colm", 2025), ("ijcai", 2022), ("ijcai", 2023)}
Row = dict[str, Any]
Scorer = Callable[[str], NDArray[np.float32]]


class Task(NamedTuple):
    """Queries over some of the abstracts."""

    name: str
    rows: list[Row]
    queries: list[Row]
    measure: Any


class Plain:
    """What a first attempt would be: bm25s as it comes, words by a pattern, stemmed."""

    def __init__(self, documents: Sequence[str]) -> None:
        import bm25s
        from bm25s.stopwords import STOPWORDS_EN

        self._stop = frozenset(STOPWORDS_EN)
        self._stem = Stemmer.Stemmer("english").stemWords
        self._index = bm25s.BM25()
        self._index.index([self.words(text) for text in documents], show_progress=False)

    def words(self, text: str) -> list[str]:
        """Return a text's stemmed words.

        Args:
            text: any text.
        """
        found = re.findall(r"(?u)\b\w\w+\b", text.lower())
        stems: list[str] = self._stem([word for word in found if word not in self._stop])
        return stems

    def scores(self, query: str) -> NDArray[np.float32]:
        """Return every document's score.

        Args:
            query: a question.
        """
        found: NDArray[np.float32] = self._index.get_scores(self.words(query))
        return found


def _ours(weigh: Callable[[LexicalIndex, str], Mapping[str, float]]) -> Callable[..., Scorer]:
    def build(documents: Sequence[str]) -> Scorer:
        with tempfile.TemporaryDirectory() as folder:
            LexicalIndex.build(documents).save(Path(folder))
            started = time.perf_counter()
            index = LexicalIndex.load(Path(folder))
            _score(index, weigh(index, "sparse autoencoders"))
            print(f"  load and first query {1e3 * (time.perf_counter() - started):.0f} ms")
        return lambda query: _score(index, weigh(index, query))

    return build


def _asked(index: LexicalIndex, emphasis: Emphasis, query: str) -> NDArray[np.float32]:
    return _score(index, weighted_terms(query, emphasis))


def _score(index: LexicalIndex, weights: Mapping[str, float]) -> NDArray[np.float32]:
    return index.scores(list(weights), list(weights.values()))


SYSTEMS: dict[str, Callable[..., Scorer]] = {
    "plain bm25s": lambda documents: Plain(documents).scores,
    "our terms": _ours(lambda _, query: dict.fromkeys(query_terms(query), 1.0)),
    "+ pairs, weights": _ours(lambda _, query: weighted_terms(query)),
    "+ spelling, acronyms": _ours(lambda index, query: index.weigh(query)),
}


def tasks(names: Sequence[str]) -> list[Task]:
    """Return the tasks of the given names.

    Args:
        names: some of "known", "topics", "all".
    """
    rows = list(abstracts().values())
    known = lines(test_data() / "retrieval" / "known_item.jsonl")
    topics = lines(test_data() / "retrieval" / "topical.jsonl")
    few = [row for row in rows if (row["venue"], row["year"]) in KNOWN_VENUES]
    some = [row for row in rows if (row["venue"], row["year"]) in TOPIC_VENUES]
    made = [
        Task("known", few, known, RR @ DEPTH),
        Task("topics", some, topics, nDCG @ DEPTH),
        Task("all", rows, known, RR @ DEPTH),
    ]
    return [task for task in made if task.name in names]


def values(task: Task, scorer: Scorer) -> tuple[NDArray[np.float64], float]:
    """Measure each query.

    Args:
        task: the queries and what they are asked of.
        scorer: gives every document's score.

    Returns:
        float64 `[queries]` and milliseconds a query.
    """
    ids = [row["id"] for row in task.rows]
    known = set(ids)
    qrels = [
        Qrel(str(number), paper, 1)
        for number, query in enumerate(task.queries)
        for paper in query["relevant"]
        if paper in known
    ]
    run, spent = [], 0.0
    for number, query in enumerate(task.queries):
        started = time.perf_counter()
        scores = scorer(query["query"])
        spent += time.perf_counter() - started
        best = np.argsort(-scores, kind="stable")[:DEPTH]
        # Ranks for scores: equal scores keep the index's order, zeros are not found.
        run += [
            ScoredDoc(str(number), ids[row], float(DEPTH - rank))
            for rank, row in enumerate(best)
            if scores[row] > 0
        ]
    found = {m.query_id: m.value for m in ir_measures.iter_calc([task.measure], qrels, run)}
    every = np.array([found.get(str(number), 0.0) for number in range(len(task.queries))])
    return every, 1e3 * spent / len(task.queries)


def hardest(task: Task) -> NDArray[np.bool_]:
    """Mark the queries that share the fewest words with their paper.

    Args:
        task: one of known items.
    """
    words = Plain(["nothing"]).words
    texts = {row["id"]: row["abstract"] for row in task.rows}
    shared = []
    for query in task.queries:
        asked = set(words(query["query"]))
        shared.append(len(asked & set(words(texts[query["relevant"][0]]))) / max(1, len(asked)))
    marked = np.zeros(len(shared), bool)
    marked[np.argsort(shared, kind="stable")[:HARDEST]] = True
    return marked


def held_out(queries: int) -> NDArray[np.bool_]:
    """Mark the half of the queries that no setting was chosen on.

    Args:
        queries: how many there are.
    """
    marked = np.ones(queries, bool)
    marked[np.random.default_rng(SEED).permutation(queries)[: queries // 2]] = False
    return marked


def measured(system: str) -> dict[str, str]:
    """Measure one system on every task, in a process of its own.

    Args:
        system: its name.
    """
    row = {"": system}
    for task in tasks(["known", "topics", "all"]):
        texts = [paper["abstract"] for paper in task.rows]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        started, worked = time.perf_counter(), time.process_time()
        scorer = SYSTEMS[system](texts)
        built, work = time.perf_counter() - started, time.process_time() - worked
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        got, spent = values(task, scorer)
        other = held_out(len(got))
        row[task.name] = f"{got.mean():.3f} ({got[other].mean():.3f})"
        if task.measure == RR @ DEPTH:
            hard = hardest(task)
            row[f"{task.name} hardest"] = f"{got[hard].mean():.3f} ({got[hard & other].mean():.3f})"
        row |= {"ms": f"{spent:.1f}", "build s": f"{built:.0f}", "cpu s": f"{work:.0f}"}
        row |= {"peak MB": f"{peak:.0f}", "of it texts": f"{before:.0f}"}
    return row


def choose() -> None:
    """Print the grid on the half of the queries that settings are chosen on; ten minutes."""
    made = tasks(["known", "topics", "all"])
    print(f"{'chosen on half of the queries':34}", *(f"{task.name:6}" for task in made), "sum")

    def line(label: str, indexes: Sequence[LexicalIndex], emphasis: Emphasis) -> None:
        cells = []
        for task, index in zip(made, indexes, strict=True):
            got, _ = values(task, partial(_asked, index, emphasis))
            cells.append(float(got[~held_out(len(got))].mean()))
        print(f"{label:34}", *(f"{cell:.4f}" for cell in [*cells, sum(cells)]), flush=True)

    def built(k1: float, b: float) -> list[LexicalIndex]:
        texts = [[row["abstract"] for row in task.rows] for task in made]
        return [LexicalIndex.build(some, k1=k1, b=b) for some in texts]

    for k1, b in itertools.product((0.6, 0.9, 1.2), (0.5, 0.75, 0.9)):
        line(f"k1 {k1} b {b}", built(k1, b), Emphasis())
    usual = built(K1, B)
    for whole, part, pair in itertools.product((0.3, 0.5, 1.0), (0.5, 0.7, 1.0), (0.0, 0.2, 0.3)):
        line(f"whole {whole} part {part} pair {pair}", usual, Emphasis(whole, part, pair))


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--choose", action="store_true", help="print the grid of settings")
    parser.add_argument("--system", choices=list(SYSTEMS), help="measure one system alone")
    asked = parser.parse_args()
    test_data()
    if asked.choose:
        choose()
        return
    names = [asked.system] if asked.system else list(SYSTEMS)
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        rows = list(pool.map(measured, names))
    print("MRR@10 of known items, nDCG@10 of topics; in brackets the half nothing was chosen on.")
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in rows[0]}
    for row in [{name: name for name in rows[0]}, *rows]:
        print("  ".join(row[name].ljust(width) for name, width in widths.items()).rstrip())


if __name__ == "__main__":
    main()
