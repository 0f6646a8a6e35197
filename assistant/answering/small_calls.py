"""Two small questions to a model: what a follow-up means, and which papers a list is to hold."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from assistant.answering.answer import Kind
from assistant.answering.citations import without_numbers
from assistant.answering.model_events import Message
from assistant.answering.models import ChatModel
from assistant.answering.prompts import fenced, load_prompt, new_fence
from assistant.answering.source_prompts import SourcePrompts
from assistant.answering.tokens import fit
from assistant.corpus.paper import Paper
from assistant.settings import Settings

__all__ = ["Judgement", "Understood", "judge", "understand"]

Judgement = Literal["yes", "partly", "no"]

_REWRITE_TOKENS = 300
_TOKENS_PER_VERDICT = 16
_OBJECT = re.compile(r"\{.*?\}", re.DOTALL)
_VERDICT = re.compile(r"(?P<id>S[0-9a-f]{4})\W+(?P<verdict>yes|partly|no)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Understood:
    """A question as a model understood it.

    Args:
        question: understandable without the conversation.
        kind: what kind it is, None where the model named none there is.
    """

    question: str
    kind: Kind | None


def understand(
    question: str,
    history: Sequence[Message],
    settings: Settings,
    model: ChatModel,
    *,
    seconds: float | None = None,
    cancel: threading.Event | None = None,
) -> Understood | None:
    """Let a model rewrite a follow-up so that it can be searched for.

    Args:
        question: as it was asked.
        history: earlier turns, oldest first.
        settings: the prompts.
        model: who rewrites.
        seconds: time for it; by default `total_timeout`.
        cancel: set it to stop.

    Returns:
        The question; None where the reply cannot be used.

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
    return _understood(reply.text)


def judge(
    question: str,
    papers: Sequence[Paper],
    settings: Settings,
    model: ChatModel,
    *,
    seconds: float | None = None,
    cancel: threading.Event | None = None,
) -> dict[str, Judgement]:
    """Let a model decide for each paper whether it belongs in a list.

    Args:
        question: one that asks for papers.
        papers: the candidates; as many calls are made as it takes to show them all.
        settings: the prompts.
        model: who judges.
        seconds: time for each call; by default `total_timeout`.
        cancel: set it to stop.

    Returns:
        By paper id the verdict; a paper the model passed over is missing.

    Raises:
        ModelError: a call brought no reply.
    """
    prompt = load_prompt("judge", settings)
    verdicts: dict[str, Judgement] = {}
    left = list(papers)
    while left and not (cancel is not None and cancel.is_set()):
        sources = SourcePrompts(left)
        limit = min(_TOKENS_PER_VERDICT * len(left) + 64, model.context_tokens // 3)
        request = sources.request(
            prompt,
            budget=model.context_tokens - limit,
            model=model.name,
            values={"question": question},
        )
        reply = model.complete(request.messages, max_tokens=limit, seconds=seconds, cancel=cancel)
        by_id = {source: paper.id for source, paper in zip(sources.ids, left, strict=True)}
        for found in _VERDICT.finditer(reply.text):
            paper_id = by_id.get(f"S{found['id'][1:].lower()}")
            if paper_id is not None:
                verdicts.setdefault(paper_id, cast("Judgement", found["verdict"].lower()))
        left = left[len(left) - request.left_out :] if request.left_out else []
    return verdicts


def _understood(reply: str) -> Understood | None:
    for found in _OBJECT.finditer(reply):
        try:
            said = json.loads(found[0])
        except ValueError:
            continue
        question = said.get("question")
        if isinstance(question, str) and question.strip():
            kind = said.get("kind")
            known = kind if kind in get_args(Kind) else None
            return Understood(" ".join(question.split()), cast("Kind | None", known))
    return None
