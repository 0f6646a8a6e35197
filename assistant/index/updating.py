"""From a catalogue that is up to date to a published generation that is."""

from __future__ import annotations

import math
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from assistant.errors import AssistantError, InputError
from assistant.index.catalogue import Catalogue
from assistant.index.filling import fill_store
from assistant.index.fingerprint import Recipe
from assistant.index.generation import (
    Parts,
    clean,
    copy_papers,
    counted_before,
    publish,
    work_folder,
)
from assistant.index.indexing import Indexing
from assistant.index.lexical import FORMAT
from assistant.index.mark import (
    GENERATIONS,
    LEXICAL,
    STORE,
    Mark,
    complete_generations,
    current_mark,
)
from assistant.index.passages import Passages
from assistant.index.progress import Progress, silent
from assistant.index.sync import cut, embed_pending

if TYPE_CHECKING:
    from assistant.index.embedders import Embedder

__all__ = ["bring_up", "publish_again"]

LEXICAL_FIRST = 256
"""Passages to embed above which the lexical side is published before their vectors are made."""

BESIDE = 2_000
"""Papers from which on the lexical index is made in a process of its own; starting one takes a
quarter of a second."""

_VECTORS_SHOWN_AFTER = 300.0
"""Seconds of embedding after which the vectors made so far are published."""

_NOTHING = Parts()


def bring_up(
    catalogue: Catalogue,
    recipe: Recipe,
    embedder: Embedder | None,
    progress: Progress,
    *,
    anew: bool = False,
) -> None:
    """Cut and embed what is missing; publish a generation, unless the current one is all there is.

    The caller holds the writer lock.

    Args:
        catalogue: the collection's catalogue.
        recipe: what the generation is made with.
        embedder: makes its vectors; None: those there are have to do.
        progress: told `cutting`, `indexing`, `embedding` and `storing`.
        anew: take nothing over from an earlier generation.

    Raises:
        AssistantError: the embedder failed; what there is has been published.
    """
    collection = catalogue.path.parent
    mark = current_mark(collection)
    outdated = mark is None or mark.revision != catalogue.number("revision")
    failure: AssistantError | None = None
    with _Update(
        catalogue, recipe, progress, reuse=mark is not None and not anew, outdated=outdated
    ) as update:
        if embedder is not None or recipe.embedder is None:
            with catalogue.transaction():
                cut(catalogue, recipe, embedder, progress)
        pending = Passages(catalogue, recipe).pending_count() if embedder is not None else 0
        if outdated and pending > LEXICAL_FIRST:
            update.first_of_many()
        if pending and embedder is not None:
            try:
                embed_pending(catalogue, recipe, embedder, update.tell)
            except AssistantError as error:
                failure = error
        if outdated:
            catalogue.drop_unused_vectors()
        if anew or outdated or pending or not _holds(mark, recipe):
            update.finish(store=True)
    clean(collection)
    if failure is not None:
        raise failure


def publish_again(catalogue: Catalogue, *, store: bool) -> None:
    """Publish what the catalogue holds, as it is, taking nothing from earlier generations.

    The caller holds the writer lock.

    Args:
        catalogue: the collection's catalogue.
        store: whether to fill Chroma too.

    Raises:
        InputError: the last sync was killed before its papers were cut into passages.
    """
    recipe = catalogue.recipe
    if recipe is None or Passages(catalogue, recipe).uncut_count():
        raise InputError(
            "the last sync was stopped before it was done: run the same `assistant sync` again"
        )
    with _Update(catalogue, recipe, silent, reuse=False, outdated=True) as update:
        update.finish(store=store)
    clean(catalogue.path.parent)


class _Update:
    """The way from one generation to the next, with the lexical index made beside the rest.

    Args:
        catalogue: the collection's catalogue.
        recipe: what the generation is made with.
        progress: told what is done.
        reuse: whether parts of an earlier generation may be taken over.
        outdated: whether the papers have changed since.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        recipe: Recipe,
        progress: Progress,
        *,
        reuse: bool,
        outdated: bool,
    ) -> None:
        self._catalogue, self._recipe, self._progress = catalogue, recipe, progress
        self._collection = catalogue.path.parent
        (self._collection / GENERATIONS).mkdir(exist_ok=True)
        self._earlier = complete_generations(self._collection) if reuse else []
        self._reuse = reuse
        self._work = work_folder(self._collection, "parts")
        self._papers: Path | None = None
        self._indexing: Indexing | None = None
        self._begun, self._publish_at = time.monotonic(), math.inf
        formats = {mark.lexical for _, mark in self._earlier[:1]}
        if len(catalogue) >= BESIDE and (outdated or formats != {FORMAT}) and Indexing.possible():
            self._papers = copy_papers(self._work, catalogue)
            self._indexing = Indexing(
                self._papers, self._work / LEXICAL, counted_before(self._earlier)
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._indexing is not None:
            self._indexing.close()
        shutil.rmtree(self._work, ignore_errors=True)

    def first_of_many(self) -> None:
        """Let papers be found by their words as soon as can be, and by each vector soon after."""
        # The earlier generations stay on the disk: their store is the start of the next one's.
        self._publish_at = self._begun
        self.tell("indexing", 0, len(self._catalogue))

    def tell(self, stage: str, done: int, total: int) -> None:
        """Pass progress on, and publish what there is when it is time to.

        Args:
            stage: the stage.
            done: how many are done.
            total: how many there are.
        """
        if time.monotonic() >= self._publish_at and self._words_ready():
            self._publish()
            # Ever more rarely: each one writes all vectors there are.
            now = time.monotonic()
            self._publish_at = now + max(_VECTORS_SHOWN_AFTER, now - self._begun)
        self._progress(stage, done, total)

    def finish(self, *, store: bool) -> None:
        """Publish all there is.

        Args:
            store: whether to fill Chroma too.
        """
        parts = Parts()
        if self._publish_at < math.inf:
            # The vectors are all there; Chroma takes its time.
            self._publish_at = self._begun
        if store and Passages(self._catalogue, self._recipe).dimension() and len(self._catalogue):
            folder = self._work / STORE
            count = fill_store(folder, self._catalogue, self._recipe, self._earlier, self.tell)
            parts = Parts(store=folder, stored=count)
        if not self._words_ready():
            self._progress("indexing", 0, len(self._catalogue))
        self._publish(parts)

    def _words_ready(self) -> bool:
        return self._indexing is None or self._indexing.ready()

    def _publish(self, parts: Parts = _NOTHING) -> None:
        if self._indexing is not None:
            parts = replace(parts, papers=self._papers, lexical=self._indexing.finish())
        publish(self._catalogue, self._recipe, parts, reuse=self._reuse, progress=self._progress)


def _holds(mark: Mark | None, recipe: Recipe) -> bool:
    """Tell whether a generation is the recipe's, with all its passages in the store."""
    if mark is None or mark.recipe != recipe or mark.lexical != FORMAT:
        return False
    return recipe.embedder is None or mark.stored == mark.passages
