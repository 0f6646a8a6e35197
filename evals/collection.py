"""The papers the suite asks about: those that ship."""

from __future__ import annotations

from functools import lru_cache

from assistant.corpus.paper import Paper
from assistant.corpus.reading import read_paths
from assistant.resources import seeds_dir

__all__ = ["seed_papers"]


@lru_cache(maxsize=1)
def seed_papers() -> dict[str, Paper]:
    """Return the papers that ship, by id."""
    return {paper.id: paper for paper in read_paths([seeds_dir()]).papers}
