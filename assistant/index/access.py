"""Opening a collection's catalogue for writing, with failures said as a person can act on them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assistant.errors import AssistantError, IndexDamagedError
from assistant.index.catalogue import Catalogue, unusable
from assistant.index.locking import writer_lock
from assistant.index.mark import CATALOGUE

__all__ = ["WAIT_TO_WRITE", "said_plainly", "writing"]

WAIT_TO_WRITE = 30.0
"""Seconds to wait for another writer."""


@contextmanager
def writing(folder: Path, wait: float) -> Iterator[Catalogue]:
    """Hold a collection's writer lock and its open catalogue.

    Args:
        folder: the collection's folder; made when it does not exist.
        wait: seconds to wait for another writer.

    Raises:
        IndexBusyError: another process is still writing.
        AssistantError: the folder cannot be written.
    """
    with (
        said_plainly(folder),
        writer_lock(folder, wait),
        Catalogue(folder / CATALOGUE) as catalogue,
    ):
        yield catalogue


@contextmanager
def said_plainly(folder: Path) -> Iterator[None]:
    """Turn what the system and SQLite raise into one line that says what to do.

    Args:
        folder: the collection's folder.

    Raises:
        AssistantError: the folder cannot be written, or is full.
        IndexDamagedError: the catalogue cannot be used.
    """
    try:
        yield
    except OSError as error:
        raise AssistantError(
            f"{error}; {folder} must be a folder that can be written and has room "
            "(ASSISTANT_DATA_DIR sets where it is)"
        ) from error
    except sqlite3.Error as error:
        raise IndexDamagedError(unusable(folder / CATALOGUE, error)) from error
