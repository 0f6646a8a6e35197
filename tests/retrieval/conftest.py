"""The shipped papers as retrieval sees them, opened once for all tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.index.embedders import LocalEmbedder
from assistant.index.embedding import MiniLM
from assistant.index.index import Index
from assistant.index.snapshot import Snapshot
from assistant.retrieval.query import understand
from assistant.retrieval.ranking import Ranking
from assistant.retrieval.reading import Reader
from assistant.retrieval.retriever import Retriever
from assistant.settings import Settings

Rank = Callable[..., Ranking]


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="session")
def snapshot(seed_index_dir: Path) -> Snapshot:
    return Index(Settings(data_dir=seed_index_dir), None, readonly=True).snapshot()


@pytest.fixture(scope="session")
def reader(minilm: MiniLM) -> Reader:
    return Reader(minilm.embed_tokens, minilm.name, minilm.revision)


@pytest.fixture(scope="session")
def retriever(reader: Reader, minilm: MiniLM) -> Retriever:
    return Retriever(reader, LocalEmbedder(minilm))


@pytest.fixture(scope="session")
def rank(retriever: Retriever, snapshot: Snapshot) -> Rank:
    """Understand a question and rank the shipped papers for it."""

    def ranked(question: str, history: object = (), **given: object) -> Ranking:
        query = understand(question, snapshot, history)  # type: ignore[arg-type]
        return retriever.rank(query, snapshot, **given)  # type: ignore[arg-type]

    return ranked
