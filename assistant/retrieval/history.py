"""What a follow-up question refers to: papers the talk has named, in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.corpus.spans import overlaps
from assistant.errors import InputError
from assistant.index.filters import storable
from assistant.retrieval.mentions import is_list
from assistant.retrieval.pointing import Pointed, pointed

__all__ = [
    "ELABORATING",
    "MOST_CHARS",
    "MOST_MESSAGES",
    "Beside",
    "FollowUp",
    "Turn",
    "beside_pointed",
    "follow_up",
    "last_list",
    "pointed_rows",
    "turns_of",
]

MOST_MESSAGES = 1_000
MOST_CHARS = 1_000_000
"""What a talk may hold; no model reads as much, and every message is searched for names."""

_I = re.IGNORECASE
_POINTING = re.compile(
    r"\bthe (?:other|same|above|former|latter|first|second|third|fourth|fifth|last|1st|2nd|3rd)\b",
    _I,
)
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
ELABORATING = re.compile(
    r"^\W*(?:(?:and|but|so|ok(?:ay)?|please|can you|could you)[ ,]+)*(?:why(?: (?:so|not|is that|that))?|how(?: (?:so|come|exactly|is that|"
    r"does (?:it|that) work))?|tell me more(?: (?:about|of|on) (?:it|this|that|them|this one|that one))?|"
    r"(?:some |any )?more(?: (?:details?|please|about (?:it|this|that)|info(?:rmation)?|on (?:it|this|that)))?|go on|"
    r"continue|elaborate(?: on (?:it|this|that))?|explain(?: (?:it|this|that|more|further))?|what else(?: (?:does|do) "
    r"(?:it|they) (?:say|report|find|do|show))?|anything else(?: (?:about|on) (?:it|this|that))?|say more|"
    r"details?|in (?:more )?detail|warum|wieso|pourquoi|por qu[eé]|mehr|weiter)\W*$",
    _I,
)
"""A question that holds nothing but the wish to hear more of what the talk is at."""
_COMPARES = re.compile(
    r"\b(?:compare[ds]?|contrast|differ(?:s|ent|ence|ences)?|versus|vs|than|against|relate[sd]?|vergleich\w*|compar[aeo]\w*)\b",
    _I,
)
_SINGULAR = re.compile(
    r"\b(?:it|this(?: one| paper| work| method)?|that(?: one| paper| work| method)|the (?:paper|method|approach|work|model|one|same)|"
    r"one|ihn|es|lo|la)\b",
    _I,
)
_THEM = re.compile(r"\b(?:them|these|those|both|the (?:two|three)|all of them)\b", _I)
_MOST_MEANT = 5
_WHOLE = re.compile(
    r"\W*(?:(?:and|but|so|ok(?:ay)?|please|now|then|can|could|you|what|how|about|tell|me|more|of|on|explain|describe|"
    r"summari[sz]e|compare|contrast|show|is|are|it|the|one|with|to|from|do|does|did|propose|und|y|et)\b\W*)*",
    _I,
)
"""Words beside those that point to a paper which ask nothing of it but what it is about."""
_ALL_MEANT = re.compile(
    r"\W*(?:and |tell me about )?(?:both|the two|the others)(?: of them)?\W*", _I
)
_SHOWN_AGAIN = re.compile(
    r"\W*(?:(?:and|so|ok(?:ay)?|please|now|can you|could you)[ ,]+)*(?:which ones?(?: (?:are|were) (?:they|"
    r"those|these))?|(?:list|show|name|give)(?: me)? (?:them|these|those)(?: all| again)*|what are they(?: called)?|"
    r"how many(?: (?:are|were) (?:there|that|they|these|those))?)\W*",
    _I,
)
"""A question for nothing but the list shown last."""
_LEFT_OUT = re.compile(
    r"\b(?:not|except(?: for)?|exclud\w*|without|all but|other than|apart from|leav(?:e|ing) out|drop|skip|"
    r"ignore)\s*$",
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
class Beside:
    """What stands beside a named paper in a comparison.

    Args:
        rows: the papers of the talk that are meant.
        span: where the question points to them.
    """

    rows: tuple[int, ...]
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What a follow-up refers to.

    Args:
        rows: the papers meant, in the order the talk named them.
        several: whether all of them are asked about ("which of those …").
        context: the talk's last question and answer, to understand an incomplete question by.
        told: what answers said of the papers so far, where the question asks for more of them.
        whole: whether nothing is asked of them but what they are about.
        shown: how many papers the last list holds, where the question points behind its end.
        listed: whether the papers are only to be listed: again, or without some of them.
    """

    rows: tuple[int, ...]
    several: bool
    context: str
    told: str = ""
    whole: bool = False
    shown: int = 0
    listed: bool = False


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
    question: str,
    turns: Sequence[Turn],
    named: Callable[[str], list[int]],
    nearest: Callable[[str], list[int]] | None = None,
) -> FollowUp | None:
    """Resolve what a question refers to in the talk before it.

    Args:
        question: as it was asked; it names no paper itself.
        turns: the talk before it.
        named: finds the rows of the papers that a text names, in order.
        nearest: finds those that it only calls the nearest, too: where nothing else was shown, they
            are what is pointed to.

    Returns:
        None where the question stands alone.
    """
    if not turns or not _refers(question):
        return None
    rows = _rows_before(turns, named, _PAIR if _TWO.search(question) else 1)
    context = " ".join(turn.content for turn in turns[-2:])
    if _SHOWN_AGAIN.fullmatch(question):
        every = last_list(turns, named)[0] or rows
        return FollowUp(tuple(every), several=True, context=context, listed=True)
    at = pointed(question)
    if at is not None:
        found = _in_last_list(at, turns, named, context)
        if found is None and nearest is not None:
            found = _in_last_list(at, turns, nearest, context)
        if found is not None and found.rows and _LEFT_OUT.search(question[: at.start]):
            left = tuple(row for row in last_list(turns, named)[0] if row not in found.rows)
            return FollowUp(left, several=True, context=context, listed=True)
        if found is not None:
            rest = f"{question[: at.start]} {question[at.end :]}"
            return replace(found, whole=_WHOLE.fullmatch(rest) is not None)
    several = bool(_PLURAL.search(question))
    if several and len(rows) < 2:
        return None  # "Which of these papers …" then means the collection.
    told = ""
    if ELABORATING.match(question):
        told = " ".join(turn.content for turn in turns if turn.role == "assistant")
    whole = several and _ALL_MEANT.fullmatch(question) is not None
    return FollowUp(tuple(rows), several=several, context=context, told=told, whole=whole)


def _in_last_list(
    at: Pointed, turns: Sequence[Turn], named: Callable[[str], list[int]], context: str
) -> FollowUp | None:
    """Point into the list that was shown last, whatever was asked of one of its papers since."""
    listed, current = last_list(turns, named)
    if not listed:
        return None
    if at.others:
        rest = tuple(row for row in listed if row not in current)
        if not current or not rest:
            return None
        return FollowUp(rest, several=len(rest) > 1, context=context)
    places = at.within(len(listed))
    if places is None:
        return FollowUp((), False, context, shown=len(listed)) if at.surely else None
    rows = tuple(dict.fromkeys(listed[place] for place in places))
    return FollowUp(rows, several=at.several and len(rows) > 1, context=context)


def last_list(
    turns: Sequence[Turn], named: Callable[[str], list[int]]
) -> tuple[list[int], list[int]]:
    """Find the papers shown together last, and those of them the talk went on with.

    A comparison of some papers of a list, or one of them picked out, leaves that list the one that
    is pointed into.

    Args:
        turns: the talk.
        named: finds the rows of the papers that a text names, in order.

    Returns:
        Rows of the list, and rows that the newest answer since names; empty where there is none.
    """
    current: list[int] = []
    compared: list[int] = []
    single: list[int] = []
    for turn in reversed(turns):
        rows = named(turn.content)
        answer = turn.role == "assistant"
        if answer and len(rows) == 1 and is_list(turn.content):
            # One paper picked out of a list leaves that list the one that is pointed into.
            single = single or rows
            current = current or rows
            continue
        if answer and rows and is_list(turn.content):
            if single and not set(single) <= set(rows):
                return single, current
            within = not compared or set(compared) <= set(rows)
            return (rows if within else compared), current
        if len(rows) > 1:
            compared = compared or rows
        elif answer and not compared:
            current = current or rows
    return compared or single, current


def pointed_rows(
    question: str, turns: Sequence[Turn], named: Callable[[str], list[int]]
) -> tuple[int, ...]:
    """Find the papers that "it", "the second one" or "those" in a question mean.

    Args:
        question: the question.
        turns: the talk before it.
        named: finds the rows of the papers that a text names, in order.
    """
    at = pointed(question)
    found = _in_last_list(at, turns, named, "") if at is not None else None
    if found is not None:
        return found.rows
    newest = next((rows for turn in reversed(turns) if (rows := named(turn.content))), [])
    single = _SINGULAR.search(question) and not _THEM.search(question)
    return tuple(newest[: 1 if single else _MOST_MEANT])


def beside_pointed(
    question: str,
    spans: Sequence[tuple[int, int]],
    turns: Sequence[Turn],
    named: Callable[[str], list[int]],
) -> Beside | None:
    """Find what a question puts beside a paper it names: "compare it with X".

    Args:
        question: the question.
        spans: where it names papers.
        turns: the talk before it.
        named: finds the rows of the papers that a text names, in order.

    Returns:
        None where it compares what it names with nothing of the talk.
    """
    if not _COMPARES.search(question):
        return None
    at = pointed(question)
    place = (at.start, at.end) if at is not None else None
    if place is None:
        pronoun = _SINGULAR.search(question) or _THEM.search(question)
        place = pronoun.span() if pronoun else None
    if place is None or overlaps(place, spans):
        return None
    return Beside(pointed_rows(question, turns, named), place)


def _refers(question: str) -> bool:
    if _PLURAL.search(question) or _POINTING.search(question):
        return True
    if pointed(question) is not None:
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
