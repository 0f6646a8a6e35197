"""The calls that the network may make: ask, and search where tools are served."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import gradio as gr  # noqa: TID253 - gradio reads the annotations in this module
from gradio.events import api  # noqa: TID253

from assistant.errors import AssistantError, InputError
from assistant.web.conversation import FAILED
from assistant.web.handlers import AT_ONCE, PageAssistant
from assistant.web.tools import ASK, SEARCH

__all__ = ["offer_ask", "offer_search"]

_MOST_HISTORY = 100
_MOST_FOUND = 50
_T = TypeVar("_T")
_LOG = logging.getLogger(__name__)


def offer_ask(assistant: PageAssistant) -> None:
    """Offer asking, with the page's own limits.

    Args:
        assistant: answers.
    """

    def ask(question: str, history: list[Any] | None = None) -> dict[str, Any]:
        def answered() -> dict[str, Any]:
            _bounded(assistant, question)
            if history is not None and len(history) > _MOST_HISTORY:
                raise InputError(f"the history is longer than {_MOST_HISTORY} messages: shorten it")
            return assistant.ask(str(question), history or []).to_dict()

        return _told(answered)

    api(ask, api_name="ask", api_description=ASK, concurrency_limit=AT_ONCE)


def offer_search(assistant: PageAssistant) -> None:
    """Offer searching, without a model.

    Args:
        assistant: ranks.
    """

    def search(words: str, limit: int = 10) -> list[dict[str, Any]]:
        def ranked() -> list[dict[str, Any]]:
            _bounded(assistant, words)
            found = assistant.search(str(words), max(1, min(int(limit), _MOST_FOUND)))
            return [item.to_dict() for item in found]

        return _told(ranked)

    api(search, api_name="search", api_description=SEARCH, concurrency_limit=AT_ONCE)


def _bounded(assistant: PageAssistant, text: object) -> None:
    longest = assistant.settings.max_question_chars
    if len(str(text)) > longest:
        raise InputError(f"the question is longer than {longest:,} characters: shorten it")


def _told(work: Callable[[], _T]) -> _T:
    try:
        return work()
    except AssistantError as error:
        raise gr.Error(str(error), print_exception=False) from None
    except Exception:  # noqa: BLE001 - a caller gets a sentence, the log the traceback
        _LOG.exception("a call of the page's interface failed")
        raise gr.Error(FAILED, print_exception=False) from None
