from __future__ import annotations

import pytest

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
        ("http://user:word@h:9", "http://user:word@h:9/v1"),
        ("http://[::1]:9", "http://[::1]:9/v1"),
        ("https://h/v1?version=3", "https://h/v1?version=3"),
    ],
)
def test_every_way_of_writing_an_address(raw: str, address: str) -> None:
    assert openai_base_url(raw) == address
    assert openai_base_url(address) == address


@pytest.mark.parametrize("raw", ["localhost:11434", "h/v1", "ftp://h", "http://", "", "  "])
def test_what_is_no_address_is_named(raw: str) -> None:
    with pytest.raises(SettingsError, match=r"OPENAI_BASE_URL .* http://localhost:8080/v1"):
        openai_base_url(raw)
