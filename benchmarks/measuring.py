"""Time by the clock and by the processor, memory and disk: what the benchmarks of size tell."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Self

import numpy as np

from assistant.corpus.paper import Paper
from assistant.index.index import Index
from assistant.settings import load_settings
from benchmarks.collections import paper_of, test_data

__all__ = [
    "Clock",
    "assistant_command",
    "disk_mb",
    "index_in",
    "machine",
    "milliseconds",
    "questions",
    "stream",
]

_QUESTIONS = Path(__file__).parent / "questions.txt"
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4_096
_WARMING = 5
_SAMPLED_EVERY = 0.1


class Clock:
    """Measures what is done inside it, in this process and those it starts.

    Attributes:
        wall: seconds by the clock.
        cpu: seconds of processor time.
        peak_mb: the most memory held at once, mapped files included; 0 where it cannot be told.
    """

    def __enter__(self) -> Self:
        self.peak_mb = 0.0
        self._stop = threading.Event()
        self._watch = threading.Thread(target=self._sample, daemon=True)
        self._watch.start()
        self._begun, self._work = time.perf_counter(), _cpu()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall, self.cpu = time.perf_counter() - self._begun, _cpu() - self._work
        self._stop.set()
        self._watch.join()

    def _sample(self) -> None:
        while not self._stop.is_set():
            self.peak_mb = max(self.peak_mb, sum(map(_resident_mb, _family(os.getpid()))))
            self._stop.wait(_SAMPLED_EVERY)


def stream(limit: int | None = None) -> Iterator[Paper]:
    """Read the large set of public abstracts, one at a time.

    Args:
        limit: how many; None: all.
    """
    with gzip.open(test_data() / "abstracts.jsonl.gz", "rt", encoding="utf-8") as file:
        for read, line in enumerate(file):
            if read == limit:
                return
            yield paper_of(json.loads(line))


def index_in(folder: Path, embedder: object, collection: str = "benchmark") -> Index:
    """Return the index of a collection in a folder.

    Args:
        folder: the data folder.
        embedder: what makes its vectors.
        collection: its name.
    """
    settings = load_settings(data_dir=folder, collection=collection)
    return Index(settings, embedder)  # type: ignore[arg-type]


def questions() -> list[str]:
    """Return the questions that speed is measured with."""
    return [line for line in _QUESTIONS.read_text(encoding="utf-8").splitlines() if line]


def milliseconds(asked: Sequence[str], ask: Callable[[str], object]) -> tuple[str, str]:
    """Time questions, each asked once, the first few not counted.

    Args:
        asked: the questions.
        ask: answers one.

    Returns:
        Median and 95th percentile, by the clock and by the processor.
    """
    for question in asked[:_WARMING]:
        ask(question)
    wall, cpu = [], []
    for question in asked[_WARMING:]:
        begun, work = time.perf_counter(), time.process_time()
        ask(question)
        cpu.append((time.process_time() - work) * 1_000)
        wall.append((time.perf_counter() - begun) * 1_000)
    by_clock, by_processor = (
        "{:.1f} / {:.1f}".format(*np.percentile(times, [50, 95])) for times in (wall, cpu)
    )
    return by_clock, by_processor


def assistant_command(folder: Path, *words: str, collection: str = "benchmark") -> float:
    """Run a command of the assistant in a new process.

    Args:
        folder: the data folder.
        words: the command.
        collection: the collection's name.

    Returns:
        Seconds until it ended.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ASSISTANT_", "OPENAI_"))}
    begun = time.perf_counter()
    subprocess.run(
        [
            *(sys.executable, "-m", "assistant", "--data-dir", str(folder)),
            *("--collection", collection, *words),
        ],
        cwd=Path(__file__).parents[1],
        env=kept | {"ASSISTANT_MODEL": "none"},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - begun


def disk_mb(folder: Path) -> float:
    """Add up a folder's files, each counted once however many names it has.

    Args:
        folder: the folder.
    """
    sizes = {}
    for path in folder.rglob("*"):
        if path.is_file():
            found = path.stat()
            sizes[found.st_ino] = found.st_size
    return sum(sizes.values()) / 1e6


def machine() -> str:
    """Describe the machine and how busy it is."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{os.cpu_count()} cores, Python {sys.version.split()[0]}{load}"


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _family(process: int) -> list[int]:
    found = [process]
    try:
        for children in Path(f"/proc/{process}/task").glob("*/children"):
            for child in children.read_text().split():
                found += _family(int(child))
    except OSError:
        pass
    return found


def _resident_mb(process: int) -> float:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE / 1e6
    except (OSError, IndexError):
        return 0.0
