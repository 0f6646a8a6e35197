"""What papers must not be: the words that deny, and what they deny."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.index.terms import analyse, is_generic

__all__ = ["DENIES", "Excluded", "denied_in", "denies", "excluded_in"]

_I = re.IGNORECASE
DENIES = re.compile(
    r"\b(?:(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should)n['’]t|can['’]t|cannot|not|never)\b",
    _I,
)
"""A verb that is denied."""
_VERB = (
    r"(?:us(?:e|ing)|need(?:ing)?|requir(?:e|ing)|rely(?:ing)? (?:up)?on|depend(?:ing)? (?:up)?on|employ(?:ing)?|"
    r"involv(?:e|ing)|study(?:ing)?|address(?:ing)?|consider(?:ing)?|mention(?:ing)?|discuss(?:ing)?|deal(?:ing)? with|"
    r"includ(?:e|ing)|contain(?:ing)?|appl(?:y|ying)|assum(?:e|ing)|focus(?:ing|sing)? on|concern(?:ing)?|cover(?:ing)?|"
    r"work(?:ing)? (?:on|with)|hav(?:e|ing)|propos(?:e|ing)|talk(?:ing)? about|look(?:ing)? at|build(?:ing)? on|"
    r"make use of|making use of|touch(?:ing)?|about|on|in|with|based on|related to|concerned with|"
    r"evaluat(?:e|ing) on|train(?:ing|ed) (?:on|with))"
)
_ENDS = r"(?=[?.!;,]|\s+(?:but|while|although|yet)\b|$)"
_DENIED = re.compile(
    rf"[,;]?\s*\b(?:(?:and|but)\s+)?(?:(?:that|which|who)\s+)?(?:(?:do|does|did|is|are|was|were|can|could|has|have|will)\s+)?{DENIES.pattern}\s+(?:\w+ly\s+|at all\s+|even\s+|actually\s+)?"
    rf"{_VERB}\s+(?:(?:any|the|an?|of|their)\s+)*(?P<what>[^?.!;,]{{2,60}}?){_ENDS}",
    _I,
)
_NO = re.compile(
    r"[,;]?\s*\b(?:(?:that|which|who)\s+)?(?:us(?:e|es|ing)|employ(?:s|ing)?|involv(?:e|es|ing)|"
    r"includ(?:e|es|ing)|contain(?:s|ing)?|mention(?:s|ing)?|appl(?:y|ies|ying)|study(?:ing)?|with|do)\s+"
    rf"no\s+(?P<what>[^?.!;,]{{2,60}}?){_ENDS}"
    r"|[,;]?\s*\b(?:(?:that|which|who)\s+)?avoid(?:s|ing)?\s+(?:(?:using|the use of|any|the)\s+)*"
    rf"(?P<avoided>[^?.!;,]{{2,60}}?){_ENDS}",
    _I,
)
"""What is not there ("use no X"); "need no X" is a claim, which abstracts make in these words."""
_WITHOUT = re.compile(
    rf"[,;]?\s*\b(?<!\bby )(?<!\bdo )(?<!\bgo )(?<!\bwork )(?<!\brun )(?<!\bworks )(?<!\bdoes )(?<!\bgoes )(?<!\bmanage )(?<!\btrain )"
    r"(?<!\blearn )(?<!\btrained )(?<!\bworking )without\s+(?:(?:any|the|an?|using|use|of)\s+)*"
    rf"(?P<what>[\w-]+(?: [\w-]+){{0,2}}?)\s*{_ENDS}",
    _I,
)
"""A topic left out; "methods that work without labels" claim that, which their abstracts then say."""
_EXCLUDING = re.compile(
    r"[,;]?\s*\b(?:but (?:not|without)|except(?: for)?|excluding|other than|apart from|"
    r"(?:and|that are|which are) not)\s+"
    r"(?:(?:about|on|for|in|those|the ones|papers|using)\s+)*"
    r"(?P<what>[^?.!;]+)",
    _I,
)
_FREE = (
    r"(?:{word}[- ]free|without (?:[\w-]+ ){{0,3}}{word}|\bno (?:[\w-]+ )?{word}|not (?:need|requir\w*|rely|us(?:e|ing)|depend\w*)"
    r"\b[^.]{{0,40}}{word}|(?:eliminat|avoid|remov|bypass|obviat)\w*\b[^.]{{0,30}}{word}|instead of (?:[\w-]+ )?{word}|"
    r"{word}[- ]less\b)"
)
_DEGREE = re.compile(
    r"(?:more|extra|additional|further|much|many|less|fewer|explicit|only|just)\b", _I
)
"""Not more of something is not none of it."""
_LONGEST = 6


@dataclass(frozen=True, slots=True)
class Excluded:
    """What the papers of a list must not state.

    Args:
        what: the topic left out.
        rest: the question without it.
        denied: whether a verb was denied ("do not use"), not only a topic left out ("but not on").
    """

    what: str
    rest: str
    denied: bool = False


def excluded_in(text: str) -> Excluded | None:
    """Find the topic a question for papers leaves out: "but not on safety".

    Args:
        text: the question.
    """
    found = _EXCLUDING.search(text)
    if found is None:
        return None
    return Excluded(found["what"].strip(), f"{text[: found.start()]} {text[found.end() :]}")


def denied_in(text: str) -> Excluded | None:
    """Find what a question denies of the papers it asks for: "do not use LLMs".

    Args:
        text: the question, without the filters it denies.
    """
    for pattern in (_DENIED, _NO, _WITHOUT):
        found = pattern.search(text)
        if found is None:
            continue
        what = next(part for part in found.groups() if part).strip()
        if not _is_topic(what) or _DEGREE.match(what):
            continue
        rest = f"{text[: found.start()]} {text[found.end() :]}"
        return Excluded(what, rest, denied=True)
    return None


def _is_topic(what: str) -> bool:
    words = what.split()
    return len(words) <= _LONGEST and any(not is_generic(term.text) for term in analyse(what))


def denies(what: str) -> Callable[[Sequence[str]], bool]:
    """Make the test whether sentences that mention something all say that it is not there.

    Args:
        what: the thing, such as "training".
    """
    words = [re.escape(word.removesuffix("s")) + r"(?:s|es)?" for word in what.split()]
    free = re.compile(_FREE.format(word=r"[\s-]+".join(words)), _I)
    mention = re.compile(r"(?<!\w)" + r"[\s-]+".join(words), _I)

    def all_deny(sentences: Sequence[str]) -> bool:
        holding = [text for text in sentences if mention.search(text)]
        return bool(holding) and all(free.search(text) for text in holding)

    return all_deny
