"""Which model is asked, and where it is served."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.answering.model_servers import DEFAULT_OPENAI_MODEL
from assistant.answering.models import (
    load_chat_model,
)
from assistant.errors import ModelError, SettingsError
from assistant.settings import Settings, load_settings
from tests.answering.conftest import MakeModel, ask
from tests.scripted_server import (
    DEFAULT_MODEL,
    ScriptedServer,
)


def test_without_key_and_address_there_is_no_model() -> None:
    assert load_chat_model(load_settings()) is None


@pytest.mark.parametrize("key", ["", "   "])
def test_a_blank_key_is_no_key(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # LLM-01
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert load_chat_model(load_settings()) is None
    with pytest.raises(SettingsError, match="OPENAI_API_KEY is not set"):
        load_chat_model(load_settings(model="openai:gpt-4o"))


def test_a_key_alone_turns_on_the_default() -> None:
    model = load_chat_model(load_settings(openai_api_key="sk-test"))
    assert model is not None
    assert model.name == f"openai:{DEFAULT_OPENAI_MODEL}"


def test_none_is_keyless_whatever_is_set(server: ScriptedServer) -> None:
    given = {"openai_api_key": "sk-test", "openai_base_url": server.url}
    assert load_chat_model(load_settings(model="None", **given)) is None


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("openai:gpt-4o", "openai:gpt-4o"),
        ("qwen3:8b", "openai:qwen3:8b"),
        ("my-org/finetune-7", "openai:my-org/finetune-7"),
        ("gpt-99", "openai:gpt-99"),
    ],
)
def test_names(wanted: str, name: str, make_model: MakeModel, server: ScriptedServer) -> None:
    # TOK-02: a name with a colon, a slash, or of a model nobody knows
    model = make_model(model=wanted)
    assert model.name == name
    assert ask(model)[0] == "Hello."
    assert server.chats[0].body["model"] == name.removeprefix("openai:")


@pytest.mark.parametrize("wanted", ["openai:", "anthropic: ", "openai", "Anthropic", "ollama"])
def test_a_provider_without_a_name_is_refused(wanted: str) -> None:
    with pytest.raises(SettingsError, match=r"ASSISTANT_MODEL=.* names no model"):
        load_chat_model(load_settings(model=wanted, openai_api_key="sk-test"))


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("antropic:claude-x", "anthropic:claude-x"),
        ("opanai:gpt-4o", "openai:gpt-4o"),
        ("OpenAI:gpt-4o", "openai:gpt-4o"),
        ("olama:llama3", "ollama:llama3"),
        ("mistral:m", "mistralai:m"),
    ],
)
def test_a_misspelt_provider_is_refused_where_openai_would_be_asked(
    wanted: str, meant: str
) -> None:
    with pytest.raises(SettingsError, match=f"ASSISTANT_MODEL={wanted}.*did you mean {meant}"):
        load_chat_model(load_settings(model=wanted, openai_api_key="sk-test"))
    # A server of one's own may call its models anything.
    assert load_chat_model(load_settings(model=wanted, openai_base_url="http://h/v1")) is not None


@pytest.mark.parametrize("wanted", ["ft:gpt-4o-mini:my-org::abc", "qwen3:8b", "gpt-99"])
def test_a_name_with_a_colon_is_a_name(wanted: str) -> None:
    model = load_chat_model(load_settings(model=wanted, openai_api_key="sk-test"))
    assert model is not None
    assert model.name == f"openai:{wanted}"


def test_a_model_of_nobody_says_all_that_may_be_meant() -> None:
    with pytest.raises(SettingsError) as caught:
        load_chat_model(load_settings(model="foo"))
    for step in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "provider:name", "ASSISTANT_MODEL=none"):
        assert step in str(caught.value)


@pytest.mark.parametrize(
    ("wanted", "install"),
    [
        ("anthropic:claude-x", "pip install 'ask-papers[anthropic]'"),
        ("ollama:llama3", "pip install 'ask-papers[ollama]'"),
        ("mistralai:m", "pip install langchain-mistralai"),
    ],
)
def test_a_missing_package_names_the_command(
    wanted: str, install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SettingsError) as caught:
        load_chat_model(load_settings(model=wanted))
    assert install in str(caught.value)


def test_a_missing_key_of_another_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY is not set"):
        load_chat_model(load_settings(model="anthropic:claude-x"))
    Path(".env").write_text("ANTHROPIC_API_KEY=sk-ant-x\n", encoding="utf-8")
    assert load_chat_model(load_settings(model="anthropic:claude-x")) is not None


@pytest.mark.parametrize("key", ["sk-téçt", "sk- test", "sk-\ntest"])
def test_a_key_with_a_stray_character(key: str) -> None:
    with pytest.raises(SettingsError, match="copy it anew") as caught:
        load_chat_model(load_settings(openai_api_key=key))
    assert key not in str(caught.value)


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_addresses(tail: str, server: ScriptedServer, make_model: MakeModel) -> None:
    # LLM-02
    assert ask(make_model(openai_base_url=server.origin + tail))[0] == "Hello."
    assert [request.path for request in server.requests] == ["/v1/chat/completions"]


def test_an_address_without_a_version_is_tried_too(
    make_settings: Callable[..., Settings],
) -> None:
    with ScriptedServer(prefix="/inference") as server:
        model = load_chat_model(make_settings(openai_base_url=server.url))
        assert model is not None
        assert ask(model)[0] == "Hello."
        assert ask(model)[0] == "Hello."
        paths = [request.path for request in server.requests]
        assert paths == ["/inference/v1/chat/completions", *["/inference/chat/completions"] * 2]


def test_a_wrong_address_is_named(server: ScriptedServer, make_model: MakeModel) -> None:
    with pytest.raises(ModelError) as caught:
        ask(make_model(openai_base_url=f"{server.origin}/api/v7"))
    assert f"{server.origin}/api/v7/chat/completions" in str(caught.value)
    assert "OPENAI_BASE_URL" in str(caught.value)


def test_a_keyless_server_needs_no_key(server: ScriptedServer, make_model: MakeModel) -> None:
    assert ask(make_model())[0] == "Hello."


def test_the_first_served_model_is_taken(
    server: ScriptedServer, make_settings: Callable[..., Settings]
) -> None:
    server.models = ["nomic-embed-text", "llama3.2:3b", "qwen3:8b"]
    model = load_chat_model(load_settings(openai_base_url=server.url))
    assert model is not None
    assert server.requests == []
    assert model.name == "openai:llama3.2:3b"
    assert ask(model)[0] == "Hello."
    assert sum(request.path == "/v1/models" for request in server.requests) == 1


def test_a_server_that_lists_no_model(server: ScriptedServer) -> None:
    server.models = []
    model = load_chat_model(load_settings(openai_base_url=server.url))
    assert model is not None
    with pytest.raises(ModelError, match="set ASSISTANT_MODEL"):
        _ = model.name


def test_a_server_without_a_list(server: ScriptedServer) -> None:
    model = load_chat_model(load_settings(openai_base_url=f"{server.origin}/other/v1"))
    assert model is not None
    with pytest.raises(ModelError, match="OPENAI_BASE_URL"):
        _ = model.name


def test_the_default_model_name() -> None:
    assert DEFAULT_MODEL != DEFAULT_OPENAI_MODEL
