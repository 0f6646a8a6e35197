"""What the page's events do; each call gets its own browser's conversation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Protocol

import gradio as gr  # noqa: TID253 - gradio reads the handlers' annotations in this module

from assistant.answering.answer import Answer
from assistant.errors import AssistantError
from assistant.settings import Settings
from assistant.web.banner import banner_html
from assistant.web.conversation import Asking, Conversation, Message
from assistant.web.places import Places
from assistant.web.rendering import welcome_html
from assistant.web.told import Told
from assistant.web.warmup import Collection, Warmup

__all__ = ["AT_ONCE", "WAITING", "Handlers", "PageAssistant"]

AT_ONCE = 10
WAITING = 40


class PageAssistant(Asking, Collection, Protocol):
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

    async def submit(self, talk: Conversation, question: str) -> AsyncIterator[list[Any]]:
        if not _may_ask(talk, question):
            yield [gr.skip(), gr.skip()]
            return
        typed: dict[str, Any] = {"value": ""}
        async for _ in talk.ask(self._assistant, question, self._places):
            buttons: dict[str, Any] = {"submit_btn": not talk.running, "stop_btn": talk.running}
            changed = typed or not talk.running
            yield [talk.messages(), gr.update(**typed, **buttons) if changed else gr.skip()]
            typed = {}

    async def example(self, talk: Conversation, chosen: gr.SelectData) -> AsyncIterator[list[Any]]:
        async for shown in self.submit(talk, str(chosen.value["text"])):
            yield shown

    async def retry(self, talk: Conversation) -> AsyncIterator[list[Any]]:
        question = "" if talk.running else talk.drop_last()
        async for shown in self.submit(talk, question):
            yield shown

    def undo(self, talk: Conversation) -> list[Any]:
        if talk.running:
            return [gr.skip(), gr.skip()]
        question = talk.drop_last()
        return [talk.messages(), gr.update(value=question)]

    def stop(self, talk: Conversation) -> None:
        talk.stopping = True

    def forget(self, talk: Conversation) -> list[Any]:
        talk.stopping = True
        talk.turns.clear()
        return [[], gr.update(value="", submit_btn=True, stop_btn=False)]

    def loaded(self) -> list[Any]:
        there = self._warmup.wait()
        return [_banner(there.facts), gr.update(placeholder=welcome_html(there.papers))]


def _may_ask(talk: Conversation, question: str) -> bool:
    return not talk.running and bool(question.strip())
