"""What a question asks to be named, and whether an abstract names anything that could be it."""

from __future__ import annotations

import re

from assistant.answering.names import names
from assistant.corpus.paper import Paper

__all__ = ["unnamed"]

_I = re.IGNORECASE
_KINDS = (
    r"data ?sets?|benchmarks?|corpora|corpus|baselines?|language models?|llms?|backbones?|"
    r"architectures?|(?:pre-?trained )?(?:network )?models?|frameworks?|simulators?|tool ?kits?|"
    r"librar(?:y|ies)|packages?|compan(?:y|ies)|firms?|optimi[sz]ers?|encoders?|decoders?|"
    r"competitors?|rivals?|operators?"
)
_ASKS = re.compile(
    rf"\b(?:which|what)\s+(?P<kind>(?:[\w-]+ ){{0,3}}?(?:{_KINDS}))\b"
    r"|\bnames? of (?:the |its |their |all )*(?P<named>(?:[\w-]+ ){0,3}?[\w-]{3,}s)\b"
    rf"|\bname (?:the |its |their |all )+(?P<given>(?:[\w-]+ ){{0,2}}?(?:{_KINDS}))\b",
    _I,
)
_OF_A_KIND = re.compile(r"\b(?:kind|type|sort|class|family|style|size|number)s?\b", _I)
"""What is asked then may be told in plain words: "a convolutional network"."""

_MADE = re.compile(
    r"\b(?:introduc|propos|present|releas|contribut|creat|construct|collect|build|built|publish|"
    r"provid|make|mak)\w*\b",
    _I,
)
"""What a paper makes itself may well have no name, and is described."""


def unnamed(question: str, paper: Paper) -> str | None:
    """Say what a question asks to be named, where an abstract names nothing that it could be.

    Args:
        question: such as "Which data sets was X tried on?".
        paper: the paper it asks about.

    Returns:
        Such as "a name for the data sets asked about"; None where nothing is asked by name, or a
        name stands there.
    """
    asked = _ASKS.search(question)
    if asked is None or _OF_A_KIND.search(asked[0]) or _MADE.search(question):
        return None
    said = {name.folded for name in names(question)}
    title = {name.folded for name in names(paper.title or "")}
    for name in names(paper.abstract):
        if not any(name.folded in known or known in name.folded for known in said | title):
            return None
    return f"a name for the {asked['kind'] or asked['named'] or asked['given']} asked about"
