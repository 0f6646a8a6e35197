"""How much of what a sentence says stands in a text, word by word.

Words count by how rare they are in machine-learning abstracts; a word also stands where one that
writers put for it does (`data/synonyms.txt`), and a compound where its parts do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from assistant.index.terms import Term, analyse, is_generic, is_stopword
from assistant.index.words import fold, stem

__all__ = ["Word", "canonical", "content_words", "covered", "keys", "share", "weight"]

_DATA = Path(__file__).parent / "data"
_NUMERIC = re.compile(r"[\d.,x%]+$")
_NUMERALS = frozenset(
    "two three four five six seven eight nine ten twenty fifti hundr thousand million billion "
    "percent per cent twice tripl".split()
)
_ACRONYMS = {
    "ai": "artificial intelligence",
    "cnn": "convolutional neural network",
    "cv": "computer vision",
    "dnn": "deep neural network",
    "ffn": "feedforward feed forward network",
    "fl": "federated learning",
    "gflownet": "generative flow network",
    "gnn": "graph neural network",
    "icl": "context learning",
    "kv": "key value",
    "llm": "large language model",
    "lm": "language model",
    "mlp": "perceptron",
    "mllm": "multimodal large language model",
    "moe": "mixture expert",
    "nlp": "natural language processing",
    "nn": "neural network",
    "qa": "question answering",
    "rl": "reinforcement learning",
    "rm": "reward model",
    "sae": "sparse autoencoder",
    "snn": "spiking neural network",
    "sota": "state art",
    "vlm": "vision language model",
    "vram": "video memory",
}


@dataclass(frozen=True, slots=True)
class Word:
    """A content word of a sentence.

    Args:
        wholes: its canonical forms; any of them suffices.
        parts: canonical forms of a compound's parts; all of them suffice too.
        weight: how telling the word is, from 1 to about 5.
        start: offset in the text.
        end: offset behind it.
    """

    wholes: frozenset[str]
    parts: frozenset[str]
    weight: float
    start: int
    end: int


def canonical(term: str) -> str:
    """Give the one form that stands for a term and its synonyms.

    Args:
        term: a stemmed term.
    """
    return _synonyms().get(term, term)


def weight(term: str) -> float:
    """Tell how telling a stemmed term is: its inverse document frequency.

    Words that sentences about papers are made of ("study", "show") count half.

    Args:
        term: a stemmed term, as `analyse` gives it.
    """
    table, rarest = _weights()
    known = table.get(term, rarest)
    return known / 2 if is_generic(term) else known


def content_words(text: str) -> list[Word]:
    """Find the words that carry a sentence's meaning; numbers are looked at elsewhere.

    Args:
        text: a sentence.

    Returns:
        Words in order.
    """
    found = []
    for cluster in _clusters(analyse(text)):
        terms = [term for term in cluster if not _tells_nothing(term.text)]
        if not terms:
            continue
        start, end = cluster[0].start, max(term.end for term in cluster)
        wholes = [term for term in terms if (term.start, term.end) == (start, end)]
        parts = [term for term in terms if term not in wholes]
        found.append(
            Word(
                frozenset(canonical(term.text) for term in wholes),
                frozenset(canonical(term.text) for term in parts),
                max(weight(term.text) for term in parts or wholes),
                start,
                end,
            )
        )
    return found


def keys(text: str) -> frozenset[str]:
    """Give the canonical terms of a text, acronyms spelled out as well.

    Args:
        text: a sentence or an abstract.
    """
    terms = {term.text for term in analyse(text)}
    spelled = {
        stem(fold(word))
        for acronym, words in _ACRONYMS.items()
        if acronym in terms
        for word in words.split()
    }
    return frozenset(canonical(term) for term in terms | spelled)


def covered(word: Word, source: Collection[str]) -> float:
    """Tell how much of a word stands in a source.

    Args:
        word: a word of a sentence.
        source: a source's `keys`.

    Returns:
        0 to 1; between them where only some parts of a compound stand.
    """
    if any(form in source for form in word.wholes):
        return 1.0
    if not word.parts:
        return 0.0
    return sum(part in source for part in word.parts) / len(word.parts)


def share(words: Sequence[Word], source: Collection[str]) -> float:
    """Tell how much of a sentence stands in a source, rare words counting more.

    Args:
        words: the sentence's content words.
        source: the source's `keys`.

    Returns:
        0 to 1; 1 for a sentence without content words.
    """
    total = sum(word.weight for word in words)
    if not total:
        return 1.0
    return sum(word.weight * covered(word, source) for word in words) / total


def _tells_nothing(term: str) -> bool:
    return bool(_NUMERIC.match(term)) or term in _NUMERALS or is_stopword(term)


def _clusters(terms: Iterable[Term]) -> list[list[Term]]:
    """Group the terms that were read off one surface."""
    clusters: list[list[Term]] = []
    end = -1
    for term in terms:
        if term.start < end:
            clusters[-1].append(term)
        else:
            clusters.append([term])
        end = max(end, term.end)
    return clusters


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, str]:
    groups: dict[str, str] = {}
    for line in (_DATA / "synonyms.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            stems = [stem(fold(word)) for word in line.split()]
            groups.update((form, stems[0]) for form in stems if form not in groups)
    return groups


@lru_cache(maxsize=1)
def _weights() -> tuple[dict[str, float], float]:
    data = json.loads((_DATA / "word_weights.json").read_text("utf-8"))
    return data["weights"], data["rarest"]
