"""From a question to every paper of the collection, each with its probability of relevance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.names import fold_name
from assistant.index.embedding import EmbedderUnavailableError
from assistant.retrieval.facets import facets_in
from assistant.retrieval.features import Asked, match_sentences, read_features, with_ranks
from assistant.retrieval.query import Query
from assistant.retrieval.ranking import Ranked, Ranking
from assistant.retrieval.relevance import RelevanceModel, relevance_model
from assistant.retrieval.skimming import Skim, best_sentence, matched_words, skim
from assistant.retrieval.topic import topic_of
from assistant.retrieval.weights import TermWeights

if TYPE_CHECKING:
    from assistant.corpus.paper import Paper
    from assistant.index.embedders import Embedder
    from assistant.index.snapshot import Snapshot
    from assistant.retrieval.features import Matches
    from assistant.retrieval.reading import Reader, Reading
    from assistant.retrieval.topic import Topic

__all__ = ["READ_WHOLE", "Retriever"]

READ_WHOLE = 250
"""Papers up to which every one is read sentence by sentence for every question."""

_WHOLE = 0.97
_VERBATIM = 0.85
"""How often a paper is relevant that holds, word for word, the one phrase a question asks for: 45
of 51 judgements on the labelled lists."""

_LIMITED_SHARE = 0.6

_POOL = 200
_SHOWN_WITH_WORDS = 50

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Found:
    """The rows judged, with what they were judged by."""

    rows: list[int]
    relevance: NDArray[np.float64]
    scores: Mapping[str, Floats]
    model: RelevanceModel


class Retriever:
    """Ranks papers for questions; safe to share between threads.

    Args:
        reader: reads papers sentence by sentence; None: whole-paper scores alone.
        embedder: embeds questions; None: lexical search alone.
    """

    def __init__(self, reader: Reader | None, embedder: Embedder | None) -> None:
        self.reader = reader
        self.embedder = embedder

    def rank(
        self,
        query: Query,
        snapshot: Snapshot,
        *,
        where: Mapping[str, object] | None = None,
        read: int = 0,
        dense: bool = True,
    ) -> Ranking:
        """Judge the collection's papers.

        Args:
            query: the question as understood.
            snapshot: the collection.
            where: a filter beside the query's own.
            read: in a collection too large to be read whole, how many papers are read.
            dense: whether the index's vectors were made by this retriever's embedder.

        Returns:
            The papers judged, the most relevant first.

        Raises:
            InputError: the filter names an unknown field.
        """
        rows = self._allowed(query, snapshot, where)
        if not len(rows):
            return Ranking(query, (), 0, 0)
        topic = topic_of(query.text, TermWeights(snapshot.lexical).idf, snapshot.lexical.expand)
        weights = snapshot.lexical.weigh(query.text)
        asked, vector = self._asked(query, topic)
        skimmed = skim(snapshot, topic, weights, vector if dense else None)
        whole = len(snapshot) <= READ_WHOLE
        pool = list(rows) if whole else self._pool(rows, skimmed, query)
        reading = None
        if asked is not None and (whole or read):
            chosen = pool if whole else pool[:read]
            papers = [snapshot.paper(row) for row in chosen]
            reading = self._reader().read(papers)
            found, matches = _judge_read(asked, reading, chosen, skimmed)
        else:
            found, matches = _judge_skimmed(pool, skimmed), None
        items = _items(found, snapshot, reading, matches, weights, topic.terms)
        items = _merged(items)
        ranking = Ranking(
            query=query,
            items=items,
            relevant=_relevant(
                items,
                found.model,
                set(query.focus),
                limited=query.follow_up is not None and len(query.follow_up.rows) > 1,
            ),
            candidates=len(rows),
            asked=asked,
            reading=reading,
            matches=matches,
            warnings=self._warnings(query, snapshot, dense=dense and skimmed.dense),
        )
        return self._without_excluded(ranking, snapshot)

    def _allowed(
        self, query: Query, snapshot: Snapshot, where: Mapping[str, object] | None
    ) -> Sequence[int]:
        rows: set[int] | None = None
        for condition in (where, query.where):
            if condition:
                found = {int(row) for row in snapshot.rows_where(condition)}
                rows = found if rows is None else rows & found
        limited = query.follow_up.rows if query.follow_up and not query.named else ()
        if limited:
            rows = set(limited) if rows is None else rows & set(limited)
        return range(len(snapshot)) if rows is None else sorted(rows)

    def _asked(self, query: Query, topic: Topic) -> tuple[Asked | None, Floats | None]:
        text = query.text.strip() or query.question
        if self.reader is None:
            return None, None if self.embedder is None else self.embedder.embed_query(text)
        tokens, phrase = self.reader.embed_tokens([text, topic.phrase or text])
        asked = Asked(topic, facets_in(text), tokens, phrase.pooled)
        if self.embedder is None:
            return asked, None
        if self.embedder.name == self.reader.name:
            return asked, tokens.pooled
        return asked, self.embedder.embed_query(text)

    def asked(self, text: str, snapshot: Snapshot) -> Asked:
        """Prepare a text to be compared with sentences.

        Args:
            text: a question, or a question with what it refers to.
            snapshot: the collection it is asked of.
        """
        lexical = snapshot.lexical
        topic = topic_of(text, TermWeights(lexical).idf, lexical.expand)
        tokens, phrase = self._reader().embed_tokens([text, topic.phrase or text])
        return Asked(topic, facets_in(text), tokens, phrase.pooled)

    def _reader(self) -> Reader:
        if self.reader is None:
            raise EmbedderUnavailableError(
                "no local model reads the papers: see `assistant doctor`"
            )
        return self.reader

    def _pool(self, rows: Sequence[int], skimmed: Skim, query: Query) -> list[int]:
        chances = _skim_model(skimmed).probabilities(skimmed.features())
        allowed = np.fromiter(rows, dtype=np.int64)
        size = min(_POOL, len(allowed))
        best = allowed[np.argpartition(-chances[allowed], size - 1)[:size]]
        ordered = best[np.lexsort((best, -chances[best]))].tolist()
        named = [named.row for named in query.named if named.row in set(rows)]
        return list(dict.fromkeys([*named, *ordered]))

    def _warnings(self, query: Query, snapshot: Snapshot, *, dense: bool) -> tuple[str, ...]:
        said: list[str] = []
        if query.corrections:
            pairs = ", ".join(
                f"“{read}” for “{typed}”" for typed, read in query.corrections.items()
            )
            said.append(f"Read {pairs}.")
        if dense and snapshot.vectors_ready < len(snapshot):
            share = snapshot.vectors_ready / len(snapshot)
            said.append(
                f"{share:.0%} of the papers have vectors so far; the others were found by words."
            )
        return tuple(said)

    def _without_excluded(self, ranking: Ranking, snapshot: Snapshot) -> Ranking:
        if not ranking.query.excluded or not ranking.relevant:
            return ranking
        unwanted = self.rank(
            replace(ranking.query, text=ranking.query.excluded, excluded=None, where={}), snapshot
        )
        rows = {item.row for item in unwanted.items[: unwanted.relevant]}
        kept = [item for item in ranking.items[: ranking.relevant] if item.row not in rows]
        rest = [item for item in ranking.items if item not in kept]
        return replace(ranking, items=(*kept, *rest), relevant=len(kept))


def _skim_model(skimmed: Skim) -> RelevanceModel:
    return relevance_model("skim" if skimmed.dense else "lexical")


def _judge_skimmed(rows: list[int], skimmed: Skim) -> _Found:
    model = _skim_model(skimmed)
    features = {name: values[rows] for name, values in skimmed.features().items()}
    scores = {name: features[name] for name in ("bm25", "coverage", "cosine")}
    return _Found(rows, model.probabilities(features), scores, model)


def _judge_read(
    asked: Asked, reading: Reading, rows: list[int], skimmed: Skim
) -> tuple[_Found, Matches]:
    model = relevance_model("read")
    matches = match_sentences(asked, reading)
    features = read_features(asked, reading, matches, skimmed.bm25[rows], skimmed.cosine[rows])
    chances = model.probabilities(with_ranks(features, asked))
    if asked.topic.single_phrase:
        verbatim = features["best_sentence"] >= _WHOLE
        chances = np.where(verbatim, np.maximum(chances, _VERBATIM), chances)
    return _Found(rows, chances, features, model), matches


def _items(
    found: _Found,
    snapshot: Snapshot,
    reading: Reading | None,
    matches: Matches | None,
    weights: Mapping[str, float],
    terms: Sequence[str],
) -> list[Ranked]:
    order = np.lexsort((np.array(found.rows), -found.relevance))
    items = []
    for place, i in enumerate(order.tolist()):
        paper = snapshot.paper(found.rows[i])
        if reading is not None and matches is not None:
            best = _best_read(reading, matches, i)
        else:
            best = best_sentence(paper, weights) if place < _SHOWN_WITH_WORDS else (0, 0)
        items.append(
            Ranked(
                row=found.rows[i],
                paper=paper,
                relevance=float(found.relevance[i]),
                scores={name: float(values[i]) for name, values in found.scores.items()},
                index=i if reading is not None else None,
                best=best,
                matched=matched_words(paper, dict.fromkeys(terms, 1.0))
                if place < _SHOWN_WITH_WORDS
                else (),
            )
        )
    return items


def _best_read(reading: Reading, matches: Matches, index: int) -> tuple[int, int]:
    first = int(reading.paper_starts[index])
    count = len(reading.parts[index].spans)
    shown = matches.sentences[first : first + count]
    alike = matches.alike_sentences[first : first + count]
    return reading.spans[first + int(np.argmax(shown + 0.5 * alike))]


def _merged(items: list[Ranked]) -> list[Ranked]:
    """Make the records of one paper one result; the best ranked speaks for the others."""
    kept: dict[str, Ranked] = {}
    for item in items:
        keys = _identities(item.paper)
        same = next((kept[key] for key in keys if key in kept), None)
        if same is None:
            for key in keys:
                kept[key] = item
            continue
        joined = replace(same, also=(*same.also, item.paper))
        for key, held in list(kept.items()):
            if held is same:
                kept[key] = joined
    return list({id(item): item for item in kept.values()}.values())


def _identities(paper: Paper) -> list[str]:
    """The abstract, and its opening under the same title: a second version differs later."""
    keys = [paper.content_hash]
    if paper.title:
        keys.append(f"{fold_name(paper.title)}:{fold_name(paper.abstract[:80])}")
    return keys


def _relevant(
    items: Sequence[Ranked], model: RelevanceModel, focus: set[int], *, limited: bool
) -> int:
    if not items:
        return 0
    named = sum(item.row in focus for item in items)
    if limited:
        # The talk says that they may be meant: what counts is which of them fits best.
        least = min(model.relevant, _LIMITED_SHARE * items[0].relevance)
        return sum(item.relevance >= least for item in items)
    if items[0].relevance < model.certain:
        return 0
    return max(sum(item.relevance >= model.relevant for item in items), min(named, 1))
