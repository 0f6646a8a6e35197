"""A question as retrieval understands it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assistant.index.snapshot import Snapshot
from assistant.retrieval.query import understand
from tests.texts import abstract_like, any_text


@pytest.mark.parametrize(
    ("question", "where", "left"),
    [
        ("which papers since 2026 study caches?", {"year": {"gte": 2026}}, "study caches"),
        ("papers after 2025 about robots", {"year": {"gte": 2026}}, "about robots"),
        ("papers before 2025 about robots", {"year": {"lte": 2024}}, "about robots"),
        ("list papers until 2026 on robots", {"year": {"lte": 2026}}, "on robots"),
        ("papers from 2024 to 2026 on robots", {"year": {"gte": 2024, "lte": 2026}}, "on robots"),
        (
            "which papers between 2024 and 2026 study robots?",
            {"year": {"gte": 2024, "lte": 2026}},
            "study robots",
        ),
        ("papers published in 2026 on robots", {"year": 2026}, "on robots"),
        ("which 2026 papers are on robots?", {"year": 2026}, "are on robots"),
        ("which ICML 2026 papers are on robots?", {"venue": "ICML", "year": 2026}, "on robots"),
        ("papers at icml about robots", {"venue": "icml"}, "about robots"),
        ("which papers study LIME?", {}, "study LIME"),
        ("which papers study KITTI in 3D?", {}, "study KITTI in 3D"),
    ],
)
def test_years_and_venues_of_a_list_are_filters(
    question: str, where: Mapping[str, object], left: str, snapshot: Snapshot
) -> None:
    query = understand(question, snapshot)
    assert query.where == where
    assert left in " ".join(query.text.split())
    if where:
        assert "20" not in query.text


def test_years_of_a_fact_question_are_words(snapshot: Snapshot) -> None:
    assert understand("What does RelayCaching say about 2026?", snapshot).where == {}


@pytest.mark.parametrize(
    ("question", "excluded"),
    [
        ("papers on LLMs but not on safety", "safety"),
        ("which papers study robots, excluding simulation?", "simulation"),
        ("papers about LLMs except for reward models", "reward models"),
        ("papers about vision other than robots", "robots"),
        ("which papers are about robots?", None),
        ("Why does it not work?", None),
    ],
)
def test_what_is_not_wanted(question: str, excluded: str | None, snapshot: Snapshot) -> None:
    query = understand(question, snapshot)
    assert query.excluded == excluded
    if excluded:
        assert excluded not in query.text


@pytest.mark.parametrize(
    ("question", "corrections"),
    [
        ("Byzentine robust optimisation", {"Byzentine": "byzantine"}),
        ("sparse autoencodres and L0", {"autoencodres": "autoencoders"}),
        ("decentralzied optimization", {"decentralzied": "decentralized"}),
        ("decentralised optimisation", {}),
        ("kubernetes clusters and photosynthesis", {}),
        ("which papers use GANs, GPT-5 or BERT?", {}),
        ("caches", {}),
    ],
)
def test_misspelt_words_are_read_as_what_the_papers_write(
    question: str, corrections: Mapping[str, str], snapshot: Snapshot
) -> None:
    query = understand(question, snapshot)
    assert query.corrections == corrections
    for typed, read in corrections.items():
        assert typed not in query.text
        assert read in query.text
    assert query.question == question


def test_named_papers_are_the_focus_in_the_order_of_the_question(snapshot: Snapshot) -> None:
    query = understand("How do MoCL and SAIM differ?", snapshot)
    assert [snapshot.paper(row).id for row in query.focus] == ["001-02", "000-10"]
    assert query.kind == "compare"


TALK: Sequence[Mapping[str, object]] = [
    {"role": "user", "content": "What does RelayCaching do?"},
    {
        "role": "assistant",
        "content": "**RelayCaching: Accelerating LLM Collaboration via Decoding KV Cache Reuse**: "
        "“It reuses caches.” [1]",
    },
]


@pytest.mark.parametrize("question", ["How much does it cut TTFT?", "And its memory use?", "why?"])
def test_a_follow_up_is_about_the_paper_of_the_talk(question: str, snapshot: Snapshot) -> None:
    query = understand(question, snapshot, TALK)
    assert [snapshot.paper(row).id for row in query.focus] == ["001-17"]
    assert query.standalone.startswith(question)
    assert "RelayCaching" in query.standalone


def test_a_name_in_the_question_outweighs_the_talk(snapshot: Snapshot) -> None:
    query = understand("and how fast is SparseInfer?", snapshot, TALK)
    assert [snapshot.paper(row).id for row in query.focus] == ["001-19"]
    assert query.follow_up is None


@pytest.mark.parametrize("said", ["[001-17]", "see [001-17] and [000-05]"])
def test_ids_in_brackets_name_papers_of_the_talk(said: str, snapshot: Snapshot) -> None:
    history = [{"role": "assistant", "content": said}]
    query = understand("and how fast are they?", snapshot, history)
    assert snapshot.paper(query.focus[0]).id == "001-17"


def test_html_in_a_question_is_no_part_of_it(snapshot: Snapshot) -> None:
    query = understand(
        "<script>which papers are about robots?</script>what is <b>SAIM</b>?", snapshot
    )
    assert query.text == "what is SAIM ?"


MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant"]), "content": any_text | abstract_like}
    ),
    max_size=3,
)


@given(question=any_text | abstract_like, history=MESSAGES)
@example(question="\x00", history=[])
@example(question="x" * 20_000, history=[])
@example(question="[001-17] " * 50, history=[{"role": "assistant", "content": "[001-17]"}])
def test_any_question_is_understood_somehow(
    question: str, history: list[dict[str, str]], snapshot: Snapshot
) -> None:
    query = understand(question, snapshot, history)
    assert query.question == question
    assert query.kind
    assert all(0 <= row < len(snapshot) for row in query.focus)
    assert query == understand(question, snapshot, history)
