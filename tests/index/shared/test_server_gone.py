"""A server that stops, hangs or starts again while it is asked or written to."""

from __future__ import annotations

import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from assistant.corpus.paper import Paper
from assistant.errors import ServerError
from assistant.index.index import Index
from assistant.index.shared import watching
from tests.chroma_server import ChromaServer
from tests.index.stand_in import StandIn, settings_in, some_papers


def rows(index: Index) -> list[Paper]:
    return list(index.snapshot().papers())


class TestServerGone:
    def test_the_copy_answers_and_says_how_old_it_is(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(watching, "LOOK_SECONDS", 0.0)
        with ChromaServer(tmp_path / "chroma") as server:
            monkeypatch.setenv("CHROMA_URL", server.url)
            one = Index(settings_in(tmp_path / "one"), StandIn())
            one.sync(some_papers(5), source="a")
            self.held(server, one, monkeypatch)
            server.stop()
            assert len(rows(one)) == 5
            (notice,) = one.notices
            assert notice.startswith("this is the state of 20")
            assert server.url in notice
            assert len(one.check()) == 1
            with pytest.raises(ServerError, match=r"cannot be reached.*see that the Chroma server"):
                Index(settings_in(tmp_path / "new"), StandIn()).snapshot()
            server.start()
            assert len(rows(one)) == 5
            assert one.notices == []
            one.close()

    @staticmethod
    def held(server: ChromaServer, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        """A server that takes calls and does not answer them."""
        if sys.platform == "win32" or server.process is None:
            return
        with monkeypatch.context() as patch:
            patch.setattr(watching, "PATIENCE", 0.3)
            server.process.send_signal(signal.SIGSTOP)
            try:
                begun = time.monotonic()
                assert len(rows(index)) == 5
                assert index.mismatch is None
                assert time.monotonic() - begun < 5
                (notice,) = index.notices
                assert "is slow, or has much that is new" in notice
            finally:
                server.process.send_signal(signal.SIGCONT)
        index.shared._watch.close()  # type: ignore[union-attr]
        assert len(rows(index)) == 5
        assert index.notices == []

    def test_a_server_that_starts_again_during_a_sync_is_waited_for(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ChromaServer(tmp_path / "chroma") as server:
            monkeypatch.setenv("CHROMA_URL", server.url)
            told: list[str] = []

            def restart(stage: str, done: int, total: int) -> None:
                if stage == "storing" and "storing" not in told:
                    server.stop()
                    threading.Timer(1.0, server.start).start()
                told.append(stage)

            one = Index(settings_in(tmp_path / "one"), StandIn())
            assert one.sync(some_papers(40), source="a", progress=restart).added == 40
            assert "storing" in told
            assert one.check(deep=True) == []
            one.close()
