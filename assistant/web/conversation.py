"""One browser's conversation: its turns, and the run of a question through the assistant."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from threading import Event as Signal
from typing import Protocol

from assistant.answering.answer import Answer, Sentence
from assistant.answering.events import Done, Event, SentenceChecked, Status, Token
from assistant.errors import AssistantError, InputError
from assistant.web.keeping import MOST_TURNS, packed, unpacked
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
_KEPT = ("question", "scope", "answer", "problem", "unfinished")
STOPPED = "Stopped. What stands above is unfinished and unchecked."
ENDED_EARLY = "The answer ended early. Ask again; the log says what happened."
FULL = f"This conversation has {MOST_TURNS} questions, which is the most it holds: begin a new one."
FAILED = "Something went wrong on the server; the log has the details. Ask again."

Message = dict[str, str]


class Asking(Protocol):
    """What the page needs of the assistant."""

    def stream(
        self,
        question: str,
        history: list[Message],
        where: Mapping[str, object] | None,
        *,
        cancel: Signal,
    ) -> Iterator[Event]:
        """Answer a question, event by event."""


@dataclass(slots=True)
class Turn:
    """A question and what is shown below it.

    Args:
        question: as it was asked.
        scope: ids of the papers it was limited to; none: the whole collection.
        html: the answer as shown.
        answer: None while there is none.
        problem: how it ended instead, in a sentence.
        unfinished: what had been written when it did.
        history: the conversation after this turn, None while it is unanswered.
    """

    question: str
    scope: tuple[str, ...] = ()
    html: str = ""
    answer: Answer | None = None
    problem: str = ""
    unfinished: str = ""
    history: tuple[Message, ...] | None = None

    def finish(self, answer: Answer) -> None:
        """Show an answer.

        Args:
            answer: to this turn's question.
        """
        self.answer = answer
        self.html = answer_html(answer)
        self.history = answer.history or (
            {"role": "user", "content": answer.question},
            {"role": "assistant", "content": answer.text},
        )

    def fail(self, problem: str, unfinished: str) -> None:
        """Show how it ended without an answer.

        Args:
            problem: what happened and what to do, in one sentence.
            unfinished: what had been written until then.
        """
        self.problem, self.unfinished = problem, unfinished
        self.html = problem_html(problem, unfinished)


@dataclass(slots=True)
class Conversation:
    """The turns of one browser tab; nobody else sees them.

    Args:
        name: by which the browser keeps it.
        turns: in order.
        running: whether an answer is being made.
        stopping: whether the person asked to stop it.
    """

    name: str = ""
    turns: list[Turn] = field(default_factory=list)
    running: bool = False
    stopping: bool = False

    def idle(self) -> bool:
        """Tell whether no answer is being made."""
        return not self.running

    def messages(self) -> list[Message]:
        """Return what the chat shows."""
        shown: list[Message] = []
        for turn in self.turns:
            shown.append({"role": "user", "content": question_html(turn.question, len(turn.scope))})
            if turn.html:
                shown.append({"role": "assistant", "content": turn.html})
        return shown

    def answers(self) -> list[Answer]:
        """Return the answers in order."""
        return [turn.answer for turn in self.turns if turn.answer is not None]

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

    def kept(self) -> str:
        """Return the finished turns as text for the browser to keep."""
        turns = [
            {name: getattr(turn, name) for name in _KEPT}
            for turn in self.turns
            if turn.answer is not None or turn.problem
        ]
        return packed(self.name, turns)

    def open(self, text: str) -> None:
        """Go on with a conversation that the browser kept.

        Args:
            text: what `kept` gave; empty begins anew.

        Raises:
            InputError: it is no conversation.
        """
        opened = [_turn(given) for given in unpacked(text)] if text else []
        talk: list[Message] = []
        for turn in opened:
            if turn.answer is not None:
                talk += turn.answer.history
                turn.history = tuple(talk)
        self.stopping = True
        self.turns = opened

    async def ask(
        self, assistant: Asking, question: str, places: Places, scope: Sequence[str] = ()
    ) -> AsyncGenerator[None]:
        """Run a question as a new turn; each step is a moment to show the messages again.

        Args:
            assistant: whom to ask.
            question: as it was typed.
            places: where it waits for its turn when many ask at once.
            scope: ids of the papers to ask; none: all.
        """
        history = self.history()
        turn = Turn(question, tuple(scope))
        if len(self.turns) >= MOST_TURNS:
            turn.fail(FULL, "")
            self.turns[MOST_TURNS:] = [turn]
            yield
            return
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
            async with aclosing(self._events(assistant, turn, history)) as events:
                async for event in events:
                    if isinstance(event, Done):
                        turn.finish(event.answer)
                        break
                    if draft.take(event):
                        turn.html = draft.html()
                        yield
            if turn.answer is None:
                turn.fail(STOPPED if self.stopping else ENDED_EARLY, draft.text)
        except AssistantError as error:
            turn.fail(str(error), draft.text)
        except Exception:  # noqa: BLE001 - a reader gets a sentence, the log the traceback
            _LOG.exception("a question could not be answered")
            turn.fail(FAILED, draft.text)
        finally:
            self.running = False
            if place is not None:
                place.leave()
        yield

    def _events(
        self, assistant: Asking, turn: Turn, history: list[Message]
    ) -> AsyncGenerator[Event | None]:
        where = {"id": list(turn.scope)} if turn.scope else None
        return run(
            lambda cancel: assistant.stream(turn.question, history, where, cancel=cancel),
            stopped=lambda: self.stopping,
        )


def _turn(given: Mapping[str, object]) -> Turn:
    texts = [given.get(name) for name in ("question", "problem", "unfinished")]
    scope, answer = given.get("scope"), given.get("answer")
    if not isinstance(scope, list) or not all(isinstance(t, str) for t in (*texts, *scope)):
        raise InputError("this conversation cannot be read: delete it")
    question, problem, unfinished = map(str, texts)
    turn = Turn(question, tuple(scope))
    if isinstance(answer, Answer):
        turn.finish(answer)
    else:
        turn.fail(problem, unfinished)
    return turn


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
