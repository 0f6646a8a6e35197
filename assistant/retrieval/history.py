"""What a follow-up question refers to: papers the talk has named, in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from assistant.errors import InputError
from assistant.index.filters import storable

__all__ = ["MOST_CHARS", "MOST_MESSAGES", "FollowUp", "Turn", "follow_up", "turns_of"]

MOST_MESSAGES = 1_000
MOST_CHARS = 1_000_000
"""What a talk may hold; no model reads as much, and every message is searched for names."""

_I = re.IGNORECASE
_ORDINALS = {
    "first": 0,
    "1st": 0,
    "second": 1,
    "2nd": 1,
    "third": 2,
    "3rd": 2,
    "fourth": 3,
    "4th": 3,
    "fifth": 4,
    "former": 0,
    "latter": -1,
    "last": -1,
}
_ORDINAL = re.compile(
    rf"\bthe (?P<which>{'|'.join(_ORDINALS)})\b"
    r"(?:(?<=former|latter)| (?:one|two|paper|method|work|study|approach|of|in|"
    r"framework|model|benchmark|data ?set|system|abstract)\b|(?=\s*(?:[?.!,]|$| (?:do|does|did|is|use|"
    r"uses|report|reports|claim|claims|get|gets|achieve|achieves|need|needs|work|works|compare)\b)))",
    _I,
)
_POINTING = re.compile(rf"\bthe (?:{'|'.join(_ORDINALS)}|other|same|above)\b", _I)
_PLURAL = re.compile(
    r"\b(?:which|what|any|all|some|none|both|each|one|how many) of (?:them|those|these|the (?:two|three|"
    r"papers above))\b|\b(?:of|among|between) (?:them|those|these)\b|\bthese (?:two|three|papers|works|"
    r"methods)\b|\bthose (?:two|three|papers|works|methods)\b|\bwhich ones?\b|\bthe (?:two|others)\b|"
    r"\bboth\b|\bdavon\b|\bde ellos\b|其中",
    _I,
)
_TWO = re.compile(r"\b(?:the|these|those) two\b|\bboth\b|\b(?:compare|contrast) them\b", _I)
_PRONOUN = re.compile(
    r"\b(?:it|its|it's|they|their|them|this|that|these|those|he|she|his|her|there|"
    r"the (?:authors?|paper|method|approach|framework|model|benchmark|work|study|system|data ?set|"
    r"same)|sie|ihre?|es|ellos|su|sus|eso)\b|它|他们|这个|该",
    _I,
)
_OPENING = re.compile(
    r"^\W*(?:and|so|but|also|then|ok(?:ay)?[,. ]+(?:and|so)|what about|how about|or|why|why not|how so|"
    r"und|y|et|which ones?|only|just|in which year|more|any others?|anything else|elaborate|"
    r"tell me more|go on|continue|explain)\b",
    _I,
)
_NEW_SEARCH = re.compile(
    r"\b(?:which|what|any|list|show|find|are there|other) (?:me )?(?:\w+ ){0,2}?(?:papers|abstracts|works|"
    r"studies|articles)\b(?! (?:above|you))",
    _I,
)
_ALL_SHORT = 3
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the talk."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What a follow-up refers to.

    Args:
        rows: the papers meant, in the order the talk named them.
        several: whether all of them are asked about ("which of those …").
        context: the talk's last question and answer, to understand an incomplete question by.
    """

    rows: tuple[int, ...]
    several: bool
    context: str


def turns_of(history: Sequence[Mapping[str, object]]) -> list[Turn]:
    """Read a history in any of the shapes chat clients send.

    Args:
        history: `{"role", "content"}` dicts, content a text or a list of parts.

    Returns:
        The messages that hold text, in order.

    Raises:
        InputError: it has none of these shapes, or is too long.
    """
    turns: list[Turn] = []
    chars = 0
    for role, content in _messages(history):
        text = storable(_text(content)).strip()
        chars += len(text)
        if len(turns) >= MOST_MESSAGES or chars > MOST_CHARS:
            raise InputError(
                f"the talk before the question has more than {MOST_MESSAGES:,} messages or "
                f"{MOST_CHARS:,} characters: begin a new one"
            )
        if text:
            turns.append(Turn(role, text))
    return turns


def _messages(history: object) -> Iterator[tuple[str, object]]:
    """Yield role and content; older clients send pairs of question and answer."""
    if history is None:
        return
    if isinstance(history, str | bytes | Mapping) or not isinstance(history, Iterable):
        raise InputError('the history must be a list of {"role": …, "content": …}')
    for message in history:
        if isinstance(message, Mapping):
            yield str(message.get("role", "user")), message.get("content")
        elif isinstance(message, list | tuple) and len(message) == _PAIR:
            yield "user", message[0]
            yield "assistant", message[1]
        elif message is not None:
            raise InputError('the history must be a list of {"role": …, "content": …}')


def follow_up(
    question: str, turns: Sequence[Turn], named: Callable[[str], list[int]]
) -> FollowUp | None:
    """Resolve what a question refers to in the talk before it.

    Args:
        question: as it was asked; it names no paper itself.
        turns: the talk before it.
        named: finds the rows of the papers that a text names, in order.

    Returns:
        None where the question stands alone.
    """
    if not turns or not _refers(question):
        return None
    rows = _rows_before(turns, named, _PAIR if _TWO.search(question) else 1)
    context = " ".join(turn.content for turn in turns[-2:])
    ordinal = _ORDINAL.search(question)
    if ordinal and len(rows) > 1:
        place = _ORDINALS[ordinal["which"].lower()]
        if place < len(rows):
            return FollowUp((rows[place],), several=False, context=context)
    several = bool(_PLURAL.search(question))
    if several and len(rows) < 2:
        return None  # "Which of these papers …" then means the collection.
    return FollowUp(tuple(rows), several=several, context=context)


def _refers(question: str) -> bool:
    if _PLURAL.search(question) or _POINTING.search(question):
        return True
    if _NEW_SEARCH.search(question):
        return False
    if _OPENING.match(question) or _PRONOUN.search(question):
        return True
    return len(question.split()) <= _ALL_SHORT


def _rows_before(
    turns: Sequence[Turn], named: Callable[[str], list[int]], enough: int
) -> list[int]:
    """The newest message that names papers decides; the answer before the question.

    Who asks of "the two" may have brought them up one after the other.
    """
    found: list[int] = []
    for turn in reversed(turns):
        rows = named(turn.content)
        found = [*(row for row in rows if row not in found), *found]
        if len(found) >= enough:
            break
    return found


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text(content.get("text"))
    if isinstance(content, Sequence):
        return " ".join(part for part in (_text(item) for item in content) if part)
    return ""
