"""A scripted assistant over the shipped abstracts: real events, real offsets, no index."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event as Signal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.answering.answer import Answer, Citation, Sentence, Support
from assistant.answering.drafts import UNVERIFIED
from assistant.answering.events import Done, Event, SentenceChecked, Status, Token
from assistant.corpus.paper import Paper, Passage, Source
from assistant.corpus.sentences import sentence_spans
from assistant.errors import InputError
from assistant.retrieval.evidence import Evidence
from assistant.settings import Settings

SEEDS = Path(__file__).parents[2] / "seeds"


def seed_papers() -> list[Paper]:
    with (SEEDS / "papers.tsv").open(encoding="utf-8", newline="") as file:
        known = {(row["file"], row["number"]): row for row in csv.DictReader(file, delimiter="\t")}
    papers: list[Paper] = []
    for path in sorted(SEEDS.glob("*.txt")):
        blocks = [b.strip() for b in path.read_text("utf-8").split("\n\n") if b.strip()]
        for ordinal, block in enumerate(blocks[1:], start=1):
            row = known.get((path.name, str(ordinal)), {})
            arxiv = row.get("arxiv_id")
            papers.append(
                Paper(
                    id=f"{path.name[:3]}-{ordinal:02d}",
                    abstract=block,
                    title=row.get("title") or None,
                    venue="ICML",
                    year=2026,
                    url=f"https://arxiv.org/abs/{arxiv}" if arxiv else None,
                    source=Source(path.name, ordinal),
                )
            )
    return papers


def cite(number: int, paper: Paper, words: str, support: Support = "supported") -> Citation:
    place = paper.abstract.index(words)
    start, end = next(span for span in sentence_spans(paper.abstract) if span[1] > place)
    return Citation(number, paper, paper.abstract[start:end], start, end, support)


class StandInShelf:
    """Papers on a shelf, with vectors that mean nothing; only `id` and `year` filter."""

    generation = 1

    def __init__(self, papers: Sequence[Paper]) -> None:
        self._papers = list(papers)
        random = np.random.default_rng(0).normal(size=(len(papers), 8))
        lengths = np.linalg.norm(random, axis=1, keepdims=True)
        self.vectors = (random / lengths).astype(np.float32)

    def __len__(self) -> int:
        return len(self._papers)

    def paper(self, row: int) -> Paper:
        return self._papers[row]

    def papers(self) -> Iterator[Paper]:
        return iter(self._papers)

    def row(self, paper_id: str) -> int | None:
        ids = [paper.id for paper in self._papers]
        return ids.index(paper_id) if paper_id in ids else None

    def rows_where(self, where: Mapping[str, object]) -> NDArray[np.int64]:
        year = where.get("year")
        rows = [row for row, paper in enumerate(self._papers) if year in (None, paper.year)]
        return np.array(rows, dtype=np.int64)

    def vector(self, row: int) -> NDArray[np.float32] | None:
        return np.asarray(self.vectors[row])


class StandIn:
    """Answers by script; `pace` seconds pass before each event."""

    def __init__(self, pace: float = 0.0) -> None:
        self.settings = Settings()
        self.folder = tempfile.mkdtemp(prefix="ask-papers-")
        self.pace = pace
        self.by_id = {paper.id: paper for paper in seed_papers()}
        self.cancelled = 0
        self.shelf = StandInShelf(list(self.by_id.values()))
        self.judged: list[tuple[str, str, str]] = []
        self.wheres: list[Mapping[str, object] | None] = []
        self.histories: list[list[dict[str, str]]] = []

    def stream(
        self,
        question: str,
        history: list[dict[str, str]],
        where: Mapping[str, object] | None = None,
        *,
        cancel: Signal,
    ) -> Iterator[Event]:
        self.wheres.append(where)
        self.histories.append(list(history))
        try:
            for event in self._events(question, history):
                if cancel.wait(self.pace):
                    return
                yield event
        finally:
            self.cancelled += cancel.is_set()

    def ask(self, question: str, history: list[dict[str, str]] | None = None) -> Answer:
        for event in self._events(question, history or []):
            if isinstance(event, Done):
                return event.answer
        raise AssertionError("no answer")

    def search(
        self, question: str, limit: int = 20, where: Mapping[str, object] | None = None
    ) -> list[Evidence]:
        return list(self._evidence("001-17"))[:limit]

    async def aask(self, question: str) -> Answer:
        return self.ask(question)

    async def asearch(self, question: str, limit: int = 20) -> list[Evidence]:
        return self.search(question, limit)

    def snapshot(self) -> StandInShelf:
        return self.shelf

    def feedback(self, answer: Answer, verdict: str, words: str = "") -> None:
        if verdict not in ("good", "bad"):
            raise InputError("good or bad")
        self.judged.append((answer.question, verdict, words))

    def papers(self) -> list[Paper]:
        return list(self.by_id.values())

    def status(self) -> dict[str, Any]:
        return {
            "papers": 38,
            "vectors": 38,
            "model": None,
            "embedder": "minilm-l6-v2-int8",
            "folder": self.folder,
            "fingerprint": "5f1c2ad09be1",
        }

    def _events(self, question: str, history: list[dict[str, str]]) -> Iterator[Event]:
        if not question.strip():
            raise InputError("the question is empty: ask something")
        if "explode" in question:
            yield Status("searching")
            raise RuntimeError("a secret detail")
        if "refuse" in question:
            raise InputError("this question cannot be used: ask another")
        answer = self._answer(question, history)
        yield Status("searching")
        yield Status("reading", f"{answer.candidates} candidates")
        if answer.mode == "written":
            yield Status("writing")
            words = answer.text.split(" ")
            for place, word in enumerate(words):
                yield Token(word + (" " if place < len(words) - 1 else ""))
            yield Status("checking", f"{len(answer.sentences)} sentences")
            for sentence in answer.sentences:
                yield SentenceChecked(sentence)
        yield Done(answer)

    def _answer(self, question: str, history: list[dict[str, str]]) -> Answer:
        lowered = question.casefold()
        if "quantum" in lowered:
            made = self._nothing()
        elif "slow" in lowered:
            made = self._long()
        elif "xss" in lowered:
            made = self._attack(question)
        elif "math" in lowered:
            made = self._math()
        elif "compare" in lowered or "each claim" in lowered:
            made = self._compare()
        else:
            made = self._caches()
        standalone = question
        if history and lowered.startswith("and"):
            standalone = f"{question.rstrip('?')} among the papers on KV caches?"
        turn = (
            {"role": "user", "content": question},
            {"role": "assistant", "content": made["text"]},
        )
        base: dict[str, Any] = {
            "question": question,
            "standalone_question": standalone,
            "judged": 38,
            "candidates": 38,
            "embedder": "minilm-l6-v2-int8",
            "index_fingerprint": "5f1c2ad09be1",
            "timings": {"search": 9.0, "read": 31.0, "total": 44.0},
            "history": (*history, *turn),
        }
        return Answer(**(base | made))

    def _evidence(self, *ids: str) -> tuple[Evidence, ...]:
        found = []
        for place, paper_id in enumerate(ids):
            paper = self.by_id[paper_id]
            passage = Passage(paper.id, paper.abstract, 0, len(paper.abstract))
            found.append(Evidence(passage, paper, 0.94 * 0.6**place))
        return tuple(found)

    def _caches(self) -> dict[str, Any]:
        memory, relay = self.by_id["001-10"], self.by_id["001-17"]
        first = cite(1, relay, "We present RelayCaching")
        second = cite(2, memory, "We introduce TASM")
        text = (
            "2 of 38 papers study this:\n\n"
            f"- **{relay.label}**: {first.quote} [1]\n- **{memory.label}**: {second.quote} [2]"
        )
        return {
            "text": text,
            "kind": "list",
            "mode": "extractive",
            "citations": (first, second),
            "papers": (relay, memory),
            "evidence": self._evidence("001-17", "001-10", "001-19", "001-13", "000-17"),
            "sentences": (
                Sentence(f"{first.quote} [1]", "supported", (1,)),
                Sentence(f"{second.quote} [2]", "supported", (2,)),
            ),
        }

    def _compare(self) -> dict[str, Any]:
        relay, sparse = self.by_id["001-17"], self.by_id["001-19"]
        first = cite(1, relay, "Experiments")
        second = cite(2, sparse, "10.33", "partial")
        sentences = (
            Sentence(
                "RelayCaching cuts the time to first token by up to $4.7\\times$ [1].",
                "supported",
                (1,),
            ),
            Sentence(
                "**SparseInfer** is 10.33x faster than any other method on every model [2].",
                "partial",
                (2,),
                "“every model” is not in the abstract",
            ),
            Sentence(
                f"Both were released in March 2025 {UNVERIFIED}.",
                "unsupported",
                (),
                "no date stands in the abstracts",
            ),
        )
        return {
            "text": " ".join(s.text for s in sentences[:2]) + "\n\n" + sentences[2].text,
            "kind": "compare",
            "mode": "written",
            "model": "qwen2.5-1.5b",
            "prompt_hash": "c1a7e9",
            "citations": (first, second),
            "papers": (relay, sparse),
            "sentences": sentences,
            "evidence": self._evidence("001-17", "001-19", "001-13"),
            "usage": {"prompt": 1820, "completion": 96},
            "warnings": ("The vectors are still being made: only words were searched.",),
        }

    def _long(self) -> dict[str, Any]:
        made = self._compare()
        made["text"] = "A slow answer [1]. " * 60 + made["text"]
        return made

    def _math(self) -> dict[str, Any]:
        paper = self.by_id["000-05"]
        first = cite(1, paper, "We prove that BRED")
        second = cite(1, paper, "Existing DSGD-based")
        return {
            "text": f"{first.quote} [1]\n\n{second.quote} [1] It costs $5 and $10.",
            "kind": "fact",
            "mode": "extractive",
            "citations": (first, second),
            "papers": (paper,),
            "sentences": (Sentence(f"{first.quote} [1]", "supported", (1,)),),
            "evidence": self._evidence("000-05"),
        }

    def _nothing(self) -> dict[str, Any]:
        return {
            "text": "No abstract in this collection deals with quantum computing.",
            "kind": "list",
            "mode": "extractive",
            "abstained": True,
            "sentences": (Sentence("No abstract in this collection deals with it."),),
            "evidence": self._evidence("000-14", "000-05"),
        }

    def _attack(self, question: str) -> dict[str, Any]:
        evil = (
            'We propose <img src=x onerror="window.hit=1"> and <script>window.hit=1</script>. '
            '<a href="javascript:window.hit=1">click</a> ![i](https://evil.example/a.png?d=1) '
            "[x](javascript:window.hit=1) <iframe src=https://evil.example></iframe> "
            "$\\href{javascript:window.hit=1}{x}$ <form action=https://evil.example><input></form>."
        )
        paper = Paper(
            "evil", evil, title="<b onmouseover=window.hit=1>Bold</b>", url="javascript:1"
        )
        citation = Citation(1, paper, evil, 0, len(evil))
        return {
            "text": f"{evil} [1] {question}",
            "kind": "fact",
            "mode": "extractive",
            "citations": (citation,),
            "papers": (paper,),
            "sentences": (Sentence(evil, "partial", (1,), evil),),
            "warnings": (evil,),
        }
