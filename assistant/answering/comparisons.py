"""Who is compared with whom, and whose doing a sentence describes.

An abstract tells what others do before it tells what it does itself; an answer that gives the one
for the other is wrong although every word of it stands in the abstract.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.answering.names import names
from assistant.answering.plaintext import plain
from assistant.answering.polar_reading import read

__all__ = ["OF_OTHERS", "about_others", "about_own", "said_of_others", "turned_comparison"]

OF_OTHERS = "this is said of other work"
"""What `said_of_others` finds."""

_OTHERS = (
    r"(?:existing|previous|prior|earlier|latest|prevailing|mainstream|traditional|conventional|"
    r"recent|current|many|most|various|other|others|competing|alternative|state-of-the-art|SOTA|baselines?)"
)
_WORKS = (
    r"(?:methods|approaches|works?|frameworks|models|techniques|algorithms|quantizers|studies|"
    r"systems|research|extensions|strategies|schemes|solutions|pipelines|architectures)"
)
_ABOUT_OTHERS = re.compile(
    rf"\W*(?:[\w-]+,?\s){{0,6}}?{_OTHERS}\s(?:[\w-]+\s){{0,4}}?{_WORKS}\b", re.IGNORECASE
)
_ABOUT_OWN = re.compile(
    r"\W*(?:in\sthis\s(?:paper|work|article|study)|to\s(?:this|address|tackle|overcome|bridge|fill)|we|our|"
    r"this|here|finally|specifically|motivated|inspired|based)\b",
    re.IGNORECASE,
)
_MENTIONS_OTHERS = re.compile(
    rf"\b(?:{_OTHERS}|unlike|than|compared|instead|rather|contrast|problem|limitation\w*|"
    r"challeng\w+|difficult\w*|issues?|address\w*|overcom\w+|tackl\w+|solv\w+|argu\w+|"
    r"not(?:e|es|ing)|point\w*|"
    r"observ\w+|report\w*|stat(?:e|es|ed)|explain\w*|say|says|criticis\w*|criticiz\w*|show|shows|"
    r"claim\w*|find|finds|motivat\w+|why|because|without|no|not)\b",
    re.IGNORECASE,
)
_OWN_SUBJECT = re.compile(
    r"(?:the|this|its|their|our|it)\b\s?(?:proposed\s|new\s|novel\s)?(?:method|approach|model|"
    r"framework|paper|work|algorithm|system|technique|benchmark|network|authors?|scheme|"
    r"module|attack|device|"
    r"study|uses|relies|needs|requires|has|is)\b",
    re.IGNORECASE,
)
_BEGINS_WITH_OTHERS = re.compile(rf"\W*{_OTHERS}\b", re.IGNORECASE)
_ASSUMING = r"(?:assum|presum|suppos|presuppos|rel(?:y|ie)|requir|depend|ignor|neglect|overlook)"
_AUTHORS_ASSUME = re.compile(
    r"(?:the\s|this\s|its\s)?(?:authors?|paper|work|study|researchers)\b"
    rf"(?:\s(?:of|behind|on)\s[^.;,]{{1,80}}?)?\s(?P<verb>{_ASSUMING}\w*)",
    re.IGNORECASE,
)
_UP = r"(?:better|superior|stronger|faster)"
_DOWN = r"(?:worse|inferior|weaker|slower)"
_THAN = r"(?:than|over|compared\s(?:to|with)|relative\sto|to)"
_COMPARED = re.compile(
    rf"\b(?:(?P<verb>outperform\w*|surpass\w*|beat\w*|exceed\w*)"
    r"|(?P<bad>underperform\w*|falls?\sbehind)"
    rf"|(?P<up>{_UP})\b(?P<middle>[^.;]{{0,90}}?)\b{_THAN}"
    rf"|(?P<down>{_DOWN})\b(?P<between>[^.;]{{0,90}}?)\b{_THAN})\b",
    re.IGNORECASE,
)
_MORE_THAN = re.compile(
    r"\b(?P<word>more|less|fewer)\b(?P<first>[^.;,]{3,90}?)\bthan\b(?P<second>[^.;,]{3,90})",
    re.IGNORECASE,
)
_NEAR_WORDS = 9
_TOLD, _MARGIN = 0.6, 0.25


def about_others(sentence: str) -> bool:
    """Tell whether a sentence of an abstract speaks of other work.

    Args:
        sentence: a sentence of an abstract.
    """
    text = plain(sentence).text
    return bool(_ABOUT_OTHERS.match(text)) and not _ABOUT_OWN.match(text)


def about_own(sentence: str) -> bool:
    """Tell whether a sentence of an answer speaks of the paper's own work alone.

    Args:
        sentence: the sentence of an answer.
    """
    claim = plain(sentence).text.strip(" -*")
    first = names(claim)[:1]
    named = bool(first) and first[0].start <= len("The ")
    return (named or bool(_OWN_SUBJECT.match(claim))) and not _MENTIONS_OTHERS.search(claim)


def turned_comparison(sentence: str, nearest: Sequence[str]) -> str | None:
    """Find a comparison whose sides are exchanged.

    Args:
        sentence: the sentence of an answer.
        nearest: the sentences of the abstract that match it best.

    Returns:
        What is turned, None where nothing is.
    """
    claim = plain(sentence).text
    for source in (plain(source).text for source in nearest):
        ours, theirs = _winner(claim), _winner(source)
        if ours and theirs and ours != theirs:
            return "the comparison is turned round"
        if _more_exchanged(claim, source):
            return '"more … than" is turned round'
    return None


def said_of_others(sentence: str, nearest: Sequence[str], abstract: Sequence[str]) -> str | None:
    """Find a statement on a paper's own method that the abstract makes of other work.

    Args:
        sentence: the sentence of an answer.
        nearest: the sentences of the abstract that match it best, best first.
        abstract: all of its sentences.

    Returns:
        The reason; None where the statement may be of the paper's own.
    """
    if nearest and _assumed_by_others(sentence, nearest[0], abstract):
        return OF_OTHERS
    if not nearest or not about_own(sentence):
        return None
    content = read(sentence).content
    if not content or not about_others(nearest[0]):
        return None
    told = len(content & read(nearest[0]).content) / len(content)
    own = max(
        (len(content & read(s).content) / len(content) for s in abstract if not about_others(s)),
        default=0.0,
    )
    return OF_OTHERS if told >= max(_TOLD, own + _MARGIN) else None


def _assumed_by_others(sentence: str, nearest: str, abstract: Sequence[str]) -> bool:
    """The authors are said to assume what their abstract says that others assume."""
    claim = _AUTHORS_ASSUME.match(plain(sentence).text.strip(" -*"))
    if claim is None or not _tells_of_others(nearest):
        return False
    verb = re.compile(rf"\b{re.escape(claim['verb'][:5])}", re.IGNORECASE)
    own = (source for source in abstract if not _tells_of_others(source))
    return bool(verb.search(nearest)) and not any(map(verb.search, own))


def _tells_of_others(source: str) -> bool:
    return bool(_BEGINS_WITH_OTHERS.match(source)) or about_others(source)


def _winner(text: str) -> int:
    """1 where other work loses a comparison, -1 where it wins, 0 where that is not said."""
    found = _COMPARED.search(text)
    if found is None:
        return 0
    middle = found["middle"] or found["between"] or ""
    left = " ".join([*text[: found.start()].split()[-_NEAR_WORDS:], middle])
    right = " ".join(text[found.end() :].split()[:_NEAR_WORDS])
    others = re.compile(rf"\b{_OTHERS}\b", re.IGNORECASE)
    on_left, on_right = bool(others.search(left)), bool(others.search(right))
    if on_left == on_right:
        return 0
    up = bool(found["verb"] or found["up"])
    return 1 if on_right == up else -1


def _more_exchanged(claim: str, source: str) -> bool:
    """Whether "more A than B" meets "more B than A", or "less A than B"."""
    ours, theirs = _MORE_THAN.search(claim), _MORE_THAN.search(source)
    if ours is None or theirs is None:
        return False
    a, b = read(ours["first"]).content, read(ours["second"]).content
    c, d = read(theirs["first"]).content, read(theirs["second"]).content
    kept, exchanged = len(a & c) + len(b & d), len(a & d) + len(b & c)
    if (ours["word"].lower() == "more") == (theirs["word"].lower() == "more"):
        return exchanged > kept
    return kept > exchanged
