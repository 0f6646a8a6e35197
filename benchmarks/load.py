"""Many people at one page at once, keyless: throughput, waits, memory, errors, cross-talk.

    python -m benchmarks.load [--users 50] [--minutes 5]

Starts the page in a process of its own over a made-up collection that holds a paper for each
user. Half of the users speak the call that the page offers to programs, half speak as a browser
does. Each asks of its own paper only, follow-ups included, so that what another user asked for can
be told from what was answered; after a talk of four questions it begins a new one.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from benchmarks.talking import CallTalk, PageTalk, Refused, Said

__all__ = ["Measured", "main", "measure"]

_ROOT = Path(__file__).parents[1]
_PATIENCE = 120.0
_SAMPLES = 40
_TALK = 4
_BEGINNINGS = "bra cle dro fri gle kra plo sno tru vle".split()
_MIDDLES = "ban dor fil gam lun mek nor pel ras tov".split()


@dataclass(frozen=True, slots=True)
class _Own:
    """A user's paper and what of it no other user's answer may hold."""

    name: str
    figure: str
    hours: str
    bench: str

    @property
    def abstract(self) -> str:
        return (
            f"Long documents are slow to read for large models. We present {self.name}, a method "
            f"that skips what a question does not need. On the {self.bench} benchmark {self.name} "
            f"reaches an accuracy of {self.figure}%. Training {self.name} takes {self.hours} hours "
            f"on one GPU, and it needs no labels. The code of {self.name} is public."
        )

    @property
    def marks(self) -> tuple[str, ...]:
        return (self.name, self.figure, self.hours, self.bench)

    @property
    def questions(self) -> tuple[tuple[str, str], ...]:
        """What it asks in one talk, each with what its answer must hold."""
        return (
            (f"What accuracy does {self.name} reach?", self.figure),
            ("How many hours does its training take?", self.hours),
            ("On which benchmark was it evaluated?", self.bench),
            (f"Does {self.name} need labels?", self.name),
        )


@dataclass(slots=True)
class Measured:
    """What a run saw.

    Args:
        users: how many asked at once.
        seconds: how long.
        waits: seconds from question to answer, one each.
        memory: of the server, in MB, from start to end.
        errors: what went wrong, a line each.
        mixed: answers that held something of another user, a line each.
        missed: answers without what they had to hold, a line each.
    """

    users: int
    seconds: float = 0.0
    waits: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yield what is told of it: a name and a value each."""
        waits = sorted(self.waits) or [0.0]
        yield "users", str(self.users)
        yield "questions answered", f"{len(self.waits):,} in {self.seconds:.0f} s"
        yield "throughput", f"{len(self.waits) / max(self.seconds, 0.001):.1f} a second"
        for name, share in (("p50", 0.5), ("p95", 0.95), ("longest", 1.0)):
            wait = waits[min(len(waits) - 1, int(share * len(waits)))]
            yield f"wait, {name}", f"{wait * 1000:,.0f} ms"
        for name, place in (("start", 0), ("middle", len(self.memory) // 2), ("end", -1)):
            yield f"memory of the server, {name}", f"{self.memory[place]:.0f} MB"
        yield "errors", str(len(self.errors))
        yield "answers with something of another user", str(len(self.mixed))
        yield "answers without their own fact", str(len(self.missed))


def main() -> None:
    """Run the load and print a table; exit with 1 after any error or cross-talk."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--users", type=int, default=50, help="how many ask at once")
    parser.add_argument("--minutes", type=float, default=5.0, help="for how long")
    given = parser.parse_args()
    if not 1 <= given.users <= len(_BEGINNINGS) * len(_MIDDLES):
        parser.error(f"--users is 1 to {len(_BEGINNINGS) * len(_MIDDLES)}")
    with tempfile.TemporaryDirectory() as folder:
        seen = measure(Path(folder), given.users, given.minutes * 60)
    print("| what | seen |\n| :--- | ---: |")
    for name, value in seen.rows():
        print(f"| {name} | {value} |")
    for line in [*seen.errors, *seen.mixed, *seen.missed][:20]:
        print(line)
    if seen.errors or seen.mixed or seen.missed:
        sys.exit(1)


def measure(folder: Path, users: int, seconds: float) -> Measured:
    """Serve a page from a folder and let users ask it.

    Args:
        folder: an empty one, for the collection.
        users: how many ask at once.
        seconds: for how long.

    Returns:
        What was seen.
    """
    own = [_own(number) for number in range(users)]
    papers = folder / "papers.txt"
    papers.write_text("\n\n".join(each.abstract for each in own), encoding="utf-8")
    data = folder / "data"
    command = [sys.executable, "-m", "assistant", "--data-dir", str(data)]
    subprocess.run([*command, "sync", str(papers)], env=_keyless(), check=True, capture_output=True)
    with _serving(command) as (url, process):
        return asyncio.run(_load(url, process.pid, own, seconds))


def _own(number: int) -> _Own:
    # Letters alone, so that no name or figure is part of another.
    first, second = divmod(number, len(_MIDDLES))
    stem = _BEGINNINGS[first] + _MIDDLES[second]
    return _Own(
        name=f"{stem.capitalize()}Net",
        figure=f"{41 + number % 50}.{100 + number}",
        hours=f"{1_000 + 7 * number}",
        bench=f"{stem[::-1].capitalize()}Bench",
    )


async def _load(url: str, pid: int, own: list[_Own], seconds: float) -> Measured:
    seen = Measured(len(own))
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=_PATIENCE, limits=limits) as client:
        chat = await PageTalk.entry(client)
        # One question each before the clock starts: what a first one loads is not measured here.
        await CallTalk(client).ask(own[0].questions[0][0])
        begun = time.monotonic()
        ends = begun + seconds
        watching = asyncio.create_task(_watch(pid, seconds, seen))
        await asyncio.gather(
            *(_use(client, chat, number, own, ends, seen) for number in range(len(own)))
        )
        seen.seconds = time.monotonic() - begun
        watching.cancel()
        seen.memory.append(_memory(pid))
    return seen


async def _use(
    client: httpx.AsyncClient, chat: int, number: int, own: list[_Own], ends: float, seen: Measured
) -> None:
    """One user, who asks until time is up."""
    chance = random.Random(number)
    mine = own[number]
    others = [mark for each in own if each is not mine for mark in each.marks]
    while time.monotonic() < ends:
        talk = CallTalk(client) if number % 2 else PageTalk(client, chat)
        asked: list[str] = []
        for question, fact in mine.questions[:_TALK]:
            if time.monotonic() >= ends:
                return
            begun = time.monotonic()
            try:
                said = await talk.ask(question)
            except (httpx.HTTPError, Refused) as error:
                seen.errors.append(f"{mine.name}: {question}: {type(error).__name__}: {error}")
                break
            seen.waits.append(time.monotonic() - begun)
            asked.append(question)
            _judge(said, mine, fact, asked, others, seen)
            await asyncio.sleep(chance.uniform(0, 0.2))
        await talk.close()


def _judge(
    said: Said, mine: _Own, fact: str, asked: list[str], others: list[str], seen: Measured
) -> None:
    strange = [mark for mark in others if mark in said.told]
    if strange or said.asked != asked:
        seen.mixed.append(f"{mine.name}: {asked[-1]}: {strange} {said.asked}")
    if fact not in said.text:
        seen.missed.append(f"{mine.name}: {asked[-1]}: {said.text!r}")


async def _watch(pid: int, seconds: float, seen: Measured) -> None:
    while True:
        seen.memory.append(_memory(pid))
        await asyncio.sleep(seconds / _SAMPLES)


def _memory(pid: int) -> float:
    """The resident memory of a process, in MB."""
    told = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True
    )
    return int(told.stdout) / 1024


def _keyless() -> dict[str, str]:
    return {**os.environ, "ASSISTANT_MODEL": "none"}


@contextmanager
def _serving(command: list[str]) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [*command, "chat", "--no-open", "--port", str(port)],
        cwd=_ROOT,
        env=_keyless(),
        stdout=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}/"
    try:
        deadline = time.monotonic() + _PATIENCE
        while not _answers(url):
            if time.monotonic() > deadline or process.poll() is not None:
                sys.exit("the page was never served")
            time.sleep(0.05)
        yield url, process
    finally:
        process.terminate()
        process.wait(20)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


if __name__ == "__main__":
    main()
