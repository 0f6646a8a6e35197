"""A question, understood: what retrieval and answering are given of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assistant.corpus.spans import Span
from assistant.retrieval.history import FollowUp
from assistant.retrieval.kinds import Kind, SmallTalk
from assistant.retrieval.lookups import Lookup
from assistant.retrieval.naming import Named
from assistant.retrieval.notes import Note
from assistant.retrieval.times import Times

__all__ = ["Query"]


@dataclass(frozen=True, slots=True)
class Query:
    """A question, understood.

    Args:
        question: as it was asked.
        text: what is searched for: the question less its filters, in the collection's spelling.
        standalone: the question as it reads without the talk before it.
        kind: what kind of question it is.
        small_talk: which small talk, where it is some.
        named: the papers it names, in its order.
        follow_up: what it refers to in the talk before it.
        where: filters found in it.
        excluded: what the papers must not be about.
        denied: whether what is excluded was denied of them ("do not use"), so that what an abstract
            says it does without is no reason to leave it out.
        corrections: words as they were typed and as they were read.
        language: ISO 639-1 code.
        spoken: what `text` was made of, for an embedder that knows the question's language.
        left_out: orders to the assistant that stood in the question and are not followed.
        near: papers whose likes are asked for.
        without: papers shown before, which are not asked for again.
        times: what it says of time, where it asks for papers.
        lookup: what is to be looked up instead of ranked.
        people: whether it asks who wrote the papers.
        continued: whether it takes over what the question before it asked.
        notes: how it was read, where an answer must say so.
    """

    question: str
    text: str
    standalone: str
    kind: Kind
    small_talk: SmallTalk | None = None
    named: tuple[Named, ...] = ()
    follow_up: FollowUp | None = None
    where: Mapping[str, object] = field(default_factory=dict)
    excluded: str | None = None
    denied: bool = False
    corrections: Mapping[str, str] = field(default_factory=dict)
    language: str = "en"
    spoken: str = ""
    left_out: str = ""
    near: tuple[int, ...] = ()
    without: tuple[int, ...] = ()
    times: Times | None = None
    lookup: Lookup | None = None
    people: bool = False
    continued: bool = False
    notes: tuple[Note, ...] = ()

    @property
    def focus(self) -> tuple[int, ...]:
        """Rows the answer is limited to: named papers, else those the talk points to."""
        if self.named:
            return tuple(named.row for named in self.named)
        return self.follow_up.rows if self.follow_up else ()

    @property
    def mentions(self) -> list[Span]:
        """Where it names papers."""
        return [named.span for named in self.named]

    @property
    def settled(self) -> bool:
        """Whether rules leave nothing of it to a model to understand."""
        return self.continued or bool(self.near) or self.lookup is not None or self.listed

    @property
    def listed(self) -> bool:
        """Whether papers shown before are only to be listed."""
        return self.follow_up is not None and self.follow_up.listed and bool(self.follow_up.rows)
