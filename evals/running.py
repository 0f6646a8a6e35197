"""Runs the suite: concurrent, resumable, and with everything recorded that shaped its numbers."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from assistant.answering.model_servers import spec_of
from assistant.errors import AssistantError
from assistant.settings import Settings
from evals.benching import Bench, StoppedError
from evals.calls import BudgetSpentError, Ledger, Pace, RecordedModel
from evals.cases import Case
from evals.metrics import summary
from evals.pricing import Prices
from evals.provenance import provenance, used_prompts
from evals.records import CaseResult, Provenance, RunRecord

__all__ = ["Plan", "RunStoppedError", "run"]

SEED = 20260501
Told = Callable[[CaseResult, int, int], None]


class RunStoppedError(AssistantError):
    """A run ended before its end; what is done is kept."""

    exit_code = 3


@dataclass(frozen=True)
class Plan:
    """What to run and how.

    Args:
        cases: what to ask.
        settings: how to answer.
        repeat: how often each case is asked.
        workers: cases asked at once.
        seed: of the bootstrap.
        prices: of the model; None where they are not known.
        max_cost: USD the run may cost.
        per_minute: model calls a minute; None for no limit of our own.
        cache: the folder of kept replies; None: keep none.
        indexed: a data folder in which the seeds are indexed already; None: index them.
        partial: the file that holds what is done until all is; None: keep nothing.
        options: of the command line, for the record.
    """

    cases: list[Case]
    settings: Settings
    repeat: int = 1
    workers: int = 1
    seed: int = SEED
    prices: Prices | None = None
    max_cost: float | None = None
    per_minute: float | None = None
    cache: Path | None = None
    indexed: Path | None = None
    partial: Path | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def model_maker(self) -> Callable[[], RecordedModel] | None:
        """Give what makes the model of a thread; None: keyless.

        Raises:
            SettingsError: the settings name a model that cannot be used.
        """
        spec = None if self.settings.model == "none" else spec_of(self.settings)
        if spec is None:
            return None
        ledger, pace = Ledger(self.prices, self.max_cost), Pace(self.per_minute)
        return lambda: RecordedModel(spec, self.settings, ledger, pace, self.cache)


def run(plan: Plan, told: Told | None = None) -> RunRecord:
    """Ask every case and score the answers.

    Args:
        plan: what to run.
        told: called with each result, how many are done, and how many there are.

    Returns:
        The run.

    Raises:
        RunStoppedError: stopped by Ctrl-C or by its cost; run the same again to go on.
        AssistantError: the settings cannot be used.
    """
    since = time.perf_counter()
    jobs = [(case, repeat) for repeat in range(plan.repeat) for case in plan.cases]
    with Bench(plan.settings, plan.model_maker(), plan.indexed) as bench:
        made = provenance(bench.assistant(), seed=plan.seed, options=plan.options)
        with _partial(plan, made) as kept:
            wanted = {(case.id, repeat) for case, repeat in jobs}
            done = {key: result for key, result in kept.results.items() if key in wanted}
            left = [(case, repeat) for case, repeat in jobs if (case.id, repeat) not in done]
            try:
                with closing(_asked(bench, left, plan.workers, kept)) as asked:
                    for result in asked:
                        done[result.id, result.repeat] = result
                        if told is not None:
                            told(result, len(done), len(jobs))
            except (KeyboardInterrupt, BudgetSpentError, StoppedError) as error:
                raise _stopped(error, kept) from None
        results = [done[case.id, repeat] for case, repeat in jobs]
        made.used_prompts = used_prompts(kept.opened, plan.settings)
    _total(made, results)
    made.wall_seconds = round(time.perf_counter() - since, 2)
    metrics, by_kind = summary(results, plan.seed)
    if plan.partial is not None:
        plan.partial.unlink(missing_ok=True)
    return RunRecord(made=made, metrics=metrics, by_kind=by_kind, cases=results)


@dataclass
class _Kept:
    """What is done, in memory and in the file of a run that may be stopped."""

    path: Path | None
    results: dict[tuple[str, int], CaseResult] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, result: CaseResult, opened: set[str]) -> None:
        with self.lock:
            self.opened |= opened
            if self.path is not None and result.error is None:
                line = {"result": result.model_dump(mode="json"), "opened": sorted(opened)}
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")


@contextmanager
def _partial(plan: Plan, made: Provenance) -> Iterator[_Kept]:
    """Take up what an equal run has done; other code, cases or settings begin anew."""
    kept = _Kept(plan.partial)
    if plan.partial is not None:
        same = [made.code, made.model, made.embedder, made.fingerprint, made.prompts]
        same += [{case.id: case.digest for case in plan.cases}, plan.settings.model_dump_json()]
        key = hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()
        lines = _lines(plan.partial)
        if lines and lines[0] == {"run": key}:
            for line in lines[1:]:
                try:
                    result = CaseResult.model_validate(line["result"])
                except (KeyError, ValidationError):
                    continue  # Cut off when the run was killed: asked again.
                kept.results[result.id, result.repeat] = result
                kept.opened |= set(line["opened"])
        else:
            plan.partial.parent.mkdir(parents=True, exist_ok=True)
            plan.partial.write_text(json.dumps({"run": key}) + "\n", encoding="utf-8")
    yield kept


def _lines(path: Path) -> list[Any]:
    if not path.is_file():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            found.append({})
    return found


def _asked(
    bench: Bench, jobs: list[tuple[Case, int]], workers: int, kept: _Kept
) -> Generator[CaseResult, None, None]:
    def ask(case: Case, repeat: int) -> CaseResult:
        result, log = bench.ask(case, repeat)
        kept.add(result, log.opened)
        return result

    if workers == 1:  # In this thread: the assistant that is open already serves.
        for job in jobs:
            yield ask(*job)
        return
    pool = ThreadPoolExecutor(workers, thread_name_prefix="evals")
    try:
        waiting: set[Future[CaseResult]] = {pool.submit(ask, *job) for job in jobs}
        while waiting:
            ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in ready:
                yield future.result()
    finally:
        bench.stop()
        pool.shutdown(wait=True, cancel_futures=True)


def _stopped(error: BaseException, kept: _Kept) -> RunStoppedError:
    why = str(error) if isinstance(error, BudgetSpentError) else "stopped"
    again = "; the answers so far are kept: the same command goes on" if kept.path else ""
    return RunStoppedError(f"{why}{again}")


def _total(made: Provenance, results: list[CaseResult]) -> None:
    made.calls = sum(result.calls for result in results)
    made.cached = sum(result.cached for result in results)
    costs = [result.cost for result in results if result.cost is not None]
    made.cost = round(sum(costs), 6) if costs else None
    for result in results:
        for name, count in result.tokens.items():
            made.tokens[name] = made.tokens.get(name, 0) + count
