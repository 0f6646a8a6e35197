"""A chat model whose calls are counted, paced, paid for, and kept by their full content."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assistant.answering.model_errors import status_of
from assistant.answering.model_servers import ModelSpec
from assistant.answering.models import (
    ChatModel,
    Delta,
    Finish,
    Message,
    ModelEvent,
    Retract,
    Usage,
)
from assistant.answering.waiting import retry_after
from assistant.errors import AssistantError, ModelError
from assistant.settings import Settings
from evals.pricing import Prices
from evals.records import save_json

__all__ = ["BudgetSpentError", "CallLog", "Ledger", "Pace", "RecordedModel"]

_TOO_MANY_REQUESTS = 429
_MOST_TRIES = 6
_LONGEST_WAIT = 60.0
_FENCE = re.compile(r"==[0-9a-f]{16}==")
_SOURCE = re.compile(r"==[0-9a-f]{16}== source (S[0-9a-f]{4})\b")


class BudgetSpentError(AssistantError):
    """The run has cost what it may cost."""

    exit_code = 3


@dataclass(slots=True)
class CallLog:
    """The model calls made for one case.

    Args:
        sample: which repeat it is; repeats do not share kept replies.
        calls: how many.
        cached: how many of them were kept replies.
        failed: why calls failed.
        prompt: tokens sent.
        completion: tokens that came back.
        cost: USD; None where prices are not known.
        opened: the rules that calls began with.
    """

    sample: int = 0
    calls: int = 0
    cached: int = 0
    failed: list[str] = field(default_factory=list)
    prompt: int = 0
    completion: int = 0
    cost: float | None = None
    opened: set[str] = field(default_factory=set)


@dataclass
class Ledger:
    """What all calls of a run have cost; safe between threads.

    Args:
        prices: None where they are not known.
        limit: USD the run may cost.
        spent: USD so far.
    """

    prices: Prices | None = None
    limit: float | None = None
    spent: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self) -> None:
        """Make sure that one more call may be made.

        Raises:
            BudgetSpentError: the limit is reached.
        """
        if self.limit is not None and self.spent >= self.limit:
            raise BudgetSpentError(
                f"the run has cost {self.spent:.4f} USD of {self.limit:g}: raise --max-cost and "
                "run it again to go on"
            )

    def book(self, log: CallLog, usage: Usage | None, *, cached: bool) -> None:
        """Count a call.

        Args:
            log: of the case it was made for.
            usage: tokens; None where the server did not count them.
            cached: whether it cost nothing.

        Raises:
            BudgetSpentError: a limit is set and the server counts no tokens.
        """
        with self._lock:
            log.calls += 1
            log.cached += cached
            if usage is not None:
                log.prompt += usage.prompt
                log.completion += usage.completion
            if self.prices is not None:
                paid = 0.0 if cached or usage is None else self.prices.of(usage)
                log.cost = (log.cost or 0.0) + paid
                self.spent += paid
        if usage is None and self.limit is not None:
            raise BudgetSpentError("the server counts no tokens: run without --max-cost")


class Pace:
    """Keeps calls of all threads within a rate, and waits for all when a server asks to.

    Args:
        per_minute: calls; None for no limit of our own.
    """

    def __init__(self, per_minute: float | None = None) -> None:
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self, cancel: threading.Event | None) -> None:
        """Wait for this thread's turn.

        Args:
            cancel: ends the wait.
        """
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._gap
        if turn > now:
            (cancel or threading.Event()).wait(turn - now)

    def pause(self, seconds: float) -> None:
        """Let nobody call for a while.

        Args:
            seconds: how long.
        """
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


class RecordedModel(ChatModel):
    """A chat model that keeps replies; takes and gives what the model does.

    One answers one case at a time; threads have one each.

    Args:
        spec: which model, where.
        settings: how it is asked.
        ledger: counts the calls.
        pace: of the calls.
        cache: the folder of kept replies; None: keep none.
    """

    def __init__(
        self, spec: ModelSpec, settings: Settings, ledger: Ledger, pace: Pace, cache: Path | None
    ) -> None:
        super().__init__(spec, settings)
        self._asked = settings
        self._ledger = ledger
        self._pace = pace
        self._cache = cache
        self.log = CallLog()

    def begin(self, sample: int) -> CallLog:
        """Start the log of the next case.

        Args:
            sample: which repeat it is.
        """
        self.log = CallLog(sample)
        return self.log

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
        cancel: threading.Event | None = None,
    ) -> Generator[ModelEvent, None, None]:
        """Give a kept reply, or ask and keep it; see `ChatModel.stream`.

        Args:
            messages: `role` and `content` each.
            max_tokens: limit of the reply.
            seconds: time for all of it.
            cancel: set it to stop.

        Raises:
            ModelError: there is no reply.
            BudgetSpentError: the run has cost what it may.
        """
        log = self.log
        log.opened.add(str(messages[0]["content"]))
        names = _Names(messages)
        path = self._path(names, max_tokens)
        if path is not None and path.is_file():
            yield from self._kept(path, names, log)
            return
        text = ""
        for event in self._asked_for(messages, max_tokens, seconds, cancel):
            if isinstance(event, Delta):
                text += event.text
            elif isinstance(event, Retract):
                text = ""
            else:
                self._ledger.book(log, event.usage, cached=False)
                if path is not None and event.reason in ("stop", "length"):
                    self._keep(path, names.hide(text), event)
            yield event

    def _asked_for(
        self,
        messages: Sequence[Message],
        max_tokens: int | None,
        seconds: float | None,
        cancel: threading.Event | None,
    ) -> Generator[ModelEvent, None, None]:
        for attempt in range(_MOST_TRIES):
            self._ledger.check()
            self._pace.wait(cancel)
            begun = False
            try:
                for event in super().stream(
                    messages, max_tokens=max_tokens, seconds=seconds, cancel=cancel
                ):
                    begun = True
                    yield event
                return
            except ModelError as error:
                cause = error.__cause__ or error
                last = attempt + 1 == _MOST_TRIES or (cancel is not None and cancel.is_set())
                told = retry_after(cause)
                too_long = told is not None and told > _LONGEST_WAIT
                if begun or last or too_long or status_of(cause) != _TOO_MANY_REQUESTS:
                    self.log.failed.append(str(error))
                    raise
                self._pace.pause(2.0**attempt if told is None else told)

    def _path(self, names: _Names, max_tokens: int | None) -> Path | None:
        if self._cache is None:
            return None
        content = {
            "model": self.name,
            "address": self._asked.openai_base_url,
            "temperature": self._asked.temperature,
            "max_tokens": max_tokens or self._asked.answer_tokens,
            "sample": self.log.sample,
            "messages": names.messages,
        }
        key = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        return self._cache / key[:2] / f"{key}.json"

    def _kept(self, path: Path, names: _Names, log: CallLog) -> Generator[ModelEvent, None, None]:
        kept = json.loads(path.read_text(encoding="utf-8"))
        usage = Usage(*kept["usage"]) if kept["usage"] else None
        self._ledger.book(log, usage, cached=True)
        yield Delta(names.show(kept["text"]))
        yield Finish(kept["reason"], usage)

    @staticmethod
    def _keep(path: Path, text: str, finish: Finish) -> None:
        usage = [finish.usage.prompt, finish.usage.completion] if finish.usage else None
        save_json({"text": text, "reason": finish.reason, "usage": usage}, path)


class _Names:
    """What is drawn anew for each call: fences and source ids, hidden behind their order."""

    def __init__(self, messages: Sequence[Message]) -> None:
        whole = "\n".join(str(message["content"]) for message in messages)
        drawn = dict.fromkeys([*_FENCE.findall(whole), *_SOURCE.findall(whole)])
        self._hidden = {name: f"\ue000{place}\ue001" for place, name in enumerate(drawn)}
        self._shown = {hidden: name for name, hidden in self._hidden.items()}
        self.messages: list[Mapping[str, str]] = [
            {"role": str(each["role"]), "content": self.hide(str(each["content"]))}
            for each in messages
        ]

    def hide(self, text: str) -> str:
        """Put the order in place of the names."""
        return _swap(text, self._hidden)

    def show(self, text: str) -> str:
        """Put this call's names in place of the order."""
        return _swap(text, self._shown)


def _swap(text: str, names: Mapping[str, str]) -> str:
    if not names:
        return text
    return re.sub("|".join(map(re.escape, names)), lambda found: names[found[0]], text)
