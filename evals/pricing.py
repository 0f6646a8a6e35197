"""What model calls cost, where the prices are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from assistant.answering.models import Usage
from assistant.errors import SettingsError

__all__ = ["Prices", "load_prices"]

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """USD for a million tokens.

    Args:
        prompt: of what is sent.
        completion: of what comes back.
    """

    prompt: float
    completion: float

    def of(self, usage: Usage) -> float:
        """Give the price of one call in USD.

        Args:
            usage: its tokens.
        """
        return (usage.prompt * self.prompt + usage.completion * self.completion) / _MILLION


class _Given(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="EVALS_", env_ignore_empty=True, extra="ignore")

    price_prompt: float | None = Field(default=None, ge=0)
    price_completion: float | None = Field(default=None, ge=0)


def load_prices(prompt: float | None = None, completion: float | None = None) -> Prices | None:
    """Read the prices; what is passed wins over EVALS_PRICE_PROMPT and EVALS_PRICE_COMPLETION.

    Args:
        prompt: USD for a million tokens sent.
        completion: USD for a million tokens that come back.

    Returns:
        None where no price is known.

    Raises:
        SettingsError: only one of them is known, or one is no price.
    """
    given: dict[str, Any] = {"price_prompt": prompt, "price_completion": completion}
    try:
        found = _Given(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        raise SettingsError(
            f"EVALS_{str(first['loc'][0]).upper()} is no price: give USD for a million tokens"
        ) from None
    if found.price_prompt is None and found.price_completion is None:
        return None
    if found.price_prompt is None or found.price_completion is None:
        raise SettingsError(
            "one price is missing: give both --price-prompt and --price-completion, or "
            "EVALS_PRICE_PROMPT and EVALS_PRICE_COMPLETION"
        )
    return Prices(found.price_prompt, found.price_completion)
