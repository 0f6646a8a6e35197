"""What must hold word for word: numbers, names and addresses of a sentence stand in its sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assistant.answering.bindings import (
    misplaced,
    no_speed,
    overstated,
    wrong_owner,
    wrong_teller,
)
from assistant.answering.claims import CITATION
from assistant.answering.clauses import clauses
from assistant.answering.facts import Facts
from assistant.answering.names import fold, names
from assistant.answering.numbers import Quantity, numbers, shown, stands

__all__ = ["broken_rule", "without_marks"]

_ADDRESS = re.compile(r"https?://[^\s)\]}>,;]+")
_POINTS_BACK = re.compile(r"\b(?:the|these|those|all|other)\s$", re.IGNORECASE)
_BETWEEN_ITEMS = re.compile(r",\s*(?:and\s+)?|\s+and\s+")
_LISTING = re.compile(
    r"(?:\s[\w-]+){1,4}"
    r"(?:\s\((?P<inside>[^()]+)\)|:\s(?P<behind>[^.;:]+)|,\s(?P<named>[A-Z][^.;:]+))"
)
_BETWEEN_MARKS = re.compile(r"\]\s*(?:,|and|&)?\s*\[")
_ENDING_MARKS = re.compile(r"(?:\[[\d,;\s]+\]\s*)+[.!?]*$")
_LONGEST_LIST, _LONGEST_ITEM = 10, 6


def without_marks(sentence: str) -> str:
    """Give a sentence without its citation marks, with single blanks.

    Args:
        sentence: as it stands in an answer.
    """
    return " ".join(CITATION.sub("", sentence).split())


def broken_rule(
    sentence: str, facts: Sequence[Facts], labels: Sequence[str], *, english: bool
) -> str | None:
    """Find a number, name or address that the cited papers do not bear out.

    Args:
        sentence: as it stands in an answer; where its marks are `labels`, a clause must be borne
            out by the papers whose marks end it.
        facts: of the papers it cites.
        labels: how to call each paper.
        english: whether number words and capitals mean what they do in English.

    Returns:
        What is wrong ("4.9 does not stand in [2]"), None where all stands.
    """
    for part, part_facts, part_labels in _parts(sentence, facts, labels):
        missing = _missing(part, part_facts, len(facts), english=english)
        if missing:
            return f"{missing} does not stand in {' '.join(part_labels)}"
    text = without_marks(sentence)
    owner = wrong_owner(text, facts)
    if owner and not _marked(owner[0], sentence, facts, labels):
        return f"{shown(owner[0])} does not stand in {labels[owner[1]]}"
    teller = wrong_teller(text, facts) if english else None
    if teller:
        return f"{labels[teller[1]]} does not say this of {teller[0]}"
    elsewhere = misplaced(text, facts) or no_speed(text, facts) or overstated(text, facts)
    return f"{elsewhere} in {' '.join(labels)}" if elsewhere else None


def _parts(
    sentence: str, facts: Sequence[Facts], labels: Sequence[str]
) -> Iterator[tuple[str, Sequence[Facts], Sequence[str]]]:
    """Clauses with the papers whose marks end them; one without a mark there cites them all."""
    known = dict(zip(labels, facts, strict=True))
    joined = _BETWEEN_MARKS.sub("][", sentence)
    marked = re.findall(r"\d+", "".join(CITATION.findall(joined)))
    if len(facts) < 2 or any(f"[{number}]" not in known for number in marked):
        yield without_marks(sentence), facts, labels
        return
    for clause in clauses(joined):
        ending = _ENDING_MARKS.search(clause)
        numbers_cited = re.findall(r"\d+", ending.group()) if ending else []
        ends = [f"[{number}]" for number in numbers_cited] or list(labels)
        yield without_marks(clause), [known[label] for label in ends], ends


def _marked(
    quantity: Quantity, sentence: str, facts: Sequence[Facts], labels: Sequence[str]
) -> bool:
    """Whether a mark in the number's own clause ("… and [2] reports 10.33×") proves it."""
    for clause in clauses(sentence):
        if quantity.text in clause:
            cited = re.findall(r"\d+", "".join(CITATION.findall(clause)))
            proofs = [fact for n, fact in zip(labels, facts, strict=True) if n.strip("[]") in cited]
            if any(stands(quantity, fact.quantities) for fact in proofs):
                return True
    return False


def _missing(part: str, facts: Sequence[Facts], cited: int, *, english: bool) -> str | None:
    found = names(part, english=english)
    as_english = {(quantity.start, quantity.end): quantity for quantity in numbers(part)}
    for quantity in numbers(part, decimal_comma=not english):
        named = any(name.start <= quantity.start < name.end for name in found)
        # Writers of other languages copy 23,040 as it stands: either reading will do.
        readings = {quantity, as_english.get((quantity.start, quantity.end), quantity)}
        stated = any(stands(reading, fact.quantities) for reading in readings for fact in facts)
        if not named and not stated and not _counts(quantity, part, cited):
            return shown(quantity)
    for name in found:
        if not any(fact.names.stands(name) for fact in facts):
            return name.text
    for match in _ADDRESS.finditer(part):
        address = match.group().rstrip("./")
        bare = fold(address)
        if not any(bare in fold(f"{fact.paper.abstract} {fact.paper.url or ''}") for fact in facts):
            return address
    return None


def _counts(quantity: Quantity, part: str, cited: int) -> bool:
    """Whether a small number counts what the sentence lists or cites, or points back."""
    if quantity.kind != "number" or quantity.unit or not 2 <= quantity.value <= _LONGEST_LIST:
        return False
    if quantity.value == 2 and _POINTS_BACK.search(part[: quantity.start]):
        return True
    if quantity.value == cited:
        return True
    listing = _LISTING.match(part, quantity.end)
    if listing is None:
        return False
    items = [
        item
        for item in _BETWEEN_ITEMS.split(listing["inside"] or listing["behind"] or listing["named"])
        if item.strip()
    ]
    short = all(len(item.split()) <= _LONGEST_ITEM for item in items)
    return short and len(items) == quantity.value
