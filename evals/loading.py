"""Reads cases, and says which line of which file is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from assistant.errors import InputError
from evals.cases import KINDS, Case, ExtraPaper
from evals.lines import Lines, read_yaml

__all__ = ["CASES", "CORPORA", "load_cases", "load_extra"]

CASES = Path(__file__).parent / "cases"
CORPORA = Path(__file__).parent / "corpora"
Model = TypeVar("Model", bound=BaseModel)
_FILE_KEYS = {"kind", "cases"}
_OPEN_KINDS = {"smalltalk/scope": "scope"}
_OPEN_LANGUAGES = {"German": "de", "Chinese": "zh", "Spanish": "es", "French": "fr"}


def load_cases(
    paths: Sequence[Path], known: Iterable[str], *, corpora: Path = CORPORA
) -> list[Case]:
    """Read cases from YAML files, or from JSON lines in the form of the open questions.

    Args:
        paths: the files.
        known: ids of the collection's papers.
        corpora: the folder of the files that `extra` names.

    Returns:
        The cases in order; ids are unique.

    Raises:
        InputError: a file cannot be read or a case is wrong; names file and line, and what to do.
    """
    papers = frozenset(known)
    found: list[Case] = []
    for path in paths:
        cases = _from_json_lines(path) if path.suffix == ".jsonl" else _from_yaml(path)
        for case in cases:
            _check_papers(case, papers, corpora)
        found += cases
    first: dict[str, Case] = {}
    for case in found:
        if case.id in first:
            raise InputError(
                f"{case.where}: the id {case.id} is taken by {first[case.id].where}: choose another"
            )
        first[case.id] = case
    return found


def load_extra(name: str, corpora: Path = CORPORA) -> list[ExtraPaper]:
    """Read the papers that one case adds to the index.

    Args:
        name: a file in `corpora`.
        corpora: the folder.

    Raises:
        InputError: it cannot be read or a paper is wrong.
    """
    data, lines = read_yaml(corpora / name)
    if not isinstance(data, list):
        raise InputError(f"{lines.where(())}: is no list of papers: start each with '- id:'")
    return [
        _validated(ExtraPaper, paper, lines, (place,), None) for place, paper in enumerate(data)
    ]


def _from_yaml(path: Path) -> list[Case]:
    data, lines = read_yaml(path)
    if not isinstance(data, dict) or not isinstance(data.get("cases"), list):
        raise InputError(f"{lines.where(())}: holds no cases: write 'kind: …' and 'cases:' first")
    for key in data:
        if key not in _FILE_KEYS:
            raise InputError(f"{lines.where((key,))}: unknown key {key!r}: {_nearest(key)}")
    kind = data.get("kind")
    if kind is not None and kind not in KINDS:
        raise InputError(
            f"{lines.where(('kind',))}: unknown kind {kind!r}: use one of {', '.join(KINDS)}"
        )
    cases = []
    for place, row in enumerate(data["cases"]):
        own = {"kind": kind, **row} if isinstance(row, dict) and kind else row
        cases.append(_validated(Case, own, lines, ("cases", place), lines.where(("cases", place))))
    return cases


def _from_json_lines(path: Path) -> list[Case]:
    cases = []
    for number, line in enumerate(_lines_of(path), 1):
        lines = Lines(path, {(): number})
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            case = {
                "id": row["id"],
                "kind": _OPEN_KINDS.get(row["kind"], row["kind"]),
                "question": row["question"],
                "history": row["history"],
                "cite": row["papers"],
                "may": row["maybe"],
                "facts": [[{"regex": one} for one in fact] for fact in row["facts"]],
                "forbid": [{"regex": one} for one in row["forbid"]],
                "abstain": "yes" if row["abstain"] else "no",
                "language": _open_language(row["note"]),
                "note": row["note"],
            }
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path.name}:{number}: is no question ({type(error).__name__}: {error}): each "
                "line needs id, kind, question, history, papers, maybe, facts, forbid, abstain "
                "and note"
            ) from None
        cases.append(_validated(Case, case, lines, (), lines.where(())))
    return cases


def _open_language(note: str) -> str:
    named = (code for name, code in _OPEN_LANGUAGES.items() if f"should be in {name}" in note)
    return next(named, "en")


def _lines_of(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}): check its name and encoding") from None


def _validated(
    model: type[Model], row: Any, lines: Lines, at: tuple[str | int, ...], where: str | None
) -> Model:
    if not isinstance(row, dict):
        raise InputError(f"{lines.where(at)}: is no mapping: start it with '- id:'")
    try:
        return model.model_validate(row if where is None else {**row, "where": where})
    except ValidationError as error:
        first = error.errors()[0]
        inner = tuple(part for part in first["loc"] if part != "any_of")
        place = lines.where((*at, *inner))
        name = ".".join(map(str, inner))
        raise InputError(f"{place}: {_says(first, name, row, model)}") from None


def _says(error: Any, name: str, row: dict[str, Any], model: type[BaseModel]) -> str:
    owner = f"case {row['id']}: " if "id" in row else ""
    if error["type"] == "extra_forbidden":
        return f"{owner}unknown key {name!r}: {_nearest(name, sorted(model.model_fields))}"
    if error["type"] == "missing":
        return f"{owner}{name} is missing: add it"
    told = error["msg"].removeprefix("Value error, ")
    given = f", not {error['input']!r}" if error["type"] != "value_error" else ""
    return f"{owner}{name + ': ' if name else ''}{told}{given}"


def _check_papers(case: Case, known: frozenset[str], corpora: Path) -> None:
    own = frozenset[str]()
    if case.extra is not None:
        if not (corpora / case.extra).is_file():
            raise InputError(
                f"{case.where}: case {case.id}: there is no {case.extra} in {corpora.name}/: "
                "create it or mend the name"
            )
        own = frozenset(paper.id for paper in load_extra(case.extra, corpora))
        if clash := sorted(own & known):
            raise InputError(
                f"{case.where}: case {case.id}: {case.extra} reuses the id {clash[0]}: give another"
            )
    for paper in (*case.cite, *case.may):
        if paper not in known | own:
            raise InputError(
                f"{case.where}: case {case.id}: unknown paper {paper!r}: "
                f"{_nearest(paper, sorted(known | own))}"
            )


def _nearest(name: str, known: Sequence[str] = tuple(sorted(_FILE_KEYS))) -> str:
    from rapidfuzz import process

    nearest, _, _ = process.extract(
        name.rpartition(".")[2], [key for key in known if key != "where"], limit=1
    )[0]
    return f"did you mean {nearest}?"
