"""Limitations and plans of a paper's own: which sentences state them, if any does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.answering.comparisons import about_others
from assistant.corpus.paper import Paper
from assistant.retrieval.commands import telling_spans
from assistant.retrieval.lookups import MASK, masked

__all__ = ["asks_limitations", "limitations"]

_I = re.IGNORECASE
_LIMITS = r"(?:limitations?|weakness(?:es)?|shortcomings?|drawbacks?|downsides?|disadvantages?|caveats?|failure (?:modes?|cases?))"
_OTHERS = (
    r"(?:existing|previous|prior|earlier|current|other|others|traditional|conventional|standard|today|most|many|"
    r"(?:large )?language models|llms|these methods|such methods|state)"
)
_SUBJECT = (
    rf"(?:{MASK}|it|this|that|its|their|the (?:paper|method|approach|model|framework|work|system|study|authors?|benchmark|"
    r"technique|algorithm|proposed \w+|(?:first|second|third|fourth|last|latter|former)(?: (?:one|paper|work))?))"
)
_ASKS = re.compile(
    rf"\b{_LIMITS}\s+(?:of|in|to|with|does|do|has)\s+(?:the )?{_SUBJECT}(?!\s+way)\b"
    rf"|\b(?:its|their|any|{_SUBJECT}['’]s)\s+(?:\w+\s+)?{_LIMITS}\W*$"
    rf"|^\W*(?:and |any |what about |what are )?(?:the |its |their )?{_LIMITS}(?: of it)?\W*$"
    rf"|\b{_SUBJECT}\s+(?:have|has|admit|admits|acknowledge|acknowledges|state|states|concede|discuss|discusses|report|reports|name|"
    rf"mention|mentions)\s+(?:any |some |its |their |own |the )*{_LIMITS}",
    _I,
)
_FOUND_IN_OTHERS = re.compile(
    rf"\b{_LIMITS}\b[^?]*\b(?:address\w*|overcom\w*|solv\w*|tackl\w*|fix\w*|find|finds|found|identif\w*|reveal\w*|expose\w*|uncover\w*|"
    rf"criticis\w*|criticiz\w*|motivat\w*|remed\w*|point(?:s|ed)? out|see|sees|attribut\w*)\b|\b(?:address\w*|overcom\w*|solv\w*|tackl\w*|"
    rf"remed\w*|fix\w*)\b[^?]*\b{_LIMITS}|\b{_OTHERS}\b[^?]*\b{_LIMITS}",
    _I,
)
_STATES = re.compile(
    rf"\b(?:our|its|we|this|main|key|one|remaining)\b[^.]{{0,30}}\b{_LIMITS}\b"
    rf"|\b{_LIMITS}\s+(?:of|in)\s+(?:our|this|the proposed|the approach|the method)"
    r"|\b(?:is|are|remains?) (?:still )?(?:limited|restricted|confined|sub-?optimal|costly|expensive|slower)\b"
    r"|\bat the (?:cost|expense|price) of\b|\b(?:does|do|can)(?:n['’]t| not|not) (?:yet |fully |always )*(?:generali[sz]e|scale|extend|"
    r"handle|apply)\b|\bonly (?:works?|applies|holds?) (?:for|when|if|in|to)\b"
    r"|\b(?:comes|come) with (?:a |an |some )?(?:\w+ )?(?:cost|overhead|price)\b",
    _I,
)
_SUBJECT_OWN = re.compile(
    r"\b(?:our|we|this (?:paper|work|method|approach|study|model)|the (?:proposed|method|approach|model|framework|technique|algorithm|system)|it|its)\b",
    _I,
)
_OWN = re.compile(r"\b(?:we|our|this (?:paper|work|article|study)|in this)\b", _I)
_SOLVED = re.compile(
    r"\b(?:current|M?LLMs?|LVLMs?|VLMs?|LMs?|(?:language|reasoning|vision|foundation) models|Transformers|RNNs?|agents|humans?)\b|"
    rf"\b(?:address\w*|overcom\w*|tackl\w*|mitigat\w*|alleviat\w*|solv\w*|resolv\w*|avoid\w*|bypass\w*|eliminat\w*|remov\w*|without|circumvent\w*|"
    rf"{_OTHERS} (?:[\w-]+ ){{0,3}}(?:methods?|approach\w*|works?|models?|systems?|techniques?|baselines?|benchmarks?))\b",
    _I,
)


def asks_limitations(question: str, named: Sequence[tuple[int, int]] = ()) -> bool:
    """Tell whether a question asks what a paper's own work falls short of.

    Args:
        question: the question.
        named: where it names papers.
    """
    question = masked(question, named)
    return bool(_ASKS.search(question)) and not _FOUND_IN_OTHERS.search(question)


def limitations(paper: Paper) -> list[tuple[int, int]]:
    """Find the sentences in which an abstract states limits of its own work.

    What stands before the paper first speaks of itself is said of other work, and so is what it
    overcomes.

    Args:
        paper: the paper.

    Returns:
        Their offsets.
    """
    found, own = [], False
    for start, end in telling_spans(paper.abstract):
        sentence = paper.abstract[start:end]
        own = own or bool(_OWN.search(sentence))
        told = (
            own
            and _SUBJECT_OWN.search(sentence)
            and _STATES.search(sentence)
            and not _SOLVED.search(sentence)
        )
        if told and not about_others(sentence):
            found.append((start, end))
    return found
