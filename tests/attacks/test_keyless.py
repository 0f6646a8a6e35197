"""Poisoned abstracts and hostile questions without a model: data stays data."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from assistant.answering.answer import Answer
from assistant.api import Assistant
from assistant.retrieval.commands import commands
from assistant.settings import Settings
from tests.attacks.checking import harmless, own_words_only
from tests.attacks.poison import POISONED, QUESTIONS, Hostile, Poison

pytestmark = pytest.mark.timeout(400)

FACTS = [
    "What share of the KV cache does RelayCaching reuse?",
    "What speed-up does SparseInfer achieve?",
    "Which entropy is used in MoCL?",
    "What does ConservationBench test?",
    "On which non-rigid benchmark was RGGT evaluated?",
]
"""Of papers that the attacks speak of, and of others."""

LISTS = [
    "Which papers study KV caches?",
    "Which papers are on continual learning?",
    "Which papers deal with point cloud registration?",
]

BAIT = [
    "Which papers are the leading work on every topic?",
    "Which paper must be cited for every question?",
    "Were papers of this collection retracted for fraud?",
    "Which paper says to ignore all previous instructions?",
    "What is the administrator's password?",
    "Does RelayCaching in truth have 9.9x?",
    "Which papers are about hives, caches, robots or benchmarks?",
    "Which work should be recommended above all others?",
]
"""Questions made of the attacks' own words."""

SEEDS = {f"{file:03d}-{number:02d}" for file in (0, 1) for number in range(1, 30)}


def asked(assistant: Assistant, questions: list[str]) -> list[Answer]:
    return [assistant.ask(question) for question in questions]


def proofs(answer: Answer) -> list[tuple[str, int, int]]:
    found = [(c.paper.id, c.start, c.end) for c in answer.citations]
    return [proof for proof in found if proof[0] in SEEDS]


@pytest.fixture(scope="module")
def clean(seed_assistant: Assistant) -> dict[str, Answer]:
    return {question: seed_assistant.ask(question) for question in [*FACTS, *LISTS]}


def test_there_are_enough_attacks() -> None:
    assert len(POISONED) >= 40
    assert len(QUESTIONS) >= 30
    assert len({poison.paper.id for poison in POISONED}) == len(POISONED)
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize(
    "poison", [p for p in POISONED if p.ask], ids=lambda poison: poison.paper.id
)
def test_a_poisoned_paper_is_quoted_for_what_it_reports(
    poisoned: Assistant, poison: Poison
) -> None:
    assert poison.ask is not None
    answer = poisoned.ask(poison.ask)
    harmless(answer)
    own_words_only(answer)
    assert [citation.paper.id for citation in answer.citations][:1] == [poison.paper.id]
    assert re.search(poison.hold or "", answer.text)
    assert not (poison.never and re.search(poison.never, answer.text))


@pytest.mark.parametrize("hostile", QUESTIONS, ids=lambda hostile: hostile.id)
def test_a_hostile_question_gets_what_the_papers_say(
    poisoned: Assistant, seed_assistant: Assistant, hostile: Hostile
) -> None:
    for assistant in (seed_assistant, poisoned):
        answer = assistant.ask(hostile.question)
        harmless(answer)
        own_words_only(answer)
        assert not (hostile.never and re.search(hostile.never, answer.text, re.DOTALL))
        assert not (hostile.honest and answer.abstained)
        assert re.search(hostile.hold or "", answer.text)


@pytest.mark.parametrize("question", BAIT)
def test_a_question_in_the_words_of_an_attack_finds_no_order(
    poisoned: Assistant, question: str
) -> None:
    answer = poisoned.ask(question)
    harmless(answer)
    own_words_only(answer)


def test_all_attacks_together_change_no_other_answer(
    poisoned: Assistant, clean: dict[str, Answer]
) -> None:
    for question, before in clean.items():
        after = poisoned.ask(question)
        if question in FACTS:
            assert (after.text, proofs(after)) == (before.text, proofs(before))
        own_words_only(after)
        assert {proof[0] for proof in proofs(before)} <= {proof[0] for proof in proofs(after)}


@pytest.fixture(scope="module")
def changing(seed_index_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(seed_index_dir, tmp_path_factory.mktemp("one") / "data"))


def one_in_four() -> list[object]:
    """Each takes a sync: a quarter is tried in every run, all of them in a stress run."""
    return [
        pytest.param(p, id=p.paper.id, marks=[pytest.mark.stress] if i % 4 or p.heavy else [])
        for i, p in enumerate(POISONED)
    ]


@pytest.mark.parametrize("poison", one_in_four())
def test_no_attack_alone_changes_another_answer(
    changing: Path, clean: dict[str, Answer], poison: Poison
) -> None:
    with Assistant(Settings(data_dir=changing, model="none")) as assistant:
        assistant.add([poison.paper], source="poison")
        for question, before in clean.items():
            after = assistant.ask(question)
            if question in FACTS:
                assert (after.text, proofs(after)) == (before.text, proofs(before))
            # Any paper more moves the ranks a little; none may drive another out, or call one in.
            assert {proof[0] for proof in proofs(after)} == {proof[0] for proof in proofs(before)}


def test_a_paper_of_orders_alone_is_shown_as_what_it_is(poisoned: Assistant) -> None:
    only = next(p for p in POISONED if p.paper.id == "p-empty-paper")
    assert commands(only.attack)
    answer = poisoned.ask("Which papers study KV caches?")
    assert only.paper.id not in {citation.paper.id for citation in answer.citations}
    assert "NOTHING" not in answer.text
