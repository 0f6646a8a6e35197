"""A list answer as a table that can be sorted, taken along, and asked about."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass

from assistant.answering.answer import Answer
from assistant.answering.exporting import bibtex
from assistant.corpus.paper import Paper
from assistant.web.abstracts import abstract_html, inline_html
from assistant.web.escaping import escape

__all__ = ["Row", "csv_text", "list_html", "rows_of"]

_FEWEST = 2
_COLUMNS = ("Paper", "Why", "Relevance")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Row:
    """A paper of a list with what shows why it is there.

    Args:
        paper: the paper.
        why: the line of its abstract, empty where none is known.
        number: by which the answer cites it, None where it does not.
        relevance: 0 to 1, None where it was not estimated.
    """

    paper: Paper
    why: str
    number: int | None
    relevance: float | None


def rows_of(answer: Answer) -> tuple[Row, ...]:
    """Return the rows of a list answer in its own order; none where it is no list.

    Args:
        answer: any answer.
    """
    if answer.kind != "list" or answer.abstained or len(answer.papers) < _FEWEST:
        return ()
    found = {item.paper.id: item for item in answer.evidence}
    cited = {citation.paper.id: citation for citation in reversed(answer.citations)}
    rows = []
    for paper in answer.papers:
        citation, evidence = cited.get(paper.id), found.get(paper.id)
        why = citation.quote if citation else ""
        if not why and evidence is not None:
            why = evidence.passage.text
        rows.append(
            Row(
                paper,
                why,
                citation.number if citation else None,
                None if evidence is None else min(1.0, max(0.0, evidence.relevance)),
            )
        )
    return tuple(rows)


def list_html(answer: Answer) -> str:
    """Return the hidden table of a list answer with what its buttons hand out; empty for others.

    Args:
        answer: any answer.
    """
    rows = rows_of(answer)
    if not rows:
        return ""
    head = "".join(
        f'<th><button type="button" class="ap-sort">{name}</button></th>' for name in _COLUMNS
    )
    body = "".join(_row(row) for row in rows)
    ids = json.dumps([row.paper.id for row in rows])
    held = {
        "csv": csv_text(rows),
        "listbib": bibtex(row.paper for row in rows),
        "markdown": answer.to_markdown(),
        "ids": ids,
    }
    return (
        f'<div class="ap-list" hidden><div class="ap-list-scroll"><table><thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
        + "".join(
            f'<pre class="ap-{name}" hidden>{_lines(text)}</pre>' for name, text in held.items()
        )
        + '<p class="ap-takes">'
        + "".join(
            f'<button type="button" class="ap-take ap-take-{kind}">{words}</button>'
            for kind, words in (("csv", "CSV"), ("listbib", "BibTeX"), ("markdown", "Markdown"))
        )
        + "</p></div>"
    )


def csv_text(rows: Iterable[Row]) -> str:
    """Return rows as CSV; no cell is a formula to a spreadsheet.

    Args:
        rows: what to write.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "title", "authors", "venue", "year", "url", "why", "relevance"])
    for row in rows:
        paper = row.paper
        cells = [
            paper.id,
            paper.label,
            "; ".join(paper.authors),
            paper.venue or "",
            paper.year or "",
            paper.url or "",
            row.why,
            "" if row.relevance is None else f"{row.relevance:.2f}",
        ]
        writer.writerow([_cell(str(cell)) for cell in cells])
    return out.getvalue()


def _cell(text: str) -> str:
    return "'" + text if text.startswith(_FORMULA) else text


def _row(row: Row) -> str:
    link = ""
    if row.number is not None:
        link = f' <a class="ap-cite ap-supported" href="#source-{row.number}">[{row.number}]</a>'
    percent = "" if row.relevance is None else f"{round(100 * row.relevance)} %"
    return (
        f'<tr><td class="ap-list-paper">{inline_html(row.paper.label)}{link}</td>'
        f'<td class="ap-list-why">{abstract_html(row.why)}</td>'
        f'<td class="ap-right">{percent}</td></tr>'
    )


def _lines(text: str) -> str:
    return "&#10;".join(escape(line) for line in text.replace("\r\n", "\n").split("\n"))
