"""Score keyless answers: `python -m benchmarks.answers [--file questions.jsonl] [--show]`.

Without a file the labelled development questions are asked; with one, questions of the same
shape over the papers that ship (facts as lists of regular expressions, `abstain`, `forbid`).
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from assistant.answering.answer import Answer
from assistant.api import Assistant
from assistant.corpus.paper import Paper
from assistant.settings import load_settings
from benchmarks.collections import labelled, lines, seeds

Row = dict[str, Any]


def collections(path: Path | None) -> Iterator[tuple[str, list[Paper], list[Row]]]:
    """Yield what is asked: collection, papers, questions."""
    if path is None:
        yield from labelled()
    else:
        yield path.stem, seeds(), lines(path)


def holds_facts(row: Row, text: str) -> bool:
    """Tell whether an answer holds every fact asked."""
    if row.get("quotes"):
        return all(any(quote in text for quote in fact) for fact in row["quotes"])
    return all(
        any(re.search(one, text, re.IGNORECASE) for one in fact) for fact in row.get("facts", [])
    )


def scores(row: Row, answer: Answer) -> dict[str, float]:
    """Score one answer by what its question expects."""
    cited = list(dict.fromkeys(citation.paper.id for citation in answer.citations))
    quotes = " ".join(citation.quote for citation in answer.citations)
    text = f"{answer.text}\n{quotes}"
    wrong = any(re.search(pattern, answer.text, re.IGNORECASE) for pattern in row.get("forbid", []))
    if row["kind"] == "list":
        allowed = set(row["papers"]) | set(row["maybe"])
        hits = len(set(cited) & set(row["papers"]))
        precision = sum(c in allowed for c in cited) / len(cited) if cited else 0.0
        recall = hits / len(row["papers"])
        total = precision + recall
        return {
            "precision": precision,
            "recall": recall,
            "F1": 2 * precision * recall / total if total else 0.0,
        }
    if row["abstain"]:
        return {"declined": float(answer.abstained and not wrong)}
    if not row["papers"]:
        return {"right": float(not answer.abstained and not cited and not wrong)}
    found = {
        "answered": float(not answer.abstained),
        "facts": float(holds_facts(row, text) and not wrong and not answer.abstained),
    }
    if cited:
        found["first"] = float(cited[0] in row["papers"])
        found["all papers"] = float(set(row["papers"]) <= set(cited))
    return found


def main() -> None:
    """Ask, score, print means by kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--show", action="store_true", help="print what falls short")
    parser.add_argument("--kind")
    options = parser.parse_args()
    table: dict[tuple[str, str], list[float]] = defaultdict(list)
    for name, papers, rows in collections(options.file):
        with tempfile.TemporaryDirectory() as folder:
            settings = load_settings(data_dir=Path(folder), model="none")
            with Assistant(settings) as assistant:
                assistant.add(papers, source=name)
                for row in rows:
                    if options.kind and row["kind"] != options.kind:
                        continue
                    answer = assistant.ask(row["question"], row["history"])
                    kind = row["kind"]
                    if kind == "unanswerable" and ":" in row["note"]:
                        kind = f"unanswerable {row['note'].split(':')[0]}"
                    found = scores(row, answer)
                    for metric, value in found.items():
                        table[kind, metric].append(value)
                    if options.show and min(found.values()) < 1:
                        print(json.dumps([row["id"], row["question"], found]))
                        print(f"    {answer.kind}: {answer.text[:700]!r}")
                        print(f"    want {row['papers']} {row.get('quotes') or row.get('facts')}")
    for (kind, metric), values in sorted(table.items()):
        print(f"{kind:28s} {metric:10s} {np.mean(values):.3f}  n {len(values)}")


if __name__ == "__main__":
    main()
