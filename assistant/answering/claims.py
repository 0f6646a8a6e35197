"""Does a sentence claim anything of a paper? If not, it needs no citation."""

from __future__ import annotations

import re

from assistant.answering.names import names
from assistant.answering.numbers import numbers
from assistant.answering.plaintext import plain

__all__ = ["CITATION", "claims_something"]

CITATION = re.compile(r"\s?\[[1-9]\d{0,2}(?:\s?[,;]\s?[1-9]\d{0,2})*[,;]?\]")
"""A citation mark, `[1]` or `[1, 2]`."""

_PART = re.compile(
    r";\s+|:\s+|,?\s+\b(?:but|however|although|though|yet|instead|while|whereas)\b,?\s+"
)
_WHO = (
    r"(?:abstracts?|papers?|sources?|documents?|studies|collection|passages?|texts?|works?|"
    r"results?)"
)
_ABSENT = re.compile(
    rf"""^(?:unfortunately,?\s+|sorry,?\s+|as\s+far\s+as\s+i\s+can\s+see,?\s+
        |in\s+this\s+collection,?\s+|so,?\s+|also,?\s+|and\s+|no,\s+)*(?:
      (?:none|neither|not\s+one)\s+of\s+(?:the|these|those|my|its)\s+(?:\w+\s+){{0,3}}{_WHO}\b.*
    | (?:none|neither|not\s+one)\s+of\s+them\s+(?:\w+\s+)?(?:mention|say|report|state|cover|deal
        |discuss|name|address|stud|treat|tell|speak|give)\w*\b.*
    | none(?:\s+does|\s+do|\s+is|\s+are)?[\s.!]*$
    | nothing\s+(?:here|in|was|about|on|of\s+the|matches|fits)\b.*
    | no\s+(?:other\s+|such\s+|single\s+)?{_WHO}\b.*
    | there\s+(?:is|are|was|were)\s+(?:no|not\s+an?y?)\s+(?:\w+\s+){{0,2}}
      (?:{_WHO}|mention|information|evidence|answer|figure|statement|record|hint|word)s?\b.*
    | there\s+(?:is|are|was|were)\s+(?:nothing|none)\b.*
    | (?:the|these|those|my|your|its|this)\s+(?:\w+\s+){{0,3}}{_WHO}\b(?:\s+\w+){{0,4}}?\s+
      (?:do(?:es)?\s+not|do(?:es)?n['’]t|did\s+not|didn['’]t|(?:is|are)\s+silent|never|cannot
        |(?:contains?|ha(?:s|ve)|holds?|names?|gives?|mentions?)\s+no|(?:says?|tells?)\s+nothing
      )\b.*
    | (?:that|this|it|they)\s+(?:is|are|was)(?:\s+not|n['’]t)\s+(?:\w+\s+){{0,2}}
      (?:stated|said|mentioned|reported|given|specified|covered|answered|in\s+the|part\s+of
        |known)\b.*
    | (?:that|this|it)\s+(?:is|lies)\s+(?:outside|beyond|not\s+in)\b.*
    | i\s+(?:can(?:not|['’]t|\s+not)|could\s+not|couldn['’]t|did\s+not|didn['’]t|do\s+not|don['’]t
        |have\s+no|found\s+(?:no|nothing)|am\s+(?:not|unable|only)|was\s+unable)\b.*
    | .*\b(?:not|n['’]t)\s+
      (?:mentioned|stated|covered|reported|specified|given|discussed|found|answered)
      \s+(?:in|by)\s+(?:the|any|these|this)\b.*
    )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_TALK = re.compile(
    r"""^(?:
      (?:hi|hello|hey|thanks?|thank\s+you|you['’]re\s+welcome|goodbye|bye|sure|certainly|of\s+course
        |ok(?:ay)?|yes|no|sorry|great|good\s+question)\b[^.]{0,60}
    | (?:here|below|these|the\s+following|following)\b.{0,80}?
      \b(?:is|are|what|papers?|abstracts?|sources?|results?|list|follows?|found|match(?:es)?)\b
      .{0,60}
    | (?:i|we)\s+(?:found|have\s+found|see|looked|searched|judged|read|checked|can\s+(?:only\s+)?
        (?:answer|help|tell|look))\b.*
    | (?:let\s+me|please|feel\s+free|you\s+(?:can|could|may|might)|try|ask\s+me|would\s+you
        |do\s+you)\b.*
    | (?:in\s+short|in\s+summary|to\s+sum\s+up|overall|note|references?|sources?|answer|summary
        |conclusion)
    | (?:among|of|from|based\s+on|according\s+to)\s+(?:the|these|my)\b[^,]{0,60}
    | (?:\w+\s+){0,2}(?:\d+|\w+)\s+(?:of\s+(?:the\s+)?(?:\d+\s+)?)?(?:papers?|abstracts?)\s+
      (?:match(?:es)?|fit|were\s+(?:found|judged)|(?:is|are)\s+relevant)\b.*
    )[\s.:!,]*$""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def claims_something(sentence: str) -> bool:
    """Tell whether a sentence states something that a paper has to prove.

    Statements of absence ("No abstract says this."), talk ("Here is what I found:"), questions
    and headings claim nothing; each part of a sentence is looked at, so that a claim behind a
    lead-in counts.

    Args:
        sentence: a sentence of an answer, citation marks included.
    """
    text = " ".join(plain(CITATION.sub("", sentence)).text.split()).strip(" -*#>•")
    if not re.search(r"[^\W\d_]", text):
        return bool(numbers(text))
    if text.endswith("?"):
        return False
    return any(_claims(part.strip()) for part in _PART.split(text) if part and part.strip())


def _claims(part: str) -> bool:
    if _ABSENT.match(part):
        return False
    if _TALK.match(part):
        return bool(names(part)) and bool(numbers(part))
    words = re.findall(r"[^\W\d_]+", part)
    if len(words) <= 2:
        return bool(numbers(part)) or (part.endswith(".") and bool(names(part)))
    return True
