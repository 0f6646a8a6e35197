"""An index in a folder of its own, or on a Chroma server, with an embedder that costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.index.index import Index
from tests.chroma_server import ChromaServer
from tests.index.servers import use_server
from tests.index.stand_in import StandIn, settings_in


@pytest.fixture
def embedder() -> StandIn:
    return StandIn()


@pytest.fixture
def index(tmp_path: Path, embedder: StandIn) -> Iterator[Index]:
    with Index(settings_in(tmp_path), embedder) as opened:
        yield opened


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    """One Chroma server for all tests; each that uses it has a database of its own there."""
    with ChromaServer(tmp_path_factory.mktemp("chroma")) as server:
        yield server


@pytest.fixture
def on_server(chroma_server: ChromaServer, monkeypatch: pytest.MonkeyPatch) -> ChromaServer:
    """Let every index of this test, in whatever process, be on the server."""
    use_server(chroma_server, monkeypatch)
    return chroma_server


@pytest.fixture(params=["local", "server"])
def place(request: pytest.FixtureRequest) -> str:
    """Run a test twice: on this machine's own index, and on a server's."""
    if request.param == "server":
        request.getfixturevalue("on_server")
    return str(request.param)
