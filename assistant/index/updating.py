"""From a catalogue that is up to date to a published generation that is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assistant.errors import AssistantError, IndexDamagedError
from assistant.index.catalogue import Catalogue
from assistant.index.fingerprint import Recipe
from assistant.index.generation import clean, publish
from assistant.index.lexical import FORMAT
from assistant.index.mark import Mark, current_folder, read_mark
from assistant.index.passages import Passages
from assistant.index.progress import Progress, silent
from assistant.index.sync import embed_pending

if TYPE_CHECKING:
    from assistant.index.embedders import Embedder

__all__ = ["bring_up", "publish_again"]

LEXICAL_FIRST = 256
"""Passages to embed above which the lexical side is published before their vectors are made."""


def bring_up(
    catalogue: Catalogue,
    recipe: Recipe,
    embedder: Embedder | None,
    progress: Progress,
    *,
    anew: bool = False,
) -> None:
    """Embed what is missing and publish a generation, unless the current one is all there is.

    The caller holds the writer lock.

    Args:
        catalogue: the collection's catalogue, every paper cut.
        recipe: what the generation is made with.
        embedder: makes its vectors; None: those there are have to do.
        progress: told `indexing`, `embedding` and `storing`.
        anew: take nothing over from an earlier generation.

    Raises:
        AssistantError: the embedder failed; what there is has been published.
    """
    collection = catalogue.path.parent
    mark = _current_mark(collection)
    outdated = mark is None or mark.revision != catalogue.number("revision")
    reuse = mark is not None and not anew
    pending = Passages(catalogue, recipe).pending_count() if embedder is not None else 0
    if outdated and pending > LEXICAL_FIRST:
        # The earlier generation stays on the disk: its store is the start of the next one's.
        publish(catalogue, recipe, store=False, reuse=reuse, progress=progress)
        reuse = not anew
    failure: AssistantError | None = None
    if pending and embedder is not None:
        try:
            embed_pending(catalogue, recipe, embedder, progress)
        except AssistantError as error:
            failure = error
    if outdated:
        catalogue.drop_unused_vectors()
    if anew or outdated or pending or not _holds(mark, recipe):
        publish(catalogue, recipe, store=True, reuse=reuse, progress=progress)
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
        IndexDamagedError: no sync has ever come to an end.
    """
    recipe = catalogue.recipe
    if recipe is None:
        raise IndexDamagedError(
            f"{catalogue.path} holds no papers: run `assistant sync PATH` with your files"
        )
    publish(catalogue, recipe, store=store, reuse=False, progress=silent)
    clean(catalogue.path.parent)


def _current_mark(collection: Path) -> Mark | None:
    """Read the current generation's mark; None where there is none that can be used."""
    try:
        folder = current_folder(collection)
        if folder is None:
            return None
        mark = read_mark(folder)
        mark.verify(folder)
    except IndexDamagedError:
        # Publishing anew is the cure, and this is the way to it.
        return None
    return mark


def _holds(mark: Mark | None, recipe: Recipe) -> bool:
    """Tell whether a generation is the recipe's, with all its passages in the store."""
    if mark is None or mark.recipe != recipe or mark.lexical != FORMAT:
        return False
    return recipe.embedder is None or mark.stored == mark.passages
