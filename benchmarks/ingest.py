"""How long a collection takes to be searchable: against the embedder alone, and at full size.

    python -m benchmarks.ingest [--only sample large] [--sample 2000] [--size 87413]

`sample` embeds with the local model, half of the same texts before and half after by the model
alone. `large` has a stand-in draw the vectors, so that all else is what takes time; then comes the
same file once more, and one more paper.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from assistant.corpus.chunking import embedded_text, passages
from assistant.corpus.paper import Paper
from assistant.index.embedders import LocalEmbedder
from assistant.index.embedding import MiniLM
from assistant.index.fingerprint import Recipe
from assistant.index.index import Index
from assistant.index.mark import current_folder, read_mark
from benchmarks.drawn import DrawnEmbedder
from benchmarks.measuring import Clock, assistant_command, disk_mb, index_in, machine, stream
from benchmarks.tables import table

__all__ = ["main"]

_ALL = 87_413
_QUESTION = "which papers study KV caches?"
_NEW = Paper(
    id="one-more", title="One more", abstract="One more abstract, on KV caches that nobody shares."
)
_OPENED = 3


def main() -> None:
    """Measure and print a table for each part."""
    parts = {"sample": _sample, "large": _large}
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=parts, default=list(parts))
    parser.add_argument("--sample", type=int, default=2_000, help="papers for the local model")
    parser.add_argument("--size", type=int, default=_ALL, help="papers for the stand-in")
    given = parser.parse_args()
    for name in given.only:
        print(f"{machine()}\n")
        with tempfile.TemporaryDirectory() as folder:
            parts[name](Path(folder), given.sample if name == "sample" else given.size)
        print(f"\n{machine()}\n", flush=True)


def _sample(folder: Path, size: int) -> None:
    step = _ALL // size
    papers = [paper for place, paper in enumerate(stream()) if place % step == 0][:size]
    model = MiniLM()
    embedder = LocalEmbedder(model)
    window = Recipe.of(embedder).window
    texts = [
        embedded_text(paper, piece)
        for paper in papers
        for piece in passages(paper, count_tokens=model.count_tokens, window=window)
    ]
    half = len(texts) // 2
    with Clock() as before:
        model.embed(texts[:half])
    with index_in(folder, embedder) as index, Clock() as own:
        index.sync(papers, source="sample")
    with Clock() as after:
        model.embed(texts[half:])
    alone, work = before.wall + after.wall, before.cpu + after.cpu
    rows = [
        ["the model alone", f"{alone:.1f}", f"{work:.1f}", f"{size / alone:.1f}", ""],
        [
            "sync",
            *(f"{own.wall:.1f}", f"{own.cpu:.1f}", f"{size / own.wall:.1f}"),
            f"{alone / own.wall:.0%}",
        ],
    ]
    heads = [f"{size:,} abstracts, {len(texts):,} passages", "s", "CPU s", "abstracts/s", "share"]
    print(table(heads, rows))


def _large(folder: Path, size: int) -> None:
    rows = []
    with index_in(folder, DrawnEmbedder(size)) as index:
        for name, papers, source in (
            (f"first sync of {size:,}", lambda: stream(size), "a"),
            ("the same again", lambda: stream(size), "a"),
            ("one more paper, from a file of its own", lambda: [_NEW], "b"),
        ):
            rows.append(_synced(index, name, papers, source))
        print(
            table(
                ["", "s", "CPU s", "papers/s", "by words, s", "by vectors, s", "memory, MB"], rows
            )
        )
        passages_ = index.snapshot().mark.passages
    opened = min(assistant_command(folder, "search", _QUESTION) for _ in range(_OPENED))
    print(
        f"\n{passages_:,} passages, {disk_mb(folder):,.0f} MB on disk. A new process finds its "
        f"first papers after {opened:.2f} s (best of {_OPENED})."
    )


def _synced(
    index: Index, name: str, papers: Callable[[], Iterable[Paper]], source: str
) -> list[str]:
    published: dict[str, float] = {}
    ended = threading.Event()
    watching = threading.Thread(target=_watch, args=(index.folder, published, ended))
    watching.start()
    with Clock() as clock:
        report = index.sync(papers(), source=source)
    ended.set()
    watching.join()
    moved = report.added + report.changed + report.removed
    return [
        name,
        *(f"{clock.wall:.1f}", f"{clock.cpu:.1f}"),
        f"{report.papers / clock.wall:,.0f}" if moved > 1 else "",
        *(f"{published[what]:.1f}" if what in published else "" for what in ("words", "vectors")),
        f"{clock.peak_mb:,.0f}",
    ]


def _watch(folder: Path, published: dict[str, float], ended: threading.Event) -> None:
    """Note when a generation that holds the papers is there, and when one with all vectors is."""
    begun, before = time.perf_counter(), _current(folder)
    while True:
        last = ended.is_set()
        found = _current(folder)
        if found is not None and found != before:
            mark = read_mark(found)
            published.setdefault("words", time.perf_counter() - begun)
            if mark.vectors_ready == mark.papers:
                published.setdefault("vectors", time.perf_counter() - begun)
        if last:
            return
        ended.wait(0.05)


def _current(folder: Path) -> Path | None:
    return current_folder(folder) if folder.is_dir() else None


if __name__ == "__main__":
    main()
