"""Orders to the assistant inside a question, told apart from what the question asks of the papers.

An order is not followed, whatever it is. What stands beside it may be an honest question, typed by
a person who pasted something, and is answered as if it stood alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Sifted", "is_attack", "sifted", "strip_code"]

_I = re.IGNORECASE

_SECRET = (
    r"(?:system|hidden|initial|secret|developer|internal)[ -]?(?:prompts?|messages?|instructions?|"
    r"rules?|settings?)|(?:\w+_)?api[ _-]?keys?|environment variables?|env(?:ironment)? vars?|passwords?|"
    r"credentials?|access tokens?|\.env|/etc/\w+"
)
_ORDER = (
    r"(?:print|show|reveal|repeat|output|display|dump|leak|tell|give|list|echo|expose|send|read)"
)
_ATTACKS = tuple(
    re.compile(pattern, _I)
    for pattern in (
        r"\b(?:ignore|disregard|forget|override|bypass|skip|drop)\b[^.?!\n]{0,40}\b(?:instructions?|"
        r"rules?|prompts?|guidelines?|guardrails|abstracts?|sources?|papers?|context|above|"
        r"everything|constraints|restrictions)\b",
        rf"\b{_ORDER}\b[^.?!\n]{{0,50}}\b(?:{_SECRET})",
        r"\b(?:repeat|print|output|show|reveal|translate|summari[sz]e|copy)\b[^.?!\n]{0,20}\b(?:everything|all|"
        r"anything|the (?:text|words|lines?))\b[^.?!\n]{0,20}\b(?:above this|before this|so far|you were told)\b",
        rf"\byour\b[^.?!\n]{{0,30}}\b(?:{_SECRET}|prompt|instructions)\b",
        r"\b(?:you are|you're|act|behave|pretend|roleplay|role-play)\b[^.?!\n]{0,25}\b(?:now|as an?|"
        r"to be|that you)\b[^.?!\n]{0,40}\b(?:ai|assistant|model|bot|expert|hacker|pirate|dan|"
        r"character|unrestricted|no rules|system|terminal|shell)\b",
        r"\b(?:answer|reply|respond|say|output)\b[^.?!\n]{0,15}\b(?:only|nothing but|just)\b"
        r"[^.?!\n]{0,20}\b(?:with|the word|the text)\b",
        r"\b(?:from (?:your )?(?:own )?memory|without (?:using |looking at |the )*(?:sources|"
        r"abstracts|papers)|use your own knowledge)\b",
        r"\bmak(?:e|ing) (?:it|them|one|some|this|things|something|stuff|any|\w+ ones?) up\b|"
        r"\bmake up (?:an?|some|one|convincing|plausible|fake|\w+ (?:papers?|quotes?|citations?|ones?|"
        r"results?|numbers?))\b|\b(?:invent|fabricate|"
        r"hallucinate)\b[^.?!\n]{0,40}\b(?:papers?|citations?|quotes?|results?|one|some|them|it|"
        r"numbers?|figures?|sources?|references?|plausible|convincing)\b",
        r"<\|?(?:im_start|im_end|system|endoftext)\|?>|\[/?INST\]|^\s*(?:system|assistant)\s*:",
        r"\b(?:jailbreak|developer mode|dan mode|sudo)\b[^.?!\n]{0,20}\b(?:enabled?|on|yourself|now|"
        r"activated?|mode)\b",
        r"\b(?:delete|drop|erase|wipe|remove)\b[^.?!\n]{0,20}\b(?:index|database|collection|tables?|"
        r"files?|papers from)\b",
        r"^\W*(?:please )?(?:pretend|imagine|act as if|let['’]?s (?:say|pretend))\b[^?\n]{0,60}\b(?:says?|states?|claims?|"
        r"reports?|writes?)\b",
        r"\b(?:pretend|act|behave) to be\b|\b(?:reads?|tells?|whispers?)\b[^.?!\n]{0,20}\bapi keys?\b",
        r"\bignorier\w*\b[^.?!\n]{0,40}\b(?:anweisung|regel)|忽略[^。？?]{0,14}(?:指令|规则|提示)|игнорируй[^.?!\n]{0,40}"
        r"(?:инструкц|правил)|\bignor[ae][zr]?\b[^.?!\n]{0,40}\b(?:instrucciones|reglas|instructions|consignes)\b",
        r"\b(?:decode|decrypt)\b[^.?!\n]{0,20}\b(?:and|then)\b[^.?!\n]{0,10}\b(?:obey|follow|execute|run|do)\b",
        r"^\W*(?:end|start|begin|sign|append|finish)\b[^.?!\n]{0,20}\b(?:each|every|all|your)\b[^.?!\n]{0,10}\b(?:answers?|"
        r"repl(?:y|ies)|responses?)\b",
        r"\b(?:cite|attribute)\b[^.?!\n]{0,40}\b(?:regardless|even if|no matter|although)\b",
    )
)

_TURNS = re.compile(
    r"<\|?\s*im_start\s*\|?>\s*(?:system|assistant)\b.*?(?:<\|?\s*im_end\s*\|?>|$)|<<SYS>>.*?(?:<</SYS>>|$)|"
    r"^[^\S\n]*(?:system|assistant)\s*:[^\n]*$",
    _I | re.DOTALL | re.MULTILINE,
)
"""What a question says in another's name."""

_MARKS = re.compile(
    r"<\|?\s*(?:im_start|im_end|endoftext|system|user)\s*\|?>(?:\s*user\b)?|\[/?INST\]|<</?SYS>>",
    _I,
)
_CODE = re.compile(
    r"\{\{.*?\}\}|\{%.*?%\}|[$#@]\{[^}]*\}|<%.*?%>|\$\([^)]*\)|`[^`]*[;|&$<>(){}\\/~][^`]*`"
    r"|!\[[^\]]*\]\s?\([^)]*\)"
    r"|\\(?:href|url|includegraphics|input|include|write\d*|html[A-Z]\w*)\s*(?:\{[^{}]*\}\s*)+"
    r"|['\"]\s*(?:;\s*(?:drop|delete|insert|update|select|exec|shutdown|alter)\b|union\s+(?:all\s+)?select\b|"
    r"(?:or|and)\s+['\"]?\w+['\"]?\s*=\s*['\"]?\w).*$"
    r"|;\s*(?:rm|curl|wget|cat|sh|bash|nc)\s+[^?]*$",
    _I | re.DOTALL,
)
"""Pieces of SQL, of shells, templates and LaTeX that fetch: nothing that is asked of a paper."""

_PIECE = re.compile(
    r"(?<=[.?!;。？！])\s+|\n+|(?<=[。？！])|"
    r"(?:,\s*|\s+)(?:(?:and|then|but|also)\s+)+(?=(?:please\s+)?(?:ignore|disregard|forget|override|bypass|print|"
    r"reveal|repeat|drop|delete|answer only|reply only|say only|tell me your|show (?:me )?your)\b)",
    _I,
)
_ASKS = re.compile(
    r"[?？]|^\W*(?:(?:please|can|could|would|will|you|also|and|then|so|now)\s+)*(?:which|what|who|why|how|where|when|"
    r"does|do|is|are|compare|contrast|explain|describe|find|list|show|name|summari[sz]e|tell me|give me|any|papers|"
    r"welche|was|wie|warum|quels?|quelles?|qu[eé]|cu[aá]l\w*)\b|哪|什么|多少|为什么",
    _I,
)
_ANY_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Sifted:
    """A question without the orders in it.

    Args:
        text: what is asked of the papers; the whole text where nothing is.
        left_out: the orders, empty where there are none.
        honest: whether anything is asked of the papers.
    """

    text: str
    left_out: str = ""
    honest: bool = True


def is_attack(text: str) -> bool:
    """Tell whether a message tries to command the assistant rather than ask about papers.

    Args:
        text: the message.
    """
    return any(pattern.search(text) for pattern in _ATTACKS)


def sifted(question: str) -> Sifted:
    """Take the orders out of a question.

    Args:
        question: as it was typed, line ends included.
    """
    if not is_attack(question):
        return Sifted(question)
    turns = [found[0].strip() for found in _TURNS.finditer(question)]
    pieces = [piece.strip() for piece in _PIECE.split(_TURNS.sub("\n", question))]
    pieces = [bare for piece in pieces if (bare := _MARKS.sub(" ", piece).strip())]
    kept = [piece for piece in pieces if not is_attack(piece) and _ANY_WORD.search(piece)]
    if not any(_ASKS.search(piece) for piece in kept):
        return Sifted(question, question, honest=False)
    return Sifted(" ".join(kept), " ".join([*turns, *(p for p in pieces if p not in kept)]))


def strip_code(text: str) -> str:
    """Take pieces of code that attack other programs out of a question.

    Args:
        text: the question.
    """
    return _CODE.sub(" ", text)
