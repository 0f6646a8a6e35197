"""What the page's events do; each call gets its own browser's conversation."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, Protocol

import gradio as gr  # noqa: TID253 - gradio reads the handlers' annotations in this module

from assistant.answering.answer import Answer
from assistant.errors import AssistantError
from assistant.settings import Settings
from assistant.web.banner import banner_html
from assistant.web.conversation import Asking, Conversation, Message
from assistant.web.examples import EXAMPLES
from assistant.web.keeping import MOST_KEPT
from assistant.web.places import Places
from assistant.web.rendering import notice_html, welcome_html
from assistant.web.told import Told
from assistant.web.tools import ToolsAssistant
from assistant.web.views import ViewAssistant
from assistant.web.warmup import Collection, Warmup

__all__ = ["AT_ONCE", "WAITING", "Handlers", "PageAssistant"]

AT_ONCE = 10
WAITING = 40


class PageAssistant(Asking, Collection, ViewAssistant, ToolsAssistant, Protocol):
    """What the page needs of the assistant."""

    settings: Settings

    def ask(self, question: str, history: list[Message] = ...) -> Answer:
        """Answer a question."""


class Handlers:
    """The events of the chat.

    Args:
        assistant: answers the questions.
        warmup: tells what is loaded.
    """

    def __init__(self, assistant: PageAssistant, warmup: Warmup) -> None:
        self._assistant = assistant
        self._warmup = warmup
        self._places = Places(AT_ONCE, WAITING)

    async def submit(
        self, talk: Conversation, question: str, told: str = ""
    ) -> AsyncIterator[list[Any]]:
        """Ask, and show the answer as it grows."""
        if talk.running or not question.strip():
            yield [gr.skip(), gr.skip(), gr.skip()]
            return
        said = Told.read(told)
        talk.name = said.text("talk", 40)
        if said.values.get("replace") is True:
            talk.drop_last()
        typed: dict[str, Any] = {"value": ""}
        async for _ in talk.ask(self._assistant, question, self._places, said.ids("scope")):
            buttons: dict[str, Any] = {"submit_btn": not talk.running, "stop_btn": talk.running}
            changed = typed or not talk.running
            yield [
                talk.messages(),
                gr.update(**typed, **buttons) if changed else gr.skip(),
                talk.kept() if talk.idle() else gr.skip(),
            ]
            typed = {}

    async def example(
        self, talk: Conversation, told: str, chosen: gr.SelectData
    ) -> AsyncIterator[list[Any]]:
        """Ask the example that was chosen."""
        async for shown in self.submit(talk, str(chosen.value["text"]), told):
            yield shown

    async def retry(self, talk: Conversation, told: str) -> AsyncIterator[list[Any]]:
        """Ask the last question again."""
        question = ""
        if not talk.running and talk.turns:
            question = talk.turns[-1].question
            values = {**Told.read(told).values, "scope": talk.turns[-1].scope, "replace": True}
            told = json.dumps(values)
        async for shown in self.submit(talk, question, told):
            yield shown

    def undo(self, talk: Conversation) -> list[Any]:
        """Take the last turn back; its question returns into the field."""
        if talk.running:
            return [gr.skip(), gr.skip(), gr.skip()]
        question = talk.drop_last()
        return [talk.messages(), gr.update(value=question), talk.kept()]

    def stop(self, talk: Conversation) -> None:
        """Stop the answer that is being made."""
        talk.stopping = True

    def open(self, talk: Conversation, told: str) -> list[Any]:
        """Open a conversation that the browser kept, or a new one."""
        said = Told.read(told)
        talk.name = said.text("talk", 40)
        box = gr.update(value="", submit_btn=True, stop_btn=False)
        try:
            talk.open(said.text("kept", MOST_KEPT + 1))
        except AssistantError as error:
            talk.open("")
            return [[{"role": "assistant", "content": notice_html(str(error))}], box]
        return [talk.messages(), box]

    def restore(self, talk: Conversation, told: str) -> list[Any]:
        """Open what this tab showed before it was loaded anew, unless it was quicker to ask."""
        if talk.turns or not Told.read(told).text("kept", 1):
            return [gr.skip(), gr.skip()]
        return self.open(talk, told)

    def loaded(self) -> list[Any]:
        """Tell what is there to ask, once it is loaded."""
        there = self._warmup.wait()
        shown: dict[str, Any] = {"placeholder": welcome_html(there.papers, there.held)}
        if there.examples != EXAMPLES:
            shown["examples"] = [{"text": question} for question in there.examples]
        return [banner_html(there.facts), gr.update(**shown)]
