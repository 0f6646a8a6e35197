"""Ask a served model the open questions and keep what it wrote beside what was proven of it.

Usage: `python -m benchmarks.small_model --file questions.jsonl --out answers.jsonl`, with the
model's address in `OPENAI_BASE_URL` and its name in `ASSISTANT_MODEL`. A third of the facts (drawn
with a fixed seed), the lists, comparisons and unanswerable questions are asked; a run that was
stopped goes on where it was. `--show` prints every sentence with its verdict, to be read against
the abstracts by a person: which are wrong, no program here can tell.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from assistant.answering.answer import Sentence
from assistant.answering.events import Done, SentenceChecked, Token
from assistant.api import Assistant
from assistant.settings import load_settings
from benchmarks.answers import scores
from benchmarks.collections import lines

Row = dict[str, Any]
_SEED = 4


def chosen(rows: list[Row]) -> list[Row]:
    """Draw the questions to ask: comparisons, unanswerable, a third of the facts, then lists.

    Args:
        rows: all open questions.
    """
    facts = [row for row in rows if row["kind"] == "fact"]
    some = random.Random(_SEED).sample(facts, round(len(facts) / 3))
    return [
        *some,
        *(row for row in rows if row["kind"].startswith("compar")),
        *(row for row in rows if row["abstain"] and row["kind"].startswith("unanswer")),
        *(row for row in rows if row["kind"] == "list"),
    ]


def asked(assistant: Assistant, row: Row) -> Row:
    """Ask one question and keep all that came.

    Args:
        assistant: with a model.
        row: the question.
    """
    checked: list[Sentence] = []
    drafted: list[str] = []
    started = time.perf_counter()
    for event in assistant.stream(row["question"]):
        if isinstance(event, Token):
            drafted.append(event.text)
        elif isinstance(event, SentenceChecked):
            checked.append(event.sentence)
        elif isinstance(event, Done):
            answer = event.answer
            return {
                "id": row["id"],
                "kind": row["kind"],
                "question": row["question"],
                "seconds": round(time.perf_counter() - started, 1),
                "drafted": "".join(drafted),
                "checked": [asdict(sentence) for sentence in checked],
                "mode": answer.mode,
                "abstained": answer.abstained,
                "text": answer.text,
                "sentences": [asdict(sentence) for sentence in answer.sentences],
                "cited": [
                    {"paper": c.paper.id, "quote": c.quote, "support": c.support}
                    for c in answer.citations
                ],
                "judged": answer.judged,
                "candidates": answer.candidates,
                "warnings": list(answer.warnings),
                "usage": None if answer.usage is None else str(answer.usage),
                "scores": scores(row, answer),
            }
    raise AssertionError("a stream ends with its answer")


def main() -> None:
    """Ask what has no answer yet, then count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    rows = chosen(lines(given.file))
    done = {row["id"] for row in lines(given.out)} if given.out.is_file() else set()
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(data_dir=Path(folder))
        with Assistant(settings) as assistant, given.out.open("a", encoding="utf-8") as out:
            for row in rows:
                if row["id"] not in done:
                    out.write(json.dumps(asked(assistant, row), ensure_ascii=False) + "\n")
                    out.flush()
    report(lines(given.out), len(rows), show=given.show)


def report(answers: list[Row], planned: int, *, show: bool) -> None:
    """Print how many sentences were written and what became of them.

    Args:
        answers: what `asked` gave, one a question.
        planned: how many questions there were to ask.
        show: print every sentence too.
    """
    verdicts: Counter[str] = Counter()
    for answer in answers:
        if show:
            print(f"\n{answer['id']}  {answer['question']}  [{answer['seconds']} s]")
        for sentence in answer["checked"]:
            verdicts[str(sentence["verdict"])] += 1
            if show:
                why = f" ({sentence['reason']})" if sentence["reason"] else ""
                print(f"  {sentence['verdict']}{why}: {sentence['text']}")
        if show:
            print(f"  = {answer['mode']}: {answer['text']}")
    print(f"{len(answers)} of {planned} questions answered")
    for verdict, count in sorted(verdicts.items()):
        print(f"  {count} sentences {verdict}")
    means: dict[str, list[float]] = {}
    for answer in answers:
        for name, score in answer["scores"].items():
            means.setdefault(f"{answer['kind']}: {name}", []).append(score)
    for name, values in sorted(means.items()):
        print(f"  {name} {sum(values) / len(values):.3f} (n {len(values)})")


if __name__ == "__main__":
    main()
