"""Every knob, read from flags, the environment and `.env`, in that order."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from platformdirs import user_data_dir
from pydantic import (
    AliasChoices,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from assistant.env_file import env_file
from assistant.errors import SettingsError

__all__ = ["ENV_PREFIX", "Settings", "load_settings"]

ENV_PREFIX = "ASSISTANT_"
_OWN_NAMES = ("CHROMA_", "OPENAI_")
_NOT_SETTINGS = {"ASSISTANT_TEST_DATA"}
# What other programs, or their older versions, call the same.
_OTHER_NAMES = {
    "OPENAI_API_BASE": "OPENAI_BASE_URL",
    "OPENAI_API_URL": "OPENAI_BASE_URL",
    "OPENAI_BASEURL": "OPENAI_BASE_URL",
    "OPENAI_KEY": "OPENAI_API_KEY",
    "OPENAI_APIKEY": "OPENAI_API_KEY",
    "CHROMA_URI": "CHROMA_URL",
    "CHROMA_API_KEY": "CHROMA_TOKEN",
}
_ALIKE = 80
_A_DAY = 86_400.0


def _default_data_dir() -> Path:
    return Path(user_data_dir("ask-papers", appauthor=False))


class Settings(BaseSettings):
    """The assistant's settings; each is an environment variable `ASSISTANT_<NAME>`.

    `OPENAI_…` and `CHROMA_…` keep the names other tools use.
    """

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_file=".env",
        # Editors of Windows put a mark before the first line.
        env_file_encoding="utf-8-sig",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    data_dir: Path = Field(
        default_factory=_default_data_dir,
        description="Where the index, the embedding cache and saved feedback live.",
    )
    collection: str = Field(
        default="papers",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,60}[A-Za-z0-9]$",
        description="The collection to ask; collections keep things apart.",
    )
    chroma_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("CHROMA_URL", "chroma_url"),
        description="Address of a Chroma server that holds the collection for a group, such as "
        "http://localhost:8000. Unset: the collection is this machine's own.",
    )
    chroma_token: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("CHROMA_TOKEN", "chroma_token"),
        description="Token that the proxy before the Chroma server, or Chroma Cloud, asks for.",
    )
    chroma_tenant: str = Field(
        default="default_tenant",
        pattern=r"^\S{3,}$",
        validation_alias=AliasChoices("CHROMA_TENANT", "chroma_tenant"),
        description="Tenant on the Chroma server.",
    )
    chroma_database: str = Field(
        default="default_database",
        pattern=r"^\S{3,}$",
        validation_alias=AliasChoices("CHROMA_DATABASE", "chroma_database"),
        description="Database of that tenant.",
    )
    embedder: str = Field(
        default="minilm",
        description="Embedder: minilm (local), none (lexical search alone), or "
        "provider:model such as openai:text-embedding-3-small.",
    )
    model: str | None = Field(
        default=None,
        description="Chat model as provider:name, such as openai:gpt-5.4-mini. Unset: a default "
        "when OPENAI_API_KEY or OPENAI_BASE_URL is set, else none. none: always keyless.",
    )
    openai_api_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("OPENAI_API_KEY", "openai_api_key"),
        description="Key of OpenAI or of an OpenAI-compatible server.",
    )
    openai_base_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("OPENAI_BASE_URL", "openai_base_url"),
        repr=False,  # It may hold a name and a password.
        description="Address of an OpenAI-compatible server, with or without /v1.",
    )
    prompts_dir: Path | None = Field(
        default=None,
        description="A folder whose prompts replace the ones that ship.",
    )
    context_tokens: int = Field(
        default=16_000,
        ge=1_000,
        le=100_000_000,
        description="The chat model's context window, in tokens; prompts stay below it.",
    )
    answer_tokens: int = Field(
        default=1_500,
        ge=64,
        le=10_000_000,
        description="Tokens kept free for the model's reply.",
    )
    temperature: float | None = Field(
        default=0.0,
        ge=0.0,
        le=2.0,
        description="Sampling temperature sent to the chat model.",
    )
    connect_timeout: float = Field(
        default=10.0,
        gt=0,
        le=_A_DAY,
        description="Seconds to wait for a connection to the model server.",
    )
    first_token_timeout: float = Field(
        default=60.0, gt=0, le=_A_DAY, description="Seconds to wait for the first token."
    )
    stall_timeout: float = Field(
        default=30.0, gt=0, le=_A_DAY, description="Seconds a started stream may stay silent."
    )
    total_timeout: float = Field(
        default=180.0, gt=0, le=_A_DAY, description="Seconds one answer may take in all."
    )
    max_retries: int = Field(
        default=2, ge=0, le=10, description="How often a failed model call is tried again."
    )
    max_sources: int = Field(
        default=8, ge=1, le=100, description="Papers given to the chat model for a question."
    )
    max_judged: int = Field(
        default=60,
        ge=1,
        le=5_000,
        description="Papers the chat model judges for a list or a count; the most relevant ones.",
    )
    parallel_calls: int = Field(
        default=4,
        ge=1,
        le=64,
        description="Calls to the chat model at once while a list is judged; 1 for a small server.",
    )
    unverified: Literal["mark", "drop"] = Field(
        default="mark",
        description="What happens to a sentence its source does not support: mark or drop.",
    )
    max_question_chars: int = Field(
        default=20_000, ge=100, le=10_000_000, description="Longest question taken, in characters."
    )
    log_level: Annotated[Literal["debug", "info", "warning", "error"], NoDecode] = Field(
        default="warning", description="Least severe log line written to standard error."
    )

    @field_validator("log_level", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator(
        "chroma_url",
        "chroma_token",
        "openai_api_key",
        "openai_base_url",
        "model",
        "prompts_dir",
        mode="before",
    )
    @classmethod
    def _blank_is_unset(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("data_dir", mode="before")
    @classmethod
    def _blank_is_default(cls, value: object) -> object:
        return _default_data_dir() if isinstance(value, str) and not value.strip() else value

    @field_validator("data_dir", "prompts_dir")
    @classmethod
    def _home(cls, value: Path | None) -> Path | None:
        try:
            return None if value is None else value.expanduser()
        except RuntimeError:
            raise ValueError(f"{value} names the home of a user who is not here") from None

    @field_validator("chroma_token")
    @classmethod
    def _plain_token(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None:
            return None
        bare = value.get_secret_value().strip()
        if not bare.isascii() or not bare.isprintable() or " " in bare:
            raise ValueError("holds a character that no token has: copy it anew")
        return SecretStr(bare)

    @model_validator(mode="after")
    def _room_for_a_prompt(self) -> Self:
        if self.answer_tokens >= self.context_tokens:
            raise ValueError(
                f"ASSISTANT_ANSWER_TOKENS={self.answer_tokens} leaves no room for a prompt in "
                f"ASSISTANT_CONTEXT_TOKENS={self.context_tokens}: lower the one or raise the other"
            )
        return self

    @field_validator("embedder")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("is blank")
        return value.strip()


def load_settings(**overrides: Any) -> Settings:
    """Read the settings; what is passed wins over the environment and `.env`.

    Args:
        overrides: settings by field name; None counts as not given.

    Returns:
        The settings.

    Raises:
        SettingsError: a setting is unknown or its value cannot be used.
    """
    _refuse_unknown(dict(os.environ), "the environment")
    _refuse_unknown(env_file(), ".env")
    given = {name: value for name, value in overrides.items() if value is not None}
    unknown = sorted(set(given) - set(Settings.model_fields))
    if unknown:
        raise SettingsError(f"unknown setting {unknown[0]!r}: {_nearest(unknown[0])}")
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        if not first["loc"]:
            raise SettingsError(str(first["msg"]).removeprefix("Value error, ")) from None
        name = _env_name(str(first["loc"][0]))
        raise SettingsError(
            f"{name} cannot be used: {first['msg'].removeprefix('Value error, ')}; "
            "see .env.example for what it takes"
        ) from None


def _refuse_unknown(variables: dict[str, str], where: str) -> None:
    known = {_env_name(name) for name in Settings.model_fields} | _NOT_SETTINGS
    for name in sorted(variables):
        given = name.upper()
        if given in known:
            continue
        # A file is written for this program; the environment holds the names of others, too.
        meant = _OTHER_NAMES.get(given) if where == ".env" else None
        other = meant is not None and not (meant in variables or os.environ.get(meant))
        mistyped = other or _is_nearly_ours(given)
        if given.startswith(ENV_PREFIX) or mistyped:
            raise SettingsError(f"unknown setting {name} in {where}: {_nearest(name)}")


def _is_nearly_ours(name: str) -> bool:
    """Tell `ASISTANT_MODEL`: the prefix is misspelt and what follows is a setting."""
    from rapidfuzz import fuzz

    prefix, _, rest = name.partition("_")
    fields = {field.upper() for field in Settings.model_fields}
    own = rest in fields and _env_name(rest).startswith(ENV_PREFIX)
    return own and prefix + "_" != ENV_PREFIX and fuzz.ratio(prefix, ENV_PREFIX[:-1]) > _ALIKE


def _env_name(field: str) -> str:
    name = field.upper()
    return name if name.startswith((*_OWN_NAMES, ENV_PREFIX)) else ENV_PREFIX + name


def _nearest(name: str) -> str:
    from rapidfuzz import process

    if name.upper() in _OTHER_NAMES:
        return f"did you mean {_OTHER_NAMES[name.upper()]}?"
    known = [_env_name(field) for field in Settings.model_fields]
    for prefix in _OWN_NAMES:
        if (own := prefix + name.upper().removeprefix(ENV_PREFIX)) in known:
            return f"did you mean {own}?"
    nearest, _, _ = process.extract(_env_name(name), known, limit=1)[0]
    return f"did you mean {nearest}?"
