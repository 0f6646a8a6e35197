"""Questions that are looked up and not ranked: words, citations, where authors work, likeness."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from assistant.corpus.names import looks_like_name
from assistant.corpus.spans import Span
from assistant.retrieval.kinds import PAPER_NOUNS

__all__ = ["MASK", "Lookup", "asks_citing", "asks_near", "cited_name", "lookup_in", "masked"]

_I = re.IGNORECASE
MASK = "Xthatpaperx"
"""Stands in a question for the paper named there: a word that nobody types."""

_HOLDS = (
    r"(?:contain|mention|include|use|have|hold|show|say|write|name|employ|feature)(?:s|ing)?|has|having|with|"
    r"talk(?:s|ing)? of"
)
_WORD_NOUN = r"(?:exact |literal |whole |single |very |specific )?(?:words?|terms?|phrases?|strings?|expressions?|keywords?)"
_OPEN, _CLOSE = "“„\"«‘'`", "”“\"»’'`"
_QUOTED = rf"[{_OPEN}](?P<quoted>[^{_OPEN}{_CLOSE}]{{1,80}})[{_CLOSE}]"
_PLAIN = (
    r"(?P<plain>[\w][\w+./-]*(?: [\w+./-]+){0,4}?)(?=\s*(?:[?.!,;]|$)|\s+(?:occurs?|appears?|stands?|comes? up|"
    r"in (?:the|their|its|your|this|all|any)\b|literally|anywhere|at all|somewhere|verbatim|at least once|is |are "
    r"(?:used|mentioned|written)))"
)
_NAMED_WORD = re.compile(
    rf"\b(?:the |an? )?{_WORD_NOUN}\s+(?:(?:such as|like|called|of)\s+)?(?:{_QUOTED}|{_PLAIN})", _I
)
_WORD_ASKED = re.compile(
    rf"\b{PAPER_NOUNS}\b|\bhow many\b|\bhow often\b|\bwhere\b|\b(?:which|any) (?:ones?|of them)\b|^\W*who\b|"
    r"^\W*(?:search|look|grep|find)\b",
    _I,
)
_WORD_VERB = re.compile(
    rf"\b(?:{_HOLDS})\s+(?:the |an? )?{_WORD_NOUN}\b|\b{_WORD_NOUN}\b.*\b(?:occurs?|appears?|stands?|comes? up|"
    r"(?:is|are|was|were|gets?) (?:used|mentioned|written|found))\b|\b(?:do|does|is|are)\b.{0,20}\bword\b|"
    rf"\b(?:search|look|grep|find)\b.{{0,24}}\b{_WORD_NOUN}\b",
    _I,
)
_MENTIONS = (
    r"(?:(?:literally |ever |even |explicitly |also )?(?:mention|contain|include)(?:s|ing)?)"
)
_QUOTED_AFTER = re.compile(
    rf"\b(?:{_MENTIONS}|(?:with|writes?|uses?|has|have))\s+(?:the\s+)?{_QUOTED}", _I
)
_MENTIONED = re.compile(
    rf"\b{PAPER_NOUNS}\s+(?:(?:here|there|that|which|do|does|of yours|in (?:this|the) collection)\s+)*"
    rf"{_MENTIONS}\s+(?P<what>[\w+./-]+(?: [\w+./-]+){{0,2}})\W*$",
    _I,
)
_NO_WORDS = re.compile(
    r"\b(?:an?|the|any|some|how|what|why|that|their|its|this|these|more|less|other|than|or|and|not|no|of|in|for|"
    r"with|on|to|by|using|both)\b",
    _I,
)
_TO_WORKERS = (
    r"(?:(?:the |some )?(?:researchers?|authors?|people|teams?|groups?|scientists?|employees|labs?|folks|engineers?)"
    r" (?:at|from|of|in|working (?:at|for)|employed (?:at|by)))"
)
_COMPANIES = (
    r"(?:Google(?: (?:DeepMind|Research|Brain))?|DeepMind|OpenAI|Microsoft(?: Research)?|Meta(?: AI)?|Facebook|FAIR|"
    r"Apple|Amazon|AWS|IBM|NVIDIA|Anthropic|Huawei|Alibaba|Tencent|Baidu|ByteDance|Intel|Samsung|Adobe|Salesforce|"
    r"Bosch|Siemens|Sony|Qualcomm|Mistral|Cohere|Hugging ?Face|xAI|MIT|CMU|Stanford|Berkeley|Harvard|Princeton|Yale|"
    r"Oxford|Cambridge|ETH(?: Z[uü]rich)?|EPFL|Tsinghua|Peking|KAIST|INRIA|Mila|Max Planck|CNRS|NASA|DARPA|Caltech|"
    r"Cornell|Toronto|Edinburgh|Imperial College|UCL|NYU)"
)
_PLACE = (
    r"(?:[Uu]niversity of (?:the )?[A-Z][\w-]+(?: [A-Z][\w-]+)*|(?:[A-Z][\w-]+ ){1,3}(?:[Uu]niversity|[Ii]nstitute(?: of "
    r"[A-Z]\w+)?|[Ll]abs?|[Cc]ollege|[Cc]orporation|[Ii]nc|[Rr]esearch(?= lab| cent|\W*$)))"
)
_CAPITALISED = r"[A-Z][\w&.-]*(?: (?:of |the )?[A-Z][\w&.-]*){0,3}"
_AFFILIATED = (
    re.compile(
        rf"\b(?:from|by|at|of|out of|come out of|done (?:at|by)|written (?:at|by))\s+(?:the )?(?P<who>{_PLACE}|(?i:{_COMPANIES}))"
        r"(?=\W|$)(?!['’]s\b)"
    ),
    re.compile(
        rf"\b(?i:(?:from|by|have|has|with)\s+{_TO_WORKERS})\s+(?:the )?(?P<who>{_CAPITALISED}|(?i:{_COMPANIES}))"
    ),
    re.compile(
        rf"\b(?i:affiliated (?:with|to)|affiliation(?:s)?(?: with| is| at| of)?)\s+(?:the )?(?P<who>{_CAPITALISED})"
    ),
    re.compile(
        rf"\b(?P<who>{_PLACE}|(?i:{_COMPANIES}))(?:['’]s?)?\s+(?i:(?:papers?|publications?|works?|authors?|researchers?)\b)(?!\s+on\s+the)"
    ),
)
_AUTHORS_FROM = re.compile(
    rf"\b(?i:authors?|researchers?|teams?|groups?|labs?)\s+(?i:come from|from|at|in|of)\s+(?:the )?(?P<who>{_CAPITALISED})"
)
_LEFT_OVER = re.compile(
    r"\b(?:(?:by|from|have|has|with|of) )?(?:the |some )?(?:researchers?|authors?|people|teams?|groups?|scientists?|engineers?|"
    r"come|comes|came|originate)\b(?: out)?(?=\W*$)|(?<=\w )(?:come|comes|came|written|done|are|is)(?=\W*$)",
    _I,
)
_CITE = r"(?:cit(?:e|es|ed|ing)|refer(?:s|ring)? to|referenc(?:e|es|ing))"
_CITES = re.compile(
    rf"\b(?:who|which|what|that|papers?|works?|articles?|abstracts?|ones|anybody|anyone|authors?|stud(?:y|ies))\b[^.?!]{{0,40}}"
    rf"\b{_CITE}\s+(?:the )?(?P<what>{MASK}|it\b|this\b|that\b|them\b|these\b|those\b|(?-i:[A-Z][\w-]*)\b)"
    rf"|\b(?P<by>{MASK}|it|this|that|they)\b[^.?!]{{0,30}}\bcited by\b|\bcitations? (?:of|to|for) (?P<of>{MASK}|it\b|this\b)"
    rf"|\bciting (?:the )?(?P<ing>{MASK}|it\b|this\b)"
    rf"|\b(?:what|which|who|whom)\b[^.?!]{{0,30}}\b(?:do|does|did)\s+(?P<does>{MASK}|it|this|they)\b[^.?!]{{0,12}}\b(?:cite|reference)\b"
    rf"|\b(?:references|reference list|bibliography) (?:of|in) (?:the )?(?P<refs>{MASK}|it\b|this\b)",
    _I,
)
_ALIKE = (
    r"(?:(?:similar|close|closest|nearest|akin|comparable|related|next|alike|resembling|resembles?)"
    r"(?:\s+(?:to|in (?:topic|spirit) to|with))?)"
)
_LIKENESS = re.compile(
    rf"\b(?:{_ALIKE}|related works? (?:of|to|for|on))\s+(?:the )?(?:paper |work |method )?(?P<to>{MASK}|it\b|this\b|that\b|them\b|these\b|those\b|"
    r"the (?:first|second|third|fourth|fifth|last|latter|former)\b)|"
    rf"\b(?:{PAPER_NOUNS}|methods?|approaches|anything|something|others?|more|ones?|any)\s+(?:\w+ ){{0,2}}?(?:just )?like\s+(?:the )?"
    rf"(?P<like>{MASK}|it\b|this\b|that\b|them\b|these\b|those\b|the (?:first|second|third|fourth|fifth|last)\b)",
    _I,
)
_ALIKE_ALONE = re.compile(
    rf"^\W*(?:(?:and|any|other|more|show|list|find|give|me|are there|which|what|some|the)\s+)*(?:similar|related)\s+"
    rf"(?:{PAPER_NOUNS}|methods|approaches|ones)(?: (?:to (?:it|this|that)|are there|here|do you have))?\W*$",
    _I,
)
_OF_LIKENESS = re.compile(
    rf"\b{PAPER_NOUNS}\b|\bmethods?\b|\bapproaches\b|^\W*(?:what|which|who|anything|something|any|more|list|show|find|are there|is "
    r"there|other|similar|related)\b",
    _I,
)


@dataclass(frozen=True, slots=True)
class Lookup:
    """Something to be looked up.

    Args:
        kind: `word` (which abstracts write it), `cites` (who cites a paper) or `affiliation`
            (what came from a place).
        what: the word, the paper's name, the place.
        exact: whether the word counts only as it is written, not in its plural.
        rest: the question without it, where it asks for a topic as well.
        rows: the papers whose citations are asked for.
    """

    kind: Literal["word", "cites", "affiliation"]
    what: str
    exact: bool = True
    rest: str = ""
    rows: tuple[int, ...] = ()


def masked(text: str, named: Iterable[Span]) -> str:
    """Put one sign in the place of each paper that a question names.

    Args:
        text: the question.
        named: where it names papers.
    """
    for start, end in sorted(named, reverse=True):
        text = text[:start] + MASK + text[end:]
    return text


def lookup_in(text: str, *, papers: bool, named: bool) -> Lookup | None:
    """Find what a question wants looked up.

    Args:
        text: the question.
        papers: whether it asks for papers.
        named: whether it names a paper: then it asks for no place.
    """
    return _word(text, papers=papers) or (None if named else _affiliation(text))


def cited_name(text: str) -> str:
    """Give the name of what is cited, where the collection does not know it.

    Args:
        text: the question.
    """
    found = _CITES.search(text)
    name = next((part for part in found.groups() if part), "") if found else ""
    return "" if name.islower() or name == MASK else name


def asks_citing(text: str) -> bool:
    """Tell a question of who cites a paper, or whom a paper cites.

    Args:
        text: the question, masked.
    """
    return not re.match(r"^\W*(?:please )?cite\b", text, _I) and bool(_CITES.search(text))


def asks_near(text: str) -> bool:
    """Tell a question for papers like one that is named or that the talk is at.

    Args:
        text: the question, masked.
    """
    if _ALIKE_ALONE.match(text):
        return True
    return bool(_LIKENESS.search(text) and _OF_LIKENESS.search(text))


def _word(text: str, *, papers: bool) -> Lookup | None:
    noun = _NAMED_WORD.search(text)
    if noun and _WORD_ASKED.search(text) and _WORD_VERB.search(text):
        return Lookup("word", (noun["quoted"] or noun["plain"]).strip())
    quoted = _QUOTED_AFTER.search(text)
    if quoted and _WORD_ASKED.search(text):
        return Lookup("word", quoted["quoted"].strip())
    found = _MENTIONED.search(text) if papers else None
    if found and not _NO_WORDS.search(found["what"]):
        return Lookup("word", found["what"].strip(" .-"), exact=False)
    return None


def _affiliation(text: str) -> Lookup | None:
    if not re.search(rf"\b{PAPER_NOUNS}\b|^\W*(?:who|anything|what|which|list|show)\b", text, _I):
        return None
    for pattern in (*_AFFILIATED, _AUTHORS_FROM):
        found = pattern.search(text)
        if found and not _looks_like_venue(found["who"]):
            rest = _LEFT_OVER.sub(" ", f"{text[: found.start()]} {text[found.end() :]}")
            return Lookup("affiliation", found["who"].strip(" ."), rest=" ".join(rest.split()))
    return None


def _looks_like_venue(name: str) -> bool:
    """Tell a conference's short name: capitals alone, none of the places people work at.

    Args:
        name: what papers are said to be from.
    """
    return (
        name.isupper()
        and len(name) > 2
        and not re.fullmatch(_COMPANIES, name)
        and looks_like_name(name)
    )
