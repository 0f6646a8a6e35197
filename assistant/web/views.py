"""The tabs beside the chat, and what is taken along or said of an answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

import gradio as gr  # noqa: TID253 - the page's own layout

from assistant.answering.answer import Answer
from assistant.answering.feedback import LONGEST_WORDS
from assistant.errors import AssistantError
from assistant.web.atlas import Atlas
from assistant.web.conversation import Conversation
from assistant.web.escaping import LATEX_DELIMITERS, escape
from assistant.web.outlook import exported, status_html
from assistant.web.shelf import Bookcase, Shelved
from assistant.web.told import Told

__all__ = ["ViewAssistant", "Views"]

_SEARCH = (
    '<form class="ap-search" role="search"><h2>Papers</h2><div class="ap-fields">'
    '<input type="search" name="query" aria-label="Search the papers" autocomplete="off" '
    'placeholder="Search the papers…" maxlength="400">'
    '<select name="venue" aria-label="Venue"><option value="">All venues</option></select>'
    '<select name="year" aria-label="Year"><option value="">All years</option></select>'
    '<input name="author" aria-label="Author" placeholder="Author" list="ap-authors" '
    'autocomplete="off" maxlength="200" hidden><datalist id="ap-authors"></datalist>'
    '<input name="keyword" aria-label="Keyword" placeholder="Keyword" list="ap-keywords" '
    'autocomplete="off" maxlength="200" hidden><datalist id="ap-keywords"></datalist></div>'
    '<p class="ap-picked"><span class="ap-picked-count" role="status">None selected</span>'
    '<button type="button" class="ap-ask-picked" disabled>Ask about the selected</button>'
    '<button type="button" class="ap-unpick" disabled>Clear</button></p></form>'
)
_MAP = (
    '<div class="ap-map"><div class="ap-map-head"><h2>Map</h2>'
    '<p class="ap-map-note" role="status">Drawing the map…</p></div>'
    '<div class="ap-map-sheet"><canvas class="ap-map-canvas" tabindex="0" '
    'role="application" aria-label="Map of the papers: arrows move, Enter opens"></canvas>'
    '<div class="ap-map-labels"></div>'
    '<div class="ap-map-tip" role="status" hidden></div></div></div>'
)


class ViewAssistant(Shelved, Protocol):
    """What the tabs need of the assistant."""

    def status(self) -> dict[str, Any]:
        """Tell what is configured and indexed."""

    def feedback(self, answer: Answer, verdict: str, words: str = ...) -> None:
        """Keep what a person thinks of an answer."""


class Views:
    """The tabs beside the chat.

    Args:
        assistant: holds the collection.
    """

    def __init__(self, assistant: ViewAssistant) -> None:
        self._assistant = assistant
        self._bookcase = Bookcase(assistant)

    def lay_out(self, talk: gr.State) -> None:
        """Put the tabs where the page is being laid out, and wire them.

        Args:
            talk: the conversation of this browser.
        """
        with gr.Column(elem_id="ap-papers", elem_classes="ap-sheet"):
            gr.HTML(_SEARCH, elem_id="ap-search", apply_default_css=False)
            found = gr.Markdown(elem_id="ap-found", latex_delimiters=LATEX_DELIMITERS)
        gr.HTML(_MAP, elem_id="ap-map", apply_default_css=False, elem_classes="ap-sheet")
        status = gr.HTML(elem_id="ap-status", apply_default_css=False, elem_classes="ap-sheet")
        chosen = gr.Markdown(
            elem_id="ap-chosen", latex_delimiters=LATEX_DELIMITERS, visible="hidden"
        )
        told = gr.Textbox(visible="hidden")
        out = gr.Textbox(visible="hidden")

        def wire(name: str, handler: Any, shown: Any, *, talks: bool = False) -> None:  # noqa: ANN401
            press = gr.Button(f"do {name}", elem_id=f"ap-do-{name}", visible="hidden")
            given = "(talk) => [talk, " if talks else "() => ["
            press.click(
                handler,
                [talk, told] if talks else [told],
                [shown],
                js=f"{given}askPapers.sent('{name}')]",
                api_visibility="private",
                show_progress="hidden",
                queue=False,
                trigger_mode="always_last",
            )

        wire("find", self._bookcase.find, found)
        wire("card", self._bookcase.card, chosen)
        wire("map", self.map, out)
        wire("status", self.status, status, talks=True)
        wire("export", self.export, out, talks=True)
        wire("judge", self.judge, out, talks=True)
        out.change(
            None, [out], None, js="(text) => askPapers.receive(text)", api_visibility="private"
        )

    def map(self, told: str) -> str:
        """Return the map as a message to the script."""
        try:
            shelf = self._assistant.snapshot()
            drawn = Atlas(Path(self._assistant.status()["folder"])).map(shelf)
        except AssistantError as error:
            return _message("map", told, problem=str(error))
        return _message("map", told, map=json.loads(drawn))

    def status(self, talk: Conversation, _: str) -> str:
        """Return the status as HTML."""
        try:
            folder = getattr(self._assistant.snapshot(), "folder", None)
            changed = folder.stat().st_mtime if isinstance(folder, Path) else None
            return status_html(self._assistant.status(), talk.answers(), changed)
        except AssistantError as error:
            return f'<p class="ap-problem" role="alert">{escape(str(error))}</p>'

    def export(self, talk: Conversation, told: str) -> str:
        """Return the conversation as a file, in a message to the script."""
        name, text = exported(Told.read(told).text("kind"), talk.answers())
        return _message("export", told, name=name, text=text)

    def judge(self, talk: Conversation, told: str) -> str:
        """Keep what is said of an answer."""
        said = Told.read(told)
        place, answers = said.number("turn"), talk.turns
        answer = answers[place].answer if place is not None and 0 <= place < len(answers) else None
        if answer is None:
            return _message("judge", told, problem="there is no such answer any more")
        try:
            words = said.text("words", LONGEST_WORDS)
            self._assistant.feedback(answer, said.text("verdict"), words)
        except AssistantError as error:
            return _message("judge", told, problem=str(error))
        return _message("judge", told)


def _message(kind: str, told: str, **values: Any) -> str:
    # The stamp makes two equal messages two changes of the field that carries them.
    stamp = Told.read(told).number("stamp")
    return json.dumps({"kind": kind, "stamp": stamp, **values}, ensure_ascii=False)
