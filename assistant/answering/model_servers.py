"""Which model is asked, where it is served, and what that server is known not to take."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from assistant.answering.connecting import ServerName
from assistant.answering.model_errors import error_text, status_of
from assistant.endpoints import openai_base_url
from assistant.env_file import env_file
from assistant.errors import SettingsError
from assistant.settings import Settings

__all__ = ["DEFAULT_OPENAI_MODEL", "ModelSpec", "Quirks", "forget", "quirks_of", "spec_of"]

DEFAULT_OPENAI_MODEL = "gpt-5.4-mini"

OPENAI_ADDRESS = "https://api.openai.com/v1"
_EXTRAS = {"anthropic": "anthropic", "ollama": "ollama"}
# Other providers find their credentials themselves.
_KEY_VARIABLES = {
    "anthropic": "ANTHROPIC_API_KEY",
    "cohere": "COHERE_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "fireworks": "FIREWORKS_API_KEY",
    "google_genai": "GOOGLE_API_KEY",
    "groq": "GROQ_API_KEY",
    "mistralai": "MISTRAL_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "together": "TOGETHER_API_KEY",
    "xai": "XAI_API_KEY",
}
_NEARLY_A_PROVIDER = 75
_REFUSED_FIELD = (400, 422, 501)


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model and the server that is asked for it.

    Args:
        provider: langchain's name of the provider.
        model: the model's name; None until the server was asked what it serves.
        addresses: where an OpenAI-compatible server may be, most likely first; empty elsewhere.
        key: the key, None for a server that needs none.
        key_variable: the environment variable the key comes from.
    """

    provider: str
    model: str | None
    addresses: tuple[str, ...] = field(repr=False)
    key: str | None = field(repr=False)
    key_variable: str | None

    @property
    def is_openai(self) -> bool:
        """Whether calls go to OpenAI itself rather than to a compatible server."""
        return self.provider == "openai" and self.addresses == (OPENAI_ADDRESS,)

    def server_name(self, address: int = 0) -> ServerName:
        """Name the server in messages.

        Args:
            address: which of the addresses is in use.
        """
        shown = _without_credentials(self.addresses[address]) if self.addresses else self.provider
        return ServerName(
            host=urlsplit(shown).netloc or shown,
            address=shown,
            model=self.model or "the model",
            key_variable=self.key_variable,
            address_variable="OPENAI_BASE_URL" if self.addresses and not self.is_openai else None,
            key=self.key,
            password=urlsplit(self.addresses[address]).password if self.addresses else None,
        )


@dataclass
class Quirks:
    """What one server turned out to want for one model, remembered while the process runs.

    Args:
        limit_field: what it calls the limit of the reply; None: it takes no limit.
        temperature: whether it takes one.
        stream_options: whether it takes them.
        system_role: whether it takes a system message.
        opens_with_thought: replies begin inside a thought whose opening tag is never sent.
        room: how many times the usual limit it needs, for it thinks before it writes.
        context: the context window it named, in tokens.
        address: which of its addresses answers.
        limits_refused: how many names of the limit it refused.
    """

    limit_field: str | None
    temperature: bool = True
    stream_options: bool = True
    system_role: bool = True
    opens_with_thought: bool = False
    room: int = 1
    context: int | None = None
    address: int = 0
    limits_refused: int = 0

    def learn(self, error: Exception) -> bool:
        """Take in a refusal of one field, so that the next try goes without it.

        Args:
            error: what the client raised.

        Returns:
            Whether there is something to do differently.
        """
        if status_of(error) not in _REFUSED_FIELD:
            return False
        said = error_text(error).lower()
        if self.stream_options and "stream_options" in said:
            self.stream_options = False
        elif self.temperature and "temperature" in said:
            self.temperature = False
        elif self.system_role and "system" in said and "role" in said:
            self.system_role = False
        elif self.limit_field is not None and self.limit_field in said and "too large" not in said:
            self._next_limit_field()
        else:
            return False
        return True

    def _next_limit_field(self) -> None:
        other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
        self.limits_refused += 1
        self.limit_field = None if self.limits_refused > 1 else other[self.limit_field or ""]


_known_quirks: dict[tuple[str, str | None], Quirks] = {}


def quirks_of(spec: ModelSpec) -> Quirks:
    """Give what is known of a server and model; every caller shares it.

    Args:
        spec: the model.
    """
    # Old and small servers know `max_tokens` alone, and ignore in silence what they do not know.
    first = Quirks(limit_field="max_completion_tokens" if spec.is_openai else "max_tokens")
    place = spec.addresses[0] if spec.addresses else spec.provider
    return _known_quirks.setdefault((place, spec.model), first)


def forget() -> None:
    """Forget what is known of all servers, as if the process had just started."""
    _known_quirks.clear()


def spec_of(settings: Settings) -> ModelSpec | None:
    """Read from the settings which model is to be asked.

    Args:
        settings: `model`, `openai_api_key` and `openai_base_url` count.

    Returns:
        The model, None where answers are to be made without one.

    Raises:
        SettingsError: the key is missing or malformed, the address is none, or the provider's
            package is not installed.
    """
    wanted = (settings.model or "").strip()
    key = _clean_key(settings.openai_api_key.get_secret_value() if settings.openai_api_key else "")
    if wanted.lower() == "none" or (not wanted and not key and not settings.openai_base_url):
        return None
    provider, name = _split(wanted)
    if provider != "openai":
        return _elsewhere(provider, name)
    addresses = _addresses(settings.openai_base_url)
    at_openai = addresses == (OPENAI_ADDRESS,)
    if at_openai:
        _refuse_misspelt_provider(wanted)
    if at_openai and not key:
        raise SettingsError(
            f"OPENAI_API_KEY is not set, and ASSISTANT_MODEL={wanted or 'openai'} is asked for at "
            "OpenAI: set it, set OPENAI_BASE_URL for a server of your own, write provider:name for "
            "another provider, or ASSISTANT_MODEL=none"
        )
    if not wanted:
        name = DEFAULT_OPENAI_MODEL if at_openai else ""
    return ModelSpec("openai", name or None, addresses, key or None, "OPENAI_API_KEY")


def _split(wanted: str) -> tuple[str, str]:
    """Split `provider:name`; a name such as `qwen3:8b` has a colon and no provider."""
    provider, colon, name = wanted.partition(":")
    if not colon and wanted.lower() in ("openai", *_EXTRAS):
        raise SettingsError(
            f"ASSISTANT_MODEL={wanted} names no model: write it like {wanted.lower()}:NAME"
        )
    if not colon or (provider != "openai" and not _is_provider(provider)):
        return "openai", wanted
    if not name.strip():
        raise SettingsError(
            f"ASSISTANT_MODEL={wanted} names no model: write it like openai:{DEFAULT_OPENAI_MODEL}"
        )
    return provider, name.strip()


def _is_provider(name: str) -> bool:
    if name in _EXTRAS:
        return True
    from langchain.chat_models.base import _BUILTIN_PROVIDERS

    return name in _BUILTIN_PROVIDERS


def _refuse_misspelt_provider(wanted: str) -> None:
    """Refuse what is nearly a provider; OpenAI's fine-tuned models have colons, too."""
    from rapidfuzz import fuzz, process

    provider, colon, name = wanted.partition(":")
    if not colon or provider == "openai":
        return
    near = process.extractOne(
        provider.lower(), ["openai", *_KEY_VARIABLES, *_EXTRAS], scorer=fuzz.ratio
    )
    if near[1] >= _NEARLY_A_PROVIDER:
        raise SettingsError(
            f"ASSISTANT_MODEL={wanted} names no provider that is known: did you mean "
            f"{near[0]}:{name}?"
        )


def _elsewhere(provider: str, name: str) -> ModelSpec:
    from importlib.util import find_spec

    from langchain.chat_models.base import _BUILTIN_PROVIDERS

    package = _BUILTIN_PROVIDERS[provider][0].partition(".")[0]
    if find_spec(package) is None:
        extra = _EXTRAS.get(provider)
        install = f"'ask-papers[{extra}]'" if extra else package.replace("_", "-")
        raise SettingsError(
            f"ASSISTANT_MODEL={provider}:{name} needs a package that is not installed: "
            f"pip install {install}"
        )
    variable = _KEY_VARIABLES.get(provider)
    if variable is None:
        return ModelSpec(provider, name, (), None, None)
    key = _clean_key(_variable(variable))
    if not key:
        raise SettingsError(
            f"{variable} is not set, and ASSISTANT_MODEL={provider}:{name} needs it"
        )
    return ModelSpec(provider, name, (), key, variable)


def _variable(name: str) -> str:
    """Read a provider's own variable, which the settings do not hold, from where they are read."""
    return os.environ.get(name) or env_file().get(name, "")


def _clean_key(raw: str) -> str:
    key = raw.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SettingsError(
            "the API key holds a character that no key has: copy it anew, without quotes or blanks"
        )
    return key


def _addresses(raw: str | None) -> tuple[str, ...]:
    if raw is None:
        return (OPENAI_ADDRESS,)
    likely = openai_base_url(raw)
    if urlsplit(likely).hostname == urlsplit(OPENAI_ADDRESS).hostname:
        return (OPENAI_ADDRESS,)
    # A few services serve the API without a version in the path.
    added = likely.endswith("/v1") and "/v1" not in urlsplit(raw).path
    return (likely, likely.removesuffix("/v1")) if added else (likely,)


def _without_credentials(address: str) -> str:
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
