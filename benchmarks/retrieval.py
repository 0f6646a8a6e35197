"""Retrieval quality and speed: `python -m benchmarks.retrieval PART… [--keep FOLDER]`.

Parts:
  known      one conference's abstracts ranked for summaries that authors wrote
  topics     four conferences' abstracts ranked for keywords
  all        the known items among all abstracts, words alone
  relevance  is the probability of relevance what it says?
  questions  lists, uncovered topics and facts asked of the papers that ship
  ablation   what each part of the relevance brings
  speed      milliseconds a query

Embedding takes minutes at the first run; --keep names a folder where vectors and indexes stay for
the next. `known --reading` and `topics --reading` also read the best papers, which takes minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.ablation import ablation
from benchmarks.calibration import relevance
from benchmarks.collections import test_data
from benchmarks.kept import Kept, kept
from benchmarks.open_questions import questions
from benchmarks.query_speed import speed
from benchmarks.ranking_quality import everything, known_items, topics

PARTS = ("known", "topics", "all", "relevance", "questions", "ablation", "speed")


def main() -> None:
    """Print the tables asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="all of them where none is named")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--reading", action="store_true", help="also read the best papers")
    asked = parser.parse_args()
    unknown = sorted(set(asked.parts) - set(PARTS))
    if unknown:
        parser.error(f"unknown part {unknown[0]!r}: choose from {', '.join(PARTS)}")
    test_data()
    with kept(asked.keep) as folder:
        for part in asked.parts or PARTS:
            run(part, folder, reading=asked.reading)


def run(part: str, folder: Kept, *, reading: bool) -> None:
    """Print one part.

    Args:
        part: its name.
        folder: where indexes and vectors are kept.
        reading: whether the best papers are also read.
    """
    match part:
        case "known":
            known_items(folder, reading=reading)
        case "topics":
            topics(folder, reading=reading)
        case "all":
            everything(folder)
        case "relevance":
            relevance(folder)
        case "questions":
            questions(folder)
        case "ablation":
            ablation(folder)
        case "speed":
            speed(folder)


if __name__ == "__main__":
    main()
