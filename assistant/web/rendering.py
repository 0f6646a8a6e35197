"""What the chat shows for a question, a growing answer, and a finished one.

Every function is pure and gives one line of HTML: the chat component takes that as it stands,
sanitises it once more, and draws the formulas.
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.answering.answer import Answer, Sentence
from assistant.answering.events import Stage, Status
from assistant.corpus.paper import Paper
from assistant.web.cards import cards_html, citation_links, collection_html, uncited
from assistant.web.escaping import escape
from assistant.web.lists import list_html
from assistant.web.markup import urls_in
from assistant.web.prose import VERDICTS, prose_html

__all__ = [
    "answer_html",
    "draft_html",
    "notice_html",
    "problem_html",
    "question_html",
    "waiting_html",
    "welcome_html",
]

_STAGES: dict[Stage, str] = {
    "searching": "Searching",
    "reading": "Reading",
    "writing": "Writing",
    "checking": "Checking",
}

_EMPTY = (
    '<div class="ap-welcome"><h2>This collection holds no papers yet.</h2>'
    "<p>Add some on the machine that serves this page: <code>assistant sync FILE</code> reads "
    "text, BibTeX, RIS, CSV, JSON and more. Then load this page anew.</p></div>"
)
_LONG_QUESTION, _LINES = 240, 4
_JUDGE = (
    '<button type="button" class="ap-judge ap-good" title="A good answer">👍</button>'
    '<button type="button" class="ap-judge ap-bad" title="A bad answer">👎</button>'
)


def welcome_html(papers: Sequence[Paper] = (), held: int | None = None) -> str:
    """Return what stands there before the first question.

    Args:
        papers: the collection's papers, or some of them.
        held: how many it holds, None where that is not known.
    """
    if held == 0:
        return _EMPTY
    return (
        '<div class="ap-welcome"><h2>Ask the abstracts, check every sentence.</h2>'
        "<p>Each sentence of an answer carries a number. "
        '<span class="ap-hovers">Hover it to read the words that prove it; select it to see them '
        "marked in the whole abstract.</span>"
        '<span class="ap-touches">Tap it to see the words that prove it, marked in the whole '
        "abstract.</span></p>"
        f'<div class="ap-cards" hidden>{collection_html(papers, held or 0)}</div></div>'
    )


def question_html(question: str, scope: int = 0) -> str:
    """Return a question exactly as it was typed.

    Args:
        question: any text.
        scope: how many papers it was limited to; 0: not limited.
    """
    lines = "<br>".join(escape(line) for line in question.splitlines())
    among = f"Among {scope:,} chosen paper{'s' if scope != 1 else ''}" if scope else ""
    note = f'<p class="ap-among">{among}</p>' if among else ""
    long = (
        " ap-long" if len(question) > _LONG_QUESTION or len(question.splitlines()) > _LINES else ""
    )
    return f'<div class="ap-question{long}">{lines}</div>{note}'


def waiting_html(ahead: int) -> str:
    """Return what is shown while others are answered first.

    Args:
        ahead: how many of those who wait come first.
    """
    line = f", {ahead} ahead of you" if ahead else ", you are next"
    return (
        '<div class="ap-answer ap-live"><div class="ap-prose"></div>'
        f'<p class="ap-status">Others are being answered{line}…</p></div>'
    )


def draft_html(text: str, status: Status, sentences: Sequence[Sentence] = ()) -> str:
    """Return an answer that is still being made, with what is being done for it.

    Args:
        text: what has been written so far.
        status: the current stage.
        sentences: the sentences checked so far, in order.
    """
    prose = prose_html(text, links=_unlinked(text), sentences=sentences, draft=True).html
    return (
        f'<div class="ap-answer ap-live"><div class="ap-prose">{prose}</div>{_status(status)}</div>'
    )


def answer_html(answer: Answer) -> str:
    """Return a finished answer with its source cards.

    Args:
        answer: any answer.
    """
    urls = frozenset[str]().union(
        *(urls_in(citation.paper.abstract) for citation in answer.citations),
        [c.paper.url for c in answer.citations if c.paper.url],
    )
    prose = prose_html(
        answer.text, links=citation_links(answer), sentences=answer.sentences, urls=urls
    )
    table = list_html(answer)
    state = "abstained" if answer.abstained else "done"
    return (
        f'<div class="ap-answer ap-{state}">'
        f"{_abstention(answer)}"
        f'<div class="ap-prose">{prose.html}</div>'
        f"{table}"
        f"{_unplaced(prose.unplaced)}{_understood(answer)}{_warnings(answer)}"
        f"{_foot(answer, listed=bool(table))}"
        f'<div class="ap-cards" hidden>{cards_html(answer)}</div>'
        f'<pre class="ap-raw" hidden>{_lines(str(answer))}</pre>'
        f'<pre class="ap-bib" hidden>{_lines(answer.to_bibtex())}</pre></div>'
    )


def problem_html(sentence: str, text: str = "") -> str:
    """Return what is shown when an answer ended otherwise: stopped, or a sentence on an error.

    Args:
        sentence: what happened and what to do, in one sentence.
        text: what had been written until then.
    """
    prose = prose_html(text, links=_unlinked(text), draft=True).html if text else ""
    return (
        f'<div class="ap-answer ap-ended"><div class="ap-prose">{prose}</div>'
        f'<p class="ap-problem" role="alert">{escape(sentence)}</p>'
        f'<div class="ap-foot">{_buttons("")}</div></div>'
    )


def notice_html(sentence: str) -> str:
    """Return a sentence on what went wrong before anything was asked.

    Args:
        sentence: what happened and what to do.
    """
    return (
        '<div class="ap-answer ap-ended">'
        f'<p class="ap-problem" role="alert">{escape(sentence)}</p></div>'
    )


def _unlinked(text: str) -> dict[int, tuple[str, ...]]:
    """Return marks for the numbers of an unfinished text: they have no cards to open yet."""
    return {
        number: (f'<span class="ap-cite ap-pending">[{number}]</span>',)
        for number in range(1, 100)
        if str(number) in text
    }


def _status(status: Status) -> str:
    reached = list(_STAGES).index(status.stage)
    steps = "".join(
        f'<span class="ap-step ap-step-{"past" if i < reached else when}"></span>'
        for i, when in enumerate(["next"] * reached + ["now"] + ["next"] * (3 - reached))
    )
    detail = f" {escape(status.detail)}" if status.detail else ""
    return (
        f'<p class="ap-status"><span class="ap-steps">{steps}</span>'
        f"{_STAGES[status.stage]}{detail}…</p>"
    )


def _abstention(answer: Answer) -> str:
    if not answer.abstained:
        return ""
    return '<p class="ap-unanswered">Not answered by this collection</p>'


def _understood(answer: Answer) -> str:
    if _plain(answer.standalone_question) == _plain(answer.question):
        return ""
    return f'<p class="ap-understood">Understood as <q>{escape(answer.standalone_question)}</q></p>'


def _plain(text: str) -> str:
    return " ".join(text.replace("\\", "").split()).rstrip("?.! ").casefold()


def _unplaced(sentences: Sequence[Sentence]) -> str:
    items = "".join(
        f'<li><span class="ap-said ap-{s.verdict}">{escape(s.text)}</span> '
        f'<span class="ap-verdict ap-{s.verdict}">{VERDICTS[s.verdict]}'
        f"{': ' + escape(s.reason) if s.reason else ''}</span></li>"
        for s in sentences
        if s.verdict is not None
    )
    return f'<ul class="ap-unplaced">{items}</ul>' if items else ""


def _warnings(answer: Answer) -> str:
    # An extractive answer given in place of a model's says so in its own text.
    text = _plain(answer.text)
    unsaid = [warning for warning in answer.warnings if _plain(warning) not in text]
    items = "".join(f"<li>{escape(warning)}</li>" for warning in unsaid)
    return f'<ul class="ap-warnings">{items}</ul>' if items else ""


def _foot(answer: Answer, *, listed: bool) -> str:
    facts: list[str] = []
    if answer.candidates:
        facts.append(f"{answer.judged:,} of {answer.candidates:,} candidates judged")
    if answer.kind not in ("small_talk", "out_of_scope"):
        written = f"written by {answer.model}" if answer.model else "written by a model"
        facts.append("quoted, no model" if answer.mode == "extractive" else written)
    if "total" in answer.timings:
        facts.append(_duration(answer.timings["total"]))
    told = "".join(f"<span>{escape(fact)}</span>" for fact in facts)
    count = len({citation.number for citation in answer.citations})
    shown = (
        _button("open", f"{count} source{'s' if count != 1 else ''}")
        if count
        else _button("open", "Closest papers")
        if uncited(answer)
        else ""
    )
    if listed:
        shown += _button("rows", "Table") + _button("these", "Ask about these")
    bibtex = _button("bibtex", "BibTeX") if answer.citations else ""
    return (
        f'<div class="ap-foot"><span class="ap-facts">{told}</span>{_trace(answer)}'
        f"{_buttons(shown + _button('copy', 'Copy') + bibtex, judged=True)}</div>"
    )


def _buttons(first: str, *, judged: bool = False) -> str:
    # The last answer alone can be asked for again or taken back: the style hides the others'.
    last = "".join(_button(name.casefold(), name) for name in ("Retry", "Edit", "Undo"))
    return f'<span class="ap-buttons">{first}{_JUDGE if judged else ""}{last}</span>'


def _button(name: str, words: str) -> str:
    return f'<button type="button" class="ap-{name}">{words}</button>'


def _duration(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def _trace(answer: Answer) -> str:
    rows = {
        "kind": answer.kind,
        "mode": answer.mode,
        "model": answer.model,
        "prompt": answer.prompt_hash,
        "embedder": answer.embedder or "none, lexical search alone",
        "index": answer.index_fingerprint,
        "tokens": ", ".join(f"{k} {v:,}" for k, v in (answer.usage or {}).items()),
        "milliseconds": ", ".join(f"{k} {v:,.0f}" for k, v in answer.timings.items()),
    }
    listed = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>"
        for name, value in rows.items()
        if value
    )
    return f'<details class="ap-trace"><summary>Trace</summary><dl>{listed}</dl></details>'


def _lines(text: str) -> str:
    return "&#10;".join(escape(line) for line in text.split("\n"))
