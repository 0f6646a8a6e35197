"""What says the opposite of its source, and what only sounds like it."""

from __future__ import annotations

import time

import pytest

from assistant.answering.comparisons import about_others
from assistant.answering.polar_reading import read
from assistant.answering.polarity import contradiction, denies_more, signals

FASTER = "RQ-MoE can provide 6×–14× faster decoding than prior vector quantization methods."
KEEPS = "The method reduces targeted biases without degrading reward quality."
FREE = "We present RelayCaching, a training-free inference method that reuses caches."
UNLIKE = (
    "Unlike existing approaches that estimate system dynamics directly, our method estimates the "
    "state marginal density."
)
RELIABLY = "Even highly ranked models do not reliably produce spreadsheets aligned with practice."
LATENCY = "It adds parameters while still achieving lower latency than baselines such as OmniZip."
CENTRAL = "Mainstream frameworks often rely on a centralized architecture with a single node."
DISTRIBUTED = "We present DistFlow, a fully distributed RL framework with many controllers."
MORE = "It pays more attention to tampering artifacts than to image content."
BEATS = "Results prove superior performance of our approach compared with the latest schemes."
TOO_HIGH = "If L0 is too high, the autoencoder finds degenerate solutions that mix features."


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("RQ-MoE decodes slower than prior vector quantization methods.", FASTER),
        ("The method degrades reward quality.", KEEPS),
        ("The method reduces targeted biases at the price of a lower reward quality.", KEEPS),
        ("The method increases targeted biases.", KEEPS),
        ("The method does not reduce targeted biases.", KEEPS),
        ("RelayCaching is a trained inference method that reuses caches.", FREE),
        ("RelayCaching is not an inference method that reuses caches.", FREE),
        ("Highly ranked models reliably produce spreadsheets aligned with practice.", RELIABLY),
        ("It has higher latency than baselines such as OmniZip.", LATENCY),
        ("It is slower than baselines such as OmniZip.", LATENCY),
        ("It pays more attention to image content than to tampering artifacts.", MORE),
        ("The latest schemes perform better than the proposed approach.", BEATS),
        ("The labels are drawn manually.", "The labels are drawn by an automatic pipeline."),
        ("The two classes differ: one is more powerful.", "The classes are equivalent in power."),
        ("Accuracy improves as tasks are added.", "Accuracy degrades as tasks are added."),
        ("With too few active units it finds degenerate solutions.", TOO_HIGH),
        ("A dictionary that is too small finds degenerate solutions.", TOO_HIGH),
    ],
)
def test_the_opposite_is_found(sentence: str, source: str) -> None:
    assert contradiction(sentence, [source], [source])


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("RQ-MoE decodes 6 to 14 times faster than earlier methods.", FASTER),
        ("The method keeps reward quality while it lowers targeted biases.", KEEPS),
        ("Reward quality is not degraded.", KEEPS),
        ("RelayCaching needs no training and reuses caches.", FREE),
        ("The state marginal density is estimated rather than the system dynamics.", UNLIKE),
        ("Highly ranked models cannot produce such spreadsheets reliably.", RELIABLY),
        ("It is faster than baselines such as OmniZip.", LATENCY),
        ("It pays less attention to image content than to tampering artifacts.", MORE),
        ("The proposed approach performs better than the latest schemes.", BEATS),
        ("An encoder keeps the model from overfitting.", "It trains without overfitting."),
        ("Methods do not scale to larger models.", "Methods scale poorly with model size."),
        ("Improves accuracy and lowers cost.", "It lowers cost and improves accuracy."),
        ("With too many active units it finds degenerate solutions.", TOO_HIGH),
        ("Too large an L0 finds degenerate solutions.", TOO_HIGH),
        ("Neither too few nor too many units must be active.", TOO_HIGH),
        ("The solutions are too degenerate to be of use.", TOO_HIGH),
        ("Nothing is said of colour.", FREE),
        ("", FREE),
    ],
)
def test_agreement_in_other_words_is_none(sentence: str, source: str) -> None:
    assert contradiction(sentence, [source], [source]) is None


def test_a_source_without_sentences_contradicts_nothing() -> None:
    assert contradiction("It is slower.", []) is None


def test_what_is_said_of_other_work_is_not_said_of_the_papers_own() -> None:
    claim = "DistFlow relies on a centralized architecture with a single node."
    assert contradiction(claim, [CENTRAL], [CENTRAL, DISTRIBUTED]) == "this is said of other work"
    of_them = "Mainstream frameworks rely on a centralized architecture with a single node."
    assert contradiction(of_them, [CENTRAL], [CENTRAL, DISTRIBUTED]) is None


def test_a_claim_on_the_papers_own_work_is_held_against_what_it_says_of_that() -> None:
    theirs = (
        "While various KV methods exist, they either fail to maintain accuracy or reuse little."
    )
    ours = "By selectively recomputing caches, RelayCaching preserves accuracy with low overhead."
    claim = "RelayCaching fails to maintain accuracy."
    assert contradiction(claim, [theirs], [theirs, ours])
    assert (
        contradiction("Existing KV methods fail to maintain accuracy.", [theirs], [theirs, ours])
        is None
    )


def test_whose_work_a_sentence_tells_of() -> None:
    assert about_others(CENTRAL)
    assert about_others("However, existing methods fail to achieve both.")
    assert about_others("In contrast to our algorithm, previous techniques rely on sampling.")
    assert not about_others(DISTRIBUTED)


def test_better_is_down_for_costs_and_up_for_the_rest() -> None:
    (cost,) = signals("It improves latency.")
    (quality,) = signals("It improves accuracy.")
    assert (cost.sign, quality.sign) == (-1, 1)


def test_a_negation_reaches_to_the_end_of_its_clause() -> None:
    denied, free = signals("It does not reduce memory, and it reduces cost.")
    assert denied.denied
    assert not free.denied


def test_a_denial_without_one_in_the_source_is_noticed() -> None:
    assert denies_more("It needs no labels.", ["It uses labels of experts."]) is True
    assert denies_more("It needs no labels.", ["It works without labels."]) is False
    assert denies_more("It uses labels.", ["It uses labels."]) is False


def test_what_others_assume_is_not_what_the_authors_assume() -> None:
    abstract = [
        "Traditional clustering assumes that labels are noise-free, yet this often fails.",
        "We propose LabelGuard, which corrects labels before clustering.",
    ]
    said = "The authors of the clustering paper assume noise-free labels because this often fails."
    assert contradiction(said, abstract[:1], abstract)
    abstract[1] = "We assume labels that are noise-free and propose LabelGuard."
    assert contradiction(said, abstract[:1], abstract) is None


def test_a_sentence_of_a_whole_book_is_read_in_time() -> None:
    begun = time.monotonic()
    read("caches are smaller and models do not grow more with faster reading " * 500)
    assert time.monotonic() - begun < 20
