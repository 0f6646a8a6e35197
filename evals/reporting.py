"""A run as one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape
from pathlib import Path

from assistant.wording import counted
from evals.comparing import Comparison, Difference, compare
from evals.metrics import METRICS
from evals.records import Interval, RunRecord
from evals.report_cases import case_html, state_of

__all__ = ["report"]

_STATIC = Path(__file__).parent / "static"
# Nothing may be fetched, whatever an answer holds.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_WIDTH = 240
_PAD = 6


def report(run: RunRecord, against: RunRecord | None = None) -> str:
    """Write a run as a page.

    Args:
        run: what to show.
        against: a run to compare with; its cases that flipped are marked.

    Returns:
        HTML.
    """
    comparison = None if against is None else compare(against, run)
    title = f"Evaluation, {run.made.mode}, {run.made.started[:10]}"
    parts = [
        _head(run, against),
        "<main>",
        _metrics(run, comparison),
        _kinds(run),
        _prompts(comparison),
        _cases(run, against, comparison),
        "</main>",
        _made(run),
    ]
    css = (_STATIC / "report.css").read_text(encoding="utf-8")
    script = (_STATIC / "report.js").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{css}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + f"\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _head(run: RunRecord, against: RunRecord | None) -> str:
    made = run.made
    passed = sum(bool(case.passed) for case in run.cases)
    failed = sum(case.error is not None for case in run.cases)
    facts = [
        made.model or "keyless",
        f"embedder {made.embedder or 'none'}",
        f"commit {(made.commit or 'none')[:9]}{' with changes' if made.dirty else ''}",
        made.started.replace("T", " ").replace("+00:00", " UTC"),
        f"{made.wall_seconds:.0f} s",
    ]
    if made.mode == "model":
        facts.append("cost unknown" if made.cost is None else f"{made.cost:.4f} USD")
    if against is not None:
        facts.append(f"against the run of {against.made.started.replace('T', ' ')[:16]}")
    lost = f", {failed} without an answer" if failed else ""
    return (
        f"<header><div><h1>{passed} of {len(run.cases)} answers right{lost}</h1>"
        f'<p class="soft small">{escape(" · ".join(facts))}</p></div>'
        '<button id="theme" type="button">Light / dark</button></header>'
    )


def _metrics(run: RunRecord, comparison: Comparison | None) -> str:
    changes = {d.metric: d for d in comparison.differences} if comparison else {}
    extra = '<th class="number">change</th><th>verdict</th>' if comparison else ""
    rows = [
        _row(name, each, changes.get(name), bool(comparison)) for name, each in run.metrics.items()
    ]
    legend = (
        '<p class="legend soft small"><span><svg viewBox="0 0 26 12"><line class="span" x1="4" '
        'x2="22" y1="6" y2="6"/><circle class="dot" cx="13" cy="6" r="4"/></svg> value with '
        "its 95 % interval</span>"
    )
    if comparison:
        legend += (
            '<span><svg viewBox="0 0 26 12"><circle class="base" cx="13" cy="6" r="4"/></svg> the '
            "run before</span>"
        )
    legend += "<span>n: cases scored, with those that could not be scored in brackets</span></p>"
    return (
        '<h2>Metrics</h2><div class="card scroll"><table class="metrics"><thead><tr><th>metric</th>'
        '<th>0 to 1</th><th class="number">value</th><th class="number">95 % interval</th>'
        f'<th class="number">n</th>{extra}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
        f"{legend}{_judge(run)}"
    )


def _row(name: str, interval: Interval, change: Difference | None, compared: bool) -> str:
    metric = METRICS[name]
    unit = {"s": " s", "USD": " USD"}.get(metric.unit, "")
    count = f"{interval.n}{f' ({interval.unscored})' if interval.unscored else ''}"
    value, span, chart = "–", "", ""
    if interval.value is not None and interval.low is not None and interval.high is not None:
        value = f"{interval.value:.3f}{unit}"
        span = f"{interval.low:.3f} – {interval.high:.3f}"
        if metric.unit == "share":
            chart = _chart(interval.value, interval.low, interval.high, change)
    gated = "" if metric.gated else ", not gated"
    cells = (
        f'<th scope="row">{escape(name)}<small>{escape(metric.meaning + gated)}</small></th>'
        f'<td class="chart">{chart}</td><td class="number value">{value}</td>'
        f'<td class="number interval-text">{span}</td>'
        f'<td class="number count" data-label="n">{count}</td>'
    )
    if compared:
        cells += _change(change)
    return f"<tr>{cells}</tr>"


def _change(change: Difference | None) -> str:
    if change is None:
        return "<td></td><td></td>"
    style = change.verdict if change.verdict in ("better", "worse") else "soft"
    title = f"95 % interval {change.low:+.3f} to {change.high:+.3f}, {counted(change.n, 'case')}"
    return (
        f'<td class="number" title="{title}">{change.change:+.3f}</td>'
        f'<td class="{style}" title="{title}">{escape(change.verdict)}</td>'
    )


def _chart(value: float, low: float, high: float, change: Difference | None) -> str:
    def x(share: float) -> str:
        return f"{_PAD + share * (_WIDTH - 2 * _PAD):.1f}"

    ticks = "".join(
        f'<line class="tick" x1="{x(at)}" x2="{x(at)}" y1="7" y2="15"/>'
        for at in (0, 0.25, 0.5, 0.75, 1)
    )
    base = ""
    if change is not None:
        base = f'<circle class="base" cx="{x(change.before)}" cy="11" r="4"/>'
    label = f"{value:.3f}, 95 % interval {low:.3f} to {high:.3f}"
    return (
        f'<svg class="interval" viewBox="0 0 {_WIDTH} 22" role="img" aria-label="{label}">'
        f'<line class="track" x1="{x(0)}" x2="{x(1)}" y1="11" y2="11"/>{ticks}'
        f'<line class="span" x1="{x(low)}" x2="{x(high)}" y1="11" y2="11"/>{base}'
        f'<circle class="dot" cx="{x(value)}" cy="11" r="4.5"/></svg>'
    )


def _kinds(run: RunRecord) -> str:
    cards = []
    for kind, metrics in run.by_kind.items():
        passed = metrics.get("passed")
        if passed is None or passed.value is None:
            continue
        cards.append(
            f'<button type="button" class="kind" data-kind="{kind}" aria-pressed="false">'
            f'<span class="soft small">{kind}</span><b>{passed.value:.0%}</b>'
            f'<span class="soft small">of {passed.n} right</span>'
            f'<span class="meter"><i style="width:{passed.value:.0%}"></i></span></button>'
        )
    return f'<h2>By kind</h2><div class="kinds">{"".join(cards)}</div>'


def _prompts(comparison: Comparison | None) -> str:
    if comparison is None:
        return ""
    notes = "".join(f"<li>{escape(note)}</li>" for note in comparison.notes)
    found = f'<ul class="small">{notes}</ul>' if notes else ""
    for name, diff in comparison.prompts.items():
        lines = "\n".join(_diff_line(line) for line in diff.splitlines())
        found += f"<h3>prompt {escape(name)}</h3><pre>{lines}</pre>"
    return f"<h2>What else differs</h2>{found}" if found else ""


def _diff_line(line: str) -> str:
    style = {"+": "add", "-": "del"}.get(line[:1])
    return f'<span class="{style}">{escape(line)}</span>' if style else escape(line)


def _cases(run: RunRecord, against: RunRecord | None, comparison: Comparison | None) -> str:
    flips = {flip.after.id: flip for flip in comparison.flips} if comparison else {}
    before = {case.id: case for case in against.cases if case.repeat == 0} if against else {}
    rows = [
        case_html(
            case, before.get(case.id), flips.get(case.id), labels=run.made.options.get("repeat", 1)
        )
        for case in run.cases
    ]
    kinds = "".join(f"<option>{kind}</option>" for kind in run.by_kind)
    states = ["all", "right", "wrong"]
    states += ["unanswered"] if any(state_of(case) == "unanswered" for case in run.cases) else []
    states += ["flipped"] if comparison else []
    buttons = "".join(
        f'<button type="button" data-show="{state}" aria-pressed="false">{state}</button>'
        for state in states
    )
    return (
        '<h2 id="cases">Cases</h2><div id="filters">'
        f'<span class="group" role="group" aria-label="Which answers">{buttons}</span>'
        f'<select id="kind" aria-label="Kind"><option value="">all kinds</option>{kinds}</select>'
        '<input id="search" type="search" placeholder="Search questions and answers" '
        'aria-label="Search questions and answers"><span id="shown" role="status"></span></div>'
        f'<div class="card">{"".join(rows)}'
        '<p id="nothing" class="soft" style="padding:1rem" hidden>No case is like that.</p></div>'
    )


def _judge(run: RunRecord) -> str:
    if not run.judge:
        return ""
    told = run.judge
    invalid = "" if told.get("valid", True) else " Too many have no verdict: it tells nothing."
    parts = [
        f"{name} {told[name]['value']:.3f} ({told[name]['low']:.3f} – {told[name]['high']:.3f})"
        for name in ("with itself", "with the verifier", "with the cases")
        if name in told
    ]
    return (
        f'<p class="small">Judge {escape(str(told["model"]))}, '
        f"{counted(told['sentences'], 'sentence')}, {told['unscored']} unscored; "
        f"agrees {escape('; '.join(parts))}. It gates nothing."
        f"{invalid}</p>"
    )


def _made(run: RunRecord) -> str:
    made = run.made.model_dump(exclude={"prompt_texts", "versions", "prompts"})
    rows = {name.replace("_", " "): str(value) for name, value in made.items()}
    rows |= {f"prompt {name}": value for name, value in run.made.prompts.items()}
    rows |= run.made.versions
    cells = "".join(
        f"<tr><th>{escape(name)}</th><td><code>{escape(value)}</code></td></tr>"
        for name, value in rows.items()
    )
    return (
        "<footer><details><summary>What this run was made with</summary>"
        '<div class="card scroll" style="margin-top:.6rem"><table><tbody>'
        f"{cells}</tbody></table></div></details></footer>"
    )
