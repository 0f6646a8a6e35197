from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import IndexDamagedError
from assistant.index import counting
from assistant.index.counting import Counts
from assistant.index.lexical import LexicalIndex
from assistant.index.surfaces import surfaces
from assistant.index.terms import query_terms

TEXTS = st.lists(
    st.sampled_from(
        [
            "Sparse Autoencoders (SAEs) extract features.",
            "An SAE is sparse; its L0 matters.",
            "KV-caches of 3 $\\times$ 4 agents, RelayCaching.",
            "map the map (MAP) of maps",
            "",
            "the of and",
            "知识图谱 http://example.com/a\u0085b",
        ]
    ),
    max_size=7,
)
FILES = ("terms.txt", "spelling.txt", "acronyms.tsv")
ARRAYS = ("words-starts", "words-rows", "words-scores", "pairs", "pairs-rows", "pairs-scores")


def saved(folder: Path, texts: list[str], earlier: Counts | None = None) -> dict[str, bytes]:
    LexicalIndex.build(texts, earlier=earlier).save(folder)
    names = [*FILES, *(f"{name}.npy" for name in (*ARRAYS, "spelling"))]
    return {name: (folder / name).read_bytes() for name in names}


@given(TEXTS, TEXTS)
def test_what_was_counted_before_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], after: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("counted")
    saved(folder / "before", before)
    taken_over = saved(folder / "over", after, Counts.load(folder / "before"))
    assert taken_over == saved(folder / "anew", after)


def test_only_new_texts_are_taken_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"Abstract {n} on KV caches" for n in range(20)]
    saved(tmp_path, texts)
    cut: list[str] = []

    def noting(text: str) -> list[str]:
        cut.append(text)
        return surfaces(text)

    monkeypatch.setattr(counting, "surfaces", noting)
    index = LexicalIndex.build([*texts[3:], "one quantum"], earlier=Counts.load(tmp_path))
    assert cut == ["one quantum"]
    assert index.scores(query_terms("quantum")).argmax() == 17


def test_terms_of_removed_texts_are_gone(tmp_path: Path) -> None:
    saved(tmp_path, ["quantum computing", "video models"])
    index = LexicalIndex.build(["video models"], earlier=Counts.load(tmp_path))
    assert index.document_frequency("quantum") == 0
    assert index.correct("quantun") is None


def test_equal_texts_are_counted_once_and_score_alike() -> None:
    counts = Counts.of(["same text", "same text", "another"])
    assert np.array_equal(counts.documents.ends, [2, 4, 5])
    assert len(set(counts.keys.tolist())) == 2


@pytest.mark.parametrize("name", ["counted.json", "counted.npz"])
def test_damage_is_said(tmp_path: Path, name: str) -> None:
    saved(tmp_path, ["a text"])
    (tmp_path / name).write_bytes(b"no")
    with pytest.raises(IndexDamagedError, match="cannot be read"):
        Counts.load(tmp_path)


def test_parts_that_do_not_fit_are_said(tmp_path: Path) -> None:
    saved(tmp_path, ["a text"])
    lists = json.loads((tmp_path / "counted.json").read_text())
    (tmp_path / "counted.json").write_text(json.dumps([[*lists[0], "more"], *lists[1:]]))
    with pytest.raises(IndexDamagedError, match="does not fit"):
        Counts.load(tmp_path)
