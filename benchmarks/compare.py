"""The assistant beside what else a person would pick: LangChain's usual recipe, and plain numpy.

    python -m benchmarks.compare [--real 1000] [--drawn 10000]

The same papers, embedder and questions in one run, each contender in a process of its own. `--real`
papers are embedded by the local model, `--drawn` have vectors drawn, so that all else is what
takes time; 0 leaves a part out. LangChain: RecursiveCharacterTextSplitter with 1,000 characters and
an overlap of 200, Chroma as it comes, the top 4. numpy: one vector a paper, compared with all.

The assistant does more for a question than the others: words, spelling and acronyms beside the
vectors, a probability for each paper, and the sentence that shows why.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from assistant.api import Assistant
from assistant.corpus.paper import Paper
from assistant.index.embedders import LocalEmbedder
from assistant.index.embedding import MiniLM
from assistant.index.mark import VECTORS
from assistant.index.vectors import products
from assistant.settings import load_settings
from benchmarks.drawn import DrawnEmbedder, Floats
from benchmarks.measuring import (
    Clock,
    disk_mb,
    index_in,
    machine,
    milliseconds,
    questions,
    stream,
)
from benchmarks.tables import table

__all__ = ["main"]

_SHOWN = 4
_TOP = 10
_HEADS = [
    "ingest, s",
    "CPU s",
    "papers/s",
    "vectors",
    "query p50 / p95, ms",
    "its CPU, ms",
    "recall@10",
    "memory, MB",
    "disk, MB",
]


@dataclass(frozen=True, slots=True)
class Made:
    """What a contender made of the papers.

    Args:
        ask: answers a question with its best papers.
        nearest: the cosines of the ten it finds nearest to a vector.
        vectors: all that it holds.
    """

    ask: Callable[[str], object]
    nearest: Callable[[Floats], Floats]
    vectors: Floats


def main() -> None:
    """Measure and print a table for each part."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--real", type=int, default=1_000, help="papers for the local model")
    parser.add_argument("--drawn", type=int, default=10_000, help="papers with drawn vectors")
    given = parser.parse_args()
    for size, embedded in ((given.real, "MiniLM"), (given.drawn, "drawn vectors")):
        if not size:
            continue
        print(f"{machine()}\n")
        rows = []
        for name in _contenders():
            # A new process each: memory that one has used is not given back.
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                rows.append(pool.apply(_measured, (name, size, embedded == "MiniLM")))
        print(table([f"{size:,} papers, {embedded}", *_HEADS], rows))
        print(f"\n{machine()}\n", flush=True)


def _measured(name: str, size: int, real: bool) -> list[str]:
    embedder = LocalEmbedder(MiniLM()) if real else DrawnEmbedder(size)
    papers = list(stream(size))
    embedder.embed_query("the model is loaded")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place)
        with Clock() as filling:
            made = _CONTENDERS[name](folder, papers, embedder)
        asked = questions()
        with Clock() as asking:
            by_clock, by_processor = milliseconds(asked, made.ask)
        recall = _recall(made, [embedder.embed_query(question) for question in asked])
        return [
            name,
            *(f"{filling.wall:.1f}", f"{filling.cpu:.1f}", f"{size / filling.wall:,.1f}"),
            *(f"{len(made.vectors):,}", by_clock, by_processor, f"{recall:.3f}"),
            *(f"{max(filling.peak_mb, asking.peak_mb):,.0f}", f"{disk_mb(folder):,.0f}"),
        ]


def _recall(made: Made, probes: list[Floats]) -> float:
    shares = []
    for probe in probes:
        bound = np.partition(made.vectors @ probe, -_TOP)[-_TOP] - 1e-5
        shares.append(float((made.nearest(probe) >= bound).sum()) / _TOP)
    return float(np.mean(shares))


def _assistant(folder: Path, papers: list[Paper], embedder: LocalEmbedder) -> Made:
    with index_in(folder, embedder) as index:
        index.sync(papers, source="compare")
    settings = load_settings(
        data_dir=folder, collection="benchmark", model="none", embedder="minilm"
    )
    assistant = Assistant(settings)
    matrix = np.load(assistant.snapshot().folder / VECTORS, mmap_mode="r")
    return Made(
        lambda question: assistant.search(question, limit=_SHOWN),
        lambda probe: np.partition(products(matrix, probe), -_TOP)[-_TOP:],
        matrix,
    )


def _langchain(folder: Path, papers: list[Paper], embedder: LocalEmbedder) -> Made:
    from langchain_chroma import Chroma
    from langchain_core.documents import Document
    from langchain_text_splitters.character import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=1_000, chunk_overlap=200)
    chunks = splitter.split_documents(
        [
            Document(paper.indexed_text, metadata={"title": paper.title or "", "id": paper.id})
            for paper in papers
        ]
    )
    store = Chroma.from_documents(chunks, _for_langchain(embedder), persist_directory=str(folder))
    held: Any = store._collection.get(include=["embeddings"])["embeddings"]
    vectors = np.asarray(held, np.float32)

    def nearest(probe: Floats) -> Floats:
        found: Any = store._collection.query(
            query_embeddings=probe[None], n_results=_TOP, include=["distances"]
        )
        # Squared distances of vectors of length 1.
        away = np.asarray(found["distances"][0], np.float32)
        return (1 - away / 2).astype(np.float32)

    return Made(lambda question: store.similarity_search(question, k=_SHOWN), nearest, vectors)


def _numpy(folder: Path, papers: list[Paper], embedder: LocalEmbedder) -> Made:
    texts = [paper.indexed_text for paper in papers]
    matrix = np.concatenate(
        [embedder.embed(texts[at : at + 4_096]) for at in range(0, len(texts), 4_096)]
    )
    np.save(folder / "vectors.npy", matrix)

    def ask(question: str) -> object:
        cosines = matrix @ embedder.embed_query(question)
        best = np.argpartition(-cosines, _SHOWN)[:_SHOWN]
        return [papers[row] for row in best[np.argsort(-cosines[best])]]

    return Made(ask, lambda probe: np.partition(matrix @ probe, -_TOP)[-_TOP:], matrix)


def _for_langchain(embedder: LocalEmbedder) -> Any:
    from langchain_core.embeddings import Embeddings

    class Adapted(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            rows: list[list[float]] = embedder.embed(texts).tolist()
            return rows

        def embed_query(self, text: str) -> list[float]:
            row: list[float] = embedder.embed_query(text).tolist()
            return row

    return Adapted()


def _contenders() -> list[str]:
    if find_spec("langchain_chroma") is not None:
        return list(_CONTENDERS)
    print("LangChain's recipe is left out: pip install langchain-chroma\n")
    return [name for name in _CONTENDERS if name != _LANGCHAIN]


_LANGCHAIN = "LangChain's recipe"
_CONTENDERS: dict[str, Callable[[Path, list[Paper], LocalEmbedder], Made]] = {
    "ours": _assistant,
    _LANGCHAIN: _langchain,
    "numpy": _numpy,
}


if __name__ == "__main__":
    main()
