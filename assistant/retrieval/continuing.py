"""Questions that take over what the one before them asked: "and robots?", "any others?"."""

from __future__ import annotations

import re

from assistant.index.terms import analyse, is_stopword
from assistant.retrieval.kinds import PAPER_NOUNS

__all__ = ["asks_further", "asks_other", "asks_papers", "ellipsis", "in_frame"]

_I = re.IGNORECASE
_LEAD = r"^\W*(?:(?:and|but|ok(?:ay)?|so|then|well|now|please|thanks?|no)[ ,.]+)*"
_FURTHER = re.compile(
    rf"{_LEAD}(?:"
    rf"(?:(?:are|is) there |do you have |have you (?:got )?|got |show (?:me )?|give (?:me )?|list |find |tell me |i want |i need |any |"
    rf"some |what about |how about |which |what )*"
    rf"(?:any |some |the |a few |two |three )?(?:more|others?|further|additional|remaining|rest|next)"
    rf"(?: (?:ones?|of (?:them|those|these)|{PAPER_NOUNS}|results?|hits|page|(?:of )?the list|others?|then|please|here|there|"
    r"in (?:the|this) (?:collection|list)|like (?:that|this|those|these)|do you have|are there|exist))*"
    r"|(?:what|who|anything|anyone|anybody|something|where) else(?: is there| do you have| (?:on|about) (?:it|that|this))?"
    r"|not (?:those|these|them|that|this|that one|this one|the same)(?: ones?)?(?:[,;.]? ?(?:but )?(?:the )?(?:other|others|different|"
    r"another|new|something else|other ones|different ones|show me others|give me others|other papers)(?: ones?| papers)?)?"
    r"|(?:something|somebody) (?:else|different)|different ones|other ones|another(?: one)?|next(?: ones?| page)?|"
    r"(?:go on|continue|keep going|carry on)(?: (?:with )?the list)?"
    r"|(?:is|was) (?:that|this) (?:all|it|everything)|that'?s all|are (?:those|these) all(?: of them)?"
    r"|weitere|noch (?:mehr|andere|weitere)|andere|d['’]autres|autres|m[aá]s|otros|altri|outros|meer|andere"
    r")\W*$",
    _I,
)
_PAPERS_ASKED = re.compile(
    rf"\b(?:others?|another|else|different|rest|remaining|next|list|ones?|not|all|{PAPER_NOUNS}|weitere|andere|autres|otros|"
    r"altri|outros)\b",
    _I,
)
_OTHER = re.compile(
    rf"\b(?:which|what|any|list|show|find|give|are there|is there|have|name|the)\b[^?.!]{{0,24}}?\b(?:other|further|additional|more|"
    rf"another|different|remaining)\s+(?:[\w-]+\s+){{0,2}}?(?:{PAPER_NOUNS}|ones)\b(?! than\b)"
    r"|^\W*(?:and )?(?:which|what|any|are there(?: any)?) (?:other|further|more) (?:methods|approaches)\b"
    r"|\b(?:any|anything|something) (?:more|other|further) (?:on|about)\b"
    r"|\b(?:what|who|anything|anyone|anybody|something|somebody|which) else\b|\b(?:other|further|more|additional)\s+"
    rf"{PAPER_NOUNS}\s+(?:on|about|that|which|from|by|in|with)\b|\bwelche anderen\b|\bquels autres\b|\bqu[eé] otros\b",
    _I,
)
_ELLIPSIS = re.compile(
    r"^\W*(?P<lead>(?:(?:and|or|but|ok(?:ay)?|so|then|now|also)[ ,]+)*(?:what about|how about|and|or|same for|the same for|"
    r"likewise for|now|then|but|und was ist mit|was ist mit|und|et|y|e|en)\s+)?(?P<rest>[^?!.;:]{2,80}?)\W*$",
    _I,
)
_NO_TOPIC = re.compile(
    r"\b(?:is|are|was|were|does|do|did|can|could|has|have|had|will|would|why|how|what|which|who|whose|where|when|it|its|they|"
    r"their|them|this|that|these|those|there|he|she|his|her|one|ones|both|all|each|more|others?|else|first|second|third|"
    r"fourth|fifth|last|latter|former|compare|explain|summari[sz]e|tell|show|give|list|find|me|you|i|we|yes|no|not|"
    r"thanks?|ok|okay|please|same|above|the (?:authors?|paper|method|approach|code|data|results?|model|framework))\b",
    _I,
)
_ATTRIBUTE = re.compile(
    r"\b(?:limitations?|weakness(?:es)?|results?|findings|authors?|code|speed|accuracy|costs?|memory(?: use)?|year|venue|title|link|"
    r"data ?sets?|benchmarks?|baselines?|details?|numbers?|conclusions?|abstracts?|training|inference|future work|"
    r"throughput|latency|size|parameters|performance|method|runtime)\b",
    _I,
)
_PREPOSITION = re.compile(
    r"^(?P<word>for|on|in|about|with|of|using|from|by|at|since|after|before)\s+", _I
)
_TIME = re.compile(
    r"^(?:the )?(?:newest|oldest|latest|earliest|most recent)(?: (?:ones?|papers?))?(?: first)?$|^(?:since|before|after|in|from|until) "
    r"(?:19|20)\d\d$|^(?:from|in|of|since) (?:the )?(?:last|past) (?:\w+ )?years?$",
    _I,
)
_MOST_WORDS = 6
_FRAMES = {"list": "which papers study {topic}?", "count": "how many papers study {topic}?"}


def asks_further(text: str) -> bool:
    """Tell a question that only asks for papers not shown yet: "any others?".

    Args:
        text: the question.
    """
    return _FURTHER.match(text) is not None


def asks_papers(text: str) -> bool:
    """Tell "any others?", which asks for papers, from "more", which may ask for more of one.

    Args:
        text: a question that asks for what was not shown yet.
    """
    return _PAPERS_ASKED.search(text) is not None


def asks_other(text: str) -> bool:
    """Tell a question of its own that leaves out what was shown: "which other papers …".

    Args:
        text: the question.
    """
    return _OTHER.search(text) is not None


def ellipsis(text: str, *, listed: bool) -> str | None:
    """Find the topic of a question that holds nothing else: "and robots?".

    Args:
        text: the question.
        listed: whether papers were found before: then it may ask something of them.

    Returns:
        The topic as it was typed, None where the question stands alone or asks of papers shown.
    """
    found = _ELLIPSIS.match(text)
    if found is None:
        return None
    rest = found["rest"].strip()
    if _TIME.match(rest):
        return rest
    if len(rest.split()) > _MOST_WORDS or _NO_TOPIC.search(rest):
        return None
    if listed and (_ATTRIBUTE.search(rest) or not found["lead"]):
        return None
    if all(is_stopword(term.text) for term in analyse(rest)):
        return None
    return rest


def in_frame(topic: str, question: str, kind: str) -> str:
    """Ask what was asked before of another topic.

    Args:
        topic: as it was typed, with its preposition where there is one.
        question: the question before, standing alone.
        kind: its kind.
    """
    found = _PREPOSITION.match(topic)
    if found is None:
        return _FRAMES[kind].format(topic=topic)
    # "… benchmarks for vision?", "and for robots?": what stood behind the same word is replaced.
    before = re.search(rf"\b{found['word']}\s+(?!\w+\s+{PAPER_NOUNS})[^?.!]+", question, _I)
    if before is None:
        return _FRAMES[kind].format(topic=topic[found.end() :])
    return f"{question[: before.start()]}{topic}?"
