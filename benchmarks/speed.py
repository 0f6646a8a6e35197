"""How long a person waits, each wait beside what it could not be shorter than.

    python -m benchmarks.speed [--runs 5] [--only cold warm]

Processes are started anew for every run, in an empty folder, with nothing of this shell's settings,
keyless. CPU seconds are given beside the clock's: on a busy machine they are what can be compared.
"""

from __future__ import annotations

import argparse
import compileall
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assistant.api import Assistant
from assistant.index.embedding import MiniLM
from assistant.settings import load_settings

__all__ = ["main"]

_ROOT = Path(__file__).parents[1]
_QUESTIONS = Path(__file__).parent / "questions.txt"
_QUESTION = "which papers study KV caches?"
_WARM_UP = 5
_GIVE_UP = 120.0

_MODEL_ALONE = """
from assistant.index.embedding import MiniLM
MiniLM().embed(["which papers study KV caches?"])
"""
_EMBEDDING_ALONE = """
from assistant.index.embedding import MiniLM
from benchmarks.collections import seeds
MiniLM().embed([paper.indexed_text for paper in seeds()])
"""
_GRADIO_ALONE = """
import os, sys
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
import gradio
page = gradio.ChatInterface(lambda message, history: message, analytics_enabled=False)
page.launch(server_port=int(sys.argv[1]), quiet=True)
"""


@dataclass
class Timing:
    """What was measured, one entry a run.

    Args:
        wall: seconds by the clock.
        cpu: seconds of processor time; empty where it tells nothing.
    """

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        """Return two table cells: the medians."""
        cpu = f"{statistics.median(self.cpu):.2f} s" if self.cpu else "–"
        return f"{statistics.median(self.wall):.2f} s | {cpu}"


def main() -> None:
    """Measure and print one table."""
    measured = {"import": _import, "cold": _cold, "first": _first, "warm": _warm, "chat": _chat}
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="runs a row; chat and first use take 3")
    parser.add_argument("--only", nargs="+", choices=measured, default=list(measured))
    given = parser.parse_args()
    # As set-up leaves it, whatever PYTHONDONTWRITEBYTECODE says.
    compileall.compile_dir(str(_ROOT / "assistant"), quiet=2)
    print(_machine())
    print("\n| wait | clock | CPU | floor | clock | CPU |")
    print("| :--- | ---: | ---: | :--- | ---: | ---: |")
    for name in given.only:
        print(measured[name](given.runs), flush=True)
    print(f"\n{_machine()}")


def _import(runs: int) -> str:
    code = "from assistant import ask"
    loaded = [_modules(code), _modules("pass")]
    with _place() as place:
        own = place.timed([sys.executable, "-c", code], 2 * runs)
        floor = place.timed([sys.executable, "-c", "pass"], 2 * runs)
    return (
        f"| `from assistant import ask` ({loaded[0]} modules) | {own} "
        f"| `python -c pass` ({loaded[1]} modules) | {floor} |"
    )


def _cold(runs: int) -> str:
    with _place() as place:
        ask = [*_assistant(place.data), "ask", _QUESTION]
        place.run(ask)
        own = place.timed(ask, runs)
        floor = place.timed([sys.executable, "-c", _MODEL_ALONE], runs)
    return f"| `assistant ask` in a new process | {own} | the model alone, one text | {floor} |"


def _first(runs: int) -> str:
    own, floor = Timing(), Timing()
    for _ in range(min(runs, 3)):
        with _place() as place:
            once = place.timed([*_assistant(place.data), "ask", _QUESTION], 1)
            alone = place.timed([sys.executable, "-c", _EMBEDDING_ALONE], 1)
        for total, one in ((own, once), (floor, alone)):
            total.wall += one.wall
            total.cpu += one.cpu
    return f"| first use: 38 papers indexed, one answer | {own} | embedding the 38 once | {floor} |"


def _warm(_: int) -> str:
    questions = [line for line in _QUESTIONS.read_text(encoding="utf-8").splitlines() if line]
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(data_dir=Path(folder), model="none", embedder="minilm")
        with Assistant(settings) as assistant:
            own = _each(questions, assistant.ask)
        model = MiniLM()
        floor = _each(questions, lambda question: model.embed([question]))
    return (
        f"| `Assistant.ask`, {len(questions) - _WARM_UP} questions, p50 / p95 | {own} "
        f"| embedding the question | {floor} |"
    )


def _chat(runs: int) -> str:
    with _place() as place:
        place.run([*_assistant(place.data), "ask", _QUESTION])
        chat = [*_assistant(place.data), "chat", "--port"]
        bare = [sys.executable, "-c", _GRADIO_ALONE]
        own = Timing([place.serving(chat) for _ in range(min(runs, 3))])
        floor = Timing([place.serving(bare) for _ in range(min(runs, 3))])
    return f"| `assistant chat` until the page is served | {own} | a bare Gradio chat | {floor} |"


def _each(questions: list[str], ask: Callable[[str], object]) -> str:
    for question in questions[:_WARM_UP]:
        ask(question)
    wall, cpu = [], []
    for question in questions[_WARM_UP:]:
        begun, work = time.perf_counter(), time.process_time()
        ask(question)
        cpu.append((time.process_time() - work) * 1_000)
        wall.append((time.perf_counter() - begun) * 1_000)
    return " | ".join("{:.0f} / {:.0f} ms".format(*np.percentile(v, [50, 95])) for v in (wall, cpu))


@dataclass(frozen=True)
class _Place:
    """An empty folder to start processes in.

    Args:
        folder: where they run.
        data: where they keep their index.
    """

    folder: Path
    data: Path

    def run(self, command: list[str]) -> None:
        subprocess.run(
            command, cwd=self.folder, env=_environment(), check=True, stdout=subprocess.DEVNULL
        )

    def timed(self, command: list[str], runs: int) -> Timing:
        timing = Timing()
        for _ in range(runs):
            begun, work = time.perf_counter(), _cpu_of_children()
            self.run(command)
            timing.wall.append(time.perf_counter() - begun)
            timing.cpu.append(_cpu_of_children() - work)
        return timing

    def serving(self, command: list[str]) -> float:
        """Start a server, wait until its page is there, stop it.

        Args:
            command: to which a free port is added.

        Returns:
            Seconds until the page was there.
        """
        port = _free_port()
        begun = time.perf_counter()
        with subprocess.Popen(
            [*command, str(port)], cwd=self.folder, env=_environment(), stdout=subprocess.DEVNULL
        ) as process:
            try:
                while not _serves(port):
                    if process.poll() is not None or time.perf_counter() - begun > _GIVE_UP:
                        sys.exit(f"{command[0]} serves nothing on port {port}")
                    time.sleep(0.02)
                return time.perf_counter() - begun
            finally:
                process.kill()


@contextmanager
def _place() -> Iterator[_Place]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "here").mkdir()
        yield _Place(folder / "here", folder / "data")


def _assistant(data: Path) -> list[str]:
    return [sys.executable, "-m", "assistant", "--data-dir", str(data)]


def _environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ASSISTANT_", "OPENAI_", "CHROMA_"))
    }
    return kept | {"ASSISTANT_MODEL": "none", "PYTHONPATH": str(_ROOT)}


def _modules(code: str) -> int:
    counted = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(len(sys.modules))"],
        cwd=_ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return int(counted.stdout)


def _cpu_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _serves(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def _machine() -> str:
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{os.cpu_count()} cores, Python {platform.python_version()}{load}"


if __name__ == "__main__":
    main()
