"""`python -m evals run|compare|gate|accept|report|draft`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assistant.answering.prompts import prompt_faults
from assistant.cli.printing import escape_what_cannot_be_printed
from assistant.errors import AssistantError, InputError
from assistant.settings import load_settings
from evals.baseline import BASELINE, accept, load_baseline, prompt_states
from evals.cases import KINDS, Case
from evals.collection import seed_papers
from evals.comparing import compare
from evals.gating import FLOORS, gate, load_floors
from evals.judging import judge
from evals.loading import CASES, load_cases
from evals.pricing import load_prices
from evals.progress import bar
from evals.provenance import prompt_hashes
from evals.records import RunRecord, load_run, save_json
from evals.running import SEED, Plan, run
from evals.showing import comparison_lines, gate_lines, run_lines

__all__ = ["main"]

RUNS = Path(__file__).parent / "runs"
_MODEL_WORKERS = 4
_INTERRUPTED = 130


def main(words: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        words: the command line; by default the process's own.

    Returns:
        The exit code: 0 when all is well, 1 when the gate stops a run, 2 for bad input, 3 for a run
        that was stopped.
    """
    escape_what_cannot_be_printed()
    options = _parser().parse_args(words)
    try:
        return int(options.command(options))
    except AssistantError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return _INTERRUPTED


def _run(options: argparse.Namespace) -> int:
    settings = load_settings(
        model=options.model, embedder=options.embedder, prompts_dir=options.prompts
    )
    # A keyless run reads no prompt: what is wrong with them is found here.
    for fault in prompt_faults(settings):
        raise InputError(f"--prompts: {fault}" if options.prompts else fault)
    record = _made(options, settings)
    out = options.out or RUNS / f"{_stamp()}-{record.made.mode}.json"
    save_json(record, out)
    print("\n".join(run_lines(record)))
    print(f"written to {out}")
    return 0


def _compare(options: argparse.Namespace) -> int:
    before, after = load_run(options.before), load_run(options.after)
    print("\n".join(comparison_lines(compare(before, after, options.seed))))
    return 0


def _gate(options: argparse.Namespace) -> int:
    baseline, floors = load_baseline(options.baseline), load_floors(options.floors)
    if options.run is None:
        # Always the same: no model, and the embedder that ships.
        settings = load_settings(model="none", embedder="minilm")
        record = _made(_parser().parse_args(["run"]), settings)
        save_json(record, RUNS / "gate.json")
        print("\n".join([*run_lines(record), ""]))
    else:
        record = load_run(options.run)
    result = gate(record, baseline, floors)
    print("\n".join(gate_lines(result)))
    for name, state in prompt_states(baseline, prompt_hashes(load_settings())).items():
        print(f"prompt {name}: {state}")
    return 1 if result.reasons else 0


def _accept(options: argparse.Namespace) -> int:
    record, baseline = load_run(options.run), load_baseline(options.baseline)
    made = accept(record, baseline, _suite([], []))
    save_json(made, options.baseline)
    print(f"{options.run} is the baseline of {record.made.mode} runs in {options.baseline}")
    for name, state in prompt_states(made, prompt_hashes(load_settings())).items():
        print(f"prompt {name}: {state}")
    return 0


def _report(options: argparse.Namespace) -> int:
    from evals.junit import junit
    from evals.reporting import report

    record = load_run(options.run)
    against = None if options.against is None else load_run(options.against)
    out = options.out or options.run.with_suffix(".html")
    out.write_text(report(record, against), encoding="utf-8")
    print(f"written to {out}")
    if options.junit is not None:
        options.junit.write_text(junit(record), encoding="utf-8")
        print(f"written to {options.junit}")
    return 0


def _draft(options: argparse.Namespace) -> int:
    from evals.drafting import drafts

    text = drafts(options.feedback)
    if options.out is None:
        print(text, end="")
    else:
        options.out.write_text(text, encoding="utf-8")
        print(f"written to {options.out}")
    return 0


def _made(options: argparse.Namespace, settings: Any) -> RunRecord:
    cases = _suite(options.cases, options.kind)[: options.limit]
    if not cases:
        raise InputError("no case is left: mend --cases, --kind or --limit")
    prices = load_prices(options.price_prompt, options.price_completion)
    if options.max_cost is not None and prices is None:
        raise InputError(
            "--max-cost needs prices: give --price-prompt and --price-completion, in USD for a "
            "million tokens, or set EVALS_PRICE_PROMPT and EVALS_PRICE_COMPLETION"
        )
    if options.out is not None and (options.out.is_dir() or not options.out.parent.is_dir()):
        raise InputError(f"--out {options.out} is no place for a file: name a file in a folder")
    partial = RUNS / "partial.jsonl" if options.out is None else Path(f"{options.out}.partial")
    plan = Plan(
        cases=cases,
        settings=settings,
        repeat=options.repeat,
        seed=options.seed,
        prices=prices,
        max_cost=options.max_cost,
        per_minute=options.per_minute,
        cache=None if options.no_cache else RUNS / "calls",
        partial=partial,
        options=_recorded(options),
    )
    workers = options.workers or (1 if plan.model_maker() is None else _MODEL_WORKERS)
    plan = Plan(**{**vars(plan), "workers": workers})
    with bar(len(cases) * options.repeat) as told:
        record = run(plan, told)
    if options.judge:
        judging = Plan(
            **{**vars(plan), "settings": settings.model_copy(update={"model": options.judge})}
        )
        maker = judging.model_maker()
        if maker is None:
            raise InputError(f"--judge {options.judge} names no model: give provider:name")
        record.judge = judge(record, maker, options.judge_repeats, max(workers, 2))
    return record


def _suite(patterns: Sequence[str], kinds: Sequence[str]) -> list[Case]:
    if patterns:
        paths = sorted({path for pattern in patterns for path in _found(pattern)})
    else:
        paths = sorted(CASES.glob("*.yaml"))
    cases = load_cases(paths, seed_papers())
    return [case for case in cases if not kinds or case.kind in kinds]


def _found(pattern: str) -> list[Path]:
    given = Path(pattern)
    found = list(given.parent.glob(given.name)) or list(CASES.glob(given.name))
    if not found:
        raise InputError(f"--cases {pattern} finds no file: give a file or a pattern in quotes")
    return found


def _recorded(options: argparse.Namespace) -> dict[str, Any]:
    hidden = ("command", "out")
    return {
        name: [str(one) for one in value]
        if isinstance(value, list)
        else str(value)
        if isinstance(value, Path)
        else value
        for name, value in vars(options).items()
        if name not in hidden
    }


def _stamp() -> str:
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_run(commands.add_parser("run", help="ask every case and score the answers"))
    one = commands.add_parser("compare", help="tell whether the second run is better")
    one.add_argument("before", type=Path, metavar="A.json")
    one.add_argument("after", type=Path, metavar="B.json")
    one.add_argument("--seed", type=int, help="of the bootstrap; default: that of A")
    one.set_defaults(command=_compare)
    one = commands.add_parser("gate", help="exit non-zero when a run is worse than the baseline")
    one.add_argument(
        "run",
        type=Path,
        nargs="?",
        metavar="RUN.json",
        help="default: the keyless suite is run first",
    )
    one.add_argument("--baseline", type=Path, default=BASELINE)
    one.add_argument("--floors", type=Path, default=FLOORS)
    one.set_defaults(command=_gate)
    one = commands.add_parser("accept", help="make a run the baseline")
    one.add_argument("run", type=Path, metavar="RUN.json")
    one.add_argument("--baseline", type=Path, default=BASELINE)
    one.set_defaults(command=_accept)
    one = commands.add_parser("report", help="write a run as one HTML file")
    one.add_argument("run", type=Path, metavar="RUN.json")
    one.add_argument("--against", type=Path, metavar="BASE.json", help="mark what flipped")
    one.add_argument("-o", "--out", type=Path, help="default: RUN.html")
    one.add_argument("--junit", type=Path, metavar="FILE.xml", help="write JUnit XML too")
    one.set_defaults(command=_report)
    one = commands.add_parser("draft", help="make case drafts of thumbs-down answers")
    one.add_argument("feedback", type=Path, metavar="feedback.jsonl")
    one.add_argument("-o", "--out", type=Path, help="default: standard output")
    one.set_defaults(command=_draft)
    return parser


def _add_run(one: argparse.ArgumentParser) -> None:
    add = one.add_argument
    add("--cases", action="append", default=[], metavar="GLOB", help="files; default: all")
    add("--kind", action="append", default=[], choices=KINDS, help="may be given more than once")
    add("--prompts", type=Path, metavar="DIR", help="prompts in place of those that ship")
    add("--model", metavar="NAME", help="provider:name, or none for keyless")
    add("--embedder", metavar="NAME", help="minilm, none, or provider:model")
    add("--repeat", type=_count, default=1, metavar="N", help="ask each case N times")
    add("--limit", type=_count, metavar="N", help="the first N cases alone")
    add("--workers", type=_count, metavar="N", help="cases asked at once; default: 1, or 4")
    add("--per-minute", type=float, metavar="N", help="model calls a minute at most")
    add("--price-prompt", type=float, metavar="USD", help="for a million tokens sent")
    add("--price-completion", type=float, metavar="USD", help="for a million that come back")
    add("--max-cost", type=float, metavar="USD", help="stop before it costs more; needs prices")
    add("--no-cache", action="store_true", help="ask the model anew")
    add("--judge", metavar="MODEL", help="a model as second judge of support; gates nothing")
    add("--judge-repeats", type=_count, default=3, metavar="N")
    add("--seed", type=int, default=SEED, help="of the bootstrap")
    add("--out", type=Path, metavar="FILE", help="default: evals/runs/…")
    one.set_defaults(command=_run)


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value
