"""Indexes of a test on a Chroma server."""

from __future__ import annotations

import pytest

from assistant.index.shared import watching
from tests.chroma_server import ChromaServer


def use_server(server: ChromaServer, patch: pytest.MonkeyPatch) -> None:
    """Point the settings of this process and its children at a new database of a server."""
    patch.setenv("CHROMA_URL", server.url)
    patch.setenv("CHROMA_DATABASE", server.database())
    patch.setattr(watching, "LOOK_SECONDS", 0.0)
