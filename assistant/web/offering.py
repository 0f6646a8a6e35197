"""The one call that the network may make of the page."""

from __future__ import annotations

import logging
from typing import Any

import gradio as gr  # noqa: TID253 - gradio reads the annotations in this module
from gradio.events import api  # noqa: TID253

from assistant.errors import AssistantError, InputError
from assistant.retrieval.history import turns_of
from assistant.web.conversation import FAILED
from assistant.web.handlers import AT_ONCE, PageAssistant
from assistant.web.tools import ASK

__all__ = ["offer_ask"]

_MOST_HISTORY = 100
_LOG = logging.getLogger(__name__)


def offer_ask(assistant: PageAssistant) -> None:
    """Offer the one call the network may make: ask, with the page's own limits.

    Args:
        assistant: answers.
    """

    # Fields that are left out come as None; gradio drops what is too many before it calls.
    def ask(question: str, history: list[Any] | None = None) -> dict[str, Any]:
        try:
            _check(question, history, assistant.settings.max_question_chars)
            return assistant.ask(question, history or []).to_dict()
        except AssistantError as error:
            raise gr.Error(str(error), print_exception=False) from None
        except Exception:  # noqa: BLE001 - a caller gets a sentence, the log the traceback
            _LOG.exception("a call of the page's interface failed")
            raise gr.Error(FAILED, print_exception=False) from None

    api(ask, api_name="ask", api_description=ASK, concurrency_limit=AT_ONCE)


def _check(question: object, history: list[Any] | None, longest: int) -> None:
    """Refuse what is no question: gradio hands on whatever JSON it is given."""
    if not isinstance(question, str) or not question.strip():
        raise InputError('the question is missing: send {"data": ["your question", null]}')
    if len(question) > longest:
        raise InputError(f"the question is longer than {longest:,} characters: shorten it")
    if history is None:
        return
    turns_of(history)
    if len(history) > _MOST_HISTORY:
        raise InputError(f"the history is longer than {_MOST_HISTORY} messages: shorten it")
