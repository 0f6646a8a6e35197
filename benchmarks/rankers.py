"""Ways to rank papers, side by side: what others do, and ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.paper import Paper
from assistant.index.embedders import Embedder
from assistant.index.snapshot import Snapshot
from assistant.retrieval.query import understand
from assistant.retrieval.retriever import Retriever
from benchmarks.lexical import Plain

__all__ = ["Scorer", "cosines", "fused", "langchain_recipe", "lexical", "plain", "ranked"]

RRF_K = 60
FUSED_DEPTH = 1_000
CHUNK_SIZE = 1_000
CHUNK_OVERLAP = 200
CHUNKS_ASKED = 100

Floats = NDArray[np.float32]
Scorer = Callable[[str], Floats]
"""Gives every paper's score for a question, float32 `[papers]`; 0 where it is not found."""


def plain(papers: Sequence[Paper]) -> Scorer:
    """Score by bm25s as it comes.

    Args:
        papers: the collection.
    """
    return Plain([paper.indexed_text for paper in papers]).scores


def lexical(snapshot: Snapshot) -> Scorer:
    """Score by our own terms, weights, spelling and acronyms.

    Args:
        snapshot: the collection.
    """

    def score(question: str) -> Floats:
        weights = snapshot.lexical.weigh(question)
        return snapshot.lexical.scores(list(weights), list(weights.values()))

    return score


def cosines(snapshot: Snapshot, embedder: Embedder) -> Scorer:
    """Score by the embedder alone.

    Args:
        snapshot: the collection.
        embedder: the one it was indexed with.
    """

    def score(question: str) -> Floats:
        # Moved above 0, which means "not found".
        return np.nan_to_num(snapshot.cosines(embedder.embed_query(question)) + 2)

    return score


def fused(*scorers: Scorer) -> Scorer:
    """Fuse by reciprocal ranks, as most hybrid stores do.

    Cormack, Clarke and Büttcher, 2009, https://doi.org/10.1145/1571941.1572114

    Args:
        scorers: what is fused.
    """

    def score(question: str) -> Floats:
        parts = [scorer(question) for scorer in scorers]
        total = np.zeros_like(parts[0])
        for part in parts:
            order = np.argsort(-part, kind="stable")[:FUSED_DEPTH]
            order = order[part[order] > 0]
            total[order] += 1 / (RRF_K + 1 + np.arange(len(order), dtype=np.float32))
        return total

    return score


def langchain_recipe(papers: Sequence[Paper], embedder: Embedder, folder: Path) -> Scorer:
    """Score the way the tutorials do: split by characters, put into Chroma, take the nearest.

    A paper counts as its best chunk. Chroma is called as langchain-chroma calls it.

    Args:
        papers: the collection.
        embedder: embeds the chunks and the question.
        folder: where Chroma writes.
    """
    import chromadb
    from chromadb.config import Settings
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=CHUNK_SIZE, chunk_overlap=CHUNK_OVERLAP)
    chunks = [
        (row, chunk)
        for row, paper in enumerate(papers)
        for chunk in splitter.split_text(paper.indexed_text)
    ]
    vectors = embedder.embed([chunk for _, chunk in chunks])
    client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
    store = client.get_or_create_collection("langchain", embedding_function=None)
    step = client.get_max_batch_size()
    for start in range(0, len(chunks), step):
        part = chunks[start : start + step]
        store.upsert(
            ids=[f"{start + i}" for i in range(len(part))],
            embeddings=vectors[start : start + step],
            documents=[chunk for _, chunk in part],
        )

    def score(question: str) -> Floats:
        asked = embedder.embed_query(question)
        found = store.query(query_embeddings=[asked.tolist()], n_results=CHUNKS_ASKED, include=[])
        total = np.zeros(len(papers), dtype=np.float32)
        for place, name in enumerate(found["ids"][0]):
            row = chunks[int(name)][0]
            total[row] = max(total[row], CHUNKS_ASKED - place)
        return total

    return score


def ranked(retriever: Retriever, snapshot: Snapshot, *, read: int) -> Scorer:
    """Score the way the assistant does.

    Args:
        retriever: with or without vectors and reading.
        snapshot: the collection.
        read: how many papers are read; the others follow as they were skimmed.
    """

    def score(question: str) -> Floats:
        query = understand(question, snapshot)
        rows = [item.row for item in retriever.rank(query, snapshot).items]
        if read:
            first = [item.row for item in retriever.rank(query, snapshot, read=read).items]
            rows = list(dict.fromkeys([*first, *rows]))
        total = np.zeros(len(snapshot), dtype=np.float32)
        total[rows] = np.arange(len(rows), 0, -1)
        return total

    return score
