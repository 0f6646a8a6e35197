"""An index in a folder of its own, with an embedder that costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.index.index import Index
from tests.index.stand_in import StandIn, settings_in


@pytest.fixture
def embedder() -> StandIn:
    return StandIn()


@pytest.fixture
def index(tmp_path: Path, embedder: StandIn) -> Iterator[Index]:
    with Index(settings_in(tmp_path), embedder) as opened:
        yield opened
