"""Collections as they are in the world; skipped where there are none on this machine."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

from assistant.corpus.paper import Paper
from assistant.corpus.reading import read_paths, read_records
from assistant.resources import seeds_dir

ROOT = Path(__file__).parent.parent.parent


def test_a_conference_export_is_read_whole(test_data: Path) -> None:
    found = read_paths([test_data / "openreview" / "colm2025.json"])
    assert found.skipped == ()
    assert len(found.papers) == len({paper.id for paper in found.papers}) == 418
    assert all(paper.title and paper.authors and paper.keywords for paper in found.papers)
    assert {paper.year for paper in found.papers} == {2025}
    assert Counter(paper.venue for paper in found.papers).most_common(1)[0][1] > 400
    assert all(paper.url == f"https://openreview.net/forum?id={paper.id}" for paper in found.papers)
    first = found.papers[0]
    assert first.id == "0JzWiigkUy"
    assert first.authors[:2] == ("Yixiao Song", "Katherine Thai")
    assert first.keywords == ("computer-use agent", "benchmark", "multimodal")


def test_a_large_collection_is_read_in_little_memory(test_data: Path) -> None:
    code = """
import resource, sys
from assistant.corpus.reading import read_records
from assistant.corpus.paper import Paper
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
count, ordinal = 0, 0
for record in read_records(sys.argv[1:]):
    assert isinstance(record, Paper) and record.title and record.venue, record
    count, ordinal = count + 1, ordinal + 1
    assert record.source.ordinal == ordinal
print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    result = subprocess.run(
        [sys.executable, "-c", code, str(test_data / "abstracts.jsonl.gz")],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert result.returncode == 0, result.stderr
    count, mebibytes = map(int, result.stdout.split())
    assert count == 87_413
    # The texts are 120 MB; what is kept is an id and a hash of each.
    assert mebibytes < 60


def test_papers_with_and_without_metadata_go_together(test_data: Path, tmp_path: Path) -> None:
    records = read_records([seeds_dir(), test_data / "abstracts.jsonl.gz"])
    papers = [record for record, _ in zip(records, range(100), strict=False)]
    assert all(isinstance(paper, Paper) for paper in papers)
    texts = [
        value
        for paper in papers
        if isinstance(paper, Paper)
        for value in (paper.title, paper.venue, paper.url)
    ]
    assert None in texts
    assert "None" not in texts
