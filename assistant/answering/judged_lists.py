"""The answer to a list or count question whose candidates a model judged."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.answering.judged import JudgedList, JudgedPaper
from assistant.answering.listing import head_of, noted
from assistant.answering.phrases import say
from assistant.answering.quoting import label_text
from assistant.answering.said import Draft
from assistant.retrieval.arranging import in_time
from assistant.retrieval.ranking import Ranking

__all__ = ["listed"]

_NEAREST = 3


def listed(found: JudgedList, ranking: Ranking) -> Draft:
    """Write the list: all yes, then partly, each with the sentence that shows it.

    Args:
        found: the candidates, judged.
        ranking: what they were found by.
    """
    draft, language = Draft(), ranking.query.language
    yes, partly = found.of("yes"), found.of("partly")
    times = ranking.query.times
    if times is not None and yes:
        yes = in_time(yes, times, lambda each: each.item.paper.year)
        partly = [] if times.extreme or times.most else partly
    if not yes and not found.calibrated:
        # Neither judge finds one that fits: what "partly" is left is a small model's politeness.
        partly = []
    counts = {"count": len(yes), "judged": found.judged, "candidates": found.candidates}
    name = "judged" if yes else "judged_none"
    if not yes and not partly:
        draft.abstained = True
        name = "none"
    said = [say(name, language, **counts)]
    if draft.abstained and found.papers:
        near = [f"*{label_text(each.item.paper.label)}*" for each in found.papers[:_NEAREST]]
        said.append(say("nearest", language, labels="; ".join(near)))
    notes = noted(draft, ranking, [each.item for each in (*yes, *partly)])
    lines = [*notes, draft.say(" ".join(said)), "", *_entries(draft, yes, ranking)]
    if partly:
        lines += ["", draft.say(say("partly", language)), "", *_entries(draft, partly, ranking)]
    if found.rest is not None:
        rest = found.rest
        told = say("rest", language, count=rest.papers, calls=rest.calls, tokens=f"{rest.tokens:,}")
        lines += ["", draft.say(told)]
    draft.text = "\n".join(lines).replace("\n\n\n", "\n\n").strip()
    return draft


def _entries(draft: Draft, papers: Sequence[JudgedPaper], ranking: Ranking) -> list[str]:
    return [
        f"- {head_of(each.item.paper, ranking)} — "
        f"{draft.quote(each.item.paper, each.start, each.end)}"
        for each in papers
    ]
