"""Talks with a served page over HTTP: as a program does, and as the page in a browser does."""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx

__all__ = ["CallTalk", "PageTalk", "Refused", "Said"]

_API = "gradio_api"


class Refused(Exception):  # noqa: N818 - what the server says, not a fault of ours
    """The page answered with an error."""


@dataclass(frozen=True, slots=True)
class Said:
    """What came back.

    Args:
        text: the answer.
        told: all that was told of it: text, quotes, history.
        asked: the questions of the talk, as the server knows them.
    """

    text: str
    told: str
    asked: list[str]


class CallTalk:
    """A talk through the call that the page offers; the history is ours to send.

    Args:
        client: with the page's address.
    """

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self._history: list[dict[str, str]] = []

    async def ask(self, question: str) -> Said:
        """Ask the next question.

        Args:
            question: in any words.

        Raises:
            Refused: the page says why not.
        """
        begun = await self._client.post(
            f"{_API}/call/ask", json={"data": [question, self._history]}
        )
        event = _taken(begun)["event_id"]
        answer: dict[str, Any] = {}
        async with aclosing(_lines(self._client, f"{_API}/call/ask/{event}")) as lines:
            async for kind, data in lines:
                if kind == "error":
                    raise Refused(str(data))
                if kind == "complete":
                    answer = data[0]
        if not answer:
            raise Refused("the stream ended without an answer")
        self._history = answer["history"]
        asked = [turn["content"] for turn in self._history if turn["role"] == "user"]
        return Said(answer["text"], _told(answer), asked)

    async def close(self) -> None:
        """Nothing is held."""


class PageTalk:
    """A talk as a tab of a browser has it; the history is the server's.

    Args:
        client: with the page's address.
        entry: the number of the page's own event, see `entry`.
    """

    def __init__(self, client: httpx.AsyncClient, entry: int) -> None:
        self._client = client
        self._entry = entry
        self._session = secrets.token_hex(8)

    @staticmethod
    async def entry(client: httpx.AsyncClient) -> int:
        """Find the event by which the page asks.

        Args:
            client: with the page's address.
        """
        config = (await client.get("config")).json()
        (box,) = [
            part["id"] for part in config["components"] if part["props"].get("elem_id") == "ap-box"
        ]
        (found,) = [
            int(event["id"])
            for event in config["dependencies"]
            if [box, "submit"] in event["targets"]
        ]
        return found

    async def ask(self, question: str) -> Said:
        """Ask the next question.

        Args:
            question: in any words.

        Raises:
            Refused: the page says why not.
        """
        told = json.dumps({"talk": self._session})
        body = {
            "data": [None, question, told],
            "fn_index": self._entry,
            "session_hash": self._session,
        }
        _taken(await self._client.post(f"{_API}/queue/join", json=body))
        shown: list[Any] = []
        stream = f"{_API}/queue/data?session_hash={self._session}"
        async with aclosing(_lines(self._client, stream)) as lines:
            async for _, message in lines:
                shown = _drawn(shown, message)
                if message["msg"] == "process_completed":
                    break
        kept = next((part for part in shown if isinstance(part, str) and part[:1] == "{"), None)
        if kept is None:
            raise Refused("the page showed no conversation")
        talk = json.loads(kept)
        last = talk["turns"][-1]
        if last["answer"] is None:
            raise Refused(last["problem"])
        asked = [turn["question"] for turn in talk["turns"]]
        return Said(last["answer"]["text"], _told({**talk, **last["answer"]}), asked)

    async def close(self) -> None:
        """Leave, as a closed tab does."""


def _told(answer: dict[str, Any]) -> str:
    told = [answer[name] for name in ("text", "question", "standalone_question", "sentences")]
    return json.dumps(told, ensure_ascii=False)


def _drawn(shown: list[Any], message: dict[str, Any]) -> list[Any]:
    """What is shown after a message: whole at first, then by its differences."""
    from gradio_client.utils import apply_diff  # type: ignore[import-untyped]

    if message["msg"] in ("unexpected_error", "queue_full"):
        raise Refused(str(message))
    if message["msg"] not in ("process_generating", "process_completed"):
        return shown
    if not message["success"]:
        raise Refused(str(message["output"]))
    data = message["output"].get("data") or []
    if message["msg"] == "process_completed" or not shown:
        return data or shown
    return [apply_diff(old, new) for old, new in zip(shown, data, strict=True)]


async def _lines(client: httpx.AsyncClient, path: str) -> AsyncGenerator[tuple[str, Any]]:
    """The events of a stream: their kind and what they hold."""
    kind = ""
    async with client.stream("GET", path) as response:
        if response.status_code != httpx.codes.OK:
            raise Refused(f"{response.status_code} {(await response.aread()).decode()[:200]}")
        async for line in response.aiter_lines():
            if line.startswith("event: "):
                kind = line[len("event: ") :]
            elif line.startswith("data: "):
                yield kind, json.loads(line[len("data: ") :])


def _taken(response: httpx.Response) -> dict[str, Any]:
    if response.status_code != httpx.codes.OK:
        raise Refused(f"{response.status_code} {response.text[:200]}")
    return dict(response.json())
