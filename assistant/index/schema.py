"""The catalogue's tables, how they came about, and how its file is opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from assistant.errors import IndexDamagedError

__all__ = ["MIGRATIONS", "connect", "migrate"]

_BUSY_SECONDS = 30.0

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE papers (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        record TEXT NOT NULL,
        content_hash TEXT NOT NULL,
        known_hash TEXT NOT NULL,
        venue TEXT, year INTEGER, authors TEXT NOT NULL, keywords TEXT NOT NULL, file TEXT
    );
    CREATE INDEX papers_by_content ON papers (content_hash);
    CREATE TABLE listings (
        source TEXT NOT NULL,
        paper INTEGER NOT NULL REFERENCES papers (row) ON DELETE CASCADE,
        PRIMARY KEY (source, paper)
    ) WITHOUT ROWID;
    CREATE INDEX listings_by_paper ON listings (paper);
    CREATE TABLE passages (
        recipe TEXT NOT NULL,
        paper INTEGER NOT NULL REFERENCES papers (row) ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        text_hash TEXT NOT NULL,
        PRIMARY KEY (recipe, paper, ordinal)
    ) WITHOUT ROWID;
    CREATE INDEX passages_by_paper ON passages (paper);
    CREATE TABLE vectors (
        embedder TEXT NOT NULL, text_hash TEXT NOT NULL, vector BLOB NOT NULL,
        UNIQUE (embedder, text_hash)
    );
    """,
)
"""The schema's history, oldest first; only ever appended to. `user_version` counts them."""


def migrate(connection: sqlite3.Connection, path: Path, *, readonly: bool) -> None:
    """Bring a catalogue's tables up to date, one committed step at a time.

    Args:
        connection: the open file.
        path: its path, for the message.
        readonly: only look whether it can be read.

    Raises:
        IndexDamagedError: a newer version of this program made it.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise IndexDamagedError(
            f"the catalogue {path} was written by a newer version of this program "
            f"(schema {version}, known {len(MIGRATIONS)}): upgrade this one"
        )
    if readonly:
        return
    for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
        # executescript commits what is open, so the transaction stands inside the script.
        connection.executescript(
            f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT;"
        )


def connect(path: Path, *, readonly: bool) -> sqlite3.Connection:
    """Open a catalogue's file.

    Args:
        path: the file; made when it does not exist and `readonly` is false.
        readonly: never write; works in a folder that cannot be written.
    """
    if not readonly:
        connection = sqlite3.connect(
            path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        return connection
    address = path.resolve().as_uri()
    connection = sqlite3.connect(f"{address}?mode=ro", uri=True, isolation_level=None)
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        # A folder that cannot be written holds no place for the journal's index file.
        connection.close()
        connection = sqlite3.connect(f"{address}?immutable=1", uri=True, isolation_level=None)
    return connection
