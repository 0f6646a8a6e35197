"""The collections that benchmarks run on, indexed in a temporary folder."""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from assistant.corpus.paper import Paper
from assistant.index.index import Index
from assistant.index.snapshot import Snapshot
from assistant.settings import load_settings

__all__ = ["LABELLED", "abstracts", "indexed", "labelled", "lines", "seeds", "test_data"]

LABELLED = Path(__file__).parent / "labelled"
Row = dict[str, Any]


def test_data() -> Path:
    """Return the folder of real data, or end with one line that says how to name it."""
    found = os.environ.get("ASSISTANT_TEST_DATA")
    if not found or not Path(found).is_dir():
        sys.exit("set ASSISTANT_TEST_DATA to the folder with abstracts.jsonl.gz")
    return Path(found)


def lines(path: Path) -> list[Row]:
    """Read a file of JSON lines.

    Args:
        path: the file, gzipped or not.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@lru_cache(maxsize=1)
def abstracts() -> dict[str, Row]:
    """Return the large set of public abstracts by id."""
    return {row["id"]: row for row in lines(test_data() / "abstracts.jsonl.gz")}


def paper_of(row: Row, *, title: bool = True) -> Paper:
    """Make a paper of a record.

    Args:
        row: the record.
        title: whether the paper keeps its title.
    """
    return Paper(
        id=row["id"],
        abstract=row["abstract"],
        title=row["title"] if title else None,
        venue=row.get("venue"),
        year=row.get("year"),
        url=row.get("url"),
    )


def seeds() -> list[Paper]:
    """Return the papers that ship with the assistant."""
    from assistant.corpus.reading import read_paths
    from assistant.resources import seeds_dir

    return list(read_paths([seeds_dir()]).papers)


def labelled() -> Iterator[tuple[str, list[Paper], list[Row]]]:
    """Yield the labelled collections: name, papers, questions."""
    members = json.loads((LABELLED / "collections.json").read_text(encoding="utf-8"))
    for name, ids in members.items():
        papers = [paper_of(abstracts()[paper_id]) for paper_id in ids]
        yield name, papers, lines(LABELLED / f"questions_{name}.jsonl")


@contextmanager
def indexed(papers: Iterable[Paper], embedder: Any) -> Iterator[Snapshot]:
    """Index papers in a folder that is removed afterwards.

    Args:
        papers: the collection.
        embedder: None for lexical search alone.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(data_dir=Path(folder), collection="benchmark")
        with Index(settings, embedder) as index:
            index.sync(papers, source="benchmark")
            yield index.snapshot()
