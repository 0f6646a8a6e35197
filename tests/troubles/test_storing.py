"""The store's own limits: batches as large as it names, failures that lose nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.corpus.chunking import embedded_text, passages
from assistant.corpus.paper import Paper
from assistant.errors import AssistantError
from assistant.index.index import Index
from assistant.index.store import PassageStore, passage_id
from tests.index.stand_in import StandIn, settings_in, some_papers
from tests.index.test_store import entry


@pytest.mark.parametrize("limit", [1, 7, 50])
def test_batches_follow_the_limit_that_the_store_names(
    limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    with PassageStore(tmp_path / "s") as store:
        store._batch = limit
        add = type(store._open).add

        def counted(self: Any, ids: list[str], **given: Any) -> None:
            sizes.append(len(ids))
            add(self, ids, **given)

        monkeypatch.setattr(type(store._open), "add", counted)
        store.reconcile((entry(paper) for paper in some_papers(60)), lambda _: None)
        assert len(store) == 60
        assert len(store.vectors([passage_id(p.id, 0) for p in some_papers(60)])) == 60
    assert max(sizes) == limit
    assert sum(sizes) == 60


def test_the_limit_is_the_one_of_this_machine(tmp_path: Path) -> None:
    with PassageStore(tmp_path / "s") as store:
        assert store._client is not None
        assert store._batch == store._client.get_max_batch_size()


def test_a_batch_that_fails_is_told_and_the_next_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = StandIn()
    with Index(settings_in(tmp_path), embedder) as index:

        def failing(*_: Any, **__: Any) -> None:
            raise ValueError("batch too large")

        with monkeypatch.context() as patch:
            patch.setattr(PassageStore, "_write", failing)
            with pytest.raises((AssistantError, ValueError), match="batch too large"):
                index.sync(some_papers(30), source="a")
        made = len(embedder.embedded)
        assert index.sync(some_papers(30), source="a").papers == 30
        assert len(embedder.embedded) == made == 30, "what was embedded is not paid for again"
        assert index.check(deep=True) == []


@pytest.mark.parametrize("words", [150, 400, 5_000])
def test_a_title_longer_than_the_window_leaves_room_for_the_abstract(words: int) -> None:
    def count(text: str) -> int:
        return len(text.split())

    sentences = [f"Sentence {n} tells of quokkas." for n in range(60)]
    paper = Paper("p", " ".join(sentences), title="word " * words)
    pieces = passages(paper, count_tokens=count, window=128)
    assert "".join(piece.text for piece in pieces).replace(" ", "") == paper.abstract.replace(
        " ", ""
    )
    assert len(pieces) <= 12, "a title may not crowd the abstract out"
    assert all(count(embedded_text(paper, piece)) <= 128 for piece in pieces)
