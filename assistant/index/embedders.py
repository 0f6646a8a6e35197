"""What turns texts into vectors, chosen by the settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.endpoints import basic_auth, openai_base_url, without_credentials
from assistant.errors import AssistantError, SettingsError
from assistant.index.embedding import EmbedderUnavailableError, MiniLM, TokenVectors
from assistant.index.fingerprint import Recipe
from assistant.index.remote_embedder import RemoteEmbedder, Transport
from assistant.settings import Settings

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

__all__ = [
    "Embedder",
    "EmbedderUnavailableError",
    "LocalEmbedder",
    "load_embedder",
    "made_by",
]

_OPENAI_WINDOW = 8_191
"""Tokens the text-embedding models of OpenAI take."""

_UNKNOWN_WINDOW = 512
"""Tokens nearly every embedding model takes; an abstract rarely has more."""

_NO_KEY = "none"
_TRIAL = "trial"


class Embedder(Protocol):
    """Turns texts into vectors of length 1, always of the same dimension.

    Attributes:
        name: the embedder as settings and messages call it.
        revision: which weights, or which server, answer to that name.
        dimension: numbers per vector; None before it is known.
        max_tokens: tokens a text may have.
        batch: texts to hand over at once: few enough that little is lost when a run is killed.
    """

    name: str
    revision: str
    dimension: int | None
    max_tokens: int
    batch: int

    def count_tokens(self, text: str) -> int:
        """Count a text's tokens, or estimate them from above.

        Args:
            text: any text.
        """

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed documents.

        Args:
            texts: none of them blank.

        Returns:
            float32 `[len(texts), dimension]`, rows of length 1.

        Raises:
            ModelError: the embedder failed.
        """

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed a question; of one that is too long the end counts.

        Args:
            text: the question, not blank.

        Returns:
            float32 `[dimension]`, of length 1.

        Raises:
            ModelError: the embedder failed.
        """


class LocalEmbedder:
    """MiniLM in this process.

    Args:
        model: the model.

    Raises:
        EmbedderUnavailableError: its weights or its tokenizer are missing or changed.
    """

    batch = 32

    def __init__(self, model: MiniLM) -> None:
        self.model = model
        self.name = model.name
        self.revision = model.revision
        self.dimension: int | None = model.dimension
        self.max_tokens = model.max_tokens
        # Loads it now: better to hear at once that it cannot be used.
        model.count_tokens("")

    def count_tokens(self, text: str) -> int:
        """Count the model's own tokens.

        Args:
            text: any text.
        """
        return self.model.count_tokens(text)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed documents.

        Args:
            texts: what is longer than the window is cut.

        Returns:
            float32 `[len(texts), 384]`, rows of length 1.
        """
        return self.model.embed(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed a question; of one that is too long the end counts.

        Args:
            text: the question.

        Returns:
            float32 `[384]`, of length 1.
        """
        room = self.max_tokens - 2
        row: NDArray[np.float32] = self.model.embed([tail(text, room, self.count_tokens)])[0]
        return row

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Embed every token of texts in its context.

        Args:
            texts: what is longer than the window is cut.

        Returns:
            One `TokenVectors` a text.
        """
        return self.model.embed_tokens(texts)


def load_embedder(settings: Settings) -> Embedder | None:
    """Make the embedder the settings name.

    Args:
        settings: `embedder` names it; `openai_api_key` and `openai_base_url` count for `openai:`.

    Returns:
        The embedder; None for `none`.

    Raises:
        EmbedderUnavailableError: the local model's files are missing or changed.
        SettingsError: the name is unknown, or its package or key is missing.
    """
    wanted = settings.embedder.strip()
    if wanted.lower() == "none":
        return None
    if wanted.lower() in ("minilm", MiniLM.name):
        return LocalEmbedder(MiniLM())
    provider, _, model = (part.strip() for part in wanted.partition(":"))
    if not provider or not model:
        raise SettingsError(
            f"ASSISTANT_EMBEDDER={wanted} cannot be used: it takes minilm, none, or "
            "provider:model such as openai:text-embedding-3-small"
        )
    if provider.lower() == "openai":
        return _openai(settings, model)
    return _of_provider(provider.lower(), model, settings)


def made_by(recipe: Recipe, settings: Settings, dimension: int | None) -> Embedder | None:
    """Load the embedder that an index was made with, though another one is configured.

    Args:
        recipe: what the index was made with.
        settings: keys and addresses.
        dimension: numbers per vector of the index.

    Returns:
        The embedder, tried out; None where it is not to be had here, or has become another.
    """
    if recipe.embedder is None or dimension is None:
        return None
    try:
        found = load_embedder(settings.model_copy(update={"embedder": recipe.embedder}))
        if found is None or Recipe.of(found).vector_key != recipe.vector_key:
            return None
        tried = found.embed_query(_TRIAL)
    except AssistantError:
        return None
    return found if tried.shape == (dimension,) else None


def tail(text: str, room: int, count: Callable[[str], int]) -> str:
    """Return as much of a text's end as has room.

    Args:
        text: any text.
        room: tokens it may have.
        count: counts them.
    """
    while (tokens := count(text)) > room and len(text) > 1:
        # Tokens are not evenly long, so a second round may be needed.
        text = text[-max(1, min(len(text) - 1, len(text) * room // tokens)) :].lstrip()
    return text


def _openai(settings: Settings, model: str) -> RemoteEmbedder:
    raw = settings.openai_base_url
    given = openai_base_url(raw) if raw else None
    address = without_credentials(given) if given else None
    key = settings.openai_api_key.get_secret_value().strip() if settings.openai_api_key else ""
    if not key and address is None:
        raise SettingsError(
            f"the embedder openai:{model} needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for "
            "a server of your own, or ASSISTANT_EMBEDDER=minilm"
        )

    def make() -> Embeddings:
        import openai
        from langchain_openai import OpenAIEmbeddings
        from pydantic import SecretStr

        # Plain strings are sent, not token numbers: other servers have other tokenizers.
        # Retries are ours, so that a used-up credit is not asked for again and again.
        return OpenAIEmbeddings(
            model=model,
            openai_api_key=SecretStr(key or _NO_KEY),
            openai_api_base=address,
            default_headers=basic_auth(given) if given else None,
            check_embedding_ctx_length=False,
            chunk_size=2_048,
            max_retries=0,
            request_timeout=openai.Timeout(
                settings.total_timeout, connect=settings.connect_timeout
            ),
        )

    return RemoteEmbedder(
        make,
        name=f"openai:{model}",
        revision=address or "",
        max_tokens=_OPENAI_WINDOW if model.startswith("text-embedding-") else _UNKNOWN_WINDOW,
        transport=Transport(settings.max_retries, address or "OpenAI", "OPENAI_API_KEY"),
    )


def _of_provider(provider: str, model: str, settings: Settings) -> RemoteEmbedder:
    from langchain.embeddings import init_embeddings

    name = f"{provider}:{model}"
    try:
        made = init_embeddings(name)
    except ImportError as error:
        package = f"langchain-{provider.replace('_', '-')}"
        raise SettingsError(
            f"the embedder {name} needs a package that is not installed ({error}): "
            f"pip install {package}, or set ASSISTANT_EMBEDDER=minilm"
        ) from error
    except Exception as error:
        # Whatever a provider's own class refuses, it refuses the setting.
        raise SettingsError(f"the embedder {name} cannot be used: {_first_line(error)}") from error
    return RemoteEmbedder(
        lambda: made,
        name=name,
        revision="",
        max_tokens=_UNKNOWN_WINDOW,
        transport=Transport(settings.max_retries, provider, f"the key of {provider}"),
    )


def _first_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
