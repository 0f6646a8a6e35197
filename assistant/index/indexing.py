"""The lexical index of a generation's papers, made here or in a process of its own.

Taking texts apart keeps one processor busy for as long as it lasts, and Python lets one thread run
at a time: a second process does it while this one embeds and fills Chroma.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from assistant.corpus.paper import Paper
from assistant.errors import IndexDamagedError
from assistant.index.counting import Counts
from assistant.index.lexical import LexicalIndex

__all__ = ["Indexing", "index_papers"]


def index_papers(papers: Path, folder: Path, earlier: Path | None) -> None:
    """Make the lexical index of a generation's papers.

    Args:
        papers: the generation's file of papers.
        folder: where the index goes.
        earlier: the folder of an earlier one: texts it knows are not taken apart again.
    """
    counts = None
    if earlier is not None:
        # Whatever is wrong with it, the texts themselves are all that is needed.
        with suppress(IndexDamagedError):
            counts = Counts.load(earlier)
    LexicalIndex.build(_texts(papers), earlier=counts).save(folder)


class Indexing:
    """A process that makes the lexical index of a generation's papers.

    It ends when this one does, however that ends.

    Args:
        papers: the generation's file of papers.
        folder: where the index goes, there and whole when the process has ended well.
        earlier: the folder of an earlier index, see `index_papers`.
    """

    def __init__(self, papers: Path, folder: Path, earlier: Path | None) -> None:
        self._made = (papers, folder, earlier)
        self._finished = False
        # What this process can import, that one can: it need not be installed.
        places = os.pathsep.join(place for place in sys.path if place)
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-P", "-m", __name__, *map(str, (papers, folder, earlier or ""))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": places},
        )

    @staticmethod
    def possible() -> bool:
        """Tell whether another Python process can be started from here."""
        return bool(sys.executable) and not getattr(sys, "frozen", False)

    def ready(self) -> bool:
        """Tell whether `finish` need not wait."""
        return self._finished or self._process.poll() is not None

    def finish(self) -> Path:
        """Wait for the index; where the process failed it is made here, and says why it fails.

        Returns:
            Its folder.
        """
        if not self._finished and self._process.wait() != 0:
            papers, folder, earlier = self._made
            shutil.rmtree(folder, ignore_errors=True)
            index_papers(papers, folder, earlier)
        self._finished = True
        return self._made[1]

    def close(self) -> None:
        """End the process, whether or not the index is there."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()


def _texts(papers: Path) -> Iterator[str]:
    # Immutable: the file is never written again.
    link = sqlite3.connect(f"{papers.resolve().as_uri()}?immutable=1", uri=True)
    try:
        for (record,) in link.execute("SELECT record FROM records ORDER BY row"):
            yield Paper.from_dict(json.loads(record)).indexed_text
    finally:
        link.close()


def _end_with_parent() -> None:
    # The pipe is closed when the process that started this one is gone.
    sys.stdin.buffer.read()
    os._exit(1)


def main() -> None:
    """Make the index that the command line names."""
    papers, folder, earlier = sys.argv[1:]
    threading.Thread(target=_end_with_parent, daemon=True).start()
    index_papers(Path(papers), Path(folder), Path(earlier) if earlier else None)
    # Not through the interpreter's end: it would wait for the thread that reads.
    os._exit(0)


if __name__ == "__main__":
    main()
