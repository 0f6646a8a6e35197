"""From a question to every paper of the collection, each with its probability of relevance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assistant.corpus.names import fold_name
from assistant.index.embedding import EmbedderUnavailableError
from assistant.retrieval.arranging import arranged, nearest_rows, without_rows, without_stated
from assistant.retrieval.facets import facets_in
from assistant.retrieval.features import Asked, match_sentences, read_features, with_ranks
from assistant.retrieval.language import ENGLISH
from assistant.retrieval.query import Query
from assistant.retrieval.ranking import Ranked, Ranking, Words
from assistant.retrieval.relevance import RelevanceModel, relevance_model
from assistant.retrieval.skimming import Skim, skim
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
_MEANT = 0.6
_VERBATIM = 0.85
"""How often a paper is relevant that holds, word for word, the one phrase a question asks for: 45
of 51 judgements on the labelled lists."""

_FEW = 4
_LIMITED_SHARE = 0.6

_POOL = 200
_CACHED_IDENTITIES = 8_192
_COMPARED = 80
_OPENING = 24

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Found:
    """The rows judged, with what they were judged by; equal ones rank as they stand here."""

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
        near: list[int] = []
        if query.near:
            near = nearest_rows(query.near, rows, snapshot)
            rows = np.array(sorted(near), dtype=np.int64)
        passed = {**(where or {}), **query.where}
        if not len(rows):
            return Ranking(query, (), 0, 0, where=passed)
        ranking = replace(self._judged(query, snapshot, rows, read, dense=dense), where=passed)
        return arranged(self._without_excluded(ranking, snapshot), near)

    def _judged(
        self,
        query: Query,
        snapshot: Snapshot,
        rows: NDArray[np.int64],
        read: int,
        *,
        dense: bool,
    ) -> Ranking:
        """Judge the papers of some rows."""
        topic = topic_of(query.text, TermWeights(snapshot.lexical).idf, snapshot.lexical.expand)
        weights = snapshot.lexical.weigh(query.text)
        whole = len(snapshot) <= READ_WHOLE
        asked, vector = self._asked(query, topic, reads=whole or read > 0)
        skimmed = skim(snapshot, topic, weights, vector if dense else None)
        pool = rows.tolist() if whole else self._pool(rows, skimmed, query)
        reading = None
        if asked is not None and (whole or read):
            chosen = pool if whole else pool[:read]
            reading = self._reader().read([snapshot.paper(row) for row in chosen])
            found, matches = _judge_read(asked, reading, chosen, skimmed, snapshot)
        else:
            found, matches = _judge_skimmed(pool, skimmed), None
        read_best = None if reading is None or matches is None else _best_read(reading, matches)
        items = _merged(_items(found, snapshot, Words(topic.terms, weights), read_best))
        return Ranking(
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
            warnings=self._warnings(query, snapshot, dense=dense and vector is not None),
        )

    def _allowed(
        self, query: Query, snapshot: Snapshot, where: Mapping[str, object] | None
    ) -> NDArray[np.int64]:
        rows: set[int] | None = None
        for condition in (where, query.where):
            if condition:
                found = {int(row) for row in snapshot.rows_where(condition)}
                rows = found if rows is None else rows & found
        limited = query.follow_up.rows if query.follow_up and not query.named else ()
        if limited:
            rows = set(limited) if rows is None else rows & set(limited)
        return np.arange(len(snapshot)) if rows is None else np.array(sorted(rows), dtype=np.int64)

    def _asked(
        self, query: Query, topic: Topic, *, reads: bool
    ) -> tuple[Asked | None, Floats | None]:
        text = query.text.strip() or query.question
        reader, embedder = self.reader, self.embedder
        same = reader is not None and embedder is not None and embedder.name == reader.name
        spoken = text if query.language == ENGLISH else query.spoken or text
        vector = None if same or embedder is None else embedder.embed_query(spoken)
        if reader is None or not (reads or same):
            return None, vector
        if not reads:
            return None, reader.embed_tokens([text])[0].pooled
        tokens, phrase = reader.embed_tokens([text, topic.phrase or text])
        return Asked(topic, facets_in(text), tokens, phrase.pooled), (
            tokens.pooled if same else vector
        )

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

    def _pool(self, rows: NDArray[np.int64], skimmed: Skim, query: Query) -> list[int]:
        order = skimmed.order
        size = min(_POOL, len(rows))
        best = rows[np.argpartition(-order[rows], size - 1)[:size]]
        ordered = best[np.lexsort((best, -order[best]))].tolist()
        named = [named.row for named in query.named if named.row in rows]
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
        what = ranking.query.excluded
        if not what:
            return ranking
        query = replace(ranking.query, text=what, kind="list", excluded=None, where={})
        query = replace(query, without=(), times=None, follow_up=None, named=())
        unwanted = self.rank(query, snapshot)
        about = {item.row for item in unwanted.items[: unwanted.relevant]}
        if ranking.query.denied:
            return without_stated(ranking, snapshot, what, about)
        return without_rows(ranking, about)


def _judge_skimmed(rows: list[int], skimmed: Skim) -> _Found:
    model = relevance_model("skim" if skimmed.dense else "lexical")
    found = np.array(rows)
    found = found[np.lexsort((found, -skimmed.order[found]))]
    features = {name: values[found] for name, values in skimmed.features().items()}
    scores = {name: features[name] for name in ("bm25", "coverage", "cosine")}
    # No paper is held for more relevant than one that ranks before it.
    chances = np.minimum.accumulate(model.probabilities(features))
    return _Found(found.tolist(), chances, scores, model)


def _judge_read(
    asked: Asked, reading: Reading, rows: list[int], skimmed: Skim, snapshot: Snapshot
) -> tuple[_Found, Matches]:
    model = relevance_model("read")
    matches = match_sentences(asked, reading)
    features = read_features(asked, reading, matches, skimmed.bm25[rows], skimmed.cosine[rows])
    chances = model.probabilities(with_ranks(features, asked))
    # How a paper stands among the others tells nothing where there are hardly any others.
    alone = len(rows) < _FEW and len(asked.topic.groups) == 1
    if asked.topic.single_phrase or alone:
        # "Continuous learning" has the stems of "continual learning", but not its meaning.
        verbatim = (features["best_sentence"] >= _WHOLE) & (features["alike_sentence"] >= _MEANT)
        chances = np.where(verbatim, np.maximum(chances, _VERBATIM), chances)
    if asked.topic.phrase and len(asked.topic.groups) == 1:
        # What stands in its title, a paper is about.
        phrase = re.compile(rf"(?<!\w){re.escape(asked.topic.phrase)}(?!\w)", re.IGNORECASE)
        titled = np.array([bool(phrase.search(snapshot.paper(row).title or "")) for row in rows])
        chances = np.where(titled, np.maximum(chances, _VERBATIM), chances)
    return _Found(rows, chances, features, model), matches


def _items(
    found: _Found,
    snapshot: Snapshot,
    words: Words,
    read: Sequence[tuple[int, int]] | None,
) -> list[Ranked]:
    order = np.argsort(-found.relevance, kind="stable")
    scores = {name: values.tolist() for name, values in found.scores.items()}
    return [
        Ranked(
            row=found.rows[i],
            paper=snapshot.paper(found.rows[i]),
            relevance=float(found.relevance[i]),
            scores={name: values[i] for name, values in scores.items()},
            words=words,
            index=None if read is None else i,
            read=None if read is None else read[i],
        )
        for i in order.tolist()
    ]


def _best_read(reading: Reading, matches: Matches) -> list[tuple[int, int]]:
    """Find the sentence that shows each paper best."""
    worth = matches.sentences + 0.5 * matches.alike_sentences
    starts = reading.paper_starts.tolist()
    stops = [*starts[1:], len(worth)]
    return [
        reading.spans[start + int(worth[start:stop].argmax())]
        for start, stop in zip(starts, stops, strict=True)
    ]


def _merged(items: list[Ranked]) -> list[Ranked]:
    """Make the records of one paper one result; the best ranked speaks for the others."""
    kept: dict[str, Ranked] = {}
    alike = Counter(_opening(item.paper) for item in items)
    for item in items:
        # Most begin as no other does: what else would tell them apart need not be looked at.
        alone = alike[_opening(item.paper)] == 1
        keys = [f"row {item.row}"] if alone else _identities(item.paper)
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


@lru_cache(maxsize=_CACHED_IDENTITIES)
def _opening(paper: Paper) -> str:
    """The first letters: what `_identities` holds is never the same where they differ."""
    return fold_name(paper.abstract[:_COMPARED])[:_OPENING]


@lru_cache(maxsize=_CACHED_IDENTITIES)
def _identities(paper: Paper) -> list[str]:
    """The abstract, and its opening under the same title: a second version differs later."""
    keys = [paper.content_hash]
    if paper.title:
        keys.append(f"{fold_name(paper.title)}:{fold_name(paper.abstract[:_COMPARED])}")
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
