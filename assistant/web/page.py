"""The page: a conversation, and the sources of its answers beside it.

Importing this module imports gradio; only `assistant.web.serving` does, and only to serve.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr  # noqa: TID253 - gradio reads the handlers' annotations in this module

from assistant.web.banner import NAVIGATION, TITLE, banner_html
from assistant.web.conversation import Conversation
from assistant.web.escaping import LATEX_DELIMITERS
from assistant.web.examples import EXAMPLES
from assistant.web.handlers import AT_ONCE, WAITING, Handlers, PageAssistant
from assistant.web.hidden import Hidden
from assistant.web.offering import offer_ask
from assistant.web.rendering import welcome_html
from assistant.web.views import Views
from assistant.web.warmup import Warmup

if TYPE_CHECKING:
    from gradio.block_function import BlockFunction

__all__ = ["build_page", "page_head", "page_theme"]

_STYLES = ("style.css", "sources.css", "views.css", "tabs.css", "phone.css")
_SCRIPTS = ("store.js", "page.js", "talks.js", "lists.js", "views.js", "papers.js", "map.js")
_HERE = Path(__file__).parent

_PANEL = (
    '<aside class="ap-panel" aria-label="Sources" data-state="empty">'
    '<div class="ap-panel-head"><h2 tabindex="-1">Sources</h2>'
    '<button type="button" class="ap-close" aria-label="Close the sources">×</button></div>'
    '<div class="ap-panel-for"></div><div class="ap-panel-cards" tabindex="-1"></div>'
    '<p class="ap-panel-empty">The papers an answer rests on open here, with the proving words '
    "marked in their abstracts.</p></aside>"
)

_CHIPS = '<div class="ap-chips" role="status"></div>'


class _Page(gr.Blocks):
    """A page that takes a call with fields left out as one where they are null."""

    def validate_inputs(self, block_fn: BlockFunction, inputs: list[Any]) -> None:
        # gradio's own refusal of a call that is too short says nothing to whoever made it.
        inputs.extend([None] * (len(block_fn.inputs) - len(inputs)))
        super().validate_inputs(block_fn, inputs)


@dataclass(frozen=True, slots=True)
class _Parts:
    talk: gr.State
    chat: gr.Chatbot
    box: gr.Textbox
    banner: gr.HTML
    hidden: Hidden


def page_head() -> str:
    """Return what goes into the page's head: the style and the script, both inline."""
    style = "".join((_HERE / name).read_text("utf-8") for name in _STYLES)
    scripts = [f"<script>{(_HERE / name).read_text('utf-8')}</script>" for name in _SCRIPTS]
    # Inline: a browser would look for it at the root, which behind a proxy is another's.
    icon = b64encode((_HERE / "favicon.svg").read_bytes()).decode()
    link = f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">'
    return f"{link}<style>{style}</style>{''.join(scripts)}"


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
    page = _Page(title=TITLE, fill_height=True, fill_width=True, analytics_enabled=False)
    with page:
        parts = _lay_out(Views(assistant))
        _wire(page, parts, Handlers(assistant, warmup))
        offer_ask(assistant)
    page.queue(max_size=2 * WAITING, default_concurrency_limit=AT_ONCE)
    return page


def _lay_out(views: Views) -> _Parts:
    talk = gr.State(Conversation())
    with gr.Row(elem_id="ap-top"):
        loading = banner_html("Loading the collection…")
        banner = gr.HTML(loading, elem_id="ap-banner", apply_default_css=False)
        gr.HTML(NAVIGATION, elem_id="ap-nav", apply_default_css=False)
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
            gr.HTML(_CHIPS, elem_id="ap-chips", apply_default_css=False)
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
        hidden = Hidden.lay_out()
        views.lay_out(talk)
        gr.HTML(_PANEL, elem_id="ap-side", apply_default_css=False)
    return _Parts(talk, chat, box, banner, hidden)


def _wire(page: gr.Blocks, parts: _Parts, handlers: Handlers) -> None:
    hidden = parts.hidden
    shown = [parts.chat, parts.box, hidden.kept]
    asking: dict[str, Any] = {
        "inputs": [parts.talk, hidden.told],
        "outputs": shown,
        "js": "(talk) => [talk, askPapers.told()]",
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
    typed = {
        "inputs": [parts.talk, parts.box, hidden.told],
        "js": "(talk, box) => [talk, box, askPapers.told()]",
    }
    parts.box.submit(handlers.submit, **(asking | typed))
    parts.chat.example_select(handlers.example, **asking)
    hidden.again.click(handlers.retry, **asking)
    hidden.back.click(handlers.undo, outputs=shown, **quick)
    parts.box.stop(handlers.stop, **quick)
    opening = quick | {
        "inputs": [parts.talk, hidden.told],
        "js": "(talk) => [talk, askPapers.opened()]",
        "outputs": shown[:2],
    }
    hidden.opens.click(handlers.open, **opening)
    # Gradio hears no button yet when it says that it has loaded, but it does after an answer.
    page.load(handlers.restore, **opening).then(
        None, js="() => askPapers.ready()", api_visibility="private"
    )
    hidden.kept.change(
        None, [hidden.kept], None, js="(kept) => askPapers.keep(kept)", api_visibility="private"
    )
    page.load(
        handlers.loaded,
        outputs=[parts.banner, parts.chat],
        api_visibility="private",
        show_progress="hidden",
    )
