"""The real verifier behind written answers."""

from __future__ import annotations

import pytest

from assistant.answering.checking import check_with
from assistant.answering.verification import Verifier
from assistant.corpus.paper import Paper

RELAY = Paper(
    "relay",
    "We propose RelayCaching, a method that reuses decoding caches between collaborating agents. "
    "RelayCaching reduces the time to first token by up to 4.7 times.",
)
SPARSE = Paper(
    "sparse",
    "SparseInfer predicts core neurons from sentences. SparseInfer runs 10.3 times faster.",
)


@pytest.mark.parametrize(
    ("sentence", "papers", "support"),
    [
        ("No abstract names a GPU.", [], None),
        ("RelayCaching reuses decoding caches.", [], "unsupported"),
        (
            "RelayCaching reduces the time to first token by up to 4.7 times [1].",
            [RELAY],
            "supported",
        ),
        ("RelayCaching runs 10.3 times faster [1].", [RELAY], "unsupported"),
        ("RelayCaching runs 10.3 times faster [1].", [SPARSE], "unsupported"),
    ],
)
def test_what_the_verifier_finds(sentence: str, papers: list[Paper], support: str | None) -> None:
    found = check_with(Verifier(None))(sentence, papers)
    assert found.support == support
    assert (found.reason is not None) == (support == "unsupported")
    if support == "supported":
        start, end = found.spans[0]
        assert "4.7 times" in papers[0].abstract[start:end]


def test_a_title_alone_is_true_and_claims_nothing() -> None:
    titled = Paper("titled", RELAY.abstract, title="RelayCaching: Reusing Caches Between Agents")
    check = check_with(Verifier(None))
    assert check("**RelayCaching: Reusing Caches between Agents** [1]", [titled]).support is None
    assert check("RelayCaching [1].", [RELAY]).support is None
    assert check("RelayCaching reuses decoding caches [1].", [titled]).support == "supported"
