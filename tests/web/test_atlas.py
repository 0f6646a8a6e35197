"""The map: topics stand apart, it is the same at every run, and it is kept by generation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assistant.api import Assistant
from assistant.corpus.paper import Paper
from assistant.settings import Settings
from assistant.web.atlas import MOST_POINTS, Atlas, drawn
from tests.web.stand_in import StandInShelf

WORDS = ("robot", "protein", "auction")


def clustered(per_topic: int) -> StandInShelf:
    """Papers on three things, whose vectors lie around three directions."""
    papers = [
        Paper(f"{word}-{n}", f"We study the {word} here, case {n}.", title=f"{word} study")
        for n in range(per_topic)
        for word in WORDS
    ]
    shelf = StandInShelf(papers)
    random = np.random.default_rng(1)
    vectors = np.eye(8)[np.arange(len(papers)) % 3] + random.normal(0, 0.05, (len(papers), 8))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    shelf.vectors = (vectors / lengths).astype(np.float32)
    return shelf


def test_topics_stand_apart_and_are_named_by_their_words() -> None:
    made = drawn(clustered(4))
    assert made["shown"] == made["held"] == 12
    assert made["complete"]
    topic_of = {point[3]: point[2] for point in made["points"]}
    for word in WORDS:
        own = {topic_of[f"{word}-{n}"] for n in range(4)}
        assert len(own) == 1
        assert made["topics"][own.pop()].split(", ")[0] == word
    places = {point[3]: np.array(point[:2]) for point in made["points"]}
    inside = np.linalg.norm(places["robot-0"] - places["robot-1"])
    across = np.linalg.norm(places["robot-0"] - places["protein-0"])
    assert inside < across / 3


def test_the_map_is_the_same_at_every_run() -> None:
    assert drawn(clustered(5)) == drawn(clustered(5))


def test_a_large_collection_is_sampled_and_says_so() -> None:
    made = drawn(clustered(MOST_POINTS // 3 + 10))
    assert made["held"] > MOST_POINTS
    assert made["shown"] == len(made["points"]) == MOST_POINTS


@pytest.mark.parametrize("held", [0, 1, 2])
def test_few_papers_make_a_small_map(held: int) -> None:
    made = drawn(StandInShelf([Paper(str(n), f"Abstract {n}.") for n in range(held)]))
    assert len(made["points"]) == (0 if held < 2 else held)
    assert all(0 <= place <= 1 for point in made["points"] for place in point[:2])


def test_the_map_is_kept_until_the_collection_changes(tmp_path: Path) -> None:
    shelf, atlas = clustered(4), Atlas(tmp_path)
    first = atlas.map(shelf)
    (kept,) = tmp_path.iterdir()
    kept.write_text(json.dumps({**json.loads(first), "topics": ["kept"]}))
    assert json.loads(atlas.map(shelf))["topics"] == ["kept"]
    shelf.generation = 2
    assert atlas.map(shelf) != first
    assert json.loads(atlas.map(shelf))["generation"] == 2
    kept.write_text("{broken")
    assert json.loads(atlas.map(shelf))["generation"] == 2


def test_a_map_without_all_vectors_is_not_kept(tmp_path: Path) -> None:
    class Half(StandInShelf):
        def vector(self, row: int) -> np.ndarray | None:
            return super().vector(row) if row % 2 else None

    papers = list(clustered(4).papers())
    made = json.loads(Atlas(tmp_path).map(Half(papers)))
    assert made["shown"] == 6
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def real(seeded_data_dir: Path) -> Iterator[Assistant]:
    with Assistant(Settings(data_dir=seeded_data_dir, model="none")) as assistant:
        yield assistant


def test_the_shipped_papers_have_topics_of_words(real: Assistant) -> None:
    made = drawn(real.snapshot())
    assert made["shown"] == 38
    labels = [label.split(", ") for label in made["topics"]]
    assert all(len(words) == 3 and all(word.isalpha() for word in words) for words in labels)
