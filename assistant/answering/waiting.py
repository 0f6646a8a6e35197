"""How long a server asks to wait, and how long it is waited for."""

from __future__ import annotations

import re
import time
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from assistant.errors import ModelError

if TYPE_CHECKING:
    from tenacity import RetryCallState

__all__ = ["pause", "retry_after", "worth_another_try"]

_BACK_OFF_SECONDS = 0.5
_LONGEST_BACK_OFF = 8.0


def retry_after(error: BaseException) -> float | None:
    """Give the seconds a server asks to wait before the next try.

    Args:
        error: any failure; only one that carries a response can say so.

    Returns:
        The seconds; None where the server says nothing that can be read.
    """
    headers = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    told = headers.get("retry-after-ms")
    if told is not None and _is_number(told):
        return max(0.0, float(told) / 1000)
    told = headers.get("retry-after")
    if told is None:
        return None
    if _is_number(told):
        return max(0.0, float(told))
    try:
        moment = parsedate_to_datetime(told)
        # Without a zone it is Greenwich's time, not this machine's.
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, moment.timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def worth_another_try(error: BaseException, most: float) -> bool:
    """Tell whether a failed call should be made again by itself.

    Args:
        error: what it failed with.
        most: seconds that may be waited before the next try.
    """
    if not (isinstance(error, ModelError) and error.retryable):
        return False
    told = retry_after(error.__cause__ or error) or 0.0
    return not isinstance(error.__cause__, TimeoutError) and told < most


def pause(state: RetryCallState) -> float:
    """Give the seconds before the next try: as the server asks, else longer each time.

    Args:
        state: the tries so far.
    """
    error = state.outcome.exception() if state.outcome else None
    told = retry_after(error.__cause__ or error) if error else None
    doubled = _BACK_OFF_SECONDS * 2 ** (state.attempt_number - 1)
    return told if told is not None else min(doubled, _LONGEST_BACK_OFF)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\d{1,12}(?:\.\d{0,9})?", text.strip(), re.ASCII) is not None
