"""A model as a second judge of support: it is compared with the others and gates nothing."""

from __future__ import annotations

import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assistant.answering.prompts import fenced, new_fence
from assistant.errors import ModelError
from evals.calls import RecordedModel
from evals.metrics import mean_interval
from evals.records import CaseResult, RunRecord

__all__ = ["agreement", "judge", "kappa"]

_PROMPT = Path(__file__).parent / "prompts" / "support.md"
_VERDICT = re.compile(r"\b(yes|partly|no)\b", re.IGNORECASE)
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")
_MOST_TOKENS = 64
_MOST_MISSING = 0.2
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Claim:
    case: str
    sentence: str
    quote: str
    verified: bool
    right: bool


def judge(
    run: RunRecord, make_model: Callable[[], RecordedModel], repeats: int, workers: int
) -> dict[str, Any]:
    """Let a model judge every sentence with the quotes it cites.

    Args:
        run: the answers.
        make_model: makes the judge of one thread.
        repeats: how often each sentence is judged; the majority counts.
        workers: calls at once.

    Returns:
        Plain data: model, repeats, calls, sentences, how many have no verdict that could be read,
        whether enough have one, how often the judge agrees with itself, with the verifier and with
        the cases.
    """
    claims = [claim for case in run.cases if case.repeat == 0 for claim in _claims(case)]
    own = threading.local()

    def ask(claim: _Claim, sample: int) -> str | None:
        if not hasattr(own, "model"):
            own.model = make_model()
        model: RecordedModel = own.model
        model.begin(sample)
        try:
            reply = model.complete(_messages(claim), max_tokens=_MOST_TOKENS)
        except ModelError as error:
            _log.warning("a judgement is missing: %s", error)
            return None
        found = _VERDICT.search(reply.text)
        return found[1].lower() if found else None

    jobs = [(claim, sample) for claim in claims for sample in range(repeats)]
    with ThreadPoolExecutor(workers, thread_name_prefix="judge") as pool:
        said = list(pool.map(lambda job: ask(*job), jobs))
    votes = [said[at : at + repeats] for at in range(0, len(said), repeats)]
    return agreement([(claim.verified, claim.right) for claim in claims], votes, run.made.seed) | {
        "model": make_model().name,
        "repeats": repeats,
        "calls": len(jobs),
    }


def agreement(
    verdicts: Sequence[tuple[bool, bool]], votes: Sequence[Sequence[str | None]], seed: int
) -> dict[str, Any]:
    """Compare a judge with the deterministic verdicts.

    Args:
        verdicts: of each sentence: supported by the verifier, right by the case.
        votes: of each sentence: `yes`, `partly`, `no`, or None where a reply could not be read.
        seed: of the bootstrap.

    Returns:
        Plain data; shares with their interval and Cohen's kappa.
    """
    read = [
        (verdict, Counter(vote for vote in given if vote))
        for verdict, given in zip(verdicts, votes, strict=True)
        if any(given)
    ]
    judged = [count.most_common(1)[0][0] == "yes" for _, count in read]
    missing = len(verdicts) - len(read)
    found: dict[str, Any] = {"sentences": len(verdicts), "unscored": missing}
    # Of what is left, nobody knows whether it is like the whole.
    found["valid"] = missing <= _MOST_MISSING * len(verdicts)
    if not read:
        return found
    steady = np.array([max(count.values()) / sum(count.values()) for _, count in read])
    found["with itself"] = _share(steady, seed)
    for at, name in enumerate(("with the verifier", "with the cases")):
        other = [verdict[at] for verdict, _ in read]
        same = np.array([float(a == b) for a, b in zip(judged, other, strict=True)])
        found[name] = {**_share(same, seed), "kappa": kappa(judged, other)}
    return found


def kappa(one: Sequence[bool], other: Sequence[bool]) -> float | None:
    """Give Cohen's kappa: agreement beyond chance.

    Args:
        one: a judge's verdicts.
        other: another's.

    Returns:
        None where chance alone makes them agree always.
    """
    n = len(one)
    observed = sum(a == b for a, b in zip(one, other, strict=True)) / n
    p, q = sum(one) / n, sum(other) / n
    chance = p * q + (1 - p) * (1 - q)
    return None if chance == 1 else round((observed - chance) / (1 - chance), 4)


def _share(values: np.ndarray, seed: int) -> dict[str, float]:
    low, high = mean_interval(values, seed)
    return {"value": float(values.mean()), "low": low, "high": high}


def _claims(case: CaseResult) -> list[_Claim]:
    if case.answer is None:
        return []
    quotes: dict[int, list[str]] = {}
    for proof in case.answer["citations"]:
        quote = proof["abstract"][proof["start"] : proof["end"]]
        quotes.setdefault(proof["number"], []).append(quote)
    return [
        _Claim(
            case=case.id,
            sentence=sentence["text"],
            quote="\n".join(quote for number in sentence["citations"] for quote in quotes[number]),
            verified=sentence["verdict"] == "supported",
            right=bool(sentence["right"]),
        )
        for sentence in case.answer["sentences"]
        if sentence["citations"]
    ]


def _messages(claim: _Claim) -> list[dict[str, str]]:
    fence = new_fence()
    values = {
        "fence": fence,
        "quote": fenced(fence, "quotation", claim.quote),
        "sentence": fenced(fence, "sentence", claim.sentence),
    }
    text = _PROMPT.read_text(encoding="utf-8")
    system, _, user = text.partition("# User\n")
    parts = {"system": system.removeprefix("# System\n"), "user": user}
    return [
        {"role": role, "content": _VARIABLE.sub(lambda m: values[m[1]], part).strip()}
        for role, part in parts.items()
    ]
