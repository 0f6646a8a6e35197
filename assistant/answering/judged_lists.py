"""The answer to a list or count question whose candidates a model judged."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.answering.extractive import Draft
from assistant.answering.judged import JudgedList, JudgedPaper
from assistant.answering.phrases import say
from assistant.answering.quoting import label_text

__all__ = ["listed"]

_NEAREST = 3


def listed(found: JudgedList, language: str) -> Draft:
    """Write the list: all yes, then partly, each with the sentence that shows it.

    Args:
        found: the candidates, judged.
        language: ISO 639-1 code of the answer's own sentences.
    """
    draft = Draft()
    yes, partly = found.of("yes"), found.of("partly")
    if not yes and not found.calibrated:
        # Neither judge finds one that fits: what "partly" is left is a small model's politeness.
        partly = []
    counts = {"count": len(yes), "judged": found.judged, "candidates": found.candidates}
    name = {0: "judged_none", 1: "judged_one"}.get(len(yes), "judged")
    if not yes and not partly:
        draft.abstained = True
        name = "none"
    said = [say(name, language, **counts)]
    if draft.abstained and found.papers:
        near = [f"*{label_text(each.item.paper.label)}*" for each in found.papers[:_NEAREST]]
        said.append(say("nearest", language, labels="; ".join(near)))
    lines = [draft.say(" ".join(said)), "", *_entries(draft, yes)]
    if partly:
        lines += ["", draft.say(say("partly", language)), "", *_entries(draft, partly)]
    if found.rest is not None:
        rest = found.rest
        told = say("rest", language, count=rest.papers, calls=rest.calls, tokens=f"{rest.tokens:,}")
        lines += ["", draft.say(told)]
    draft.text = "\n".join(lines).replace("\n\n\n", "\n\n").strip()
    return draft


def _entries(draft: Draft, papers: Sequence[JudgedPaper]) -> list[str]:
    return [
        f"- **{label_text(each.item.paper.label)}** — "
        f"{draft.quote(each.item.paper, each.start, each.end)}"
        for each in papers
    ]
