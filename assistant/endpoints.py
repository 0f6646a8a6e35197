"""Addresses of OpenAI-compatible servers, written the way people write them."""

from __future__ import annotations

import re
from base64 import b64encode
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from assistant.errors import SettingsError

__all__ = ["basic_auth", "meant", "openai_base_url", "without_credentials", "without_secrets"]

_VERSION = re.compile(r"v\d+\w*", re.IGNORECASE)
_NO_HOST = re.compile(r"[\s\"'<>\\^`{|}]")
_USERINFO = re.compile(r"[^\s/@:'\"]+:[^\s/@'\"]+@")
_KEY_LIKE = re.compile(r"\b(?:sk|pk|gsk|xai|key|Bearer)[-_ ][\w*.-]{6,}", re.IGNORECASE)
_PASTED_ENDS = ("/completions", "/chat", "/embeddings", "/models", "/responses", "/messages")


def openai_base_url(raw: str) -> str:
    """Bring an address to the form the OpenAI client wants: no slash at the end, a version in it.

    Args:
        raw: what the person set, with or without `/v1`, a last slash, or a pasted call's path.

    Returns:
        The address up to its version, such as `http://localhost:8080/v1`.

    Raises:
        SettingsError: the address has no scheme or no host.
    """
    parts = _parts(raw.strip())
    if parts is None:
        raise SettingsError(
            f"OPENAI_BASE_URL cannot be used: {without_secrets(raw.strip())!r} is no address; "
            f"write it like {meant(raw, 'http://localhost:8080/v1')}"
        )
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    for end in _PASTED_ENDS:
        path = path.removesuffix(end).rstrip("/")
    # Gemini's compatible address carries its version in the middle: /v1beta/openai.
    if not any(_VERSION.fullmatch(piece) for piece in path.split("/")):
        path += "/v1"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def meant(raw: str, example: str) -> str:
    """Guess which address was meant by one that cannot be used: most often the scheme is missing.

    Args:
        raw: what the person set.
        example: what to give where nothing can be guessed.

    >>> meant("localhost:11434", "http://host"), meant("api.example.com/v1", "http://host")
    ('http://localhost:11434', 'https://api.example.com/v1')
    """
    bare = re.sub(r"^[a-z]*:?/+", "", raw.strip(" \t\r\n\"'"), flags=re.IGNORECASE)
    host = bare.partition("/")[0]
    local = re.match(r"localhost\b|\d+(?:\.\d+){3}\b|\[|[\w-]+:\d+$", host)
    guessed = f"{'http' if local else 'https'}://{bare}"
    if "@" in raw or not re.search(r"[.:]|^localhost$", host) or _parts(guessed) is None:
        return example
    return without_secrets(guessed)


def _parts(raw: str) -> SplitResult | None:
    try:
        parts = urlsplit(raw)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        # A port that is no number, or a bracket that does not close.
        return None
    return parts if usable and not _NO_HOST.search(parts.netloc) else None


def without_credentials(address: str) -> str:
    """Leave the name and the password out of an address, for clients write addresses into logs.

    Args:
        address: such as `http://name:password@host/v1`.
    """
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def basic_auth(address: str) -> dict[str, str]:
    """Return the header that an address's name and password stand for; empty without them.

    Args:
        address: such as `http://name:password@host/v1`.
    """
    parts = urlsplit(address)
    if parts.username is None and parts.password is None:
        return {}
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def without_secrets(text: str, *secrets: str | None) -> str:
    """Cut out what must not be shown: known secrets, and what looks like a key or a password.

    Args:
        text: such as a server's own words, which may repeat what it was sent.
        secrets: a key, a password; None where there is none.
    """
    for secret in secrets:
        if secret:
            text = text.replace(secret, "…")
    return _KEY_LIKE.sub("…", _USERINFO.sub("…@", text))
