"""What a case of the suite says: a question and what a right answer to it is."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

__all__ = ["KINDS", "Abstain", "Case", "ExtraPaper", "Fact", "Kind", "Language", "Term", "Turn"]

Kind = Literal[
    "fact",
    "list",
    "compare",
    "unanswerable",
    "chat",
    "robust",
    "attack",
    "poisoned",
    "scope",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
Abstain = Literal["yes", "no", "either"]
Language = Literal["en", "de", "es", "fr", "zh"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Term(_Strict):
    """One wording.

    Args:
        text: words as a person writes them.
        regex: or a regular expression, case aside.
    """

    text: str | None = None
    regex: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _words(cls, value: object) -> object:
        return {"text": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.text is None) == (self.regex is None):
            raise ValueError("write words, or {regex: …}")
        if self.text is not None and not self.text.strip():
            raise ValueError("is blank: write the words an answer must hold, or remove it")
        if self.regex is not None:
            try:
                re.compile(self.regex)
            except re.error as error:
                raise ValueError(f"is no regular expression ({error}): mend it") from None
        return self

    def __str__(self) -> str:
        return self.text if self.text is not None else f"/{self.regex}/"


class Fact(_Strict):
    """What a right answer says, in one of several wordings.

    Args:
        any_of: the wordings.
    """

    any_of: tuple[Term, ...] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        if isinstance(value, list):
            return {"any_of": value}
        if isinstance(value, str) or (isinstance(value, dict) and "regex" in value):
            return {"any_of": [value]}
        return value

    def __str__(self) -> str:
        return " or ".join(map(str, self.any_of))


class Turn(_Strict):
    """One turn of the talk before the question."""

    role: Literal["user", "assistant"]
    content: str = Field(min_length=1)


class ExtraPaper(_Strict):
    """A paper put into the index for one case alone.

    Args:
        id: none of the collection's.
        title: may be missing.
        abstract: its text, with whatever instruction it carries.
    """

    id: str = Field(pattern=r"^[\w.-]+$")
    title: str | None = None
    abstract: str = Field(min_length=40)


class Case(_Strict):
    """One question and what is expected.

    Args:
        id: unique in the suite.
        kind: what it tests.
        question: as a person asks it.
        history: the talk before it, for follow-ups.
        cite: ids of the papers a right answer cites.
        may: ids of papers it may cite besides.
        facts: what it says, in the answer's own text.
        forbid: what its text must not hold.
        abstain: whether it declines; `either` where both are right.
        language: of the question, and so of the answer.
        extra: a file of papers in `corpora/` that are in the index for this case.
        note: why this is the right answer.
        where: file and line, for messages.
    """

    id: str = Field(pattern=r"^[\w.-]+$")
    kind: Kind
    question: str = Field(min_length=1)
    history: tuple[Turn, ...] = ()
    cite: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    forbid: tuple[Term, ...] = ()
    abstain: Abstain = "no"
    language: Language = "en"
    extra: str | None = None
    note: str = ""
    where: str = Field(default="", exclude=True, repr=False)

    @field_validator("cite", "may")
    @classmethod
    def _once(cls, ids: tuple[str, ...]) -> tuple[str, ...]:
        if twice := [one for one in ids if ids.count(one) > 1]:
            raise ValueError(f"names {twice[0]} twice: remove one")
        return ids

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        if both := sorted(set(self.cite) & set(self.may)):
            raise ValueError(f"{both[0]} is under cite and under may: keep one of them")
        if self.kind == "list" and not self.cite and self.abstain == "no":
            raise ValueError("a list names what must be cited: add cite")
        if self.kind in ("fact", "compare") and not (self.cite and self.facts):
            raise ValueError(f"a case of kind {self.kind} needs cite and facts: add them")
        if self.kind == "compare" and len(self.cite) < 2:
            raise ValueError("a comparison cites two papers at least: add one to cite")
        if self.kind == "chat" and not self.history:
            raise ValueError("a follow-up needs the talk before it: add history")
        if self.kind == "poisoned" and not self.extra:
            raise ValueError("names no file with the poisoned abstract: add extra")
        if self.kind == "unanswerable" and self.abstain == "no":
            raise ValueError("is to be declined: add abstain: yes")
        return self

    @property
    def allowed(self) -> frozenset[str]:
        """Ids of all papers that may be cited."""
        return frozenset(self.cite) | frozenset(self.may)

    @property
    def digest(self) -> str:
        """Changes with whatever is asked or expected; notes aside."""
        data = json.dumps(self.model_dump(exclude={"note", "where"}), sort_keys=True)
        return hashlib.sha256(data.encode()).hexdigest()[:16]

    def expected(self) -> dict[str, Any]:
        """Give what is expected as plain data a report can show."""
        return {
            "cite": list(self.cite),
            "may": list(self.may),
            "facts": [str(fact) for fact in self.facts],
            "forbid": [str(term) for term in self.forbid],
            "abstain": self.abstain,
            "language": self.language,
            "note": self.note,
        }
