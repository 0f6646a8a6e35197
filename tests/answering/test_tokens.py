"""Counting tokens offline and what fits; TOK entries of the reported troubles."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering import tokens
from assistant.answering.tokens import count_message_tokens, count_tokens, fit, shortened
from assistant.errors import InputError

TABLE = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"


@pytest.fixture(autouse=True)
def _no_table_is_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "none"))
    tokens._encoding.cache_clear()
    yield
    tokens._encoding.cache_clear()


def turns(count: int, words: int = 200) -> list[dict[str, str]]:
    roles = ["user", "assistant"]
    return [
        {"role": roles[at % 2], "content": f"turn {at} " + "word " * words} for at in range(count)
    ]


@pytest.mark.parametrize("mark", ["<|endoftext|>", "<|im_start|>", "<|endofprompt|>"])
def test_control_marks_are_plain_text(mark: str) -> None:
    # TOK-01
    assert count_tokens(f"a paper on {mark} tokens") > count_tokens("a paper on tokens") + 2
    assert shortened(f"About {mark}. More.", 100) == f"About {mark}. More."


@pytest.mark.parametrize("model", ["qwen3:8b", "my-org/finetune-7", "gpt-99", "", None])
def test_unknown_models_count_with_a_margin(model: str | None) -> None:
    # TOK-02
    text = "word " * 100
    assert (
        count_tokens(text, "gpt-4") < count_tokens(text, model) <= 1.2 * count_tokens(text, "gpt-4")
    )


@pytest.mark.parametrize("text", ["", "\ud800", "a" * 50_000, "\x00", "日本語のテキスト"])
def test_any_text_can_be_counted(text: str) -> None:
    assert (count_tokens(text) > 0) == bool(text)


def test_no_table_is_fetched() -> None:
    # The network guard of these tests would fail the test: o200k is not on this machine.
    assert count_tokens("a few words", "openai:gpt-4o") > 0


def cached_table(folder: Path, *, broken: bool) -> Path:
    package = find_spec("tiktoken_ext")
    assert package is not None
    offline = next(
        path
        for base in package.submodule_search_locations or ()
        for path in Path(base, "data").glob("cl100k*")
    )
    folder.mkdir()
    table = folder / TABLE
    table.write_bytes(offline.read_bytes()[: -10 if broken else None])
    return table


def test_a_table_that_is_there_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cached_table(tmp_path / "cache", broken=False)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    encoding, margin = tokens._encoding("gpt-4")
    assert (encoding.name, margin) == ("cl100k_base", 1.0)


def test_a_broken_table_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = cached_table(tmp_path / "cache", broken=True)
    before = hashlib.sha256(table.read_bytes()).hexdigest()
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    assert count_tokens("a few words", "gpt-4") > 0
    assert hashlib.sha256(table.read_bytes()).hexdigest() == before


def test_sixty_turns_fit() -> None:
    # TOK-03
    history = turns(60)
    source = "The method halves memory. " * 30
    fitted = fit(
        fixed="rules and question", sources=[source, source], history=history, budget=3_000
    )
    assert fitted.sources == (source, source)
    assert 0 < len(fitted.history) < 60
    assert fitted.history == tuple(history[-len(fitted.history) :])
    assert fitted.history[0]["role"] == "user"
    assert fitted.dropped_turns == 60 - len(fitted.history)
    used = count_message_tokens(fitted.history) + sum(map(count_tokens, fitted.sources))
    assert used < 3_000


def test_sources_go_before_turns_and_the_least_relevant_goes_first() -> None:
    sources = [f"Source {at} says so. " * 40 for at in range(4)]
    fitted = fit(fixed="q", sources=sources, history=turns(4), budget=500)
    assert fitted.sources == tuple(sources[: len(fitted.sources)])
    assert fitted.dropped_sources == 4 - len(fitted.sources) > 0
    assert fitted.history == ()


def test_a_single_source_that_is_too_long_is_shortened_at_a_sentence() -> None:
    source = "The method halves memory. " * 200
    fitted = fit(fixed="q", sources=[source], history=(), budget=400)
    assert len(fitted.sources) == 1
    assert fitted.sources[0].endswith("memory.")
    assert source.startswith(fitted.sources[0])


def test_a_question_that_cannot_fit_is_told_so() -> None:
    # TOK-04
    with pytest.raises(InputError, match="the question is too long"):
        fit(fixed="word " * 10_000, sources=["a"], history=(), budget=8_000)


@given(
    st.lists(st.text(max_size=300), max_size=6),
    st.lists(st.sampled_from(["a word ", "日本 ", "x" * 40]).map(lambda t: t * 9), max_size=6),
    st.integers(200, 2_000),
)
def test_what_fits_is_within_the_budget(sources: list[str], said: list[str], budget: int) -> None:
    history = [
        {"role": "user" if at % 2 == 0 else "assistant", "content": text}
        for at, text in enumerate(said)
    ]
    fitted = fit(fixed="question", sources=sources, history=history, budget=budget, around=12)
    used = count_tokens("question") + count_message_tokens(fitted.history)
    used += sum(count_tokens(text) + 12 for text in fitted.sources)
    assert used <= budget
    assert len(fitted.sources) + fitted.dropped_sources == len(sources)
