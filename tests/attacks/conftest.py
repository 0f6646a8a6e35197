"""One collection of the papers that ship and every poisoned one, and a model that obeys."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.answering import model_servers
from assistant.api import Assistant
from assistant.settings import Settings
from tests.attacks.poison import POISONED


@pytest.fixture(scope="session")
def poisoned_dir(seed_index_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the papers that ship and all poisoned ones; copy it before changing it."""
    folder = shutil.copytree(seed_index_dir, tmp_path_factory.mktemp("poisoned") / "data")
    with Assistant(Settings(data_dir=folder, model="none")) as assistant:
        assistant.add([poison.paper for poison in POISONED], source="poison")
    return folder


@pytest.fixture(scope="session")
def poisoned(poisoned_dir: Path) -> Iterator[Assistant]:
    """A keyless assistant over it."""
    with Assistant(Settings(data_dir=poisoned_dir, model="none")) as assistant:
        yield assistant


@pytest.fixture(autouse=True)
def _nothing_known_of_servers() -> None:
    model_servers.forget()
