"""The one call that the network may make of the page."""

from __future__ import annotations

import logging
from typing import Any

import gradio as gr  # noqa: TID253 - gradio reads the annotations in this module
from gradio.events import api  # noqa: TID253

from assistant.errors import AssistantError, InputError
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

    def ask(question: str, history: list[Any] | None = None) -> dict[str, Any]:
        try:
            longest = assistant.settings.max_question_chars
            if len(str(question)) > longest:
                raise InputError(f"the question is longer than {longest:,} characters: shorten it")
            if isinstance(history, list) and len(history) > _MOST_HISTORY:
                raise InputError(f"the history is longer than {_MOST_HISTORY} messages: shorten it")
            return assistant.ask(str(question), history or []).to_dict()
        except AssistantError as error:
            raise gr.Error(str(error), print_exception=False) from None
        except Exception:  # noqa: BLE001 - a caller gets a sentence, the log the traceback
            _LOG.exception("a call of the page's interface failed")
            raise gr.Error(FAILED, print_exception=False) from None

    api(ask, api_name="ask", api_description=ASK, concurrency_limit=AT_ONCE)
