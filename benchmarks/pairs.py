"""Labelled pairs of a sentence and a paper: the written ones, and those derived from them by code.

`evals/pairs/written.jsonl` holds paraphrases and false statements written by hand over the seed
abstracts. Every corruption here is made from a supported sentence, always the same way for the same
seed: another number, unit or name, another paper, a negation, the opposite direction, an added
claim.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from assistant.answering.names import names
from assistant.answering.numbers import Quantity, numbers
from assistant.answering.plaintext import plain
from assistant.answering.support import Embed
from assistant.corpus.names import introduced_names
from assistant.corpus.paper import Paper
from assistant.corpus.reading import read_paths
from assistant.corpus.sentences import sentence_spans

__all__ = [
    "FRESH",
    "WRITTEN",
    "Pair",
    "derived",
    "every_pair",
    "halves",
    "nearest_papers",
    "seed_papers",
    "verbatim",
    "written",
]

WRITTEN = Path(__file__).parent.parent / "evals" / "pairs" / "written.jsonl"
FRESH = WRITTEN.with_name("fresh.jsonl")
_SPLIT_SEED = 20260731
_SHORTEST = 40

_FLIPS = {
    "increases": "decreases",
    "increase": "decrease",
    "increasing": "decreasing",
    "reduces": "increases",
    "reduce": "increase",
    "reducing": "increasing",
    "reduced": "increased",
    "improves": "worsens",
    "improve": "worsen",
    "improving": "worsening",
    "enhances": "weakens",
    "enhancing": "weakening",
    "higher": "lower",
    "lower": "higher",
    "faster": "slower",
    "better": "worse",
    "superior": "inferior",
    "outperforms": "underperforms",
    "outperform": "underperform",
    "preserves": "destroys",
    "preserving": "destroying",
    "maintains": "loses",
    "maintaining": "losing",
    "mitigates": "aggravates",
    "mitigate": "aggravate",
    "alleviate": "aggravate",
    "alleviates": "aggravates",
    "degrade": "improve",
    "without": "with",
    "high": "low",
    "low": "high",
    "more": "less",
}
_VERBS = (
    "achieve improve reduce use combine introduce employ learn adopt deliver yield enable provide "
    "preserve outperform detect reconstruct estimate predict require need support replace match "
    "remain depend show surpass exploit reuse decouple integrate attain handle work keep"
).split()
_VERB = re.compile(rf"\b({'|'.join(_VERBS)})(e?s)\b")
_AUXILIARY = re.compile(r"\b(is|are|was|were|can|does|do|has been|have been|will)\b(?! not)")
_ADDED = (
    "and it runs on a mobile phone",
    "and it was tested with patients in two hospitals",
    "while using half the memory of earlier methods",
    "and the code is written in Rust",
    "and it has been deployed in production for a year",
    "which the authors also confirm in a user study",
    "and it comes with a convergence proof for nonconvex games",
    "and it needs no hyperparameter tuning at all",
    "and it generalizes to protein folding",
    "after training on a billion web pages",
    "and it won the best paper award",
    "although it requires a quantum computer",
    "and it is robust to adversarial patches",
    "with guarantees of differential privacy",
    "and it also translates between low-resource languages",
    "and human raters prefer it in most cases",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence, the paper it cites, and whether the paper supports it.

    Args:
        id: of the pair.
        paper: id of the cited paper.
        origin: id of the paper the sentence was written from; decides the half.
        kind: how it was made.
        label: what the verdict should be.
        sentence: the text.
    """

    id: str
    paper: str
    origin: str
    kind: str
    label: str
    sentence: str


def seed_papers() -> dict[str, Paper]:
    """Read the abstracts that ship."""
    paths = sorted((WRITTEN.parent.parent.parent / "seeds").glob("*.txt"))
    return {paper.id: paper for paper in read_paths(paths).papers}


def nearest_papers(papers: Mapping[str, Paper], embed: Embed) -> dict[str, list[str]]:
    """Rank for each paper all others by the cosine of their abstracts.

    Args:
        papers: by id.
        embed: gives float32 `[n, dim]`, rows of length 1.
    """
    ids = list(papers)
    vectors = embed([paper.abstract for paper in papers.values()])
    order = np.argsort(-(vectors @ vectors.T), axis=1)
    return {ids[i]: [ids[j] for j in row if j != i] for i, row in enumerate(order)}


def every_pair(papers: Mapping[str, Paper], embed: Embed) -> list[Pair]:
    """Give all labelled pairs over the seeds: written, copied and corrupted.

    Args:
        papers: the seed papers by id.
        embed: to find each paper's nearest others.
    """
    by_hand = written()
    supported = [pair for pair in by_hand if pair.label == "supported"]
    supported += [pair for paper in papers.values() for pair in verbatim(paper)]
    false = [pair for pair in by_hand if pair.label != "supported"]
    return [*supported, *false, *derived(supported, papers, nearest_papers(papers, embed))]


def written(path: Path = WRITTEN) -> list[Pair]:
    """Read the pairs written by hand.

    Args:
        path: a JSON Lines file.
    """
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [
        Pair(row["id"], row["paper"], row["paper"], row["kind"], row["label"], row["sentence"])
        for row in rows
    ]


def halves(papers: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Split papers into one half to train on and one to measure on.

    Args:
        papers: paper ids.
    """
    ordered = sorted(papers)
    random.Random(_SPLIT_SEED).shuffle(ordered)
    middle = len(ordered) // 2
    return frozenset(ordered[:middle]), frozenset(ordered[middle:])


def verbatim(paper: Paper) -> list[Pair]:
    """Give a paper's own sentences, as they stand and without their markup.

    Args:
        paper: the paper.
    """
    found = []
    for i, (start, end) in enumerate(sentence_spans(paper.abstract), 1):
        sentence = paper.abstract[start:end]
        if end - start >= _SHORTEST and "http" not in sentence:
            text = sentence if i % 2 else " ".join(plain(sentence).text.split())
            found.append(
                Pair(f"{paper.id}-verbatim-{i}", paper.id, paper.id, "verbatim", "supported", text)
            )
    return found


def derived(
    supported: Sequence[Pair], papers: Mapping[str, Paper], neighbours: Mapping[str, Sequence[str]]
) -> list[Pair]:
    """Corrupt supported sentences, each in every way that applies to it.

    Args:
        supported: pairs labelled supported.
        papers: every paper by id.
        neighbours: for each paper the other papers, most similar first.
    """
    every: list[Pair] = []
    for pair in supported:
        rng = random.Random(f"{_SPLIT_SEED}{pair.id}")
        every += _numbers_swapped(pair, papers[pair.paper], rng)
        every += _names_swapped(pair, papers, rng)
        every += _papers_swapped(pair, papers, neighbours[pair.paper], rng)
        every += _turned_round(pair)
        every += _claims_added(pair, rng)
    return every


def _made(pair: Pair, kind: str, sentence: str, *, label: str = "unsupported") -> Pair:
    return replace(pair, id=f"{pair.id}-{kind}", kind=kind, label=label, sentence=sentence)


def _numbers_swapped(pair: Pair, paper: Paper, rng: random.Random) -> Iterator[Pair]:
    every = numbers(pair.sentence)
    found = [quantity for quantity in every if quantity.kind != "formula"]
    formulas = [quantity for quantity in every if quantity.kind == "formula"]
    known = {v for q in numbers(paper.indexed_text) for v in (q.value, q.high)} | {1.0, 2026.0}
    if found:
        quantity = rng.choice(found)
        value = _other_value(quantity, known, rng)
        text = re.sub(r"\d[\d,]*(?:\.\d+)?|[A-Za-z]+", value, quantity.text, count=1)
        yield _made(pair, "number", _spliced(pair.sentence, quantity, text))
    if formulas:
        formula = rng.choice(formulas)
        text = re.sub(r"[2468²⁴⁶]", "7", formula.text)
        if text != formula.text:
            yield _made(pair, "formula", _spliced(pair.sentence, formula, text))
    united = [q for q in found if q.unit in ("%", "x")]
    if united:
        quantity = rng.choice(united)
        digits = re.sub(r"[^\d.\-–]", "", quantity.text) or "2"
        unit = "x" if quantity.unit == "%" else "%"
        yield _made(pair, "unit", _spliced(pair.sentence, quantity, digits + unit))


def _spliced(sentence: str, quantity: Quantity, text: str) -> str:
    return sentence[: quantity.start] + text + sentence[quantity.end :]


def _other_value(quantity: Quantity, known: set[float | None], rng: random.Random) -> str:
    decimals = len(f"{quantity.value:.10g}".partition(".")[2])
    while True:
        factor = rng.choice([0.5, 0.7, 1.3, 1.6, 2.0, 3.0])
        value = round(quantity.value * factor + rng.choice([0, 1, 2]) * 10**-decimals, decimals)
        if value > 0 and not {value, value / 100, round(value * 100, 9)} & known:
            return f"{value:.10g}"


def _names_swapped(pair: Pair, papers: Mapping[str, Paper], rng: random.Random) -> Iterator[Pair]:
    found = [name for name in names(pair.sentence) if not name.proper and len(name.text) > 3]
    if not found:
        return
    name = rng.choice(found)
    here = papers[pair.paper].indexed_text.casefold()
    others = [
        other
        for paper in papers.values()
        if paper.id != pair.paper
        for other in introduced_names(paper).values()
        if other.casefold() not in here and " " not in other and len(other) > 3
    ]
    sentence = pair.sentence[: name.start] + rng.choice(others) + pair.sentence[name.end :]
    yield _made(pair, "name", sentence)


def _papers_swapped(
    pair: Pair, papers: Mapping[str, Paper], neighbours: Sequence[str], rng: random.Random
) -> Iterator[Pair]:
    own = [
        name
        for name in introduced_names(papers[pair.paper]).values()
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", pair.sentence)
    ]
    for kind, other in (("near", neighbours[0]), ("far", rng.choice(list(neighbours[1:])))):
        if own:
            yield replace(_made(pair, f"paper-named-{kind}", pair.sentence), paper=other)
        yield replace(_made(pair, f"paper-unnamed-{kind}", _nameless(pair, own)), paper=other)


def _nameless(pair: Pair, own: Sequence[str]) -> str:
    sentence = pair.sentence
    for name in sorted(own, key=len, reverse=True):
        sentence = re.sub(rf"(?<!\w){re.escape(name)}(?:'s)?(?!\w)", "the method", sentence)
    return sentence[0].upper() + sentence[1:]


def _turned_round(pair: Pair) -> Iterator[Pair]:
    for word, opposite in _FLIPS.items():
        match = re.search(rf"\b{word}\b", pair.sentence)
        if match:
            text = pair.sentence[: match.start()] + opposite + pair.sentence[match.end() :]
            yield _made(pair, "direction", text)
            break
    verb, auxiliary = _VERB.search(pair.sentence), _AUXILIARY.search(pair.sentence)
    if auxiliary:
        text = f"{pair.sentence[: auxiliary.end()]} not{pair.sentence[auxiliary.end() :]}"
        yield _made(pair, "negation", text)
    elif verb:
        text = f"{pair.sentence[: verb.start()]}does not {verb[1]}{pair.sentence[verb.end() :]}"
        yield _made(pair, "negation", text)


def _claims_added(pair: Pair, rng: random.Random) -> Iterator[Pair]:
    body = pair.sentence.rstrip(" .")
    yield _made(pair, "added", f"{body}, {rng.choice(_ADDED)}.", label="partial")
