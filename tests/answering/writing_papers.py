"""Three papers, and a scripted model that writes about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from typing import Any

from assistant.answering.events import Event
from assistant.answering.written import Written
from assistant.corpus.paper import Paper, Passage
from assistant.retrieval.evidence import Evidence
from tests.scripted_server import Connection, Reply, Request, say, words

Write = Callable[..., tuple[list[Event], Written]]

RELAY = Paper(
    "relay",
    "We propose RelayCaching. It reuses caches between agents. It reaches 4.7 times lower latency.",
)
SPARSE = Paper("sparse", "SparseInfer predicts core neurons. It runs 1.8 times faster.")
SAIM = Paper("saim", "SAIM merges experts. Older knowledge stays.")
PAPERS = (RELAY, SPARSE, SAIM)


def evidence(*papers: Paper) -> list[Evidence]:
    return [
        Evidence(Passage(paper.id, paper.abstract[:12], 0, 12), paper, relevance=0.9)
        for paper in papers or PAPERS
    ]


def ids_in(request: Request) -> list[str]:
    return re.findall(r"== source (S[0-9a-f]{4})$", request.prompt, re.MULTILINE)


def citing(text: str, **given: Any) -> Reply:
    """Say a text in which `{0}` is the id of the first source, and so on."""

    def reply(request: Request, connection: Connection) -> None:
        said = re.sub(r"\{(\d)\}", lambda found: ids_in(request)[int(found[1])], text)
        say(*words(said), **given)(request, connection)

    return reply


def finish(writing: Generator[Event, None, Written]) -> tuple[list[Event], Written]:
    read: list[Event] = []
    while True:
        try:
            read.append(next(writing))
        except StopIteration as stop:
            return read, stop.value
