from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from assistant.errors import InputError
from evals.cases import KINDS
from evals.collection import seed_papers
from evals.loading import CASES, load_cases, load_extra
from evals.matching import holds

GOOD = """kind: fact
cases:
- id: one
  question: What is it?
  cite: [p-1]
  facts: ["4.7x", [a, b]]
"""


def written(folder: Path, text: str, name: str = "some.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_suite_is_large_and_covers_every_kind() -> None:
    cases = load_cases(sorted(CASES.glob("*.yaml")), seed_papers())
    kinds = Counter(case.kind for case in cases)
    assert len(cases) >= 120
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 7
    assert set(seed_papers()) <= {paper for case in cases for paper in case.cite}


def test_every_fact_stands_in_a_paper_that_must_be_cited() -> None:
    papers = seed_papers()
    wrong = []
    for case in load_cases(sorted(CASES.glob("*.yaml")), papers):
        named = [papers[paper] for paper in (*case.cite, *case.may) if paper in papers]
        sources = [f"{paper.title or ''}\n{paper.abstract}" for paper in named]
        wrong += [
            (case.id, str(fact))
            for fact in case.facts
            if not any(holds(fact, source) for source in sources)
        ]
    assert wrong == []


def test_cases_are_read_with_their_file_and_line(isolated_home: Path) -> None:
    (case,) = load_cases([written(isolated_home, GOOD)], {"p-1"})
    assert case.where == "some.yaml:3"
    assert case.kind == "fact"
    assert [str(fact) for fact in case.facts] == ["4.7x", "a or b"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("p-1", "p-2", "some.yaml:3: case one: unknown paper 'p-2': did you mean p-1?"),
        ("  facts:", "  fakts:", "some.yaml:6: case one: unknown key 'fakts': did you mean facts?"),
        ("  question:", "  qestion:", "some.yaml:3: case one: question is missing: add it"),
        ("kind: fact", "kind: fakt", "some.yaml:1: unknown kind 'fakt': use one of fact, list"),
        ("kind: fact", "sort: fact", "some.yaml:1: unknown key 'sort': did you mean"),
        ("[a, b]", "[a, {regex: '('}]", "some.yaml:6: case one: facts.1.1"),
        ("cite: [p-1]", "cite: [p-1, p-1]", "some.yaml:5: case one: cite: names p-1 twice"),
        ("cite: [p-1]", "cite: p-1", "some.yaml:5: case one: cite"),
        ("  question: What is it?", "  id: two", "some.yaml:4: the key 'id' stands here twice"),
        ("cite: [p-1]", "cite: [p-1", "some.yaml:6: is no YAML"),
        ("cases:", "case:", "some.yaml:1: holds no cases"),
        ("- id: one", "- one\n- id: one", "some.yaml:3: is no mapping"),
        ("kind: fact", "kind: chat", "a follow-up needs the talk before it: add history"),
        ("kind: fact", "kind: poisoned", "names no file with the poisoned abstract: add extra"),
        ("kind: fact", "kind: compare", "cites two papers at least"),
        ("kind: fact", "kind: unanswerable", "add abstain: yes"),
    ],
)
def test_a_wrong_case_is_told_by_file_and_line(
    isolated_home: Path, old: str, new: str, told: str
) -> None:
    assert old in GOOD
    path = written(isolated_home, GOOD.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        load_cases([path], {"p-1"})
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_id_that_is_taken_names_both_places(isolated_home: Path) -> None:
    first, second = written(isolated_home, GOOD), written(isolated_home, GOOD, "other.yaml")
    with pytest.raises(InputError, match=r"other\.yaml:3: the id one is taken by some\.yaml:3"):
        load_cases([first, second], {"p-1"})


def test_a_corpus_that_is_missing_or_reuses_an_id_is_named(isolated_home: Path) -> None:
    text = GOOD.replace("kind: fact", "kind: poisoned").replace(
        "  cite", "  extra: bad.yaml\n  cite"
    )
    path = written(isolated_home, text)
    with pytest.raises(InputError, match=r"some\.yaml:3: case one: there is no bad\.yaml"):
        load_cases([path], {"p-1"}, corpora=isolated_home)
    written(isolated_home, f"- id: p-1\n  abstract: {'long ' * 20}\n", "bad.yaml")
    with pytest.raises(InputError, match=r"bad\.yaml reuses the id p-1"):
        load_cases([path], {"p-1"}, corpora=isolated_home)
    written(isolated_home, "- id: x\n  abstract: short\n", "bad.yaml")
    with pytest.raises(InputError, match=r"bad\.yaml:2"):
        load_extra("bad.yaml", isolated_home)


def test_open_questions_are_read_and_wrong_lines_named(isolated_home: Path) -> None:
    row = {
        "id": "o-1",
        "kind": "smalltalk/scope",
        "question": "Hola",
        "history": [],
        "papers": [],
        "maybe": ["p-1"],
        "facts": [["hol+a", "buenos"]],
        "forbid": ["x"],
        "abstain": True,
        "note": "Spanish; the answer should be in Spanish.",
    }
    path = written(isolated_home, json.dumps(row) + "\n\n", "open.jsonl")
    (case,) = load_cases([path], {"p-1"})
    assert (case.kind, case.abstain, case.language) == ("scope", "yes", "es")
    assert holds(case.facts[0], "¡HOLLLA!")
    path = written(isolated_home, json.dumps(row) + "\n{}\n", "open.jsonl")
    with pytest.raises(InputError, match=r"open\.jsonl:2: is no question"):
        load_cases([path], {"p-1"})


def test_the_open_questions_can_be_read(test_data: Path) -> None:
    assert len(load_cases([test_data / "questions_open.jsonl"], seed_papers())) == 110
