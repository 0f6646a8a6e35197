"""The catalogue's tables, how they came about, and how its file is opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from assistant.errors import IndexDamagedError

__all__ = ["MIGRATIONS", "connect", "connect_copy", "migrate"]

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
    """
    CREATE TABLE likeness (
        key INTEGER NOT NULL,
        paper INTEGER NOT NULL REFERENCES papers (row) ON DELETE CASCADE,
        PRIMARY KEY (key, paper)
    ) WITHOUT ROWID;
    CREATE INDEX likeness_by_paper ON likeness (paper);
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
        raise IndexDamagedError(_newer(path, version))
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
    return sqlite3.connect(_for_reading(path), uri=True, isolation_level=None)


def connect_copy(path: Path) -> sqlite3.Connection:
    """Copy what a catalogue knows of papers and sources into a file that nobody sees.

    It lies in the system's folder for such files and is gone when it is closed. Passages and
    vectors, which are most of a catalogue, are left out.

    Args:
        path: the catalogue's file; it need not exist, and is only read.
    """
    connection = sqlite3.connect("", uri=True, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    migrate(connection, path, readonly=False)
    if path.is_file():
        # Reading a file that is in use makes files beside it; without a journal nobody writes it.
        journal = path.with_name(f"{path.name}-wal")
        used = journal.exists() and journal.stat().st_size > 0
        address = _for_reading(path) if used else f"{path.resolve().as_uri()}?immutable=1"
        connection.execute("ATTACH ? AS held", (address,))
        (version,) = connection.execute("PRAGMA held.user_version").fetchone()
        if version > len(MIGRATIONS):
            raise IndexDamagedError(_newer(path, version))
        for table in ("meta", "papers", "listings", *(["likeness"] if version > 1 else [])):
            connection.execute(f"INSERT INTO main.{table} SELECT * FROM held.{table}")  # noqa: S608
        connection.execute("DETACH held")
    return connection


def _for_reading(path: Path) -> str:
    address = path.resolve().as_uri()
    asked = sqlite3.connect(f"{address}?mode=ro", uri=True)
    try:
        asked.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        # A folder that cannot be written holds no place for the journal's index file.
        return f"{address}?immutable=1"
    finally:
        asked.close()
    return f"{address}?mode=ro"


def _newer(path: Path, version: int) -> str:
    return (
        f"the catalogue {path} was written by a newer version of this program "
        f"(schema {version}, known {len(MIGRATIONS)}): upgrade this one"
    )
