"""What people type to find a paper: names, figures, slips, other keyboards, counts, nonsense."""

from __future__ import annotations

import pytest

from assistant.answering.answer import Answer
from assistant.api import Assistant
from assistant.errors import InputError

RELAY, BRED = "001-17", "000-05"


def found(assistant: Assistant, question: str, most: int = 3) -> list[str]:
    return [item.paper.id for item in assistant.search(question, limit=most)]


def cited(answer: Answer) -> set[str]:
    return {citation.paper.id for citation in answer.citations}


@pytest.mark.parametrize(
    ("question", "paper"),
    [
        ("bred-m", BRED),
        ("BREDM", BRED),
        ("BRED_M", BRED),
        ("define BRED", BRED),
        ("RGGT:", "000-01"),
        ("Tell me about RGGT", "000-01"),
        ("explain HCA to me", "001-03"),
        ("what does TBPO stand for?", "001-16"),
        ("TBPO paper", "001-16"),
        ("What is the Latent Bank?", "001-10"),
        ("What is Latent Bank?", "001-10"),
    ],
)
def test_a_short_name_is_answered_from_the_abstract_that_defines_it(
    question: str, paper: str, seed_assistant: Assistant
) -> None:
    assert paper in found(seed_assistant, question)
    assert paper in cited(seed_assistant.ask(question))


@pytest.mark.parametrize(
    "written",
    [
        *("relaycaching?", "RELAYCACHING!", "(RelayCaching)", '"RelayCaching,"', "relaycaching…"),
        *("RelayCaching’s", "#RelayCaching", "@RelayCaching", "`RelayCaching`", "**RelayCaching**"),
        *("<RelayCaching>", "«RelayCaching»", "—RelayCaching—", "RelayCaching/", "relay-caching"),
        *("relay_caching", "Relay Caching", "RelayCaching?!", "1)RelayCaching"),
        *(
            "Relay\u200bCaching",
            "Relay\u00adCaching",
            "ＲｅｌａｙＣａｃｈｉｎｇ",
            "RelayCaching：是什么？",
        ),
    ],
)
def test_signs_around_a_word_and_its_case_change_nothing(
    written: str, seed_assistant: Assistant
) -> None:
    assert found(seed_assistant, written, 1) == [RELAY]


@pytest.mark.parametrize(
    "question",
    [
        *(
            "4.7x lower time to first token",
            "4.7× TTFT",
            "4,7x TTFT",
            "4.7 × TTFT",
            "4.7-fold TTFT",
        ),
        *("$4.7\\times$ TTFT", "4.7X TTFT", "TTFT by 4.7", "over 80% cache reuse"),
        *("over 80 percent cache reuse", "80 % cache reuse", "eighty percent cache reuse"),
        *("80\\% cache reuse", "４.７x TTFT"),
    ],
)
def test_figures_are_found_however_they_are_written(
    question: str, seed_assistant: Assistant
) -> None:
    assert RELAY in found(seed_assistant, question)


@pytest.mark.parametrize(
    "question",
    ["transient complexity O((1-lambda)^-6)", "(1-\\lambda)^{-6}", "(1-λ)^-6 transient complexity"],
)
def test_formulas_are_found_however_they_are_written(
    question: str, seed_assistant: Assistant
) -> None:
    assert BRED in found(seed_assistant, question)


@pytest.mark.parametrize(
    ("slip", "right"),
    [
        ("RelayCachng", "RelayCaching"),
        ("RelayCachign", "RelayCaching"),
        ("SparseInfr", "SparseInfer"),
        ("sparseautoencoders L0", "sparse autoencoders L0"),
        ("sparse auto encoders L0", "sparse autoencoders L0"),
        (
            "Byzantin robust decentralised optimization",
            "Byzantine robust decentralized optimization",
        ),
        ("spiking nueral networks", "spiking neural networks"),
        ("dettonation engines", "detonation engines"),
        ("rotatingdetonation engines", "rotating detonation engines"),
        ("kv cahce", "kv cache"),
    ],
)
def test_a_slip_finds_what_the_right_spelling_finds(
    slip: str, right: str, seed_assistant: Assistant
) -> None:
    assert found(seed_assistant, slip, 1) == found(seed_assistant, right, 1)


@pytest.mark.parametrize(
    "question",
    [
        *("How many are about LLMs?", "and how many deal with LLMs?", "how many study LLMs?"),
        *("how many of the papers are about LLMs?", "number of papers on LLMs"),
    ],
)
def test_a_count_is_true_and_says_how_it_was_made(question: str, seed_assistant: Assistant) -> None:
    answer = seed_assistant.ask(question)
    assert answer.kind == "count"
    assert answer.text.startswith(f"{len(cited(answer))} papers, by calibrated relevance, of 38")


@pytest.mark.parametrize(
    "question",
    [
        *(
            "number of abstracts",
            "how big is the collection?",
            "What is the size of this collection?",
        ),
        *("How many papers do you know in total?", "total number of papers"),
    ],
)
def test_the_size_is_that_of_the_index(question: str, seed_assistant: Assistant) -> None:
    answer = seed_assistant.ask(question)
    assert answer.text.startswith("The collection holds 38 papers.")


@pytest.mark.parametrize("question", ["How many layers does RelayCaching use?", "How many GPUs?"])
def test_an_amount_that_a_paper_states_is_no_count_of_papers(
    question: str, seed_assistant: Assistant
) -> None:
    assert seed_assistant.ask(question).kind == "fact"


@pytest.mark.parametrize(
    "question",
    [
        *("How do I bake pizza?", "Who won the 2022 World Cup?", "Explain FlashAttention-9"),
        *("What does FlashAttention-9 achieve?", "What does RelayNet do?", "What is GPT-9?"),
        *("What is the capital of France?", "Who is the mayor of New York?"),
        *("Is there a paper about whales?", "Compare RelayCaching with FlashAttention-9"),
        *("Compare RelayCaching with vLLM", "RelayCaching vs. GPT-4: which is faster?"),
    ],
)
def test_what_the_collection_does_not_hold_is_said_so(
    question: str, seed_assistant: Assistant
) -> None:
    answer = seed_assistant.ask(question)
    assert answer.abstained
    assert not answer.citations


def test_two_papers_that_came_up_one_after_the_other_are_the_two(seed_assistant: Assistant) -> None:
    first = seed_assistant.ask("What does RelayCaching do?")
    second = seed_assistant.ask("What about SparseInfer?", first.history)
    both = seed_assistant.ask("Compare the two", second.history)
    assert cited(both) == {RELAY, "001-19"}


@pytest.mark.parametrize(
    "questions",
    [
        ["What does RelayCaching do?", "How much does it cut TTFT?", "And its memory use?"],
        ["Tell me about RelayCaching", "and the accuracy?", "Does that need training?"],
        ["RelayCaching", "how fast?", "on which benchmarks?"],
        ["hi", "What is RelayCaching?", "thanks", "does it need training?"],
    ],
)
def test_follow_ups_stay_with_their_paper(questions: list[str], seed_assistant: Assistant) -> None:
    history: tuple[dict[str, str], ...] = ()
    for question in questions:
        answer = seed_assistant.ask(question, history)
        assert answer.kind == "small_talk" or answer.evidence[0].paper.id == RELAY
        assert cited(answer) <= {RELAY}
        history = answer.history


@pytest.mark.parametrize(
    "question",
    [
        "？？？",
        "。。。",
        "👍🏽👨‍👩‍👧",
        "\u0301",
        "🏳️‍🌈?",
        "---",
        "“”",
        "\ufffd",
    ],
)
def test_signs_without_a_word_are_no_error(question: str, seed_assistant: Assistant) -> None:
    answer = seed_assistant.ask(question)
    assert not answer.citations
    assert seed_assistant.search(question) == []


@pytest.mark.parametrize("question", ["\u202e\u2066", "\x07", "\u200b\ufeff"])
def test_signs_that_nobody_sees_are_no_question(question: str, seed_assistant: Assistant) -> None:
    with pytest.raises(InputError, match="the question is empty"):
        seed_assistant.ask(question)
