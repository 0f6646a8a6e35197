"""The page: a conversation, and the sources of its answers beside it.

Importing this module imports gradio; only `assistant.web.serving` does, and only to serve.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import gradio as gr  # noqa: TID253 - gradio reads the handlers' annotations in this module
from gradio.events import api  # noqa: TID253

from assistant.answering.answer import Answer
from assistant.errors import AssistantError, InputError
from assistant.settings import Settings
from assistant.web.conversation import FAILED, Asking, Conversation, Message
from assistant.web.escaping import LATEX_DELIMITERS, escape
from assistant.web.examples import EXAMPLES
from assistant.web.places import Places
from assistant.web.rendering import welcome_html
from assistant.web.warmup import Collection, Warmup

__all__ = ["AT_ONCE", "TITLE", "WAITING", "PageAssistant", "build_page", "page_head", "page_theme"]

TITLE = "Ask papers"
AT_ONCE = 10
WAITING = 40
_MOST_HISTORY = 100
_HERE = Path(__file__).parent
_LOG = logging.getLogger(__name__)

_PANEL = (
    '<aside class="ap-panel" aria-label="Sources" data-state="empty">'
    '<div class="ap-panel-head"><h2 tabindex="-1">Sources</h2>'
    '<button type="button" class="ap-close" aria-label="Close the sources">×</button></div>'
    '<div class="ap-panel-for"></div><div class="ap-panel-cards" tabindex="-1"></div>'
    '<p class="ap-panel-empty">The papers an answer rests on open here, with the proving words '
    "marked in their abstracts.</p></aside>"
)


class PageAssistant(Asking, Collection, Protocol):
    """What the page needs of the assistant."""

    settings: Settings

    def ask(self, question: str, history: list[Message] = ...) -> Answer:
        """Answer a question."""


@dataclass(frozen=True, slots=True)
class _Parts:
    talk: gr.State
    chat: gr.Chatbot
    box: gr.Textbox
    banner: gr.HTML
    fresh: gr.Button
    again: gr.Button
    back: gr.Button


def page_head() -> str:
    """Return what goes into the page's head: the style and the script, both inline."""
    style = (_HERE / "style.css").read_text("utf-8")
    script = (_HERE / "page.js").read_text("utf-8")
    return f"<style>{style}</style><script>{script}</script>"


def page_theme() -> gr.themes.Base:
    """Return the theme: fonts that ship with gradio, and the page's own colours as variables."""
    theme = gr.themes.Base(
        primary_hue=gr.themes.colors.teal,
        neutral_hue=gr.themes.colors.stone,
        radius_size=gr.themes.sizes.radius_md,
        # The semi-bold files that ship with gradio 6.31 hold no Latin letters; the bold ones do.
        font=(gr.themes.LocalFont("IBM Plex Sans", weights=(400, 700)), "system-ui", "sans-serif"),
        font_mono=(gr.themes.LocalFont("IBM Plex Mono", weights=(400, 700)), "monospace"),
    )
    colours = {
        "body_text_color": "var(--ap-ink)",
        "body_text_color_subdued": "var(--ap-soft)",
        "background_fill_primary": "var(--ap-sheet)",
        "background_fill_secondary": "var(--ap-paper)",
        "border_color_primary": "var(--ap-line)",
        "link_text_color": "var(--ap-accent)",
        "input_background_fill": "var(--ap-sheet)",
        "input_placeholder_color": "var(--ap-soft)",
    }
    both = {name + end: value for name, value in colours.items() for end in ("", "_dark")}
    # Painted before the style arrives, hence no variables.
    return theme.set(body_background_fill="#f7f6f2", body_background_fill_dark="#141618", **both)


def build_page(assistant: PageAssistant, warmup: Warmup) -> gr.Blocks:
    """Lay out the page and wire it to an assistant.

    Args:
        assistant: answers the questions; it may still be loading.
        warmup: tells what is loaded and waits for it.
    """
    page = gr.Blocks(title=TITLE, fill_height=True, fill_width=True, analytics_enabled=False)
    with page:
        parts = _lay_out()
        _wire(page, parts, _Handlers(assistant, warmup))
        _offer_ask(assistant)
    page.queue(max_size=2 * WAITING, default_concurrency_limit=AT_ONCE)
    return page


def _lay_out() -> _Parts:
    talk = gr.State(Conversation())
    with gr.Row(elem_id="ap-top"):
        loading = _banner("Loading the collection…")
        banner = gr.HTML(loading, elem_id="ap-banner", apply_default_css=False)
        fresh = gr.Button("New conversation", size="sm", elem_id="ap-fresh")
    with gr.Row(elem_id="ap-main"):
        with gr.Column(elem_id="ap-talk"):
            chat = gr.Chatbot(
                elem_id="ap-chat",
                show_label=False,
                container=False,
                buttons=[],
                layout="panel",
                autoscroll=False,
                latex_delimiters=LATEX_DELIMITERS,
                line_breaks=False,
                placeholder=welcome_html(),
                examples=[{"text": question} for question in EXAMPLES],
            )
            box = gr.Textbox(
                elem_id="ap-box",
                label="Your question",
                show_label=False,
                container=False,
                placeholder="Ask about the papers…",
                lines=1,
                max_lines=6,
                autofocus=True,
                submit_btn=True,
                html_attributes=gr.InputHTMLAttributes(autocomplete="off"),
            )
        # Pressed by the buttons below the last answer, which stand inside the chat.
        again = gr.Button("Retry", elem_id="ap-again", visible="hidden")
        back = gr.Button("Undo", elem_id="ap-back", visible="hidden")
        gr.HTML(_PANEL, elem_id="ap-side", apply_default_css=False)
    return _Parts(talk, chat, box, banner, fresh, again, back)


def _wire(page: gr.Blocks, parts: _Parts, handlers: _Handlers) -> None:
    shown = [parts.chat, parts.box]
    asking: dict[str, Any] = {
        "inputs": [parts.talk],
        "outputs": shown,
        "api_visibility": "private",
        "show_progress": "hidden",
        # Who waits, waits in the chat, where it can be seen: see `Places`.
        "concurrency_limit": None,
        # "once", the default, would drop a question asked in the instant an answer ends.
        "trigger_mode": "multiple",
    }
    quick: dict[str, Any] = {
        "inputs": [parts.talk],
        "api_visibility": "private",
        "show_progress": "hidden",
        "queue": False,
    }
    parts.box.submit(handlers.submit, **(asking | {"inputs": [parts.talk, parts.box]}))
    parts.chat.example_select(handlers.example, **asking)
    parts.again.click(handlers.retry, **asking)
    parts.back.click(handlers.undo, outputs=shown, **quick)
    parts.box.stop(handlers.stop, **quick)
    parts.fresh.click(handlers.forget, outputs=shown, **quick)
    page.load(
        handlers.loaded,
        outputs=[parts.banner, parts.chat],
        api_visibility="private",
        show_progress="hidden",
    )


def _offer_ask(assistant: PageAssistant) -> None:
    """Offer the one call the network may make: ask, with the page's own limits."""

    def ask(question: str, history: list[Any] | None = None) -> dict[str, Any]:
        try:
            longest = assistant.settings.max_question_chars
            if len(str(question)) > longest:
                raise InputError(f"the question is longer than {longest:,} characters: shorten it")
            if history is not None and len(history) > _MOST_HISTORY:
                raise InputError(f"the history is longer than {_MOST_HISTORY} messages: shorten it")
            return assistant.ask(str(question), history or []).to_dict()
        except AssistantError as error:
            raise gr.Error(str(error), print_exception=False) from None
        except Exception:  # noqa: BLE001 - a caller gets a sentence, the log the traceback
            _LOG.exception("a call of the page's interface failed")
            raise gr.Error(FAILED, print_exception=False) from None

    api(
        ask,
        api_name="ask",
        api_description="Answer a question from the collection, with checked citations.",
        concurrency_limit=AT_ONCE,
    )


def _banner(facts: str) -> str:
    return (
        f'<header class="ap-banner"><h1>{TITLE}</h1>'
        f'<p class="ap-collection" role="status">{escape(facts)}</p>'
        '<button type="button" class="ap-theme" aria-label="Switch between light and dark">'
        "</button></header>"
    )
