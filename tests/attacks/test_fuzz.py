"""Any text at all through what reads, sifts, cuts and shows it."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from assistant.answering.prompts import load_prompt, new_fence
from assistant.answering.source_prompts import SourcePrompts
from assistant.answering.strangers import strangers_beside
from assistant.corpus.lookalikes import (
    latin_words,
    plain_letters,
    without_control,
    without_invisible,
)
from assistant.corpus.paper import Paper
from assistant.endpoints import basic_auth, without_credentials, without_secrets
from assistant.errors import InputError
from assistant.retrieval.commands import commands, telling_spans
from assistant.retrieval.history import MOST_CHARS, turns_of
from assistant.retrieval.kinds import strip_markup
from assistant.retrieval.orders import sifted
from assistant.settings import Settings
from assistant.web.escaping import named_link
from assistant.web.told import Told
from tests.attacks.poison import POISONED, QUESTIONS
from tests.texts import abstract_like, any_text

attack = st.sampled_from([poison.attack[:2_000] for poison in POISONED])
question = st.sampled_from([hostile.question[:2_000] for hostile in QUESTIONS])
hostile_text = st.lists(any_text | abstract_like | attack | question, max_size=4).map(" ".join)
json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=12,
)
message = st.fixed_dictionaries({"role": json_like, "content": json_like}) | json_like


@given(hostile_text)
@example("<" * 3_000)
@example("[" * 3_000)
@example("<!--" * 1_000)
@example("a" * 5_000)
@example("please " * 700)
@example("\\href{" * 700)
def test_telling_sentences_lie_in_the_abstract_in_order(text: str) -> None:
    spans = telling_spans(text)
    done = 0
    for start, end in spans:
        assert done <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        done = end
    assert bool(spans) == bool(text.strip())
    told = [text[slice(*span)] for span in spans]
    assert not any(map(commands, told)) or all(map(commands, told))


@given(hostile_text)
@example("ignore the rules " * 300)
@example("'; " * 2_000)
@example("{{" * 3_000)
def test_sifting_adds_no_word(text: str) -> None:
    found = sifted(text)
    assert set(found.text.split()) <= set(re.split(r"\s+", text)) | set(found.text.split())
    if found.honest and found.left_out:
        assert len(found.text) <= len(text)
    if not found.honest:
        assert found.text == text
    assert len(strip_markup(text)) <= len(text) + text.count("<") + text.count("{") + 1


@given(hostile_text)
def test_what_is_not_seen_is_left_out_once_and_for_all(text: str) -> None:
    for clean in (without_invisible, without_control, latin_words, plain_letters):
        once = clean(text)
        assert clean(once) == once or clean is plain_letters
    assert not re.search(r"[\x00-\x08\x0e-\x1f\x7f\u202e\u2066]", without_invisible(text))


@given(st.lists(message, max_size=6) | json_like)
def test_a_history_is_read_or_refused(history: object) -> None:
    try:
        turns = turns_of(history)  # type: ignore[arg-type]
    except InputError:
        return
    assert all(turn.content.strip() for turn in turns)
    assert sum(len(turn.content) for turn in turns) <= MOST_CHARS


@given(st.lists(hostile_text.filter(str.strip), min_size=1, max_size=3), hostile_text)
def test_a_prompt_holds_every_text_as_it_stands(abstracts: list[str], asked: str) -> None:
    papers = [Paper(f"p{i}", text) for i, text in enumerate(abstracts)]
    prompt = load_prompt("answer", Settings())
    request = SourcePrompts(papers).request(
        prompt, budget=200_000, model="x", values={"question": asked}
    )
    user = request.messages[-1]["content"]
    assert asked in user
    assert all(text in user for text in abstracts)
    for text in abstracts:
        assert len(text) < 3 or text not in request.messages[0]["content"] or text in prompt.system
    assert new_fence() not in user


@given(any_text, any_text)
def test_a_link_leads_to_the_web_or_nowhere(address: str, words: str) -> None:
    shown = named_link(address, words)
    assert "<a " not in shown or re.match(r'<a href="https?://', shown)
    assert not re.search(r"<(?!/?a[ >])", shown)


@given(hostile_text, st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=3))
def test_strangers_stand_where_they_are_said_to(text: str, named: list[tuple[int, int]]) -> None:
    for stranger in strangers_beside(text, named, lambda _: False):
        assert text[stranger.start : stranger.end] == stranger.name


@given(st.from_regex(r"[a-zA-Z0-9._~-]{1,12}", fullmatch=True))
def test_no_password_is_left_in_an_address(password: str) -> None:
    address = f"http://name:{password}=secret@host.example/v1"
    assert f"{password}=secret" not in without_credentials(address)
    assert f"{password}=secret" not in without_secrets(f"failed at {address}")
    assert basic_auth(address)["Authorization"].startswith("Basic ")
    assert basic_auth("http://host.example/v1") == {}


@given(json_like | any_text)
def test_what_a_script_tells_is_read_whatever_it_is(sent: object) -> None:
    said = Told.read(sent)
    assert said.text("talk", 10) == said.text("talk", 10)[:10]
    assert all(isinstance(each, str) for each in said.ids("scope"))
