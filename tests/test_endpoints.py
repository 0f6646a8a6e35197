from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.endpoints import openai_base_url
from assistant.errors import SettingsError


@pytest.mark.parametrize(
    ("raw", "address"),
    [
        ("http://h:9", "http://h:9/v1"),
        ("http://h:9/", "http://h:9/v1"),
        ("http://h:9/v1", "http://h:9/v1"),
        (" http://h:9/v1/ ", "http://h:9/v1"),
        ("http://h:9//v1//", "http://h:9/v1"),
        ("https://h/api", "https://h/api/v1"),
        ("https://h/api/v1/", "https://h/api/v1"),
        ("https://h/v1beta/openai/", "https://h/v1beta/openai"),
        ("http://h:9/v1/chat/completions", "http://h:9/v1"),
        ("http://h:9/v1/embeddings/", "http://h:9/v1"),
        ("https://h/v1/chat/", "https://h/v1"),
        ("https://h/v1/chat//completions/", "https://h/v1"),
        ("http://user:word@h:9", "http://user:word@h:9/v1"),
        ("http://[::1]:9", "http://[::1]:9/v1"),
        ("https://h/v1?version=3", "https://h/v1?version=3"),
    ],
)
def test_every_way_of_writing_an_address(raw: str, address: str) -> None:
    assert openai_base_url(raw) == address
    assert openai_base_url(address) == address


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        ("localhost:11434", "http://localhost:11434"),
        ("localhost:11434/v1/chat/completions", "http://localhost:11434/v1/chat/completions"),
        ("10.0.0.1:80", "http://10.0.0.1:80"),
        ("server:8000/v1", "http://server:8000/v1"),
        ("api.example.com/v1", "https://api.example.com/v1"),
        ("htps://api.example.com", "https://api.example.com"),
        ("http:/api.example.com", "https://api.example.com"),
        ('"http://h:9/v1"', "http://h:9/v1"),
        ("h/v1", "http://localhost:8080/v1"),
        ("ftp://h", "http://localhost:8080/v1"),
        ("http://", "http://localhost:8080/v1"),
        ("http://h:80a0/v1", "http://localhost:8080/v1"),
        ("http://h:99999", "http://localhost:8080/v1"),
        ("http://[::1", "http://localhost:8080/v1"),
        ("http://two words/v1", "http://localhost:8080/v1"),
        ("http://:8080/v1", "http://localhost:8080/v1"),
        ("", "http://localhost:8080/v1"),
        ("  ", "http://localhost:8080/v1"),
    ],
)
def test_what_is_no_address_is_named_with_what_was_meant(raw: str, meant: str) -> None:
    with pytest.raises(SettingsError) as caught:
        openai_base_url(raw)
    assert str(caught.value).startswith("OPENAI_BASE_URL cannot be used")
    assert str(caught.value).endswith(f"write it like {meant}")


@pytest.mark.parametrize(
    "raw", ["me:hunter2@h:9/v1", "sk-abcdefgh1234", "h:9/v1?key=sk-abcdefgh1234"]
)
def test_what_is_no_address_is_told_without_its_secrets(raw: str) -> None:
    with pytest.raises(SettingsError) as caught:
        openai_base_url(raw)
    assert "hunter2" not in str(caught.value)
    assert "sk-abcdefgh1234" not in str(caught.value)


@given(st.text(max_size=40))
def test_any_text_is_an_address_or_refused_in_one_line(raw: str) -> None:
    for start in ("", "http://", "https://h:"):
        with suppress(SettingsError):
            assert openai_base_url(start + raw).startswith("http")
