"""Prompts that hold papers: as data between fences, under ids none can guess, cut to fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assistant.answering.citations import without_numbers
from assistant.answering.marks import new_ids
from assistant.answering.prompts import Prompt, fenced, new_fence
from assistant.answering.tokens import count_tokens, fit
from assistant.corpus.paper import Paper

__all__ = ["Request", "SourcePrompts"]


@dataclass(frozen=True, slots=True)
class Request:
    """Messages that fit, and what had to be left out.

    Args:
        messages: `role` and `content` each.
        left_out: how many papers did not fit.
    """

    messages: list[Mapping[str, str]]
    left_out: int


@dataclass(frozen=True)
class SourcePrompts:
    """The papers of one question with the ids a model knows them by.

    Args:
        papers: most relevant first, each once.
    """

    papers: Sequence[Paper]
    ids: list[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", new_ids(len(self.papers)))

    @property
    def aliases(self) -> dict[str, int]:
        """The papers' own ids with their places: a model may know them from earlier turns."""
        return {paper.id: place for place, paper in enumerate(self.papers)}

    def request(
        self,
        prompt: Prompt,
        *,
        budget: int,
        model: str,
        values: Mapping[str, str],
        history: Sequence[Mapping[str, str]] = (),
        places: Sequence[int] | None = None,
    ) -> Request:
        """Fill in a prompt with as many papers and turns as fit.

        Args:
            prompt: one that takes `fence` and `sources`.
            budget: tokens for all of it.
            model: its name, to count tokens by.
            values: the prompt's other variables.
            history: earlier turns, oldest first; citation numbers in them are taken out, for they
                mean nothing in this turn.
            places: which papers, most relevant first; by default all.

        Raises:
            InputError: the rules and the question alone do not fit.
        """
        fence = _fence_for(self.papers)
        chosen = list(range(len(self.papers)) if places is None else places)
        frame = prompt.messages({**values, "fence": fence, "sources": ""})
        fitted = fit(
            fixed="\n".join(message["content"] for message in frame),
            sources=[_text(self.papers[place]) for place in chosen],
            history=[_turn(turn) for turn in history],
            budget=budget,
            around=count_tokens(fenced(fence, "source S00000", ""), model) + 1,
            model=model,
        )
        sources = "\n\n".join(
            fenced(fence, f"source {self.ids[place]}", text)
            for place, text in zip(chosen, fitted.sources, strict=False)
        )
        filled = {**values, "fence": fence, "sources": sources}
        messages = prompt.messages(filled, fitted.history)
        return Request(messages, fitted.dropped_sources)


def _text(paper: Paper) -> str:
    published = ", ".join(str(part) for part in (paper.venue, paper.year) if part)
    head = {
        "Title": paper.title,
        "Authors": ", ".join(paper.authors),
        "Published": published,
    }
    lines = [f"{name}: {value}" for name, value in head.items() if value]
    return "\n".join([*lines, paper.abstract])


def _turn(turn: Mapping[str, str]) -> Mapping[str, str]:
    if turn["role"] != "assistant":
        return turn
    return {"role": "assistant", "content": without_numbers(turn["content"])}


def _fence_for(papers: Sequence[Paper]) -> str:
    while True:
        fence = new_fence()
        if not any(fence in paper.indexed_text for paper in papers):
            return fence
