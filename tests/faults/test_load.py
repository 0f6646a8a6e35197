"""Many people at one page for a moment; `python -m benchmarks.load` does it for minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.load import measure


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="ps is asked for the memory")
def test_everyone_gets_their_own_answers(tmp_path: Path) -> None:
    seen = measure(tmp_path, users=8, seconds=10)
    assert seen.errors == []
    assert seen.mixed == []
    assert seen.missed == []
    assert len(seen.waits) >= 8
    assert max(seen.memory) - seen.memory[0] < 300
