"""The talk before a question: what it showed, and what a question takes over from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.retrieval.arranging import has_topic
from assistant.retrieval.continuing import (
    asks_further,
    asks_other,
    asks_papers,
    ellipsis,
    in_frame,
)
from assistant.retrieval.history import (
    FollowUp,
    Turn,
    beside_pointed,
    follow_up,
    last_list,
    pointed_rows,
)
from assistant.retrieval.language import ENGLISH
from assistant.retrieval.lookups import Lookup, asks_citing, asks_near, cited_name, masked
from assistant.retrieval.mentions import named_papers, rows_listed, rows_said
from assistant.retrieval.naming import Named
from assistant.retrieval.question import Query

if TYPE_CHECKING:
    from assistant.index.snapshot import Snapshot

__all__ = ["Talk"]

_FURTHEST = 12
"""Questions that are looked back at: a talk that only ever says "more" has no end."""

Understand = Callable[[str, "Talk"], Query]


class Talk:
    """The messages before a question, and what is found in them, each looked at once.

    Args:
        turns: the messages.
        snapshot: the collection they are about.
        understand: understands a question asked within a talk.
        depth: how many questions were looked back at so far.
    """

    def __init__(
        self, turns: Sequence[Turn], snapshot: Snapshot, understand: Understand, depth: int = 0
    ) -> None:
        self.turns = turns
        self.snapshot = snapshot
        self._understand = understand
        self._depth = depth
        self._shown: dict[str, list[int]] = {}
        self._asked: dict[int, Query] = {}

    def named(self, text: str) -> tuple[Named, ...]:
        """Find the papers a question names.

        Args:
            text: the question.
        """
        return tuple(named_papers(text, self.snapshot))

    def rows_shown(self, said: str) -> list[int]:
        """Find the papers a message shows; see `mentions.rows_listed`.

        Args:
            said: the message.
        """
        if said not in self._shown:
            self._shown[said] = rows_listed(said, self.snapshot)
        return self._shown[said]

    def follow_up(self, text: str) -> FollowUp | None:
        """Find what a question that names no paper refers to.

        Args:
            text: the question.
        """
        return follow_up(
            text, self.turns, self.rows_shown, lambda said: rows_said(said, self.snapshot)
        )

    def continues(self, text: str) -> bool:
        """Tell whether a message that may be small talk asks for more of a list.

        Args:
            text: the message.
        """
        return bool(self.turns) and asks_further(text) and self._frame(any_of_them=True) is not None

    def with_pointed(self, text: str, named: tuple[Named, ...]) -> tuple[Named, ...]:
        """Add to the papers a question names those it compares them with: "compare it with X".

        Args:
            text: the question.
            named: the papers it names.
        """
        if not named or not self.turns:
            return named
        spans = [mention.span for mention in named]
        found = beside_pointed(text, spans, self.turns, self.rows_shown)
        known = {mention.row for mention in named}
        if found is None:
            return named
        added = [
            Named(row, self.snapshot.paper(row).label, *found.span)
            for row in found.rows
            if row not in known
        ]
        return tuple(sorted((*named, *added), key=lambda mention: mention.start))

    def shown_before(self, text: str) -> tuple[int, ...]:
        """Give the papers that "which other papers …" leaves out: the list last shown and since.

        Args:
            text: the question.
        """
        if not self.turns or not asks_other(text):
            return ()
        rows: dict[int, None] = {}
        for turn in reversed(self.turns):
            if turn.role != "assistant":
                continue
            listed = self.rows_shown(turn.content)
            rows.update(dict.fromkeys(listed))
            if len(listed) > 1:
                break
        return tuple(rows)

    def resolved(
        self, question: str, text: str, named: tuple[Named, ...], language: str
    ) -> Query | None:
        """Understand a question that asks for likes, for citations, or goes on with the one before.

        Args:
            question: as it was asked.
            text: the same, to be searched for.
            named: the papers it names.
            language: ISO 639-1 code.

        Returns:
            None where it asks none of these.
        """
        plain = masked(text, (mention.span for mention in named))
        rows = tuple(mention.row for mention in named)
        if asks_citing(plain):
            rows = rows or pointed_rows(text, self.turns, self.rows_shown)
            names = [self.snapshot.paper(row).label for row in rows]
            what = "; ".join(names) or cited_name(text)
            lookup = Lookup("cites", what, rows=rows)
            return Query(question, text, text, "list", language=language, lookup=lookup)
        if asks_near(plain):
            rows = rows or pointed_rows(text, self.turns, self.rows_shown)
            if rows:
                return self._near(question, text, rows, language)
        return None if named or not self.turns else self._continued(question, text)

    def _near(self, question: str, text: str, rows: tuple[int, ...], language: str) -> Query:
        papers = [self.snapshot.paper(row) for row in rows]
        sought = "; ".join(paper.title or paper.abstract[:200] for paper in papers)
        standalone = f"{text} (about {'; '.join(paper.label for paper in papers)})"
        return Query(question, sought, standalone, "list", language=language, near=rows)

    def _continued(self, question: str, text: str) -> Query | None:
        if asks_further(text):
            _, current = last_list(self.turns, self.rows_shown)
            framed = self._frame(any_of_them=True)
            # After one paper of a list, "the others" are the rest of it, and "more" is more of it.
            if framed is None or (current and not asks_papers(text)):
                return None
            at, frame = framed
            shown = tuple(dict.fromkeys((*frame.without, *self._shown_since(at))))
            return replace(
                frame,
                question=question,
                standalone=frame.standalone,
                without=shown,
                continued=True,
            )
        framed = self._frame(any_of_them=False)
        if framed is None:
            return None
        at, frame = framed
        topic = ellipsis(text, listed=bool(self._shown_since(at)))
        return None if topic is None else self._of_another(question, topic, frame)

    def _of_another(self, question: str, topic: str, frame: Query) -> Query:
        """Ask what was asked before of another topic, or of papers that another filter passes."""
        asked = in_frame(topic, frame.standalone, frame.kind)
        own = self._understand(asked, Talk((), self.snapshot, self._understand))
        where = {**frame.where, **own.where}
        follow = frame.follow_up
        language = frame.language if own.language == ENGLISH else own.language
        if not has_topic(own.text):
            return replace(
                frame,
                question=question,
                standalone=asked,
                where=where,
                without=(),
                continued=True,
                notes=own.notes or frame.notes,
                times=own.times or frame.times,
            )
        return replace(
            own, question=question, where=where, follow_up=follow, language=language, continued=True
        )

    def _frame(self, *, any_of_them: bool) -> tuple[int, Query] | None:
        """Find the question for papers that the talk is at."""
        looked = 0
        for at in range(len(self.turns) - 1, -1, -1):
            if self.turns[at].role != "user":
                continue
            looked += 1
            if looked + self._depth > _FURTHEST:
                return None
            query = self._query_at(at)
            if query.small_talk:
                continue
            if query.kind in ("list", "count") and not query.near:
                return at, query
            if not any_of_them:
                return None
        return None

    def _query_at(self, at: int) -> Query:
        if at not in self._asked:
            before = Talk(self.turns[:at], self.snapshot, self._understand, self._depth + 1)
            before._shown, before._asked = self._shown, self._asked
            self._asked[at] = self._understand(self.turns[at].content, before)
        return self._asked[at]

    def _shown_since(self, at: int) -> list[int]:
        rows: dict[int, None] = {}
        for turn in self.turns[at:]:
            if turn.role == "assistant":
                rows.update(dict.fromkeys(self.rows_shown(turn.content)))
        return list(rows)
