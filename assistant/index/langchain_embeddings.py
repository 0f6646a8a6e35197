"""The local model behind LangChain's interface, for whoever builds on it with LangChain."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings

from assistant.index.embedding import MiniLM

__all__ = ["MiniLMEmbeddings"]


class MiniLMEmbeddings(Embeddings):
    """MiniLM for LangChain's stores and retrievers.

    Args:
        model: the model; None: one of its own.

    Raises:
        EmbedderUnavailableError: on first use, when weights or tokenizer are missing or changed.
    """

    def __init__(self, model: MiniLM | None = None) -> None:
        self.model = model or MiniLM()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed documents.

        Args:
            texts: the documents.

        Returns:
            One list of 384 floats each, of length 1.
        """
        rows: list[list[float]] = self.model.embed(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """Embed a question; the model treats it like a document.

        Args:
            text: the question.

        Returns:
            384 floats, of length 1.
        """
        row: list[float] = self.model.embed([text])[0].tolist()
        return row
