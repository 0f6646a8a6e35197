"""What an index was made with, and the fingerprint that keeps unlike things apart."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assistant.corpus.chunking import CHUNKING

if TYPE_CHECKING:
    from assistant.index.embedders import Embedder

__all__ = ["INDEX_SCHEMA", "Recipe"]

INDEX_SCHEMA = 1
"""The layout of a generation's files; raised when an older one can no longer be read."""

_SPECIAL_TOKENS = 2
_WHOLE_ABSTRACT = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what a generation's vectors and passages are.

    Args:
        embedder: the embedder's name; None: lexical search alone.
        revision: which weights, or which server, answer to that name.
        window: tokens a passage and its title may have.
        chunking: the way of cutting abstracts.
        schema: the layout of the files.
    """

    embedder: str | None
    revision: str
    window: int
    chunking: str = CHUNKING
    schema: int = INDEX_SCHEMA

    @classmethod
    def of(cls, embedder: Embedder | None) -> Recipe:
        """Describe an index made now with this embedder.

        Args:
            embedder: the configured embedder; None: lexical search alone.
        """
        if embedder is None:
            return cls(embedder=None, revision="", window=_WHOLE_ABSTRACT)
        return cls(
            embedder=embedder.name,
            revision=embedder.revision,
            window=embedder.max_tokens - _SPECIAL_TOKENS,
        )

    @property
    def vector_key(self) -> str:
        """Names the embedder alone: a vector outlives a change in how abstracts are cut."""
        return _short_hash(f"{self.embedder}\n{self.revision}")

    @property
    def fingerprint(self) -> str:
        """12 hexadecimal digits that change when anything in the recipe does."""
        return _short_hash(repr(sorted(asdict(self).items())))

    @property
    def label(self) -> str:
        """The embedder as a person calls it."""
        return self.embedder or "none (lexical search alone)"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Recipe:
        """Rebuild a recipe from `to_dict`.

        Args:
            data: what `to_dict` gave.
        """
        return cls(**data)


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
