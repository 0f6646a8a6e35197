"""Thoughts in replies; LLM-08 of the reported troubles."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.thinking import ThoughtFilter, without_thoughts


def read(text: str, cuts: list[int], *, opened: bool = False) -> str:
    thoughts = ThoughtFilter(opened=opened)
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    shown = ""
    steps = [thoughts.feed(text[start:end]) for start, end in pairwise(places)]
    for retract, ready in [*steps, thoughts.finish()]:
        shown = ready if retract else shown + ready
    return shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>maybe [9]</think>It halves memory [1].", "It halves memory [1]."),
        ("\n <THINK>\nmaybe\n</Think>\n\nIt halves.", "It halves."),
        ("<thinking>a</thinking><think>b</think> It halves.", "It halves."),
        ("<reasoning>a <b> c</reasoning>It halves.", "It halves."),
        ("It halves.\n<think>hm</think>\nAnd more.", "It halves.\n\nAnd more."),
        # the opening tag was swallowed
        ("maybe [9]\n</think>\n\nIt halves.", "It halves."),
        ("maybe [9]</think>\nIt halves.", "It halves."),
        # text that speaks of such tags
        ("It puts <think> tokens around thoughts.", "It puts <think> tokens around thoughts."),
        ("A </think> token ends it.", "A </think> token ends it."),
        ("It halves.\n<think> is a token.", "It halves.\n<think> is a token."),
        ("a < b and <thin> air", "a < b and <thin> air"),
        (
            "`<think>`\nis a token. `</think>`\nis one.",
            "`<think>`\nis a token. `</think>`\nis one.",
        ),
        ("[THINK] tokens", ""),
        ("It has [THINK] and [/THINK] tokens.", "It has [THINK] and [/THINK] tokens."),
        ("analysis of it", "analysis of it"),
        ("Analysis: it halves.", "Analysis: it halves."),
        ("The <answer> tag of [1] </answer>.", "The <answer> tag of [1] </answer>."),
        ("It masks <|endoftext|> tokens [1].", "It masks <|endoftext|> tokens [1]."),
        ("It adds <|channel|> tokens.", "It adds <|channel|> tokens."),
        ("<analyst> reads", "<analyst> reads"),
        # an opening behind a sentence
        ("Okay.<think>\nhm\n</think>\nIt halves.", "Okay.\nIt halves."),
        ("Okay. <think>hm</think> It halves.", "Okay.  It halves."),
        # the opening tag was swallowed, and no line breaks
        ("So it is 5</think>It halves.", "It halves."),
        ("Maybe [9]. </think> It halves.", "It halves."),
        ("Maybe?</think>**It halves.**", "**It halves.**"),
        ("Maybe\n[/THINK]\nIt halves.", "It halves."),
        ("Maybe.\n◁/think▷It halves.", "It halves."),
        # told twice
        ("<think>a</think>\n</think>\nIt halves.", "It halves."),
        ("<think>a</think>It halves.\n</think>", "It halves.\n"),
        # other marks
        ("[THINK]a [9][/THINK]It halves [1].", "It halves [1]."),
        ("◁think▷a◁/think▷It halves.", "It halves."),
        ("<seed:think>a</seed:think>It halves.", "It halves."),
        ('<thinking mode="deep">a</thinking>It halves.', "It halves."),
        ("<thought>a</thought>It halves.", "It halves."),
        ("<analysis>a</analysis>\nIt halves.", "It halves."),
        ("<think/>It halves.", "It halves."),
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>It.<|END_RESPONSE|>", "It."),
        (
            "<|begin_of_thought|>\na\n<|end_of_thought|>\n\n<|begin_of_solution|>\nIt.\n<|end_of_solution|>",
            "It.\n",
        ),
        ("<think>a</think><answer>It halves [1].</answer>", "It halves [1]."),
        ("<|channel>thought\na<channel|>It halves.", "It halves."),
        # channels
        (
            "<|channel|>analysis<|message|>We see [9].<|end|><|start|>assistant<|channel|>final<|message|>It halves [1].",
            "It halves [1].",
        ),
        (
            "<|start|>assistant<|channel|>analysis<|message|>a<|end|>\n<|start|>assistant<|channel|>final<|message|>It.<|return|>",
            "It.",
        ),
        (
            "<|channel|>analysis<|message|>a<|channel|>commentary to=functions.x <|constrain|>json<|message|>{}<|call|><|channel|>final<|message|>It.",
            "It.",
        ),
        ("<|channel|>final<|message|>It halves.<|end|>", "It halves."),
        ("<|channel|>analysis<|message|>a<|end|>It halves.", "It halves."),
        ("a thought<|end|><|start|>assistant<|channel|>final<|message|>It halves.", "It halves."),
        ("<|channel|>analysis<|message|>and on and", ""),
        ("analysisWe see [9]. Fine.assistantfinalIt halves [1].", "It halves [1]."),
        ("analysisWe see.assistantanalysisMore.assistantfinal**It**", "**It**"),
        ("analysisX is a package.", "analysisX is a package."),
        # the ends of turns
        ("It halves.<|im_end|>", "It halves."),
        ("It halves.</s>\n", "It halves.\n"),
        ("It halves.<|eot_id|><|eot_id|>", "It halves."),
        ("It halves.<|im_end|>\n<|im_start|>user\nAnd?<|im_end|>", "It halves."),
        ("<|im_start|>assistant\nIt halves.<|im_end|>", "It halves."),
        ("<end_of_turn>", ""),
        # never closed
        ("It halves.\n<think>\nBut wait, is it", "It halves.\n"),
        ("It halves.\n<think>But wait", "It halves.\n"),
        ("[THINK]hm", ""),
        # nothing but thoughts
        ("<think>hm hm", ""),
        ("<think>hm</think>", ""),
    ],
)
def test_thoughts(text: str, shown: str) -> None:
    assert without_thoughts(text) == shown
    for cut in range(len(text) + 1):
        assert read(text, [cut]) == shown
    assert read(text, list(range(len(text)))) == shown


def test_a_model_known_to_open_with_a_thought() -> None:
    assert read("maybe</think>It halves.", [3], opened=True) == "It halves."
    assert read("It halves.", [3], opened=True) == "It halves."
    assert read("It halves.\nAnd more.", [3], opened=True) == "It halves.\nAnd more."


def test_a_model_known_to_open_with_a_thought_that_was_cut_off_within_it() -> None:
    thoughts = ThoughtFilter(opened=True)
    assert thoughts.feed("It may be [9]") == (False, "")
    assert thoughts.finish(complete=False) == (False, "")


def test_text_flows_on_while_nothing_looks_like_a_tag() -> None:
    thoughts = ThoughtFilter()
    assert thoughts.feed("It halves") == (False, "It halves")
    assert thoughts.feed(" memory <") == (False, " memory ")
    assert thoughts.feed("b> and") == (False, "<b> and")


_PIECES = st.sampled_from(
    [
        *("<think>", "</think>", "<thinking>", "</reasoning>", "<", "text", " ", "\n", "[9]", "</"),
        *("th", "[THINK]", "[/THINK]", "◁think▷", "◁/think▷", "<|begin_of_thought|>", ".", "`"),
        *("<|channel|>", "analysis", "final", "<|message|>", "<|end|>", "<|start|>assistant"),
        *("<|im_end|>", "<|im_start|>", "<answer>", "</answer>", "Text", "<|", "<think/>"),
        *("assistantfinal", "<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    ]
)


@given(st.lists(_PIECES, max_size=10).map("".join), st.lists(st.integers(0, 99), max_size=8))
def test_the_outcome_does_not_depend_on_the_split(text: str, cuts: list[int]) -> None:
    for opened in (False, True):
        whole = read(text, [], opened=opened)
        assert read(text, cuts, opened=opened) == whole
        assert read(text, list(range(len(text))), opened=opened) == whole
