"""How much a word tells: its rarity in the collection, steadied by its rarity in general.

In a few dozen abstracts "stress" is as rare as "quantum". Counts over 29,138 machine-learning
abstracts (`data/background.tsv`, made by `python -m benchmarks.background`) say which of them
names a topic; the larger the collection, the less they count.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path

from assistant.index.lexical import LexicalIndex

__all__ = ["TermWeights", "background_frequency", "common_share"]

_FILE = Path(__file__).parent / "data" / "background.tsv"
_PRIOR_DOCUMENTS = 500
_UNSEEN = 4


class TermWeights:
    """Inverse document frequencies of one collection.

    Args:
        lexical: the collection's lexical index.
    """

    def __init__(self, lexical: LexicalIndex) -> None:
        self._lexical = lexical
        self._share = len(lexical) / (len(lexical) + _PRIOR_DOCUMENTS)

    def idf(self, term: str) -> float:
        """Return a term's weight.

        Args:
            term: a stemmed term.
        """
        own = _idf(self._lexical.document_frequency(term), len(self._lexical))
        size, _ = _background()
        general = _idf(background_frequency(term) or _UNSEEN, size)
        return self._share * own + (1 - self._share) * general


def background_frequency(term: str) -> int:
    """Return in how many background abstracts a term stands; 0 where in fewer than 12.

    Args:
        term: a stemmed term.
    """
    return _background()[1].get(term, 0)


def common_share(term: str) -> float:
    """Return the share of background abstracts in which a term stands.

    Args:
        term: a stemmed term.
    """
    size, counts = _background()
    return counts.get(term, 0) / size


def _idf(frequency: int, documents: int) -> float:
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


@lru_cache(maxsize=1)
def _background() -> tuple[int, dict[str, int]]:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    counts = {term: int(count) for term, _, count in (line.partition("\t") for line in lines[1:])}
    return int(lines[0]), counts
