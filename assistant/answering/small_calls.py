"""Two small questions to a model: what a question means, and which papers a list is to hold."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from assistant.answering.citations import without_numbers
from assistant.answering.model_events import Message, Usage
from assistant.answering.models import ChatModel
from assistant.answering.prompts import fenced, load_prompt, new_fence
from assistant.answering.source_prompts import SourcePrompts
from assistant.answering.tokens import fit
from assistant.answering.understood import Understood, read_understood
from assistant.corpus.paper import Paper
from assistant.settings import Settings

__all__ = [
    "TOKENS_PER_VERDICT",
    "Judgement",
    "Judgements",
    "Opinion",
    "Understanding",
    "judge",
    "understand",
]

Judgement = Literal["yes", "partly", "no"]

TOKENS_PER_VERDICT = 90
"""Room for one line of a judge's reply: a sentence is quoted in it."""

_REWRITE_TOKENS = 500
_LINE = re.compile(
    r"^[^\w\n]*(?:source\s+)?(?P<id>S[0-9a-f]{4})\W+(?P<verdict>yes|partly|partial|no)\b",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED = re.compile(r"[\"“”„«](?P<quote>.+)[\"”“»]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Opinion:
    """A model's opinion of one paper.

    Args:
        verdict: whether the paper belongs in the list.
        quote: the words said to show it, not checked; empty where none were given.
    """

    verdict: Judgement
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Judgements:
    """What a model thinks of some papers.

    Args:
        opinions: by paper id; a paper the model passed over is missing.
        usage: tokens of each call; None where the server did not count them.
    """

    opinions: dict[str, Opinion]
    usage: tuple[Usage | None, ...]


@dataclass(frozen=True, slots=True)
class Understanding:
    """A model's reply to what a question asks.

    Args:
        found: the question; None where the reply cannot be used.
        usage: tokens of the call; None where the server did not count them.
    """

    found: Understood | None
    usage: Usage | None


def understand(
    question: str,
    history: Sequence[Message],
    settings: Settings,
    model: ChatModel,
    *,
    seconds: float | None = None,
    cancel: threading.Event | None = None,
) -> Understanding:
    """Let a model say what a question asks, apart from the talk before it.

    Args:
        question: as it was asked.
        history: earlier turns, oldest first.
        settings: the prompts.
        model: who reads it.
        seconds: time for it; by default `total_timeout`.
        cancel: set it to stop.

    Raises:
        ModelError: there is no reply.
    """
    prompt = load_prompt("understand", settings)
    fence = new_fence()
    values = {"fence": fence, "question": fenced(fence, "question", question)}
    frame = prompt.messages({**values, "history": ""})
    fitted = fit(
        fixed="\n".join(message["content"] for message in frame),
        sources=(),
        history=history,
        budget=model.context_tokens - _REWRITE_TOKENS,
        model=model.name,
    )
    turns = "\n".join(
        f"{turn['role']}: {without_numbers(turn['content'])}" for turn in fitted.history
    )
    messages = prompt.messages({**values, "history": fenced(fence, "conversation", turns)})
    reply = model.complete(messages, max_tokens=_REWRITE_TOKENS, seconds=seconds, cancel=cancel)
    return Understanding(read_understood(reply.text), reply.finish.usage)


def judge(
    question: str,
    papers: Sequence[Paper],
    settings: Settings,
    model: ChatModel,
    *,
    window: int | None = None,
    seconds: float | None = None,
    cancel: threading.Event | None = None,
) -> Judgements:
    """Let a model decide for each paper whether it belongs in a list, and show why.

    Args:
        question: one that asks for papers.
        papers: the candidates; as many calls are made as it takes to show them all.
        settings: the prompts.
        model: who judges.
        window: the context window to stay in, in tokens; by default the model's.
        seconds: time for each call; by default `total_timeout`.
        cancel: set it to stop.

    Raises:
        InputError: the question alone does not fit into the window.
        ModelError: a call brought no reply.
    """
    prompt = load_prompt("judge", settings)
    context = window or model.context_tokens
    opinions: dict[str, Opinion] = {}
    usage: list[Usage | None] = []
    left = list(papers)
    while left and not (cancel is not None and cancel.is_set()):
        sources = SourcePrompts(left)
        limit = min(TOKENS_PER_VERDICT * len(left) + 64, context // 3)
        request = sources.request(
            prompt, budget=context - limit, model=model.name, values={"question": question}
        )
        reply = model.complete(request.messages, max_tokens=limit, seconds=seconds, cancel=cancel)
        usage.append(reply.finish.usage)
        by_id = {source: paper.id for source, paper in zip(sources.ids, left, strict=True)}
        for source, opinion in _opinions(reply.text):
            if source in by_id:
                opinions.setdefault(by_id[source], opinion)
        left = left[len(left) - request.left_out :] if request.left_out else []
    return Judgements(opinions, tuple(usage))


def _opinions(reply: str) -> list[tuple[str, Opinion]]:
    found = list(_LINE.finditer(reply))
    ends = [match.start() for match in found[1:]] + [len(reply)]
    return [
        (f"S{match['id'][1:].lower()}", _opinion(match["verdict"], reply[match.end() : end]))
        for match, end in zip(found, ends, strict=False)
    ]


def _opinion(verdict: str, behind: str) -> Opinion:
    word = verdict.lower()
    if word == "no":
        return Opinion("no")
    quoted = _QUOTED.search(behind)
    quote = quoted["quote"] if quoted else behind.strip().lstrip(":,;-–— ")
    return Opinion(cast("Judgement", "partly" if word == "partial" else word), quote.strip())
