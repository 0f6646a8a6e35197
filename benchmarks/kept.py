"""Indexes and vectors that runs of the benchmarks share, in a folder named by `--keep`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.paper import Paper, text_hash
from assistant.index.embedders import Embedder, LocalEmbedder
from assistant.index.embedding import MiniLM
from assistant.index.index import Index
from assistant.index.snapshot import Snapshot
from assistant.retrieval.reading import Reader
from assistant.settings import load_settings

__all__ = ["Kept", "Remembering", "kept"]

Floats = NDArray[np.float32]


class Remembering(LocalEmbedder):
    """The local embedder, which embeds a document only once.

    Args:
        model: the model.
    """

    def __init__(self, model: MiniLM) -> None:
        super().__init__(model)
        self._vectors: dict[str, Floats] = {}

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed documents.

        Args:
            texts: the documents.

        Returns:
            float32 `[len(texts), 384]`, rows of length 1.
        """
        keys = [text_hash(text) for text in texts]
        missing = {
            key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors
        }
        made = super().embed(list(missing.values())) if missing else ()
        self._vectors |= dict(zip(missing, made, strict=True))
        return np.stack([self._vectors[key] for key in keys])

    def load(self, path: Path) -> None:
        """Take over vectors that an earlier run made.

        Args:
            path: what `save` wrote; it need not exist.
        """
        if path.is_file():
            with np.load(path) as stored:
                self._vectors |= dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))

    def save(self, path: Path) -> None:
        """Write all vectors for later runs.

        Args:
            path: the file.
        """
        if self._vectors:
            np.savez(path, keys=list(self._vectors), vectors=np.stack(list(self._vectors.values())))


class Kept:
    """A folder of indexes and vectors.

    Args:
        folder: an existing folder.
        embedder: the local embedder.
    """

    def __init__(self, folder: Path, embedder: Remembering) -> None:
        self.folder = folder
        self.embedder = embedder

    def reader(self) -> Reader:
        """Return a reader that has read nothing yet."""
        model = self.embedder.model
        return Reader(model.embed_tokens, model.name, model.revision)

    @contextmanager
    def indexed(self, name: str, papers: Iterable[Paper], *, dense: bool) -> Iterator[Snapshot]:
        """Index papers, or open what an earlier run made of them.

        Args:
            name: the collection's.
            papers: the papers, the same at each run.
            dense: whether they are embedded too.
        """
        embedder: Embedder | None = self.embedder if dense else None
        settings = load_settings(
            data_dir=self.folder, collection=name, embedder="minilm" if dense else "none"
        )
        with Index(settings, embedder) as index:
            if not index.exists():
                index.sync(papers, source="benchmark")
            yield index.snapshot()


@contextmanager
def kept(folder: Path | None) -> Iterator[Kept]:
    """Open a folder to keep things in.

    Args:
        folder: made where it does not exist; None: one that is removed afterwards.
    """
    with tempfile.TemporaryDirectory() as temporary:
        place = folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        embedder = Remembering(MiniLM())
        vectors = place / "vectors.npz"
        embedder.load(vectors)
        try:
            yield Kept(place, embedder)
        finally:
            embedder.save(vectors)
