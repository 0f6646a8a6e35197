"""How well an abstract supports a sentence: what is measured, and the model over it.

The sentence is cut into clauses, so that an added claim shows although the rest is copied; each is
held against single sentences of the abstract, windows of two, and the whole. Words decide whether
a sentence is supported: vectors were tried and add nothing to that (docs/decisions/0004). They help
to tell what is half true from what is about something else, and to find the sentence to quote.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.answering.answer import Support
from assistant.answering.clauses import clauses, weighed_words
from assistant.answering.coverage import Word, share
from assistant.answering.facts import Facts
from assistant.answering.names import names
from assistant.answering.numbers import numbers
from assistant.answering.polarity import denies_more

__all__ = ["ABOUT", "ABOUT_LEXICAL", "SUPPORTED", "Embed", "Measured", "SupportModel", "measure"]

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
Vector = NDArray[np.float32]

SUPPORTED = ("worst_cover", "worst_best_cover", "denies")
"""Features that decide on support: the least covered clause, by the whole abstract and by its best
sentence or two; and whether only the sentence denies something."""

ABOUT = ("cosine", "top_cosine", "cover", "best_cover")
"""Features that tell a half-true sentence from one about something else."""

ABOUT_LEXICAL = ("cover", "best_cover", "top_cover")
"""The same without an embedder."""

_MODEL = Path(__file__).parent / "data" / "support.json"
_NEAR_SHARE = 0.8
_WINDOW_GAIN = 0.15
# One missing word says less than five missing: as if words of this weight more were covered. Names
# and numbers of a clause were looked up before, so they count as covered words too.
_GRACE, _NAME_CREDIT, _NUMBER_CREDIT = 2.0, 1.0, 2.0


@dataclass(frozen=True, slots=True)
class Measured:
    """A sentence held against the abstracts it cites.

    Args:
        features: by name; cosines are 0 without an embedder.
        nearest: the source sentences that match best, best first.
        spans: for each paper the offsets of its best sentence, or two, in the abstract.
    """

    features: Mapping[str, float]
    nearest: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


def measure(sentence: str, facts: Sequence[Facts], embed: Embed | None) -> Measured:
    """Measure how a sentence and the abstracts it cites go together.

    Args:
        sentence: the sentence, citation marks left out.
        facts: of the papers it cites, one at least.
        embed: gives float32 `[n, dim]`, rows of length 1; None for words alone.
    """
    sources = [_Source(fact, embed) for fact in facts if fact.sentences]
    pieces = clauses(sentence)
    texts = [sentence, *(pieces if len(pieces) > 1 else ())]
    vectors = None if embed is None else embed(texts)
    reads = [
        _read(text, sources, None if vectors is None else vectors[i])
        for i, text in enumerate(texts)
    ]
    whole, parts = reads[0], reads[1:] or reads[:1]
    nearest = _nearest(whole, sources)
    features = {
        "worst_cover": min(part.graced_cover for part in parts),
        "worst_best_cover": min(part.graced_best_cover for part in parts),
        "denies": float(denies_more(sentence, nearest)),
        "cosine": whole.cosine,
        "top_cosine": max(part.cosine for part in parts),
        "cover": whole.cover,
        "best_cover": whole.best_cover,
        "top_cover": max(part.best_cover for part in parts),
    }
    return Measured(features, nearest, _spans(whole, sources, facts))


class SupportModel:
    """Two logistic models with their thresholds: supported, and about the paper at all.

    Args:
        with_vectors: whether cosines are at hand.
        path: the weights, made by `python -m benchmarks.train_support`.
    """

    def __init__(self, *, with_vectors: bool, path: Path = _MODEL) -> None:
        data = _loaded(path)
        self._supported: dict[str, Any] = data["supported"]
        self._about: dict[str, Any] = data["about" if with_vectors else "about_lexical"]

    def probability(self, features: Mapping[str, float]) -> float:
        """Give the probability that the sources support the sentence.

        Args:
            features: what `measure` gave.
        """
        return _chance(self._supported, features)

    def level(self, features: Mapping[str, float]) -> Support:
        """Give the verdict.

        Args:
            features: what `measure` gave.
        """
        if self.probability(features) >= self._supported["threshold"]:
            return "supported"
        about = _chance(self._about, features) >= self._about["threshold"]
        return "partial" if about else "unsupported"


class _Source:
    """One abstract's sentences, windows of two, and its record, with keys and vectors."""

    def __init__(self, fact: Facts, embed: Embed | None) -> None:
        self.fact = fact
        windows = [a | b for a, b in zip(fact.keys, fact.keys[1:], strict=False)]
        self.keys = [*fact.keys, *windows, fact.record]
        self.vectors: Vector | None = None
        if embed is not None:
            single = embed(fact.sentences)
            double = single[:-1] + single[1:]
            norms = np.maximum(np.linalg.norm(double, axis=1, keepdims=True), 1e-12)
            record = np.zeros_like(single[:1])
            self.vectors = np.concatenate([single, double / norms, record]).astype(np.float32)


@dataclass(frozen=True, slots=True)
class _Read:
    cosine: float
    cover: float
    best_cover: float
    graced_cover: float
    graced_best_cover: float
    covers: tuple[list[float], ...]
    fits: tuple[list[float], ...]


def _read(text: str, sources: Sequence[_Source], vector: Vector | None) -> _Read:
    words = weighed_words(text)
    covers = tuple([share(words, keys) for keys in source.keys] for source in sources)
    fits = tuple(
        _added(row, None if vector is None or source.vectors is None else source.vectors @ vector)
        for row, source in zip(covers, sources, strict=True)
    )
    cover = share(words, frozenset().union(*(source.fact.all_keys for source in sources)))
    best = max((max(row) for row in covers), default=0.0)
    shaped = sum(not name.proper for name in names(text))
    grace = _GRACE + _NAME_CREDIT * shaped + _NUMBER_CREDIT * len(numbers(text))
    cosines = [
        max(fit - cover for fit, cover in zip(fit_row, cover_row, strict=True))
        for fit_row, cover_row in zip(fits, covers, strict=True)
    ]
    return _Read(
        cosine=max(cosines, default=0.0),
        cover=cover,
        best_cover=best,
        graced_cover=_graced(cover, words, grace),
        graced_best_cover=_graced(best, words, grace),
        covers=covers,
        fits=fits,
    )


def _added(covers: list[float], cosines: NDArray[np.float32] | None) -> list[float]:
    if cosines is None:
        return covers
    return [cover + float(cosine) for cover, cosine in zip(covers, cosines, strict=True)]


def _graced(cover: float, words: Sequence[Word], grace: float) -> float:
    total = sum(word.weight for word in words)
    return (cover * total + grace) / (total + grace)


def _nearest(read: _Read, sources: Sequence[_Source]) -> tuple[str, ...]:
    ranked = sorted(
        (
            (fit, sentence)
            for row, source in zip(read.fits, sources, strict=True)
            for fit, sentence in zip(row, source.fact.sentences, strict=False)
        ),
        key=lambda pair: -pair[0],
    )
    return tuple(
        text
        for i, (fit, text) in enumerate(ranked[:2])
        if not i or fit > _NEAR_SHARE * ranked[0][0]
    )


def _spans(
    read: _Read, sources: Sequence[_Source], facts: Sequence[Facts]
) -> tuple[tuple[int, int], ...]:
    found = {
        id(source.fact): _span(source.fact, fits, covers)
        for source, fits, covers in zip(sources, read.fits, read.covers, strict=True)
    }
    return tuple(found.get(id(fact), (0, len(fact.paper.abstract))) for fact in facts)


def _span(fact: Facts, fits: Sequence[float], covers: Sequence[float]) -> tuple[int, int]:
    count = len(fact.spans)
    best = max(range(count), key=lambda i: fits[i])
    pairs = [i for i in (best - 1, best) if 0 <= i < count - 1]
    wider = max(pairs, key=lambda i: covers[count + i], default=None)
    if wider is not None and covers[count + wider] > covers[best] + _WINDOW_GAIN:
        return fact.spans[wider][0], fact.spans[wider + 1][1]
    return fact.spans[best]


def _chance(model: Mapping[str, Any], features: Mapping[str, float]) -> float:
    weights: dict[str, float] = model["weights"]
    total = model["bias"] + sum(weight * features[name] for name, weight in weights.items())
    return 1.0 / (1.0 + exp(-total))


@lru_cache(maxsize=4)
def _loaded(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return data
