"""What a sync does with recorded papers: cut them, have them embedded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.chunking import embedded_text, passages
from assistant.corpus.paper import Passage, text_hash
from assistant.errors import ModelError
from assistant.index.catalogue import Catalogue
from assistant.index.fingerprint import Recipe
from assistant.index.passages import Passages, Pending
from assistant.index.progress import Progress
from assistant.wording import counted

if TYPE_CHECKING:
    from assistant.index.embedders import Embedder

__all__ = ["cut", "embed_pending"]

_TOLD_EVERY = 1_000
_SORTED_AT_ONCE = 4_096
"""Passages sorted by length before batching: enough that a batch holds texts of one length."""


def cut(
    catalogue: Catalogue, recipe: Recipe, embedder: Embedder | None, progress: Progress
) -> None:
    """Cut every paper that has no passages yet, inside the caller's transaction.

    Args:
        catalogue: the collection's catalogue.
        recipe: what the passages are for; it is the catalogue's own from now on.
        embedder: counts tokens; None: abstracts stay whole.
        progress: told `cutting`.
    """
    count = embedder.count_tokens if embedder is not None else None
    cuts = Passages(catalogue, recipe)
    done, total, last = 0, cuts.uncut_count(), 0
    while uncut := cuts.uncut(last, _TOLD_EVERY):
        progress("cutting", done, total)
        for row, paper in uncut:
            pieces = passages(paper, count_tokens=count, window=recipe.window)
            cuts.put(row, [(piece, text_hash(embedded_text(paper, piece))) for piece in pieces])
        done, last = done + len(uncut), uncut[-1][0]
    catalogue.set_recipe(recipe)


def embed_pending(
    catalogue: Catalogue, recipe: Recipe, embedder: Embedder, progress: Progress
) -> int:
    """Embed what has no vector yet, committing batch by batch, so that a killed run goes on.

    Args:
        catalogue: the collection's catalogue.
        recipe: what the vectors are for.
        embedder: makes them.
        progress: told `embedding`.

    Returns:
        How many texts were embedded.

    Raises:
        AssistantError: the embedder failed; what it had given is kept.
    """
    cuts = Passages(catalogue, recipe)
    pending, known = cuts.pending(), cuts.dimension()
    done = 0
    for start in range(0, len(pending), _SORTED_AT_ONCE):
        part = pending[start : start + _SORTED_AT_ONCE]
        part.sort(key=lambda item: item.stop - item.start, reverse=True)
        for at in range(0, len(part), embedder.batch):
            batch = part[at : at + embedder.batch]
            progress("embedding", done, len(pending))
            vectors = _embed(catalogue, embedder, batch, done, len(pending))
            known = known or vectors.shape[1]
            _refuse_other_size(embedder, vectors.shape[1], known)
            cuts.put_vectors(
                (item.text_hash, v.tobytes()) for item, v in zip(batch, vectors, strict=True)
            )
            done += len(batch)
    progress("embedding", done, len(pending))
    return done


def _embed(
    catalogue: Catalogue, embedder: Embedder, batch: list[Pending], done: int, total: int
) -> NDArray[np.float32]:
    try:
        return embedder.embed([_text_of(catalogue, item) for item in batch])
    except ModelError as error:
        raise ModelError(
            f"embedding stopped after {done} of {counted(total, 'passage')}: {error}; run the same "
            "sync again to go on from there",
            retryable=error.retryable,
        ) from error


def _refuse_other_size(embedder: Embedder, now: int, before: int) -> None:
    if now != before:
        raise ModelError(
            f"{embedder.name} now gives {now} numbers per text and gave {before} before: another "
            "model answers to that name; use another --collection for it"
        )


def _text_of(catalogue: Catalogue, item: Pending) -> str:
    paper = catalogue.paper_at(item.paper)
    text = paper.abstract[item.start : item.stop]
    return embedded_text(paper, Passage(paper.id, text, item.start, item.stop))
