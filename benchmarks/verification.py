"""Measure the verifier: `python -m benchmarks.verification [--no-embedder] [--train]`.

On the half of the seed papers it was not fitted on: precision and recall of "supported" with 95 %
Wilson intervals, the share of each kind of corruption that is caught, and milliseconds a sentence.
With ASSISTANT_TEST_DATA set, also on sentences of other abstracts and corruptions of them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assistant.answering.support import Embed
from assistant.answering.vector_cache import VectorCache
from assistant.answering.verification import Verdict, Verifier
from assistant.corpus.paper import Paper
from assistant.index.embedding import MiniLM
from benchmarks.pairs import (
    FRESH,
    Pair,
    derived,
    every_pair,
    halves,
    nearest_papers,
    seed_papers,
    verbatim,
    written,
)

_TRANSFER_PAPERS = 150
_TRANSFER_SEED = 7
_KINDS = (
    ("copied from the abstract", ("verbatim",)),
    ("light paraphrases", ("light",)),
    ("strong paraphrases", ("strong",)),
    ("swapped numbers", ("number", "formula")),
    ("swapped units", ("unit",)),
    ("swapped names", ("name",)),
    ("swapped papers, named", ("paper-named-near", "paper-named-far")),
    ("swapped papers, unnamed, nearest", ("paper-unnamed-near",)),
    ("swapped papers, unnamed, random", ("paper-unnamed-far",)),
    ("added claims, written", ("partly",)),
    ("added claims, appended", ("added",)),
    ("false statements, written", ("contradiction",)),
    ("negations", ("negation",)),
    ("opposite direction", ("direction",)),
)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-embedder", action="store_true", help="compare words alone")
    parser.add_argument("--train", action="store_true", help="the half it was fitted on")
    parser.add_argument("--misses", metavar="KIND", help="print what is judged wrong of a kind")
    options = parser.parse_args()
    model = MiniLM()
    papers = seed_papers()
    half = halves(list(papers))[0 if options.train else 1]
    pairs = [p for p in every_pair(papers, VectorCache(model.embed)) if p.origin in half]
    verifier = Verifier(None if options.no_embedder else model.embed)
    title = f"{'fitted' if options.train else 'held-out'} half of the seeds, {len(half)} papers"
    report(title, verifier, pairs, papers, misses=options.misses)
    data = os.environ.get("ASSISTANT_TEST_DATA")
    if data and not options.train:
        records = _records(Path(data) / "abstracts.jsonl.gz")
        others = other_papers(records)
        pairs = transfer_pairs(others, model.embed)
        report(f"{len(others)} other abstracts", verifier, pairs, others, misses=options.misses)
        fresh = written(FRESH)
        asked = {pair.paper for pair in fresh}
        others = {record["id"]: _paper(record) for record in records if record["id"] in asked}
        title = f"written by hand over {len(others)} other abstracts"
        report(title, verifier, fresh, others, misses=options.misses)


def report(
    title: str,
    verifier: Verifier,
    pairs: Sequence[Pair],
    papers: Mapping[str, Paper],
    *,
    misses: str | None = None,
) -> None:
    """Judge pairs and print what came out.

    Args:
        title: what they are.
        verifier: the verifier.
        pairs: labelled pairs.
        papers: by id.
        misses: a kind of pair whose wrong verdicts are printed too.
    """
    verifier.prepare(list(papers.values()))
    started = time.perf_counter()
    verdicts = [verifier.verify(pair.sentence, [papers[pair.paper]]) for pair in pairs]
    spent = (time.perf_counter() - started) / len(pairs) * 1000
    print(f"\n{title}: {len(pairs)} pairs, {spent:.1f} ms a sentence")
    said = [verdict.support == "supported" for verdict in verdicts]
    true = [pair.label == "supported" for pair in pairs]
    both = sum(s and t for s, t in zip(said, true, strict=True))
    print(f"  precision of supported  {_share(both, sum(said))}")
    print(f"  recall of supported     {_share(both, sum(true))}")
    print(f"  {'':34s} {'n':>5s}   right                  supported partial unsupported")
    for name, kinds in _KINDS:
        chosen = [(p, v) for p, v in zip(pairs, verdicts, strict=True) if p.kind in kinds]
        if chosen:
            _print_kind(name, chosen)
    for pair, verdict in zip(pairs, verdicts, strict=True):
        wrong = (verdict.support == "supported") != (pair.label == "supported")
        if wrong and pair.kind == misses:
            print(f"  {pair.id} -> {verdict.support} {verdict.reason}: {pair.sentence}")


def _print_kind(name: str, chosen: Sequence[tuple[Pair, Verdict]]) -> None:
    wanted = chosen[0][0].label == "supported"
    right = sum((verdict.support == "supported") == wanted for _, verdict in chosen)
    split = [
        sum(verdict.support == level for _, verdict in chosen) / len(chosen)
        for level in ("supported", "partial", "unsupported")
    ]
    levels = "".join(f"{share:9.2f}" for share in split)
    print(f"  {name:34s} {len(chosen):5d}   {_share(right, len(chosen))}  {levels}")


def _share(hits: int, total: int) -> str:
    """A share with its 95 % Wilson interval."""
    if not total:
        return "-"
    z, share = 1.96, hits / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    spread = (
        z
        * ((share * (1 - share) / total + z * z / (4 * total * total)) ** 0.5)
        / (1 + z * z / total)
    )
    return f"{share:.3f} [{middle - spread:.3f}, {middle + spread:.3f}]"


def other_papers(records: Sequence[Mapping[str, Any]]) -> dict[str, Paper]:
    """Draw abstracts that the seeds do not hold.

    Args:
        records: id, title, abstract, venue and year of each.
    """
    drawn = random.Random(_TRANSFER_SEED).sample(records, 4 * _TRANSFER_PAPERS)
    long = [record for record in drawn if 600 <= len(record["abstract"]) <= 2_500]
    return {record["id"]: _paper(record) for record in long[:_TRANSFER_PAPERS]}


def _records(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _paper(record: Mapping[str, Any]) -> Paper:
    return Paper(record["id"], record["abstract"], record["title"], year=record["year"])


def transfer_pairs(papers: Mapping[str, Paper], embed: Embed) -> list[Pair]:
    """Give each paper's own sentences and corruptions of them.

    Args:
        papers: by id.
        embed: to find each paper's nearest others.
    """
    copied = [pair for paper in papers.values() for pair in verbatim(paper)]
    return [*copied, *derived(copied, papers, nearest_papers(papers, embed))]


if __name__ == "__main__":
    main()
