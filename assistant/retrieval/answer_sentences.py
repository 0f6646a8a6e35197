"""Inside one paper: which sentences answer the question."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.spans import Span, overlaps
from assistant.retrieval.asking import WANTS
from assistant.retrieval.commands import telling_spans
from assistant.retrieval.features import Asked, worth_alike
from assistant.retrieval.reading import Reading

if TYPE_CHECKING:
    from assistant.corpus.paper import Paper

__all__ = [
    "AnswerSentence",
    "TermMatches",
    "answer_sentences",
    "overview",
    "sentence_features",
    "term_matches",
]

Floats = NDArray[np.float32]

_FILE = Path(__file__).parent / "data" / "sentences.json"
_NAMED_WORTH = 0.15
_NEAR = 4
_NUMBER = re.compile(
    r"\d.*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenti|half|twice|doubl"
)
_PROPOSES = (
    re.compile(
        r"\b(?:we|paper|work|article)\b[^.]*\b(?:propose|introduce|present|develop|design)s?\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:we|paper|work|article)\b[^.]*\b(?:stud(?:y|ies)|investigates?|considers?|formulates?|shows?)\b",
        re.IGNORECASE,
    ),
)
_FIGURE = re.compile(r"(?<![A-Za-z-])\d")
_FIGURES = 2
_REPORTS = re.compile(
    r"\b(?:experiments?|results?|evaluations?|empirical\w*|achiev\w*|outperform\w*|demonstrat\w*|improv\w*|"
    r"reduc\w*|we (?:show|find|prove))\b",
    re.IGNORECASE,
)
_LINK = re.compile(r"https?://|github|\.io\b")


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence that may answer.

    Args:
        paper: the paper it stands in.
        start: offset in the abstract.
        end: offset behind it.
        chance: how likely it holds the answer, 0 to 1, given that the paper does.
    """

    paper: Paper
    start: int
    end: int
    chance: float

    @property
    def text(self) -> str:
        """The sentence, verbatim."""
        return self.paper.abstract[self.start : self.end]


@dataclass(frozen=True, slots=True)
class TermMatches:
    """How each sentence of one paper matches each word asked.

    Args:
        exact: `[sentences, terms]`, 1 where the word or what it abbreviates stands.
        alike: `[sentences, terms]`, the best token's cosine.
        weights: `[terms]`, how much each tells.
        terms: the words asked.
    """

    exact: Floats
    alike: Floats
    weights: Floats
    terms: tuple[str, ...]


def term_matches(asked: Asked, reading: Reading, named: Sequence[Span] = ()) -> TermMatches:
    """Match the words asked, one by one.

    Args:
        asked: the question.
        reading: one paper's sentences.
        named: where the question names the paper; such words tell little inside it.
    """
    size = len(reading.texts)
    maxima = reading.token_maxima(asked.tokens.vectors)
    exact, alike, weights, terms = [], [], [], []
    for term, weight, (start, end) in asked.topic.placed():
        variants = asked.topic.variants(term)
        found = np.zeros(size, dtype=np.float32)
        for variant in variants:
            places = [
                {sentence for sentence, _ in reading.postings.get(part, ())} for part in variant
            ]
            found[list(set.intersection(*places))] = 1.0
        own = (asked.tokens.spans[:, 0] < end) & (asked.tokens.spans[:, 1] > start)
        exact.append(found)
        alike.append(maxima[:, own].mean(axis=1) if own.any() else np.zeros(size, np.float32))
        inside = overlaps((start, end), named)
        weights.append(max(weight, 1e-3) * (_NAMED_WORTH if inside else 1.0))
        terms.append(term)
    if not terms:
        empty = np.zeros((size, 1), dtype=np.float32)
        return TermMatches(empty, empty, np.ones(1, dtype=np.float32), ("",))
    return TermMatches(
        np.stack(exact, axis=1),
        np.stack(alike, axis=1).astype(np.float32),
        np.array(weights, dtype=np.float32),
        tuple(terms),
    )


def sentence_features(asked: Asked, reading: Reading, matches: TermMatches) -> dict[str, Floats]:
    """Describe every sentence of one paper as an answer.

    Args:
        asked: the question.
        reading: the paper's sentences.
        matches: how they match the words asked.

    Returns:
        Features by name, each float32 `[sentences]`.
    """
    size = len(reading.texts)
    shown = np.maximum(matches.exact, worth_alike(matches.alike))
    # A word that every sentence of the paper holds does not tell them apart.
    rarity = np.log1p(size / (matches.exact.sum(0) + worth_alike(matches.alike).sum(0) + 0.5))
    weights, telling = matches.weights, matches.weights * rarity
    contrast = matches.alike - matches.alike.mean(axis=0)
    base = {
        "exact": matches.exact @ weights / weights.sum(),
        "telling_exact": matches.exact @ telling / telling.sum(),
        "telling_shown": shown @ telling / telling.sum(),
        "shown": shown @ weights / weights.sum(),
        "alike": matches.alike @ weights / weights.sum(),
        "contrast": contrast @ weights / weights.sum(),
        "telling_contrast": contrast @ telling / telling.sum(),
        "best_contrast": (contrast * weights).max(axis=1) / weights.max(),
        "cosine": reading.pooled @ asked.tokens.pooled,
        "phrase_cosine": reading.pooled @ asked.phrase,
    }
    features = dict(base)
    place = np.arange(size, dtype=np.float32)
    features["place"] = place / max(size - 1, 1)
    features["first"] = (place == 0).astype(np.float32)
    features["last"] = (place == size - 1).astype(np.float32)
    features["length"] = np.array([min(len(text), 400) / 400 for text in reading.texts])
    features["link"] = np.array([float(bool(_LINK.search(text))) for text in reading.texts])
    features["number_near"] = _number_near(asked, reading, matches)
    features |= _wanted(asked.topic.text, reading.texts)
    for name, values in base.items():
        features[f"{name}_gap"] = values - values.max()
        features[f"{name}_rank"] = np.argsort(np.argsort(-values, kind="stable"), kind="stable")
        features[f"{name}_rank"] = features[f"{name}_rank"] / max(size - 1, 1)
    for name in ("telling_shown", "contrast", "cosine"):
        values = base[name]
        mean = np.array([values.mean()])
        features[f"{name}_before"] = np.concatenate([mean, values[:-1]])
        features[f"{name}_behind"] = np.concatenate([values[1:], mean])
    features["sentences"] = np.full(size, size / 10)
    return {name: np.asarray(values, dtype=np.float32) for name, values in features.items()}


def answer_sentences(
    asked: Asked, reading: Reading, named: Sequence[Span] = ()
) -> list[AnswerSentence]:
    """Rank one paper's sentences by how likely they answer the question.

    Args:
        asked: the question.
        reading: one paper's sentences.
        named: where the question names the paper.

    Returns:
        All sentences, the likeliest first.
    """
    features = sentence_features(asked, reading, term_matches(asked, reading, named))
    chances = _chances(features)
    order = np.argsort(-chances, kind="stable").tolist()
    paper, spans = reading.papers[0], reading.spans
    return [AnswerSentence(paper, spans[i][0], spans[i][1], float(chances[i])) for i in order]


def overview(paper: Paper, *, wants_number: bool = False) -> list[AnswerSentence]:
    """Pick the sentence that introduces what a paper proposes, and the one that says how it did.

    Args:
        paper: the paper.
        wants_number: whether a number is asked for: then sentences that state figures are picked.

    Returns:
        At most two sentences, in text order; none where the abstract has neither.
    """
    spans = telling_spans(paper.abstract)
    texts = [paper.abstract[start:end] for start, end in spans]
    proposed = next(
        (i for verbs in _PROPOSES for i, text in enumerate(texts) if verbs.search(text)), None
    )
    found = next((i for i in range(len(texts) - 1, -1, -1) if _REPORTS.search(texts[i])), None)
    chosen = sorted({i for i in (proposed, found) if i is not None})
    if wants_number:
        figures = [i for i, text in enumerate(texts) if _FIGURE.search(text)]
        chosen = figures[:_FIGURES] or chosen
    return [AnswerSentence(paper, spans[i][0], spans[i][1], 1.0) for i in chosen]


def _chances(features: Mapping[str, Floats]) -> NDArray[np.float64]:
    model = _model()
    logits = np.full(len(features["place"]), model["bias"])
    for name, entry in model["features"].items():
        logits += entry["weight"] * (features[name].astype(np.float64) - entry["mean"])
    chances: NDArray[np.float64] = 1 / (1 + np.exp(-logits))
    return chances


@lru_cache(maxsize=1)
def _model() -> dict[str, dict[str, dict[str, float]]]:
    loaded: dict[str, dict[str, dict[str, float]]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return loaded


def _wanted(question: str, texts: Sequence[str]) -> dict[str, Floats]:
    """Tell for each kind of answer whether it is wanted and there, missing, or there unasked."""
    features: dict[str, Floats] = {}
    for want in WANTS:
        asked = bool(want.asks.search(question))
        shows = np.array([bool(want.shows.search(text)) for text in texts])
        features[f"wants_{want.name}"] = (shows & asked).astype(np.float32)
        features[f"lacks_{want.name}"] = (~shows & asked).astype(np.float32)
        features[f"has_{want.name}"] = (shows & (not asked)).astype(np.float32)
    return features


def _number_near(asked: Asked, reading: Reading, matches: TermMatches) -> Floats:
    """Tell whether a number stands close to a word asked, where a number is asked."""
    near = np.zeros(len(reading.texts), dtype=np.float32)
    if not WANTS[0].asks.search(asked.topic.text):
        return near
    numbers: dict[int, list[int]] = {}
    words: dict[int, list[int]] = {}
    wanted = set(matches.terms)
    for term, places in reading.postings.items():
        for sentence, position in places:
            if _NUMBER.fullmatch(term):
                numbers.setdefault(sentence, []).append(position)
            if term in wanted:
                words.setdefault(sentence, []).append(position)
    for sentence, found in numbers.items():
        asked_at = set(words.get(sentence, ()))
        steps = [step for step in range(-_NEAR, _NEAR + 1) if step]
        near[sentence] = float(any(place + step in asked_at for place in found for step in steps))
    return near
