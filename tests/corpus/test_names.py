"""Names that papers give to what they introduce."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from assistant.corpus.names import fold_name, introduced_names, looks_like_name
from assistant.corpus.paper import Paper
from assistant.corpus.reading import read_paths
from assistant.resources import seeds_dir
from tests.texts import abstract_like, any_text

OWN_NAMES = {
    "000-01": "RGGT",
    "000-05": "BRED",
    "000-07": "Cheap2Rich",
    "000-09": "CSRM",
    "000-10": "SAIM",
    "000-12": "MultiLoReFT",
    "000-14": "LeakGFN",
    "000-15": "SMM Transformer",
    "000-16": "AlignedNorm",
    "000-17": "OmniSIFT",
    "000-18": "DistFlow",
    "000-19": "IQA-Spider",
    "001-01": "Augmented Latent Intrinsics",
    "001-02": "MoCL",
    "001-03": "HCA",
    "001-04": "UniFLoW",
    "001-05": "SpreadsheetArena",
    "001-06": "Model-Dowser",
    "001-07": "CAffNet",
    "001-09": "SSA",
    "001-10": "TASM",
    "001-11": "ConservationBench",
    "001-12": "RQ-MoE",
    "001-13": "MemoryLLM",
    "001-14": "Debate2Create",
    "001-15": "Active-o3",
    "001-16": "TBPO",
    "001-17": "RelayCaching",
    "001-19": "SparseInfer",
}


def seeds() -> dict[str, Paper]:
    return {paper.id: paper for paper in read_paths([seeds_dir()]).papers}


NAMED_BY_TITLE = {"001-07"}
"""Its abstract says "yielding CAffNet", which reads like any noun."""


@pytest.mark.parametrize("titled", [True, False], ids=["with its title", "abstract alone"])
def test_the_name_each_abstract_introduces_is_found(titled: bool) -> None:
    papers = seeds()
    if not titled:
        papers = {key: replace(paper, title=None) for key, paper in papers.items()}
    missed = {
        key
        for key, name in OWN_NAMES.items()
        if fold_name(name) not in introduced_names(papers[key])
    }
    assert missed == (set() if titled else NAMED_BY_TITLE)


@pytest.mark.parametrize("paper_id", ["000-02", "000-04", "001-18"])
def test_a_paper_that_names_nothing_gets_no_name(paper_id: str) -> None:
    assert introduced_names(seeds()[paper_id]) == {}


@pytest.mark.parametrize(
    ("abstract", "name"),
    [
        ("We call it FastNet-2 because it is fast.", "FastNet-2"),
        ("We propose a simple framework dubbed \\textbf{ZipLM}.", "ZipLM"),
        ("We introduce **Deep Sky Net**, a network.", "Deep Sky Net"),
        ("We present Residual Quantization via Mixture of Experts (RQ-MoE), fast.", "RQ-MoE"),
        ("We release PHI-3.5, a model.", "PHI-3.5"),
    ],
)
def test_ways_to_introduce_a_name(abstract: str, name: str) -> None:
    assert fold_name(name) in introduced_names(Paper("x", abstract))


@pytest.mark.parametrize(
    "written", ["ACTIVE-o3", "Active O3", "active-o3", "Active_o3", "Ａctive-o3", "Actíve-o3"]
)
def test_one_name_however_it_is_written(written: str) -> None:
    assert fold_name(written) == "activeo3"


@pytest.mark.parametrize("token", ["BRED", "RelayCaching", "GPT4", "o3X", "SA-BCD", "\\textbf{ALI"])
def test_tokens_that_look_like_names(token: str) -> None:
    assert looks_like_name(token)


@pytest.mark.parametrize("token", ["", "the", "However", "4.7", "2026", "caches", "--", "我们"])
def test_tokens_that_do_not(token: str) -> None:
    assert not looks_like_name(token)


@given(any_text | abstract_like)
def test_names_stand_in_the_abstract(text: str) -> None:
    for folded, name in introduced_names(Paper("x", text)).items():
        assert folded == fold_name(name)
        assert folded in fold_name(text)


@given(any_text)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold_name(fold_name(text)) == fold_name(text)


@pytest.mark.parametrize(
    "run", ["1-2-3-4-5-6-7-8-9-", "a-b ", "A", "中", "1.1", "aB", "the novel "], ids=repr
)
@pytest.mark.timeout(20)
def test_no_run_of_letters_takes_more_than_linear_time(run: str) -> None:
    # The time limit is far above what it needs, and was not met by years.
    assert len(introduced_names(Paper("x", "We propose X-" + run * (20_000 // len(run))))) < 5
