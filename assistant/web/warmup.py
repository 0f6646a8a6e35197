"""Loads what is slow behind the running page, and tells how that went."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from assistant.corpus.paper import Paper
from assistant.errors import AssistantError
from assistant.retrieval.evidence import Evidence
from assistant.web.examples import EXAMPLES, SAMPLED, examples_of
from assistant.web.shelf import Shelf

__all__ = ["Collection", "Loaded", "Warmup", "load"]

_LOG = logging.getLogger(__name__)
_MOST_LISTED = 200
_A_FEW = 40
_FIRST_SEARCH = "paper"


class Collection(Protocol):
    """What loading needs of the assistant."""

    def search(
        self, question: str, limit: int = ..., where: Mapping[str, object] | None = ...
    ) -> list[Evidence]:
        """Rank papers for a question."""

    def papers(self) -> list[Paper]:
        """Return all papers."""

    def status(self) -> dict[str, Any]:
        """Tell what is configured and indexed."""

    def snapshot(self) -> Shelf:
        """Return the collection."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What is there to ask.

    Args:
        facts: one line on the collection and on who answers.
        papers: its papers, or some of them where they are too many to be listed.
        held: how many it holds, None where that is not known.
        examples: questions to start from.
    """

    facts: str
    papers: tuple[Paper, ...] = ()
    held: int | None = None
    examples: tuple[str, ...] = EXAMPLES


def load(collection: Collection) -> Loaded:
    """Load all that a first question would have to wait for, and tell what is there.

    Args:
        collection: an assistant; with nothing indexed yet, it indexes the papers that ship.

    Raises:
        AssistantError: the collection cannot be used.
    """
    collection.search(_FIRST_SEARCH, limit=1)
    status = collection.status()
    held = int(status["papers"])
    facts = [f"{held:,} paper{'s' if held != 1 else ''}"]
    if status["model"]:
        facts.append(f"answers by {status['model']}, each sentence checked")
    else:
        facts.append("quoted from the abstracts, no model")
    if not status["embedder"]:
        facts.append("searched by words alone")
    elif (ready := int(status["vectors"])) < held:
        facts.append(f"vectors for {ready:,} so far")
    shelf = collection.snapshot()
    listed = collection.papers() if held <= _MOST_LISTED else _spread(shelf, _A_FEW)
    return Loaded(" · ".join(facts), tuple(listed), held, examples_of(_spread(shelf, SAMPLED)))


def _spread(shelf: Shelf, most: int) -> list[Paper]:
    """Papers from all over a collection."""
    count = min(most, len(shelf))
    return [shelf.paper(place * len(shelf) // count) for place in range(count)]


class Warmup:
    """A load in the background.

    Args:
        work: does it, and returns what is there now.
    """

    def __init__(self, work: Callable[[], Loaded]) -> None:
        self._do = work
        self._done = threading.Event()
        self._loaded = Loaded("")

    def start(self) -> None:
        """Begin in a thread of its own."""
        threading.Thread(target=self._work, name="warmup", daemon=True).start()

    def wait(self, timeout: float = 120.0) -> Loaded:
        """Return what was loaded once it is, or what went wrong, as a sentence.

        Args:
            timeout: seconds to wait at most.
        """
        if not self._done.wait(timeout):
            return Loaded("Still loading; questions are answered as soon as it is done.")
        return self._loaded

    def _work(self) -> None:
        try:
            self._loaded = self._do()
        except AssistantError as error:
            self._loaded = Loaded(str(error))
        except Exception:  # noqa: BLE001 - the page says so, the log has the traceback
            _LOG.exception("the collection could not be loaded")
            self._loaded = Loaded("The collection could not be loaded; the log has the details.")
        finally:
            self._done.set()
