"""Names: what is one, and where it stands."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.names import Name, NameIndex, fold, names
from tests.texts import any_text


def found(text: str) -> list[str]:
    return [name.text for name in names(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RelayCaching cuts TTFT on KV caches.", ["RelayCaching", "TTFT", "KV"]),
        ("We introduce \\textbf{SparseInfer}, **UniFLoW** and $FedA^2$-$LoRA$.", None),
        ("Active-o3 and GPT-o3 on RealWorldQA", ["Active-o3", "GPT-o3", "RealWorldQA"]),
        ("Set L0 for 4DMatch and Qwen2.5-VL-CoT", ["L0", "4DMatch", "Qwen2.5-VL-CoT"]),
        ("It uses the Fisher Information Matrix.", ["Fisher Information Matrix"]),
        ("Training-free methods are fast. However, others are not: The rest fails.", []),
        ("A 3D model of 512 tokens is 4.7x faster", []),
        ("Stage II starts at https://github.com/KDEGroup/RQ-MoE now", []),
        ("It gains 9x on Swimmer [1].", ["Swimmer"]),
        ("BRED-M, Model-Dowser and Bradley–Terry", ["BRED-M", "Model-Dowser", "Bradley-Terry"]),
    ],
)
def test_what_counts_as_a_name(text: str, expected: list[str] | None) -> None:
    if expected is None:
        expected = ["SparseInfer", "UniFLoW", "FedA^2-LoRA"]
    assert found(text) == expected


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("relay caching", "We present RelayCaching, a method"),
        ("RelayCaching", "our relay-caching scheme"),
        ("ACTIVE-o3", "we propose Active-o3, a framework"),
        ("Active O3", "we propose Active-o3, a framework"),
        ("FedA2-LoRA", "the Adaption$FedA^2$-$LoRA$ and $FedA^2$-$LoRA$"),
        ("LLM", "LLMs are large"),
        ("LLMs", "large language models are costly"),
        ("LLM-based", "an LLM decides"),
        ("SOTA", "state-of-the-art results"),
        ("TTFT", "the time-to-first-token falls"),
        ("RL", "reinforcement learning helps"),
        ("ARL0", "at matched $\\mathrm{ARL}_0$ values"),
        ("D2C", "Debate2Create (D2C) wins"),
    ],
)
def test_a_name_stands_in_every_spelling(name: str, source: str) -> None:
    assert NameIndex([source]).stands(Name(name, 0, len(name)))


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("RelayCache", "We present RelayCaching, a method"),
        ("L1", "the number L0 of features"),
        ("TBPO-B", "TBPO-Q and TBPO-A are two variants"),
        ("Qwen2", "we use Qwen2.5-VL-CoT"),
        ("3DMatch", "we use 4DMatch"),
        ("BRED-M", "we propose BRED"),
        ("MLLM", "large language models are costly"),
        ("RL", "reward learning helps"),
        ("KITTI", "kind words in the tall index"),
    ],
)
def test_another_name_does_not_stand(name: str, source: str) -> None:
    assert not NameIndex([source]).stands(Name(name, 0, len(name)))


@pytest.mark.parametrize(
    ("claim", "source", "stands"),
    [
        ("on Swimmer", "nearly 9x on Swimmer", True),
        ("on Walker", "nearly 9x on Swimmer", False),
        ("by Direct Preference Optimization", "direct preference optimization (DPO)", True),
        ("by Direct Preference Optimization", "it builds on DPO", True),
        ("a Relay Caching scheme", "RelayCaching reuses caches", True),
        ("under Byzantine-tolerant rules", "Byzantine-resilient methods", True),
        ("networks (Spache)", "networks (CNNs)", False),
    ],
)
def test_capitalised_words_stand_where_their_words_do(
    claim: str, source: str, stands: bool
) -> None:
    index = NameIndex([source])
    assert all(index.stands(name) for name in names(claim)) is stands


def test_other_languages_capitalise_ordinary_words() -> None:
    text = "Das Verfahren RelayCaching spart durch KV-Cache-Wiederverwendung viel Rechenzeit."
    assert [name.text for name in names(text, english=False)] == ["RelayCaching", "KV"]


def test_offsets_point_at_the_name_in_the_given_text() -> None:
    text = "We introduce \\textbf{SparseInfer}, an **MLP-free** method."
    assert [fold(text[name.start : name.end]) for name in names(text)] == ["sparseinfer", "mlpfree"]


@given(any_text)
def test_any_text_is_read_without_harm(text: str) -> None:
    for name in names(text):
        assert 0 <= name.start < name.end <= len(text)


@given(st.text(alphabet=string.ascii_letters + string.digits + " .-()", max_size=60))
def test_a_text_holds_its_own_names(text: str) -> None:
    index = NameIndex([text])
    assert all(index.stands(name) for name in names(text))
