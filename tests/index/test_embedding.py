from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from assistant.index import embedding
from assistant.index.embedding import MiniLM

LENGTHS = [3, 400, 1, 40, 90, 12, 250, 7, 60, 150, 2, 33]


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def texts() -> list[str]:
    """Texts of very different lengths, so that several batches are run, in another order."""
    words = "cache federated reward sparse kernel diffusion agent proof graph token".split()
    return [
        " ".join(words[(i + j) % len(words)] for j in range(length))
        for i, length in enumerate(LENGTHS)
    ]


def test_a_text_has_the_same_vector_in_any_company(model: MiniLM) -> None:
    together = model.embed(texts())
    alone = np.concatenate([model.embed([text]) for text in texts()])
    assert together.shape == (len(LENGTHS), 384)
    assert np.allclose(together, alone, atol=1e-5)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert len({row.tobytes() for row in np.round(together, 3)}) == len(LENGTHS)


def test_tokens_stand_where_they_say_and_pool_to_the_text(model: MiniLM) -> None:
    for text, found in zip(texts(), model.embed_tokens(texts()), strict=True):
        assert np.allclose(found.pooled, model.embed([text])[0], atol=1e-5)
        assert np.allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-5)
        assert len(found.vectors) == len(found.spans)
        start, end = found.spans[0].tolist()
        assert text.startswith(text[start:end])
        assert start == 0


def test_progress_counts_every_text_once(model: MiniLM) -> None:
    told: list[int] = []
    model.embed(texts(), told.append)
    assert told == sorted(set(told))
    assert told[-1] == len(LENGTHS)
    assert len(told) > 2


def test_no_text_is_no_vector(model: MiniLM) -> None:
    assert model.embed([]).shape == (0, 384)
    assert model.embed_tokens([]) == []


def test_a_process_loads_the_model_once_and_frees_it_with_its_last_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[weakref.ref[object]] = []
    loading = embedding._session

    def counted() -> object:
        session = loading()
        made.append(weakref.ref(session))
        return session

    # A table of its own: other tests hold the model already.
    monkeypatch.setattr(embedding, "_in_use", weakref.WeakValueDictionary())
    monkeypatch.setattr(embedding, "_session", counted)
    users = [MiniLM() for _ in range(8)]
    with ThreadPoolExecutor(len(users)) as pool:
        rows = list(pool.map(lambda user: user.embed(["a text"]), users))
    assert len(made) == 1
    assert all(np.array_equal(row, rows[0]) for row in rows)
    del users, pool
    gc.collect()
    assert made[0]() is None
    assert MiniLM().embed(["a text"]).shape == (1, 384)
    assert len(made) == 2
