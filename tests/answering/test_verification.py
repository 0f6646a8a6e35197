"""The verifier, over the abstracts that ship, with the real embedder and without."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assistant.answering.vector_cache import VectorCache
from assistant.answering.verification import UNCHECKED_LANGUAGE, Verdict, Verifier
from assistant.corpus.paper import Paper
from assistant.index.embedding import MiniLM
from benchmarks.pairs import Pair, derived, halves, nearest_papers, seed_papers, verbatim, written
from tests.texts import any_text

RELAY, SPARSE, TASM, HCA, LEAK, SAIM = "001-17", "001-19", "001-10", "001-03", "000-14", "000-10"


@pytest.fixture(scope="module")
def papers() -> Mapping[str, Paper]:
    return seed_papers()


@pytest.fixture(scope="module")
def embed() -> VectorCache:
    return VectorCache(MiniLM().embed)


@pytest.fixture(scope="module", params=["minilm", "words alone"])
def verifier(request: pytest.FixtureRequest, embed: VectorCache) -> Verifier:
    return Verifier(embed if request.param == "minilm" else None)


@pytest.fixture
def check(verifier: Verifier, papers: Mapping[str, Paper]) -> Callable[..., Verdict]:
    def verify(sentence: str, *ids: str) -> Verdict:
        return verifier.verify(sentence, [papers[paper_id] for paper_id in ids])

    return verify


@pytest.mark.parametrize(
    ("sentence", "ids"),
    [
        ("RelayCaching cuts TTFT by up to 4.7× compared to the standard pipeline [1].", [RELAY]),
        ("RelayCaching reuses more than 80 percent of the KV cache [1].", [RELAY]),
        ("- **RelayCaching** [1]: a training-free method that reuses KV caches.", [RELAY]),
        ("HCA reaches an accuracy of 88 % after calibration over two to three days [1].", [HCA]),
        ("LeakGFN achieves state-of-the-art performance on 4 of 5 tasks [1].", [LEAK]),
        ("The paper (arXiv 2603.13289) appeared at ICML 2026 [1].", [RELAY]),
        ("RelayCaching cuts TTFT by 4.7× [1], while SparseInfer gets 10.33× [2].", [RELAY, SPARSE]),
        ("RelayCaching and TASM are both training-free [1][2].", [RELAY, TASM]),
        ("Two papers deal with KV caches: RelayCaching [1] and TASM [2].", [RELAY, TASM]),
    ],
)
def test_what_the_papers_say_is_supported(
    check: Callable[..., Verdict], sentence: str, ids: Sequence[str]
) -> None:
    verdict = check(sentence, *ids)
    assert (verdict.support, verdict.reason) == ("supported", None)
    assert verdict.papers == ("supported",) * len(ids)


@pytest.mark.parametrize(
    ("sentence", "ids", "reason"),
    [
        ("RelayCaching cuts TTFT by up to 4.9× [1].", [RELAY], "4.9× does not stand in [1]"),
        ("RelayCaching cuts TTFT by up to 4.7% [1].", [RELAY], "4.7% does not stand in [1]"),
        ("RelayCaching beats vLLM-X on TTFT [1].", [RELAY], "vLLM-X does not stand in [1]"),
        ("SparseInfer predicts core neurons [1].", [RELAY], "SparseInfer does not stand in [1]"),
        (
            "RelayCaching gets 10.33× [1], while SparseInfer gets 4.7× [2].",
            [RELAY, SPARSE],
            "10.33× does not stand in [1]",
        ),
        (
            "RelayCaching reaches 10.33× and SparseInfer 4.7× [1][2].",
            [RELAY, SPARSE],
            "10.33× does not stand in [1]",
        ),
        (
            "RelayCaching predicts core neurons, while SparseInfer reuses KV caches [1][2].",
            [RELAY, SPARSE],
            "[1] does not say this of RelayCaching",
        ),
        (
            "LeakGFN is best on all five tasks [1].",
            [LEAK],
            '"all five" against "four out of five" in [1]',
        ),
        (
            "Its code is at https://example.org/RelayCaching [1].",
            [RELAY],
            "https://example.org/RelayCaching does not stand in [1]",
        ),
    ],
)
def test_what_does_not_stand_is_named(
    check: Callable[..., Verdict], sentence: str, ids: Sequence[str], reason: str
) -> None:
    verdict = check(sentence, *ids)
    assert (verdict.support, verdict.reason) == ("unsupported", reason)
    assert verdict.spans == (None,) * len(ids)


def test_the_opposite_is_refused_with_the_words_in_conflict(check: Callable[..., Verdict]) -> None:
    verdict = check("RelayCaching must be trained before KV caches can be reused [1].", RELAY)
    assert verdict.support == "unsupported"
    assert verdict.reason is not None
    assert verdict.reason.startswith("[1] says otherwise:")


def test_an_added_claim_is_never_supported(check: Callable[..., Verdict]) -> None:
    verdict = check("RelayCaching reuses KV caches and runs on mobile phones [1].", RELAY)
    assert verdict.support != "supported"
    assert verdict.reason in ("[1] says only part of this", "[1] does not say this")


def test_labels_name_the_papers_in_reasons(verifier: Verifier, papers: Mapping[str, Paper]) -> None:
    verdict = verifier.verify("It is 4.9 times faster [7].", [papers[RELAY]], labels=["[7]"])
    assert verdict.reason == "4.9 times does not stand in [7]"


def test_a_cited_paper_that_says_nothing_is_told(check: Callable[..., Verdict]) -> None:
    verdict = check("KV caches are reused directly in subsequent prefill phases.", RELAY, LEAK)
    assert verdict.papers == ("supported", "unsupported")
    assert (verdict.support, verdict.reason) == ("partial", "[2] does not say this")
    assert verdict.spans[1] is None


def test_the_paper_that_does_say_it_is_found(
    verifier: Verifier, papers: Mapping[str, Paper]
) -> None:
    sentence = "RelayCaching reduces TTFT by up to 4.7x."
    verdict = verifier.verify(sentence, [papers[LEAK]], others=[papers[SAIM], papers[RELAY]])
    assert (verdict.support, verdict.better) == ("unsupported", RELAY)


def test_without_a_citation_nothing_is_supported(verifier: Verifier) -> None:
    assert verifier.verify("RelayCaching is fast.", []).support == "unsupported"


@pytest.mark.parametrize(
    "sentence",
    [
        "RelayCaching senkt die Zeit bis zum ersten Token um das bis zu 4,7-Fache.",
        "RelayCaching 将首个词元的时间降低了 4.7 倍。",
        "RelayCaching reduce el tiempo hasta el primer token hasta 4,7 veces.",
    ],
)
def test_other_languages_are_checked_by_numbers_and_names(
    check: Callable[..., Verdict], sentence: str
) -> None:
    verdict = check(sentence, RELAY)
    assert (verdict.support, verdict.reason) == ("partial", UNCHECKED_LANGUAGE)
    wrong = check(sentence.replace("4,7", "4,9").replace("4.7", "4.9"), RELAY)
    assert wrong.support == "unsupported"
    other = check(sentence.replace("RelayCaching", "SparseInfer"), RELAY)
    assert other.support == "unsupported"


def test_every_sentence_of_an_abstract_is_its_own_proof(
    verifier: Verifier, papers: Mapping[str, Paper]
) -> None:
    for paper in papers.values():
        for pair in verbatim(paper):
            verdict = verifier.verify(pair.sentence, [paper])
            assert verdict.support == "supported", pair
            (span,) = verdict.spans
            assert span is not None
            assert len(paper.abstract[slice(*span)]) >= 0.9 * len(pair.sentence)


def test_the_written_pairs_are_whole(papers: Mapping[str, Paper]) -> None:
    pairs = written()
    assert len(pairs) >= 300
    assert len({pair.id for pair in pairs}) == len({pair.sentence for pair in pairs}) == len(pairs)
    assert {pair.paper for pair in pairs} == set(papers)
    assert {pair.label for pair in pairs} == {"supported", "partial", "unsupported"}


def test_spans_lie_in_the_abstract(verifier: Verifier, papers: Mapping[str, Paper]) -> None:
    for pair in written():
        paper = papers[pair.paper]
        for span in verifier.verify(pair.sentence, [paper]).spans:
            assert span is None or 0 <= span[0] < span[1] <= len(paper.abstract)


def caught(verifier: Verifier, papers: Mapping[str, Paper], pairs: Sequence[Pair]) -> float:
    verdicts = [verifier.verify(pair.sentence, [papers[pair.paper]]) for pair in pairs]
    right = [
        (verdict.support == "supported") == (pair.label == "supported")
        for pair, verdict in zip(pairs, verdicts, strict=True)
    ]
    return sum(right) / len(right)


@pytest.fixture(scope="module")
def held_out(papers: Mapping[str, Paper], embed: VectorCache) -> Mapping[str, list[Pair]]:
    """Pairs of the papers the weights were not fitted on, by kind."""
    _, half = halves(list(papers))
    supported = [pair for pair in written() if pair.label == "supported"]
    supported += [pair for paper in papers.values() for pair in verbatim(paper)]
    pairs = [*written(), *derived(supported, papers, nearest_papers(papers, embed))]
    kinds: dict[str, list[Pair]] = {}
    for pair in pairs:
        if pair.origin in half:
            kinds.setdefault(pair.kind, []).append(pair)
    return kinds


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        ("number", 1.0),
        ("unit", 1.0),
        ("name", 1.0),
        ("paper-named-near", 1.0),
        ("paper-named-far", 1.0),
        ("paper-unnamed-near", 0.95),
        ("paper-unnamed-far", 0.95),
        ("added", 0.95),
        ("partly", 0.9),
        ("negation", 0.85),
        ("direction", 0.85),
        ("contradiction", 0.7),
        ("light", 0.95),
        ("strong", 0.5),
    ],
)
def test_the_promised_share_is_judged_right(
    papers: Mapping[str, Paper], held_out: Mapping[str, list[Pair]], kind: str, least: float
) -> None:
    assert caught(Verifier(None), papers, held_out[kind]) >= least


def test_vectors_are_made_once() -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        asked.extend(texts)
        return np.ones((len(texts), 3), dtype=np.float32)

    cache = VectorCache(embed)
    assert cache(["a", "b", "a"]).shape == (3, 3)
    assert cache(["b", "c"]).shape == (2, 3)
    assert cache([]).size == 0
    assert sorted(asked) == ["a", "b", "c"]


def test_preparing_embeds_the_abstracts_ahead(papers: Mapping[str, Paper]) -> None:
    asked: list[int] = []
    model = MiniLM()

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        asked.append(len(texts))
        return model.embed(texts)

    verifier = Verifier(embed)
    verifier.prepare([papers[RELAY]])
    verifier.prepare([papers[RELAY]])
    assert len(asked) == 1
    verifier.verify("RelayCaching hands caches on.", [papers[RELAY]])
    assert asked[1:] == [1]


def test_threads_share_a_verifier(papers: Mapping[str, Paper], embed: VectorCache) -> None:
    verifier = Verifier(embed)
    pairs = [pair for pair in written() if pair.kind == "light"][:24]
    alone = [verifier.verify(pair.sentence, [papers[pair.paper]]) for pair in pairs]
    shared = Verifier(embed)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda p: shared.verify(p.sentence, [papers[p.paper]]), pairs))
    assert together == alone


@pytest.mark.parametrize("abstract", ["", " ", "…", "It works.", "它很快。", "$x$"])
def test_odd_abstracts_do_no_harm(verifier: Verifier, abstract: str) -> None:
    paper = Paper(id="odd", abstract=abstract)
    verdict = verifier.verify("The method reduces memory.", [paper])
    assert verdict.support != "supported"


SEEDS = seed_papers()


@given(any_text, st.sampled_from([RELAY, LEAK]))
def test_any_sentence_gets_a_verdict(text: str, paper_id: str) -> None:
    verdict = Verifier(None).verify(text, [SEEDS[paper_id]])
    assert verdict.support in ("supported", "partial", "unsupported")
    assert (verdict.reason is None) == (verdict.support == "supported")


@given(any_text)
def test_any_abstract_gives_a_verdict(text: str) -> None:
    paper = replace(SEEDS[RELAY], abstract=text)
    verdict = Verifier(None).verify("RelayCaching reduces TTFT by up to 4.7x.", [paper])
    assert verdict.support in ("supported", "partial", "unsupported")
