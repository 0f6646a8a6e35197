"""Source cards: what an answer cites, and what was found beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from assistant.answering.answer import Answer, Citation, Support
from assistant.corpus.paper import Paper
from assistant.retrieval.evidence import Evidence
from assistant.web.abstracts import RANK, Highlight, abstract_html, inline_html
from assistant.web.escaping import escape, link
from assistant.web.markup import safe_url
from assistant.web.prose import VERDICTS, citation_counts

__all__ = [
    "MOST_UNCITED",
    "cards_html",
    "citation_links",
    "collection_html",
    "shelf_html",
    "uncited",
]

MOST_UNCITED = 8
_WORTH_SHOWING = 0.02
_MOST_AUTHORS = 3
_EXPLAINED: dict[Support, str] = {
    "supported": "Checked: the marked words support what cites them.",
    "partial": "Checked: the marked words support only a part of what cites them.",
    "unsupported": "Checked: the marked words do not support what cites them.",
}
# A citation without words of the abstract: what is said stands in the record below the title.
_BY_RECORD = '<span class="ap-quote ap-by-record">The record shows it: venue, year, link.</span>'


@dataclass(frozen=True, slots=True)
class _Source:
    number: int
    paper: Paper
    citations: tuple[Citation, ...]

    @property
    def best(self) -> Support:
        return min((c.support for c in self.citations), key=RANK.__getitem__)

    @property
    def worst(self) -> Support:
        return max((c.support for c in self.citations), key=RANK.__getitem__)


def citation_links(answer: Answer) -> dict[int, tuple[str, ...]]:
    """Return the HTML of each `[n]`: links that open the source card of the same message.

    Where a paper is cited as often as it has quotes, each link opens its own quote; else all
    links of the number look proven if one of the quotes proves something. Where a link stands in
    a sentence that is not proven, that sentence's look prevails.

    Args:
        answer: any answer.
    """
    cited = citation_counts(answer.text)
    links: dict[int, tuple[str, ...]] = {}
    for source in _sources(answer.citations):
        number = source.number
        if cited[number] == len(source.citations):
            own = [f"{c.support} ap-q-{k}" for k, c in enumerate(source.citations, start=1)]
        else:
            own = [source.best]
        links[number] = tuple(
            f'<a class="ap-cite ap-{name}" href="#source-{number}">[{number}]</a>' for name in own
        )
    return links


def uncited(answer: Answer) -> tuple[tuple[Paper, Evidence | None], ...]:
    """Return the papers an answer names or found without citing them, named ones first.

    Args:
        answer: any answer.
    """
    seen = {citation.paper.id for citation in answer.citations}
    evidence = {found.paper.id: found for found in answer.evidence}
    rest: list[tuple[Paper, Evidence | None]] = []
    for paper in [*answer.papers, *(found.paper for found in answer.evidence)]:
        if paper.id not in seen:
            seen.add(paper.id)
            rest.append((paper, evidence.get(paper.id)))
    return tuple(rest)


def cards_html(answer: Answer) -> str:
    """Return the cards of one answer, one `<details>` a paper, cited ones first.

    Args:
        answer: any answer.
    """
    cited = "".join(_cited_card(source) for source in _sources(answer.citations))
    rest = [
        (paper, evidence)
        for paper, evidence in uncited(answer)
        if evidence is None or evidence.relevance >= _WORTH_SHOWING
    ]
    found = "".join(_found_card(paper, evidence) for paper, evidence in rest[:MOST_UNCITED])
    if not found:
        return cited
    heading = "Found, not cited" if cited else "Closest in the collection"
    return f'{cited}<div class="ap-also"><div class="ap-also-head">{heading}</div>{found}</div>'


def collection_html(papers: Sequence[Paper], held: int = 0) -> str:
    """Return the cards of a collection, to read through before the first question.

    Args:
        papers: in the order to show them in.
        held: how many it holds, where these are not all.
    """
    if not papers:
        return ""
    cards = "".join(_card(paper, [], number="", badge="", classes="ap-card") for paper in papers)
    if held > len(papers):
        head = f"A few of the {held:,} papers"
    else:
        head = f"In this collection: {len(papers):,} paper{'s' if len(papers) != 1 else ''}"
    return f'<div class="ap-also"><div class="ap-also-head">{head}</div>{cards}</div>'


def shelf_html(paper: Paper, evidence: Evidence | None = None) -> str:
    """Return a paper as it stands on the shelf: to read, and to select.

    Args:
        paper: the paper.
        evidence: why it was found, None where nothing was searched for.
    """
    highlights = []
    if evidence is not None and evidence.passage.start < evidence.passage.end:
        span = evidence.passage
        highlights = [Highlight(span.start, span.end, "supported", "ap-q-1")]
    badge = _relevance(evidence)
    told = _byline(paper)
    byline = f'<span class="ap-byline">{told}</span>' if told else ""
    card = _card(paper, highlights, number="", badge=badge, classes="ap-card", byline=byline)
    return (
        '<div class="ap-shelf-row"><button type="button" class="ap-pick">Select</button>'
        f"{card}</div>"
    )


def _relevance(evidence: Evidence | None) -> str:
    if evidence is None:
        return ""
    percent = round(100 * min(1.0, max(0.0, evidence.relevance)))
    return (
        f'<span class="ap-relevance" title="How likely this paper is relevant, as estimated">'
        f"{percent} %</span>"
    )


def _sources(citations: Iterable[Citation]) -> list[_Source]:
    by_number: dict[int, list[Citation]] = {}
    for citation in citations:
        by_number.setdefault(citation.number, []).append(citation)
    return [
        _Source(number, group[0].paper, tuple(group)) for number, group in sorted(by_number.items())
    ]


def _cited_card(source: _Source) -> str:
    highlights = [
        Highlight(c.start, c.end, c.support, f"ap-q-{place}")
        for place, c in enumerate(source.citations, start=1)
        if c.start < c.end
    ]
    badge = (
        f'<span class="ap-badge ap-{source.worst}" '
        f'title="{_EXPLAINED[source.worst]}">{VERDICTS[source.worst]}</span>'
    )
    return _card(
        source.paper,
        highlights,
        number=f'<span class="ap-number">{source.number}</span>',
        badge=badge,
        classes=f"ap-card ap-{source.worst} ap-n-{source.number}",
        note="" if highlights else _BY_RECORD,
    )


def _found_card(paper: Paper, evidence: Evidence | None) -> str:
    return _card(paper, [], number="", badge=_relevance(evidence), classes="ap-card")


def _card(
    paper: Paper,
    highlights: Sequence[Highlight],
    *,
    number: str,
    badge: str,
    classes: str,
    note: str = "",
    byline: str = "",
) -> str:
    quote = "".join(
        f'<span class="ap-quote {mark.names}">'
        f"{abstract_html(paper.abstract[mark.start : mark.end])}</span>"
        for mark in highlights
    )
    titled = "ap-title" if paper.title else "ap-title ap-untitled"
    return (
        f'<details class="{classes}">'
        f"<summary>{number}"
        f'<span class="{titled}">{inline_html(paper.label)}</span>{badge}'
        f"{byline}{quote or note}</summary>"
        f'<div class="ap-body">{_record(paper)}'
        f'<p class="ap-abstract">{abstract_html(paper.abstract, highlights)}</p>'
        f'{_provenance(paper)}<span class="ap-id" hidden>{escape(paper.id)}</span></div></details>'
    )


def _byline(paper: Paper) -> str:
    """Who wrote it, where and when, as far as the record tells."""
    facts: list[str] = []
    if paper.authors:
        named = ", ".join(paper.authors[:_MOST_AUTHORS])
        facts.append(escape(named + (" et al." if len(paper.authors) > _MOST_AUTHORS else "")))
    when = " ".join(str(part) for part in (paper.venue, paper.year) if part)
    if paper.venue and paper.year and str(paper.year) in paper.venue:
        when = paper.venue
    if when:
        facts.append(escape(when))
    return " · ".join(facts)


def _record(paper: Paper) -> str:
    byline = _byline(paper)
    facts = [byline] if byline else []
    if url := safe_url(paper.url):
        facts.append(link(url, urlsplit(url).hostname or url))
    if not facts:
        return ""
    return f'<p class="ap-record">{" · ".join(facts)}</p>'


def _provenance(paper: Paper) -> str:
    place = paper.id
    if paper.source is not None:
        place += f" · {paper.source.file}, record {paper.source.ordinal}"
    return f'<p class="ap-provenance">{escape(place)}</p>'
