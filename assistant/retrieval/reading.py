"""Abstracts read sentence by sentence: what is compared with a question word by word.

Every token keeps its vector in context, so that a question's word can meet the word that means the
same (late interaction, after ColBERT: Khattab and Zaharia, 2020, https://arxiv.org/abs/2004.12832).
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.paper import Paper, text_hash
from assistant.index.embedding import TokenVectors
from assistant.index.terms import analyse
from assistant.index.vectors import products
from assistant.retrieval.commands import telling_spans

__all__ = ["EmbedTokens", "PaperReading", "Reader", "Reading"]

EmbedTokens = Callable[[Sequence[str]], list[TokenVectors]]
_CACHED_PAPERS = 300
_CUT = 2
"""Version of how abstracts are cut; part of the stored file's name."""


@dataclass(frozen=True, slots=True)
class PaperReading:
    """One abstract's sentences, without those that only order their reader about.

    Args:
        spans: `(start, end)` of each sentence in the abstract.
        pooled: float32 `[sentences, 384]`, the sentences' vectors.
        tokens: float32 `[tokens, 384]`, their tokens' vectors in context.
        counts: tokens of each sentence.
    """

    spans: tuple[tuple[int, int], ...]
    pooled: NDArray[np.float32]
    tokens: NDArray[np.float32]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Reading:
    """The sentences of several papers, stacked.

    Args:
        papers: the papers, in order.
        parts: their readings, in the same order.
    """

    papers: tuple[Paper, ...]
    parts: tuple[PaperReading, ...]

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Sentence offsets, each into its own paper's abstract."""
        return [span for part in self.parts for span in part.spans]

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """The paper's index of every sentence."""
        counts = [len(part.spans) for part in self.parts]
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts)

    @cached_property
    def texts(self) -> list[str]:
        """The sentences."""
        return [
            paper.abstract[start:end]
            for paper, part in zip(self.papers, self.parts, strict=True)
            for start, end in part.spans
        ]

    @cached_property
    def pooled(self) -> NDArray[np.float32]:
        """float32 `[sentences, 384]`."""
        return np.concatenate([part.pooled for part in self.parts])

    @cached_property
    def tokens(self) -> NDArray[np.float32]:
        """float32 `[tokens, 384]`."""
        return np.concatenate([part.tokens for part in self.parts])

    @cached_property
    def token_starts(self) -> NDArray[np.int64]:
        """Index of every sentence's first token."""
        counts = [count for part in self.parts for count in part.counts]
        return np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)

    @cached_property
    def paper_starts(self) -> NDArray[np.int64]:
        """Index of every paper's first sentence."""
        counts = [len(part.spans) for part in self.parts]
        return np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)

    @cached_property
    def postings(self) -> dict[str, list[tuple[int, int]]]:
        """Where each term stands: sentence index and word position."""
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for sentence, text in enumerate(self.texts):
            position, last = -1, -1
            for term in analyse(text):
                if term.start >= last:
                    position, last = position + 1, term.end
                found[term.text].append((sentence, position))
        return dict(found)

    @cached_property
    def _shown(self) -> dict[re.Pattern[str], NDArray[np.bool_]]:
        return {}

    def shows(self, pattern: re.Pattern[str]) -> NDArray[np.bool_]:
        """Tell which sentences a pattern is found in; searched once.

        Args:
            pattern: one of a few, such as a facet's.

        Returns:
            bool `[sentences]`.
        """
        found = self._shown.get(pattern)
        if found is None:
            found = np.array([pattern.search(text) is not None for text in self.texts], dtype=bool)
            self._shown[pattern] = found
        return found

    def token_maxima(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return each query vector's best cosine in each sentence.

        Args:
            queries: float32 `[n, 384]`, rows of length 1.

        Returns:
            float32 `[sentences, n]`.
        """
        cosines = products(self.tokens, queries.T)
        best: NDArray[np.float32] = np.maximum.reduceat(cosines, self.token_starts, axis=0)
        return best

    def paper_maxima(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return each paper's best over its sentences.

        Args:
            values: `[sentences, …]`.

        Returns:
            `[papers, …]`.
        """
        best: NDArray[np.float32] = np.maximum.reduceat(values, self.paper_starts, axis=0)
        return best


class Reader:
    """Reads papers when they are first needed and keeps what it read.

    Args:
        embed_tokens: gives the local model's token vectors.
        name: the model's name.
        revision: its revision; part of the stored file's name.
    """

    def __init__(self, embed_tokens: EmbedTokens, name: str, revision: str) -> None:
        self.embed_tokens = embed_tokens
        self.name = name
        self._revision = revision
        self._lock = Lock()
        self._cache: OrderedDict[str, PaperReading] = OrderedDict()
        self._stack: tuple[tuple[str, ...], Reading] | None = None

    def read(self, papers: Sequence[Paper]) -> Reading:
        """Read papers; those read before are taken from the cache.

        Args:
            papers: at least one paper.
        """
        keys = tuple(text_hash(paper.abstract) for paper in papers)
        with self._lock:
            if self._stack is not None and self._stack[0] == keys:
                return self._stack[1]
            self._read_missing(keys, papers)
            parts = tuple(self._cache[key] for key in keys)
            while len(self._cache) > max(_CACHED_PAPERS, len(papers)):
                self._cache.popitem(last=False)
            reading = Reading(tuple(papers), parts)
            if self._stack is None or len(keys) >= len(self._stack[0]):
                self._stack = (keys, reading)
            return reading

    def known(self, paper: Paper) -> bool:
        """Tell whether a paper has been read and is still kept."""
        return text_hash(paper.abstract) in self._cache

    def load(self, folder: Path) -> None:
        """Take over what an earlier process read, where there is something.

        Args:
            folder: where `save` wrote.
        """
        path = self._path(folder)
        if not path.is_file():
            return
        try:
            # Opened here, for numpy leaves a spoilt file open.
            with path.open("rb") as file, np.load(file) as stored:
                arrays = {name: stored[name] for name in stored.files}
            readings = _unpacked(arrays)
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return  # A spoilt cache is read anew and written over.
        with self._lock:
            self._cache.update(readings)

    def save(self, folder: Path, papers: Sequence[Paper]) -> None:
        """Keep what was read of papers for later processes.

        Args:
            folder: an existing folder; where it cannot be written nothing is kept.
            papers: papers that have been read.
        """
        keys = [text_hash(paper.abstract) for paper in papers]
        with self._lock:
            readings = {key: self._cache[key] for key in keys if key in self._cache}
        if not readings or not os.access(folder, os.W_OK):
            return
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as file:
            part = Path(file.name)
        try:
            with part.open("wb") as file:
                np.savez(file, allow_pickle=False, **_packed(readings))
            part.replace(self._path(folder))
        except BaseException:
            part.unlink(missing_ok=True)
            raise

    def _path(self, folder: Path) -> Path:
        return folder / f"readings-{_CUT}-{self._revision}.npz"

    def _read_missing(self, keys: Sequence[str], papers: Sequence[Paper]) -> None:
        missing = {
            key: paper for key, paper in zip(keys, papers, strict=True) if key not in self._cache
        }
        for key in keys:
            if key in self._cache:
                self._cache.move_to_end(key)
        if not missing:
            return
        spans = {key: telling_spans(paper.abstract) for key, paper in missing.items()}
        texts = [
            paper.abstract[start:end] for key, paper in missing.items() for start, end in spans[key]
        ]
        vectors = iter(self.embed_tokens(texts))
        for key in missing:
            self._cache[key] = _paper_reading(spans[key], [next(vectors) for _ in spans[key]])


def _paper_reading(
    spans: Sequence[tuple[int, int]], vectors: Sequence[TokenVectors]
) -> PaperReading:
    # A sentence without a token the model knows stands for itself by its pooled vector.
    tokens = [v.vectors if len(v.vectors) else v.pooled[None, :] for v in vectors]
    return PaperReading(
        spans=tuple(spans),
        # Rounded as they are stored, so that a stored reading gives the very same answers.
        pooled=np.stack([v.pooled for v in vectors]).astype(np.float16).astype(np.float32),
        tokens=np.concatenate(tokens).astype(np.float16).astype(np.float32),
        counts=tuple(len(part) for part in tokens),
    )


def _packed(readings: dict[str, PaperReading]) -> dict[str, NDArray[np.generic]]:
    parts = list(readings.values())
    return {
        "keys": np.array(list(readings)),
        "sentences": np.array([len(part.spans) for part in parts], dtype=np.int32),
        "spans": np.array([span for part in parts for span in part.spans], dtype=np.int32),
        "counts": np.array([count for part in parts for count in part.counts], dtype=np.int32),
        "pooled": np.concatenate([part.pooled for part in parts]).astype(np.float16),
        "tokens": np.concatenate([part.tokens for part in parts]).astype(np.float16),
    }


def _unpacked(arrays: dict[str, NDArray[np.generic]]) -> dict[str, PaperReading]:
    spans, counts = arrays["spans"].tolist(), arrays["counts"].tolist()
    pooled = arrays["pooled"].astype(np.float32)
    tokens = arrays["tokens"].astype(np.float32)
    readings: dict[str, PaperReading] = {}
    sentence = token = 0
    for key, size in zip(arrays["keys"].tolist(), arrays["sentences"].tolist(), strict=True):
        own = tuple(counts[sentence : sentence + size])
        readings[key] = PaperReading(
            spans=tuple((start, end) for start, end in spans[sentence : sentence + size]),
            pooled=pooled[sentence : sentence + size],
            tokens=tokens[token : token + sum(own)],
            counts=own,
        )
        sentence, token = sentence + size, token + sum(own)
    return readings
