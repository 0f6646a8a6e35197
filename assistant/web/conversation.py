"""One browser's conversation: its turns, and the run of a question through the assistant."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from threading import Event as Signal
from typing import Protocol

from assistant.answering.answer import Answer, Sentence
from assistant.answering.events import Done, Event, SentenceChecked, Status, Token
from assistant.errors import AssistantError
from assistant.web.places import Place, Places
from assistant.web.rendering import (
    answer_html,
    draft_html,
    problem_html,
    question_html,
    waiting_html,
)
from assistant.web.running import run

__all__ = ["Asking", "Conversation", "Message", "Turn"]

_LOG = logging.getLogger(__name__)
_REDRAW_SECONDS = 0.1
_STILL_HERE_SECONDS = 1.0
_LINE_SECONDS = 0.2
STOPPED = "Stopped. What stands above is unfinished and unchecked."
ENDED_EARLY = "The answer ended early. Ask again; the log says what happened."
FAILED = "Something went wrong on the server; the log has the details. Ask again."

Message = dict[str, str]


class Asking(Protocol):
    """What the page needs of the assistant."""

    def stream(self, question: str, history: list[Message], *, cancel: Signal) -> Iterator[Event]:
        """Answer a question, event by event."""


@dataclass(slots=True)
class Turn:
    """A question and what is shown below it.

    Args:
        question: as it was asked.
        html: the answer as shown.
        history: the conversation after this turn, None while it is unanswered.
    """

    question: str
    html: str = ""
    history: tuple[Message, ...] | None = None


@dataclass(slots=True)
class Conversation:
    """The turns of one browser tab; nobody else sees them.

    Args:
        turns: in order.
        running: whether an answer is being made.
        stopping: whether the person asked to stop it.
    """

    turns: list[Turn] = field(default_factory=list)
    running: bool = False
    stopping: bool = False

    def messages(self) -> list[Message]:
        """Return what the chat shows."""
        shown: list[Message] = []
        for turn in self.turns:
            shown.append({"role": "user", "content": question_html(turn.question)})
            if turn.html:
                shown.append({"role": "assistant", "content": turn.html})
        return shown

    def history(self) -> list[Message]:
        """Return what the next question builds on: the last turn that was answered."""
        answered = [turn.history for turn in self.turns if turn.history is not None]
        return list(answered[-1]) if answered else []

    def drop_last(self) -> str:
        """Take the last turn back.

        Returns:
            Its question, empty where there was none.
        """
        return self.turns.pop().question if self.turns else ""

    async def ask(self, assistant: Asking, question: str, places: Places) -> AsyncGenerator[None]:
        """Run a question as a new turn; each step is a moment to show the messages again.

        Args:
            assistant: whom to ask.
            question: as it was typed.
            places: where it waits for its turn when many ask at once.
        """
        history = self.history()
        turn = Turn(question)
        self.turns.append(turn)
        self.running, self.stopping = True, False
        draft = _Draft()
        place: Place | None = None
        try:
            place = places.line_up()
            while (ahead := place.ahead) is not None and not self.stopping:
                turn.html = waiting_html(ahead)
                yield
                await asyncio.sleep(_LINE_SECONDS)
            turn.html = draft.html()
            yield
            async with aclosing(self._events(assistant, question, history)) as events:
                async for event in events:
                    if isinstance(event, Done):
                        self._finish(turn, event.answer)
                        break
                    if draft.take(event):
                        turn.html = draft.html()
                        yield
            if turn.history is None:
                turn.html = problem_html(STOPPED if self.stopping else ENDED_EARLY, draft.text)
        except AssistantError as error:
            turn.html = problem_html(str(error), draft.text)
        except Exception:  # noqa: BLE001 - a reader gets a sentence, the log the traceback
            _LOG.exception("a question could not be answered")
            turn.html = problem_html(FAILED, draft.text)
        finally:
            self.running = False
            if place is not None:
                place.leave()
        yield

    def _events(
        self, assistant: Asking, question: str, history: list[Message]
    ) -> AsyncGenerator[Event | None]:
        return run(
            lambda cancel: assistant.stream(question, history, cancel=cancel),
            stopped=lambda: self.stopping,
        )

    @staticmethod
    def _finish(turn: Turn, answer: Answer) -> None:
        turn.html = answer_html(answer)
        turn.history = answer.history or (
            {"role": "user", "content": answer.question},
            {"role": "assistant", "content": answer.text},
        )


class _Draft:
    """What has come so far, redrawn at a pace a browser keeps up with."""

    def __init__(self) -> None:
        self.text = ""
        self._status = Status("searching")
        self._sentences: list[Sentence] = []
        self._drawn = time.monotonic()
        self._changed = False

    def html(self) -> str:
        return draft_html(self.text, self._status, self._sentences)

    def take(self, event: Event | None) -> bool:
        """Note an event; return whether the draft is to be drawn (or shown to be alive) now."""
        if isinstance(event, Token):
            self.text += event.text
        elif isinstance(event, SentenceChecked):
            self._sentences.append(event.sentence)
        elif isinstance(event, Status):
            self._status = event
            if event.stage == "writing":
                # A model that starts over takes back what it had written.
                self.text, self._sentences = "", []
        self._changed = self._changed or event is not None
        waited = time.monotonic() - self._drawn
        if waited < (_REDRAW_SECONDS if self._changed else _STILL_HERE_SECONDS):
            return False
        self._drawn, self._changed = time.monotonic(), False
        return True
