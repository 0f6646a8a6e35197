from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.index.acronyms import Acronyms, mine


def always(_term: str) -> bool:
    return True


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Sparse Autoencoders (SAEs) extract", ("SAEs", "Sparse Autoencoders")),
        ("cost of key–value (KV) caches", ("KV", "key–value")),
        ("an SAE (sparse autoencoder) is", ("SAE", "sparse autoencoder")),
        ("reduces Time-To-First-Token (TTFT) by", ("TTFT", "Time-To-First-Token")),
        (
            "we present Metabolic Optimization for Continual Learning (MoCL), a",
            ("MoCL", "Metabolic Optimization for Continual Learning"),
        ),
        ("large language models (LLMs; see above)", ("LLMs", "large language models")),
        (
            r"the \textbf{Scaled Dual Ascent} (\textbf{SDA}) framework",
            ("SDA", "Scaled Dual Ascent"),
        ),
        ("We use ERM. Kernel ridge regression (KRR) is", ("KRR", "Kernel ridge regression")),
        ("electroencephalography (EEG) signals", ("EEG", "electroencephalography")),
    ],
)
def test_definitions_are_found(text: str, found: tuple[str, str]) -> None:
    assert mine(text) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "no brackets at all",
        "a good idea (see Table 2)",
        "benchmarks (ImageNet, CIFAR)",
        "the year (2018) of",
        "our method (RGGT) is RGGT again (RGGT)",
        "(SAE)",
        "deep nets (x)",
        "unbalanced (SAE",
        "We end. (LM) begins",
    ],
)
def test_other_brackets_define_nothing(text: str) -> None:
    assert mine(text) == []


@given(st.one_of(st.text(max_size=80), st.text(alphabet="abAB ().–-İß", max_size=60)))
def test_what_is_found_stands_in_the_text(text: str) -> None:
    for short, long in mine(text):
        assert short
        assert len(long) > len(short)
    Acronyms.build([text], always).expand(text.split())


def test_both_ways_are_known() -> None:
    known = Acronyms.build(["Sparse autoencoders (SAEs) help.", "No definition."], always)
    assert known.expand(["sae"]) == {"sae": ["spars autoencod"]}
    assert known.expand(["train", "spars", "autoencod"]) == {"spars autoencod": ["sae"]}
    assert known.expand(["autoencod", "spars"]) == {}
    assert known.expand(["spars"]) == {}
    assert known.expand([]) == {}


def test_spelled_out_words_may_have_a_compound_between_them() -> None:
    known = Acronyms.build(["key-value (KV) caches"], always)
    assert known.expand(["keyvalu", "key", "valu", "cach"]) == {"key valu": ["kv"]}
    assert known.expand(["key", "a", "b", "c", "valu"]) == {}


def test_the_most_frequent_meanings_come_first_and_few_are_kept() -> None:
    meanings = ["language model", "linear map", "latent memory", "layer merging", "lazy mean"]
    documents = [
        f"a {meaning} (LM) here" for times, meaning in enumerate(meanings, 1) for _ in range(times)
    ]
    assert Acronyms.build(documents, always).expand(["lm"]) == {
        "lm": ["lazi mean", "layer merg", "latent memori"]
    }


def test_a_meaning_defined_once_beside_a_common_one_is_left_out() -> None:
    documents = ["language models (LMs) are"] * 20 + ["lazy means (LMs) are"]
    assert Acronyms.build(documents, always).expand(["lm"]) == {"lm": ["languag model"]}


def test_one_document_counts_once() -> None:
    documents = ["linear maps (LM), linear maps (LM), linear maps (LM)", *["lazy mean (LM)"] * 2]
    assert Acronyms.build(documents, always).expand(["lm"]) == {"lm": ["lazi mean", "linear map"]}


def test_short_forms_that_are_ordinary_words_are_left_out() -> None:
    known = Acronyms.build(["mean average precision (MAP)"], lambda term: term != "map")
    assert len(known) == 0


def test_a_saved_file_reads_the_same_and_is_plain_text(tmp_path: Path) -> None:
    built = Acronyms.build(["Sparse autoencoders (SAEs)", "key–value (KV) caches"], always)
    built.save(tmp_path / "acronyms.tsv")
    lines = (tmp_path / "acronyms.tsv").read_text(encoding="utf-8").splitlines()
    assert "sae\tspars autoencod\t1" in lines
    loaded = Acronyms.load(tmp_path / "acronyms.tsv")
    for terms in (["sae"], ["kv"], ["key", "valu"], ["spars", "autoencod"]):
        assert loaded.expand(terms) == built.expand(terms) != {}
