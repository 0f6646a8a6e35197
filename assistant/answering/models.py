"""The one door to a chat model: text in pieces, how it ended, and errors a person can act on."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import AsyncIterator, Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.answering import background
from assistant.answering.model_calls import (
    Call,
    build_client,
    call_options,
    ended_without_text,
    prepared,
    served_models,
)
from assistant.answering.model_errors import (
    ContextTooLongError,
    describe,
    error_text,
    names_a_model,
    status_of,
)
from assistant.answering.model_events import (
    Delta,
    Finish,
    Message,
    ModelEvent,
    Reason,
    Reply,
    Retract,
    Usage,
)
from assistant.answering.model_servers import ModelSpec, Quirks, quirks_of, spec_of
from assistant.answering.thinking import ThoughtFilter
from assistant.answering.waiting import pause, worth_another_try
from assistant.errors import ModelError
from assistant.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

__all__ = [
    "ChatModel",
    "Delta",
    "Finish",
    "Message",
    "ModelEvent",
    "Reason",
    "Reply",
    "Retract",
    "Usage",
    "load_chat_model",
]

_log = logging.getLogger(__name__)

_ROOM_TO_THINK = 4


class ChatModel:
    """A chat model behind any server; may be shared by threads.

    Args:
        spec: which model, where.
        settings: timeouts, retries, temperature and the limit of a reply.
    """

    def __init__(self, spec: ModelSpec, settings: Settings) -> None:
        self._given = spec
        self._named: ModelSpec | None = spec if spec.model else None
        self._settings = settings
        self._clients: dict[tuple[int, bool], BaseChatModel] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Provider and name, as ASSISTANT_MODEL takes them; may ask the server once.

        Raises:
            ModelError: the server does not say which models it serves.
        """
        return f"{self._given.provider}:{self._spec().model}"

    @property
    def context_tokens(self) -> int:
        """The context window to stay in: the setting, or what the server named if that is less."""
        known = quirks_of(self._spec()).context
        setting = self._settings.context_tokens
        return setting if known is None else min(setting, known)

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
        cancel: threading.Event | None = None,
    ) -> Generator[ModelEvent, None, None]:
        """Ask, and give the reply as it comes.

        Closing the generator closes the connection; `cancel` does so from another thread, even
        while nothing arrives.

        Args:
            messages: `role` and `content` each; blank ones are not sent.
            max_tokens: limit of the reply in tokens; by default `answer_tokens`.
            seconds: time for all of it; by default `total_timeout`.
            cancel: set it to stop.

        Yields:
            `Delta`s, at most one `Retract`, and one `Finish` at the end.

        Raises:
            ModelError: there is no reply; once text has come, `Finish` tells what broke it off.
        """
        # Built here: the first import takes a second that other calls should not wait for.
        self._client(self._spec())
        limit = max_tokens or self._settings.answer_tokens
        deadline = time.monotonic() + (seconds or self._settings.total_timeout)
        events = background.iterate(self._events(messages, limit, deadline), cancel)
        complete = yield from events
        if not complete:
            yield Finish("stopped")

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None = None,
        seconds: float | None = None,
        cancel: threading.Event | None = None,
    ) -> Reply:
        """Ask, and wait for the whole reply; takes and raises what `stream` does."""
        text = ""
        for event in self.stream(messages, max_tokens=max_tokens, seconds=seconds, cancel=cancel):
            if isinstance(event, Delta):
                text += event.text
            elif isinstance(event, Retract):
                text = ""
            else:
                return Reply(text.strip(), event)
        raise AssertionError("a stream ends with Finish")

    def prepare(self) -> None:
        """Import and make the client, which takes a second, before it is needed; sends nothing.

        Raises:
            SettingsError: the provider's package or key is missing.
        """
        if self._named is not None:
            self._client(self._named)
            return
        # Which model it is the server knows alone; what takes time is the import.
        build_client(replace(self._given, model="unnamed"), self._settings, quirks_of(self._given))

    def close(self) -> None:
        """Close the connections that are kept open."""
        with self._lock:
            clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            openai_client = getattr(client, "root_async_client", None)
            if openai_client is not None:
                background.run(openai_client.close(), timeout=2.0)

    def _spec(self) -> ModelSpec:
        if self._named is None:
            with self._lock:
                if self._named is None:
                    self._named = self._ask_name()
        return self._named

    def _ask_name(self) -> ModelSpec:
        quirks = quirks_of(self._given)
        names: list[str] = []
        while True:
            try:
                names = background.run(served_models(self._given, quirks, self._settings))
                break
            except Exception as error:
                if self._next_address(self._given, quirks, error):
                    continue
                raise describe(error, self._given.server_name(quirks.address)) from error
        if not names:
            host = self._given.server_name(quirks.address).host
            raise ModelError(f"{host} lists no chat model: set ASSISTANT_MODEL to one it serves")
        named = replace(self._given, model=names[0])
        quirks_of(named).address = quirks.address
        return named

    def _client(self, spec: ModelSpec) -> BaseChatModel:
        quirks = quirks_of(spec)
        key = (quirks.address, quirks.temperature or spec.provider == "openai")
        with self._lock:
            if key not in self._clients:
                _stop_tracing()
                self._clients[key] = build_client(spec, self._settings, quirks)
            return self._clients[key]

    async def _events(
        self, messages: Sequence[Message], max_tokens: int, deadline: float
    ) -> AsyncIterator[ModelEvent]:
        spec = self._spec()
        quirks = quirks_of(spec)
        while True:
            room = max(max_tokens, min(max_tokens * quirks.room, self.context_tokens // 2))
            call = await self._opened(spec, quirks, messages, room, deadline)
            written, broken_off = False, None
            try:
                async for event in self._read(call, quirks, deadline):
                    if not isinstance(event, Finish):
                        written = isinstance(event, Delta)
                    elif not written:
                        broken_off = event.detail if event.reason == "cut" else None
                        break
                    yield event
                if written:
                    return
            finally:
                await call.close()
            if call.reason in ("refused", "filtered"):
                yield Finish(call.reason, _usage(call), call.sidecar.refusal or None)
                return
            if broken_off:
                raise ModelError(f"{self.name} gave no answer: {broken_off}", retryable=True)
            if call.reason != "length" or quirks.room > 1:
                raise ended_without_text(call, spec, room)
            _log.info("%s spent its limit on thoughts: asking again with more room", self.name)
            quirks.room = _ROOM_TO_THINK

    async def _read(self, call: Call, quirks: Quirks, deadline: float) -> AsyncIterator[ModelEvent]:
        thoughts = ThoughtFilter(opened=quirks.opens_with_thought)
        stall, detail = self._settings.stall_timeout, None
        try:
            async for piece in call.pieces(lambda: min(stall, _left(deadline))):
                for event in _split(thoughts.feed(piece)):
                    yield event
        except TimeoutError:
            detail = (
                f"the server fell silent for {stall:g} seconds"
                if _left(deadline) > 0
                else "the time for one answer was over (ASSISTANT_TOTAL_TIMEOUT)"
            )
        except Exception as error:  # noqa: BLE001 - providers share no base class
            detail = str(describe(error, self._spec().server_name(quirks.address)))
        for event in _split(thoughts.finish(complete=not detail and call.reason == "stop")):
            yield event
        quirks.opens_with_thought = quirks.opens_with_thought or thoughts.opens_with_thought
        yield Finish(
            "cut" if detail else call.reason,
            _usage(call),
            call.sidecar.refusal or None,
            detail or ("the server ended the reply early" if call.reason == "cut" else None),
        )

    async def _opened(
        self,
        spec: ModelSpec,
        quirks: Quirks,
        messages: Sequence[Message],
        max_tokens: int,
        deadline: float,
    ) -> Call:
        from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

        def worth_it(error: BaseException) -> bool:
            return worth_another_try(
                error, min(_left(deadline), self._settings.first_token_timeout)
            )

        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._settings.max_retries + 1),
            retry=retry_if_exception(worth_it),
            wait=pause,
            reraise=True,
        )
        return await retrying(self._open_once, spec, quirks, messages, max_tokens, deadline)

    async def _open_once(
        self,
        spec: ModelSpec,
        quirks: Quirks,
        messages: Sequence[Message],
        max_tokens: int,
        deadline: float,
    ) -> Call:
        patience = self._settings.first_token_timeout
        while True:
            sent = replace(quirks)
            call = Call(
                self._client(spec),
                prepared(messages, system_role=quirks.system_role),
                call_options(spec, self._settings, quirks, max_tokens),
                max_tokens,
            )
            try:
                if await call.open(lambda: min(patience, _left(deadline))) or call.reason != "cut":
                    return call
                raise ended_without_text(call, spec, max_tokens)
            except TimeoutError as error:
                host = spec.server_name(quirks.address).host
                raise ModelError(
                    f"{host} sent no word within {min(patience, self._settings.total_timeout):g} "
                    "seconds: ask again, or raise ASSISTANT_FIRST_TOKEN_TIMEOUT",
                    retryable=True,
                ) from error
            except Exception as error:
                # Another thread may have learned the same while this request was under way.
                learned = quirks != sent or quirks.learn(error)
                if learned or self._next_address(spec, quirks, error):
                    _log.info("%s wants the request in another form: trying that", spec.model)
                    continue
                told = describe(error, spec.server_name(quirks.address))
                if isinstance(told, ContextTooLongError):
                    quirks.context = told.limit or quirks.context
                raise told from error

    def _next_address(self, spec: ModelSpec, quirks: Quirks, error: Exception) -> bool:
        missing = status_of(error) in (404, 405) and not names_a_model(error_text(error))
        if not missing or len(spec.addresses) < 2:
            return False
        quirks.address = (quirks.address + 1) % len(spec.addresses)
        return quirks.address > 0


def load_chat_model(settings: Settings) -> ChatModel | None:
    """Make the chat model the settings name; nothing is imported or asked before it is used.

    Args:
        settings: `model`, the key and the address.

    Returns:
        The model; None where answers are to be made without one.

    Raises:
        SettingsError: a key or a package is missing, or the name cannot be used.
    """
    spec = spec_of(settings)
    return None if spec is None else ChatModel(spec, settings)


def _stop_tracing() -> None:
    """Tracing would send whole prompts to a third party beside the model server."""
    from langsmith.run_trees import configure

    configure(enabled=False)


def _split(read: tuple[bool, str]) -> list[ModelEvent]:
    retract, text = read
    events: list[ModelEvent] = [Retract()] if retract else []
    return [*events, Delta(text)] if text else events


def _usage(call: Call) -> Usage | None:
    return None if call.usage is None else Usage(*call.usage)


def _left(deadline: float) -> float:
    return deadline - time.monotonic()
