"""One case of a report: question, answer, proofs, and what was expected."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt

from evals.comparing import Flip
from evals.records import CaseResult

__all__ = ["case_html", "state_of"]

_SIGNS = {"right": ("✓", "ok"), "wrong": ("✗", "no"), "unanswered": ("–", "none")}
_VERDICTS = {"supported": "ok", "partial": "none", "unsupported": "no"}


def state_of(case: CaseResult) -> str:
    """Tell whether an answer is `right`, `wrong` or `unanswered`.

    Args:
        case: asked once.
    """
    return "unanswered" if case.passed is None else "right" if case.passed else "wrong"


def case_html(case: CaseResult, before: CaseResult | None, flip: Flip | None, labels: int) -> str:
    """Write a case as an element that opens.

    Args:
        case: asked once.
        before: the same case in an earlier run.
        flip: where it passes in one of the two alone.
        labels: how often each case was asked.
    """
    state = state_of(case)
    sign, style = _SIGNS[state]
    text = f"{case.id} {case.question} {(case.answer or {}).get('text', '')}".lower()
    name = case.id if labels == 1 else f"{case.id}, time {case.repeat + 1}"
    tags = f'<span class="tag">{case.kind}</span>'
    if flip is not None:
        style_of_flip, word = _flipped(flip)
        tags = f'<span class="tag {style_of_flip}">{word}</span> {tags}'
    anchor = case.id if case.repeat == 0 else f"{case.id}.{case.repeat + 1}"
    return (
        f'<details class="case" id="{escape(anchor)}" data-kind="{case.kind}" data-state="{state}" '
        f'data-flip="{"1" if flip else ""}" data-text="{escape(text)}"><summary>'
        f'<span class="state {style}" title="{state}">{sign}</span>'
        f'<span class="question">{escape(case.question)}</span><span class="tags">{tags}</span>'
        f'<span class="id">{escape(name)}</span></summary><div class="body">'
        f"{_history(case)}{_sides(case, before if flip else None)}{_proofs(case)}{_sentences(case)}"
        f"{_evidence(case)}{_numbers(case)}</div></details>"
    )


def _flipped(flip: Flip) -> tuple[str, str]:
    return ("better", "now right") if flip.better else ("worse", "no longer right")


def _history(case: CaseResult) -> str:
    turns = "".join(
        f'<p class="turn"><b>{escape(turn["role"])}</b> {escape(turn["content"])}</p>'
        for turn in case.history
    )
    return f"<h3>The talk before</h3>{turns}" if turns else ""


def _sides(case: CaseResult, before: CaseResult | None) -> str:
    now = f"<div><h3>Answer</h3>{_answer(case)}</div>"
    wanted = f"<div><h3>Expected</h3>{_checks(case)}</div>"
    if before is None:
        return f'<div class="sides">{now}{wanted}</div>'
    then = f'<div class="before"><h3>Answer before</h3>{_answer(before)}{_checks(before)}</div>'
    now = f"<div><h3>Answer now</h3>{_answer(case)}{_checks(case)}</div>"
    return f'<div class="sides">{then}{now}</div>'


def _answer(case: CaseResult) -> str:
    if case.answer is None:
        return f'<p class="none">No answer: {escape(case.error or "")}</p>'
    warnings = "".join(
        f'<p class="soft small">{escape(warning)}</p>' for warning in case.answer["warnings"]
    )
    declined = '<p class="soft small">It declined.</p>' if case.answer["abstained"] else ""
    return (
        f'<div class="answer">{_markdown().render(case.answer["text"])}</div>{declined}{warnings}'
    )


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    # No link, picture or HTML: an answer under attack must not act in a report either.
    made = MarkdownIt("commonmark", {"html": False, "breaks": True})
    return made.disable(["link", "image", "autolink", "html_inline", "html_block", "reference"])


def _checks(case: CaseResult) -> str:
    rows = []
    for check in case.checks:
        sign, style = _SIGNS["right" if check.ok else "wrong"]
        got = (
            ""
            if check.ok or not check.got
            else f' <span class="soft">got: {escape(check.got)}</span>'
        )
        rows.append(f'<li><span class="{style}">{sign}</span>{escape(check.name)}{got}</li>')
    if case.expected.get("may"):
        allowed = escape(", ".join(case.expected["may"]))
        rows.append(f'<li><span></span><span class="soft">may cite {allowed}</span></li>')
    if case.expected.get("note"):
        rows.append(
            f'<li><span></span><span class="soft">{escape(case.expected["note"])}</span></li>'
        )
    return f'<ul class="checks">{"".join(rows)}</ul>'


def _proofs(case: CaseResult) -> str:
    papers: dict[int, list[dict[str, Any]]] = {}
    for proof in case.answer["citations"] if case.answer else []:
        papers.setdefault(proof["number"], []).append(proof)
    if not papers:
        return ""
    allowed = {*case.expected.get("cite", []), *case.expected.get("may", [])}
    rows = []
    for number, proofs in papers.items():
        first = proofs[0]
        style, word = ("ok", "allowed") if first["paper"] in allowed else ("no", "not allowed")
        spans = [(proof["start"], proof["end"]) for proof in proofs]
        supports = ", ".join(dict.fromkeys(proof["support"] for proof in proofs))
        rows.append(
            f'<details class="proof"{" open" if len(papers) == 1 else ""}><summary>[{number}] '
            f'{escape(first["label"])} <span class="soft">{escape(first["paper"])}</span> · '
            f'<span class="{style}">{word} by the case</span> · verifier: {escape(supports)}'
            f"</summary><p>{_marked(first['abstract'], spans)}</p></details>"
        )
    return f"<h3>Citations</h3>{''.join(rows)}"


def _marked(text: str, spans: list[tuple[int, int]]) -> str:
    made, done = "", 0
    for start, end in sorted(spans):
        if start < done:
            continue
        made += f"{escape(text[done:start])}<mark>{escape(text[start:end])}</mark>"
        done = end
    return made + escape(text[done:])


def _sentences(case: CaseResult) -> str:
    rows = []
    for sentence in case.answer["sentences"] if case.answer else []:
        if sentence["verdict"] is None and not sentence["citations"]:
            continue
        right = sentence["right"]
        told = (
            f'<span class="{"ok" if right else "no"}">case: {"right" if right else "wrong"}'
            f'</span> · <span class="{_VERDICTS.get(sentence["verdict"], "soft")}">verifier: '
            f"{escape(str(sentence['verdict']))}</span>"
        )
        reason = (
            f' <span class="soft">({escape(sentence["reason"])})</span>'
            if sentence["reason"]
            else ""
        )
        rows.append(f"<li>{escape(_short(sentence['text']))}<br>{told}{reason}</li>")
    if not rows:
        return ""
    return f'<h3>Sentence by sentence</h3><ul class="sentences">{"".join(rows)}</ul>'


def _evidence(case: CaseResult) -> str:
    if not case.evidence:
        return ""
    wanted = set(case.expected.get("cite", []))
    rows = "".join(
        f'<tr><td class="number">{place}</td><td>{"<b>" if item["paper"] in wanted else ""}'
        f"{escape(item['label'])}{'</b>' if item['paper'] in wanted else ''} "
        f'<span class="soft small">{escape(item["paper"])}</span></td>'
        f'<td class="number">{item["relevance"]:.2f}</td>'
        f'<td class="number soft small">{_scores(item["scores"])}</td></tr>'
        for place, item in enumerate(case.evidence[:10], 1)
    )
    return (
        '<details class="proof"><summary>What was retrieved, the first '
        f"{min(10, len(case.evidence))} of {len(case.evidence)}</summary>"
        '<div class="scroll"><table><thead><tr><th class="number"></th><th>paper</th>'
        '<th class="number">relevance</th><th class="number">scores</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div></details>"
    )


def _scores(scores: dict[str, float]) -> str:
    return escape(", ".join(f"{name} {value:.2f}" for name, value in scores.items()))


def _numbers(case: CaseResult) -> str:
    told = [
        f"{name} {'unscored' if value is None else f'{value:.2f}'}"
        for name, value in case.scores.items()
        if name != "passed"
    ]
    times = [f"{name} {value:.0f} ms" for name, value in case.timings.items()]
    tokens = [f"{name} tokens {count}" for name, count in case.tokens.items()]
    cost = [] if case.cost is None else [f"{case.cost:.5f} USD"]
    line = escape(" · ".join([*told, *times, *tokens, *cost]))
    return f'<h3>Scores and times</h3><p class="small soft">{line}</p>'


def _short(text: str) -> str:
    flat = re.sub(r"\s+", " ", text)
    return flat if len(flat) <= 300 else flat[:299] + "…"
