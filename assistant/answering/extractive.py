"""Answers put together from the abstracts' own sentences: every quote is verbatim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.answering.answer import Sentence
from assistant.answering.listing import asks_for_all, list_draft, nothing, showing
from assistant.answering.missing import Missing, missing
from assistant.answering.parts import (
    Side,
    asked_of,
    baseline_of,
    compared,
    comparing,
    counted_topic,
    stands_alone,
)
from assistant.answering.phrases import say
from assistant.answering.quoting import label_text, quoted
from assistant.answering.records import asked_of_record
from assistant.answering.said import Draft
from assistant.answering.shortfalls import asks_limitations, limitations
from assistant.answering.strangers import Stranger, strangers_beside
from assistant.corpus.paper import Paper
from assistant.corpus.spans import Span, overlaps
from assistant.index.terms import analyse
from assistant.retrieval.answer_sentences import AnswerSentence, answer_sentences, overview
from assistant.retrieval.answerable import first_paper, is_answerable
from assistant.retrieval.asking import wants_of
from assistant.retrieval.features import Asked
from assistant.retrieval.language import ENGLISH
from assistant.retrieval.ranking import Ranked, Ranking

if TYPE_CHECKING:
    from assistant.index.snapshot import Snapshot
    from assistant.retrieval.query import Query
    from assistant.retrieval.retriever import Retriever

__all__ = ["Draft", "Extractor", "asks_for_all"]

_OVERVIEW_WORDS = {
    "explain",
    "summari",
    "summar",
    "overview",
    "idea",
    "main",
    "contribut",
    "method",
}

_QUOTES = 2
_PAIR = 2
_NEAREST = 3
_SECOND_AT_LEAST = 0.12


class Extractor:
    """Answers questions of one snapshot from its abstracts' sentences.

    Args:
        retriever: ranks papers and reads them.
        snapshot: the collection.
    """

    def __init__(self, retriever: Retriever, snapshot: Snapshot) -> None:
        self._retriever = retriever
        self._snapshot = snapshot

    def answer(self, ranking: Ranking) -> Draft:
        """Answer a question.

        Args:
            ranking: what was found for it.

        Returns:
            The answer, or a refusal that says what is missing.
        """
        kind = ranking.query.kind
        if kind in ("list", "count"):
            return list_draft(ranking, self._snapshot)
        if kind == "compare":
            return self._compare(ranking)
        return self._fact(ranking)

    def _fact(self, ranking: Ranking) -> Draft:
        if not is_answerable(ranking):
            return nothing(ranking)
        item = first_paper(ranking)
        record = asked_of_record(ranking.query.text, item.paper)
        if record is not None:
            return _from_record(item.paper, record)
        follow = ranking.query.follow_up
        if follow is not None and follow.told:
            return self._further(ranking, item, follow.told)
        lacking = self._lacking(ranking, item)
        if lacking is not None:
            return self._without(ranking, item, lacking)
        draft = Draft()
        unknown = self._strangers_said(draft, ranking)
        draft.text = unknown + self._quoted(draft, item.paper, self._told(ranking, item))
        return draft

    def _told(self, ranking: Ranking, item: Ranked, text: str = "") -> list[AnswerSentence]:
        """What is said of a paper: the sentences that answer, or what it is about.

        `text` is what is asked of this paper, where that is less than the whole question.
        """
        query = ranking.query
        if asks_limitations(query.text, query.mentions):
            stated = _stated(item.paper, limitations(item.paper))
            if stated:
                return stated
        if _asks_overview(ranking):
            number = "number" in {want.name for want in wants_of(query.text)}
            whole = overview(item.paper, wants_number=number)
            if whole:
                return whole
        return _chosen(self._sentences(ranking, item, text))

    def _further(self, ranking: Ranking, item: Ranked, told: str) -> Draft:
        """Say of a paper what no answer has said of it yet."""
        draft, language = Draft(), ranking.query.language
        said = _letters(told)
        left = [
            sentence
            for sentence in self._sentences(ranking, item)
            if _letters(quoted(sentence.text)) not in said
        ]
        if not left:
            draft.abstained = True
            label = label_text(item.paper.label)
            draft.text = draft.say(say("told_all", language, label=label))
            return draft
        draft.text = self._quoted(draft, item.paper, _chosen(left))
        return draft

    def _beside(self, query: Query, by_row: Mapping[int, Ranked]) -> Draft | None:
        """Say what a paper says itself of the method that it is to be compared with."""
        named = {row: by_row[row].paper for row in query.focus if row in by_row}
        found = baseline_of(query, named) if query.named else None
        if found is None:
            return None
        paper = named[found[0]]
        chosen = _stated(paper, comparing(paper, found[1]))
        if not chosen:
            return None
        draft = Draft()
        draft.text = self._quoted(draft, paper, chosen)
        return draft

    def _alone(self, ranking: Ranking, item: Ranked) -> Draft:
        """Say what a paper is compared with in its own abstract, where a question names nothing."""
        draft, language = Draft(), ranking.query.language
        chosen = _stated(item.paper, comparing(item.paper))
        name = "alone_compared" if chosen else "alone"
        chosen = chosen or overview(item.paper) or _chosen(self._sentences(ranking, item))
        head = draft.say(say(name, language, label=label_text(item.paper.label)))
        draft.text = f"{head}\n\n{self._quoted(draft, item.paper, chosen)}"
        return draft

    def _strangers(self, ranking: Ranking, *, anywhere: bool = False) -> list[Stranger]:
        query, lexical = ranking.query, self._snapshot.lexical

        def known(name: str) -> bool:
            terms = [term.text for term in analyse(name)][:1]
            return any(
                lexical.document_frequency(term) or lexical.correct(term) or lexical.expand([term])
                for term in terms
            )

        return strangers_beside(query.text, query.mentions, known, anywhere=anywhere)

    def _strangers_said(self, draft: Draft, ranking: Ranking) -> str:
        """Say which of the names asked about nobody here bears, before what the others say."""
        names = ", ".join(stranger.name for stranger in self._strangers(ranking))
        if not names:
            return ""
        return draft.say(say("stranger", ranking.query.language, what=label_text(names))) + "\n\n"

    def _quoted(self, draft: Draft, paper: Paper, chosen: Sequence[AnswerSentence]) -> str:
        shown = [draft.quote(paper, sentence.start, sentence.end) for sentence in chosen]
        return f"**{label_text(paper.label)}**: {' '.join(shown)}"

    def _sentences(self, ranking: Ranking, item: Ranked, text: str = "") -> list[AnswerSentence]:
        reader, asked = self._retriever.reader, ranking.asked
        if reader is None or asked is None:
            start, end = showing(item)
            return [AnswerSentence(item.paper, start, end, 1.0)]
        query = ranking.query
        if text and text != query.text:
            asked = self._retriever.asked(text, self._snapshot)
            words = [query.text[named.start : named.end] for named in query.named]
            found = [(text.find(name), len(name)) for name in words]
            spans = [(at, at + length) for at, length in found if at >= 0]
        else:
            asked = self._with_context(ranking, asked)
            spans = query.mentions
        return answer_sentences(asked, reader.read([item.paper]), spans)

    def _with_context(self, ranking: Ranking, asked: Asked) -> Asked:
        """An incomplete follow-up is understood by what was said before it."""
        follow = ranking.query.follow_up
        if follow is None or len(asked.topic.terms) > 1 or not follow.context:
            return asked
        return self._retriever.asked(f"{ranking.query.text} {follow.context}", self._snapshot)

    def _lacking(self, ranking: Ranking, item: Ranked) -> Missing | None:
        query = ranking.query
        terms = ranking.asked.topic.terms if ranking.asked else ()
        expansions = self._snapshot.lexical.expand(terms)
        known = " ".join(word for words in expansions.values() for word in words)
        known += " " + " ".join(expansions)
        return missing(
            query.text,
            item.paper,
            named=[
                *query.mentions,
                *((stranger.start, stranger.end) for stranger in self._strangers(ranking)),
            ],
            known=known,
            english=query.language == ENGLISH,
        )

    def _without(self, ranking: Ranking, item: Ranked, lacking: Missing) -> Draft:
        draft, language = Draft(abstained=True), ranking.query.language
        label = label_text(item.paper.label)
        if lacking.span is not None:
            head = draft.say(say("premise", language, label=label))
            draft.text = f"{head} {draft.quote(item.paper, *lacking.span)}"
            return draft
        name = "attribute" if lacking.kind == "attribute" else "not_in"
        draft.text = draft.say(say(name, language, label=label, what=label_text(lacking.what)))
        return draft

    def _ranked(self, ranking: Ranking, text: str) -> Ranking:
        query = replace(ranking.query, text=text, kind="fact", named=(), follow_up=None)
        return self._retriever.rank(query, self._snapshot, read=_NEAREST)

    def _compare(self, ranking: Ranking) -> Draft:
        def best_for(phrase: str) -> int | None:
            found = self._ranked(ranking, phrase)
            return first_paper(found).row if found.items else None

        by_row = {item.row: item for item in ranking.items}
        if len({named.row for named in ranking.query.named}) == 1:
            item = by_row.get(ranking.query.named[0].row)
            strangers = self._strangers(ranking, anywhere=True)
            if item is not None and strangers:
                return self._without(ranking, item, Missing(strangers[0].name, "mention"))
            if item is not None and stands_alone(ranking.query):
                return self._alone(ranking, item)
        if beside := self._beside(ranking.query, by_row):
            return beside
        topic = counted_topic(ranking.query.text)
        ranked = ranking if topic is None else self._ranked(ranking, topic)
        if not (ranked.relevant or ranking.query.named or is_answerable(ranked)):
            return nothing(ranking)
        draft = Draft()
        unknown = self._strangers_said(draft, ranking)
        sides = [Side(row, 0, 0) for row in ranking.query.focus]
        if not unknown and (ranking.query.named or len(sides) < _PAIR):
            sides = compared(ranking.query, [item.row for item in ranked.items], best_for)
        sides = [side for side in sides if side.row in by_row]
        if not sides:
            return nothing(ranking)
        lines = []
        for side in sides:
            item = by_row[side.row]
            chosen = self._told(ranking, item, asked_of(ranking.query.text, side, sides))
            lines.append(f"- {self._quoted(draft, item.paper, chosen)}")
        draft.text = unknown + "\n".join(lines)
        return draft


def _asks_overview(ranking: Ranking) -> bool:
    """Tell "what is TASM?" and "summarise the CAffNet paper": nothing is asked but the name."""
    query = ranking.query
    if query.follow_up is not None and query.follow_up.whole:
        return True
    if not query.named or ranking.asked is None:
        return False
    return all(
        overlaps(place, query.mentions) or term in _OVERVIEW_WORDS
        for term, _, place in ranking.asked.topic.placed()
    )


def _letters(text: str) -> str:
    """A text's letters and digits, however it is marked up."""
    return "".join(filter(str.isalnum, text)).casefold()


def _from_record(paper: Paper, said: str) -> Draft:
    """Answer from the paper's record; its citation opens the paper, with no words to mark."""
    draft = Draft()
    number = draft.cite(paper, 0, 0)
    shown = f"**{label_text(paper.label)}**: {said} [{number}]"
    draft.sentences.append(Sentence(shown, "supported", (number,)))
    draft.text = shown
    return draft


def _stated(paper: Paper, spans: Sequence[Span]) -> list[AnswerSentence]:
    """The first sentences of those that surely state what is asked."""
    return [AnswerSentence(paper, *span, 1.0) for span in spans[:_QUOTES]]


def _chosen(sentences: Sequence[AnswerSentence]) -> list[AnswerSentence]:
    """The likeliest sentence, and the next where it may well hold the answer; in text order."""
    first = list(sentences[:1])
    second = [s for s in sentences[1:_QUOTES] if s.chance >= _SECOND_AT_LEAST * first[0].chance]
    return sorted(first + second, key=lambda sentence: sentence.start)
