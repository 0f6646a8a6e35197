"""How well papers are ranked among a conference's, several conferences', and all abstracts."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import ir_measures
import numpy as np
from ir_measures import RR, Qrel, R, ScoredDoc, nDCG
from numpy.typing import NDArray

from assistant.corpus.names import fold_name
from assistant.corpus.paper import Paper
from assistant.index.snapshot import Snapshot
from assistant.retrieval.retriever import Retriever
from benchmarks.collections import abstracts, lines, paper_of, seeds, test_data
from benchmarks.kept import Kept
from benchmarks.lexical import HARDEST, KNOWN_VENUES, TOPIC_VENUES, Plain
from benchmarks.rankers import Scorer, cosines, fused, langchain_recipe, lexical, plain, ranked
from benchmarks.tables import table
from benchmarks.train_relevance import SEED

__all__ = [
    "EVERYTHING",
    "all_papers",
    "everything",
    "known_items",
    "of_venues",
    "other_half",
    "rows_by_id",
    "topics",
]

DEPTH = 20
READ = 10
EVERYTHING = "everything"
Row = dict[str, Any]
Floats = NDArray[np.float64]
Build = Callable[[], Scorer]


def known_items(kept: Kept, *, reading: bool) -> None:
    """Rank one conference's abstracts for summaries that its authors wrote.

    Args:
        kept: the folder of indexes.
        reading: whether the best papers are also read, which takes minutes.
    """
    papers = of_venues(KNOWN_VENUES)
    queries = lines(test_data() / "retrieval" / "known_item.jsonl")
    other, hard = other_half(len(queries)), hardest(queries, papers)
    with kept.indexed("known", papers, dense=True) as snapshot:
        print(f"\nKnown items: {len(queries)} summaries, {len(snapshot):,} abstracts, MRR@10\n")
        rows = []
        for name, build in _systems(kept, "known", snapshot, reading=reading).items():
            found = measured(snapshot, queries, build())
            mrr = found["RR@10"]
            shares = [mrr.mean(), mrr[other].mean(), mrr[hard].mean(), mrr[hard & other].mean()]
            rows.append([name, *(f"{x:.3f}" for x in shares), f"{np.median(found['ms']):.1f}"])
    heads = ["", "all", "other half", f"{HARDEST} hardest", "of the other half", "ms"]
    print(table(heads, rows))


def topics(kept: Kept, *, reading: bool) -> None:
    """Rank the abstracts of four conferences for keywords that their authors chose.

    Args:
        kept: the folder of indexes.
        reading: whether the best papers are also read, which takes minutes.
    """
    papers = of_venues(TOPIC_VENUES)
    queries = lines(test_data() / "retrieval" / "topical.jsonl")
    other = other_half(len(queries))
    with kept.indexed("topics", papers, dense=True) as snapshot:
        print(f"\nTopics: {len(queries)} keywords, {len(snapshot):,} abstracts\n")
        rows = []
        for name, build in _systems(kept, "topics", snapshot, reading=reading).items():
            found = measured(snapshot, queries, build())
            gain, recall = found["nDCG@10"], found["R@20"]
            shares = [gain.mean(), gain[other].mean(), recall.mean(), recall[other].mean()]
            rows.append([name, *(f"{x:.3f}" for x in shares), f"{np.median(found['ms']):.1f}"])
    print(table(["", "nDCG@10", "other half", "recall@20", "other half", "ms"], rows))


def everything(kept: Kept) -> None:
    """Rank all abstracts for the known items, before any of them has a vector.

    Args:
        kept: the folder of indexes.
    """
    queries = lines(test_data() / "retrieval" / "known_item.jsonl")
    other = other_half(len(queries))
    hard = hardest(queries, of_venues(KNOWN_VENUES))
    with kept.indexed(EVERYTHING, all_papers(), dense=False) as snapshot:
        print(f"\nKnown items among {len(snapshot):,} abstracts, words alone, MRR@10\n")
        systems: dict[str, Build] = {
            "plain bm25s": lambda: plain(list(snapshot.papers())),
            "our words": lambda: lexical(snapshot),
            "ours: `Retriever.rank`": lambda: ranked(Retriever(None, None), snapshot, read=0),
        }
        rows = []
        for name, build in systems.items():
            scorer = build()
            found = measured(snapshot, queries, scorer)
            mrr = found["RR@10"]
            either = measured(snapshot, [_with_twins(query) for query in queries], scorer)
            shares = [mrr.mean(), mrr[other].mean(), mrr[hard].mean(), mrr[hard & other].mean()]
            shares += [either["RR@10"].mean(), either["RR@10"][hard].mean()]
            times = [f"{x:.1f}" for x in np.percentile(found["ms"], [50, 95])]
            rows.append([name, *(f"{x:.3f}" for x in shares), " / ".join(times)])
    heads = ["", "all", "other half", f"{HARDEST} hardest", "of the other half"]
    heads += ["all, either record", "hardest, either record", "ms p50 / p95"]
    print(table(heads, rows))


@lru_cache(maxsize=1)
def _records_by_title() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for row in abstracts().values():
        found[fold_name(row["title"])].append(row["id"])
    return found


def _with_twins(query: Row) -> Row:
    """Some papers came to two venues with another abstract: let either record be right."""
    titles = (fold_name(abstracts()[paper_id]["title"]) for paper_id in query["relevant"])
    return query | {"relevant": [twin for title in titles for twin in _records_by_title()[title]]}


def of_venues(venues: set[tuple[str, int]]) -> list[Paper]:
    """Return the abstracts of some venues, without titles.

    Args:
        venues: names and years.
    """
    chosen = (row for row in abstracts().values() if (row["venue"], row["year"]) in venues)
    return [paper_of(row, title=False) for row in chosen]


def all_papers() -> list[Paper]:
    """Return all abstracts without titles, and the papers that ship with the assistant."""
    return [*(paper_of(row, title=False) for row in abstracts().values()), *seeds()]


def rows_by_id(snapshot: Snapshot) -> dict[str, int]:
    """Give every paper's row, also by the ids under which its abstract came once more.

    Args:
        snapshot: the collection.
    """
    own = {paper.content_hash: row for row, paper in enumerate(snapshot.papers())}
    papers = (paper_of(row, title=False) for row in abstracts().values())
    hashes = ((paper.id, paper.content_hash) for paper in papers)
    return {paper_id: own[digest] for paper_id, digest in hashes if digest in own}


def measured(snapshot: Snapshot, queries: Sequence[Row], scorer: Scorer) -> dict[str, Floats]:
    """Measure every query.

    Args:
        snapshot: the collection.
        queries: with the ids of the relevant papers.
        scorer: what is measured.

    Returns:
        float64 `[queries]` by measure, milliseconds among them.
    """
    known = rows_by_id(snapshot)
    qrels: list[Qrel] = []
    run: list[ScoredDoc] = []
    spent = []
    for number, query in enumerate(queries):
        relevant = {known[paper_id] for paper_id in query["relevant"] if paper_id in known}
        qrels += [Qrel(str(number), str(row), 1) for row in relevant]
        started = time.perf_counter()
        scores = scorer(query["query"])
        spent.append(1e3 * (time.perf_counter() - started))
        best = np.argsort(-scores, kind="stable")[:DEPTH]
        # Ranks for scores, so that equal ones keep the index's order.
        run += [
            ScoredDoc(str(number), str(row), float(DEPTH - place))
            for place, row in enumerate(best)
            if scores[row] > 0
        ]
    found = {"ms": np.array(spent)}
    for measure in (RR @ 10, nDCG @ 10, R @ 20):
        values = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
        found[str(measure)] = np.array([values.get(str(n), 0.0) for n in range(len(queries))])
    return found


def other_half(queries: int) -> NDArray[np.bool_]:
    """Mark the half of the queries that no model was trained on.

    Args:
        queries: how many there are, in the order of their file.
    """
    order = list(range(queries))
    random.Random(SEED).shuffle(order)
    marked = np.ones(queries, dtype=bool)
    marked[order[: queries // 2]] = False
    return marked


def hardest(queries: Sequence[Row], papers: Sequence[Paper]) -> NDArray[np.bool_]:
    """Mark the queries that share the fewest words with their paper.

    Args:
        queries: known items.
        papers: among them the relevant ones.
    """
    words = Plain(["nothing"]).words
    texts = {paper.id: set(words(paper.abstract)) for paper in papers}
    shares = []
    for query in queries:
        asked = set(words(query["query"]))
        shares.append(len(asked & texts[query["relevant"][0]]) / max(1, len(asked)))
    marked = np.zeros(len(shares), dtype=bool)
    marked[np.argsort(shares, kind="stable")[:HARDEST]] = True
    return marked


def _systems(kept: Kept, name: str, snapshot: Snapshot, *, reading: bool) -> dict[str, Build]:
    papers, embedder = list(snapshot.papers()), kept.embedder
    dense = cosines(snapshot, embedder)
    ours = Retriever(kept.reader(), embedder)
    systems: dict[str, Build] = {
        "plain bm25s": lambda: plain(papers),
        "MiniLM alone": lambda: dense,
        "RRF, k = 60, of these two": lambda: fused(plain(papers), dense),
        "LangChain's recipe": lambda: langchain_recipe(
            papers, embedder, kept.folder / f"langchain-{name}"
        ),
        "our words": lambda: lexical(snapshot),
        "RRF, k = 60, of our words and MiniLM": lambda: fused(lexical(snapshot), dense),
        "ours, no vectors yet": lambda: ranked(Retriever(None, None), snapshot, read=0),
        "ours": lambda: ranked(ours, snapshot, read=0),
    }
    if reading:
        systems[f"ours, the best {READ} read"] = lambda: ranked(ours, snapshot, read=READ)
    return systems
