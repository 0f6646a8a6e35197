"""Which sentences need a proof."""

from __future__ import annotations

import pytest

from assistant.answering.claims import claims_something


@pytest.mark.parametrize(
    "sentence",
    [
        "No abstract says this.",
        "None of the abstracts mentions FlashAttention-3.",
        "None does.",
        "Here is what I found:",
        "The following papers deal with robots:",
        "The abstracts do not say who the authors are.",
        "The abstract does not name a GPU.",
        "I could not find anything on quantum computing.",
        "There is no paper on quantum computing in this collection.",
        "Unfortunately, the collection has no paper on that.",
        "That is not stated in the abstract.",
        "This is outside the abstracts, so I cannot tell.",
        "I can only answer questions about the papers.",
        "Which paper do you mean?",
        "Hello!",
        "Thanks, that was helpful.",
        "Two papers match.",
        "**Summary**",
        "---",
        "",
        "…",
    ],
)
def test_talk_and_absence_claim_nothing(sentence: str) -> None:
    assert not claims_something(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "RelayCaching reduces TTFT by up to 4.7x [1].",
        "Here is what I found: RelayCaching cuts TTFT by 9x.",
        "None of the abstracts mentions it, but DistFlow achieves 3x.",
        "None of the baselines reaches its accuracy.",
        "Neither temporal resolution nor prompting helps.",
        "There is no need for retraining.",
        "There is a clear trade-off between accuracy and speed.",
        "- **RelayCaching** [1]: a training-free inference method.",
        "It uses GRPO.",
        "LeakGFN.",
        "Its learning rate is 0.1.",
        "4.7×",
        "The model does not need labels.",
        "These methods reduce memory use.",
    ],
)
def test_statements_claim_something(sentence: str) -> None:
    assert claims_something(sentence)
