"""One written answer while it is made: streamed, checked, repaired once, put together."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from assistant.answering.answer import Citation, Sentence
from assistant.answering.citations import CitationStream, strip_reference_list
from assistant.answering.drafts import (
    Checked,
    Piece,
    Verdict,
    Verify,
    assembled,
    checked,
    is_complete,
    split,
)
from assistant.answering.events import Event, SentenceChecked, Status, Token
from assistant.answering.model_errors import ContextTooLongError, ModelRefusedError
from assistant.answering.models import ChatModel, Finish, Message, Retract, Usage
from assistant.answering.phrases import say
from assistant.answering.prompts import load_prompt
from assistant.answering.repairs import complaints, corrections
from assistant.answering.source_prompts import SourcePrompts
from assistant.corpus.lookalikes import without_control
from assistant.corpus.paper import Paper
from assistant.errors import InputError, ModelError
from assistant.retrieval.evidence import Evidence
from assistant.retrieval.language import language_of
from assistant.settings import Settings
from assistant.wording import counted

__all__ = ["Writing", "Written"]

_log = logging.getLogger(__name__)

_NOTHING_FOUND = "The abstracts in this collection do not answer this question."
_LEAST_SECONDS_TO_REPAIR = 2.0
_MOST_REPAIRED = 20
_SHORT = 4_000
_GROWN = 1.2
_SMALLER = 0.8
_ENDS = frozenset(".!?…。！？:\n")


@dataclass(frozen=True, slots=True)
class Written:
    """A written answer, ready to become an `Answer`.

    Args:
        text: Markdown with `[n]`, numbered in the order of first use.
        citations: the proofs ordered by number; a number has one for each place that shows it.
        sentences: the text sentence by sentence, with verdicts.
        papers: those cited, in the order of their numbers.
        no_answer: the model said that the sources do not answer the question as asked.
        usage: tokens of all calls; None where the server did not count them.
        prompt_hashes: of the prompts that were sent.
        model: the model's name.
        warnings: fallbacks and limits a reader must know of.
        cut: the reply broke off, ran into its limit or was stopped.
        unknown_citations: how many citations named a source that was not given.
    """

    text: str
    citations: tuple[Citation, ...]
    sentences: tuple[Sentence, ...]
    papers: tuple[Paper, ...]
    no_answer: bool
    usage: dict[str, int] | None
    prompt_hashes: tuple[str, ...]
    model: str
    warnings: tuple[str, ...]
    cut: bool
    unknown_citations: int


class Writing:
    """One answer while it is made; `write_answer` says what its arguments are."""

    def __init__(
        self,
        question: str,
        evidence: Sequence[Evidence],
        history: Sequence[Message],
        settings: Settings,
        model: ChatModel,
        verify: Verify,
        cancel: threading.Event | None,
    ) -> None:
        self._question = question
        self._history = history
        self._settings = settings
        self._model = model
        self._cancel = cancel
        best: dict[str, Evidence] = {}
        for item in evidence:
            best.setdefault(item.paper.id, item)
        self._best = list(best.values())
        self.papers = [item.paper for item in self._best]
        self._sources = SourcePrompts(self.papers)
        self._verify = _remembered(verify)
        self._prompt = load_prompt("answer", settings)
        self._sent = [self._prompt.hash]
        self._mark = say("unverified", language_of(question))
        self._deadline = time.monotonic() + settings.total_timeout
        self._citations = self._citation_stream()
        self._unknown = 0
        self._sentences: list[Checked] = []
        self._tail = ""
        self._told = 0
        self._finish = Finish("cut")
        self._usage: list[Usage | None] = []
        self._warnings: list[str] = []

    def draft(self) -> Iterator[Event]:
        """Stream the first draft; sentences are checked as soon as they are whole."""
        window = self._model.context_tokens
        try:
            yield from self._stream(window)
        except ContextTooLongError as error:
            # The server's window is smaller than thought, or it counts more tokens than we do.
            smaller = int(window * _SMALLER)
            window = min(error.limit or smaller, smaller)
            _log.info("%s; asking once more with %d tokens", error, window)
            yield from self._stream(window)

    def repair(self) -> Iterator[Event]:
        """Send the sentences that no source supports back once, each with its reason."""
        wrong = (at for at, each in enumerate(self._sentences) if each.support == "unsupported")
        places = list(islice(wrong, _MOST_REPAIRED))
        broken_off = self._finish.reason in ("cut", "stopped")
        if not places or broken_off or self._seconds_left() < _LEAST_SECONDS_TO_REPAIR:
            return
        yield Status("checking", f"sentences sent back: {len(places)}")
        try:
            replies = self._corrected([self._sentences[at] for at in places])
        except (InputError, ModelError) as error:
            self._warnings.append(f"what no source supports could not be corrected: {error}")
            return
        for number, at in reversed(list(enumerate(places, start=1))):
            if number in replies:
                self._replace(at, replies[number])

    def result(self) -> tuple[Written, list[Sentence]]:
        """Put the answer together.

        Returns:
            It, and the sentences no event has told of yet.

        Raises:
            ModelError: nothing is left.
        """
        if not self._sentences and not self._citations.no_answer:
            raise ModelError(f"{self._model.name} wrote nothing that the sources support")
        mark = None if self._settings.unverified == "drop" else self._mark
        order = self._citations.order
        text, kept, proofs = assembled(self._sentences, self._tail, self.papers, order, mark=mark)
        if not kept and not self._citations.no_answer:
            raise ModelError(f"{self._model.name} wrote nothing that the sources support")
        self._warn(kept, bool(proofs))
        sentences = tuple(each.sentence for each in kept) or (Sentence(_NOTHING_FOUND),)
        known = [usage for usage in self._usage if usage is not None]
        complete = known and len(known) == len(self._usage)
        written = Written(
            text=text or _NOTHING_FOUND,
            citations=proofs,
            sentences=sentences,
            papers=tuple(dict.fromkeys(proof.paper for proof in proofs)),
            no_answer=self._citations.no_answer,
            usage=sum(known[1:], known[0]).to_dict() if complete else None,
            prompt_hashes=tuple(self._sent),
            model=self._model.name,
            warnings=tuple(self._warnings),
            cut=self._finish.reason != "stop",
            unknown_citations=self._unknown + self._citations.unknown,
        )
        return written, list(sentences[self._told :])

    def _stream(self, window: int) -> Iterator[Event]:
        limit = min(self._settings.answer_tokens, window // 2)
        request = self._sources.request(
            self._prompt,
            budget=window - limit,
            model=self._model.name,
            history=self._history,
            values={"question": self._question},
        )
        text, due, looked = "", False, 0
        for event in self._model.stream(
            request.messages, max_tokens=limit, seconds=self._seconds_left(), cancel=self._cancel
        ):
            if isinstance(event, Finish):
                self._finish = event
            elif isinstance(event, Retract):
                text, looked, self._citations = "", 0, self._citation_stream()
                self._sentences, self._told = [], 0
            elif shown := self._citations.feed(without_control(event.text)):
                text += shown
                yield Token(shown)
                due = due or not _ENDS.isdisjoint(shown)
                # All of it is looked at anew, so the longer it is, the less often.
                due = due and (len(text) < _SHORT or len(text) > looked * _GROWN)
                # The last sentence may still grow.
                if due and len(whole := split(text)[0][:-1]) > len(self._sentences):
                    due, looked = False, len(text)
                    yield from self._check(whole)
        if rest := self._citations.finish():
            text += rest
            yield Token(rest)
        self._usage.append(self._finish.usage)
        if request.left_out:
            self._warnings.append(
                f"{request.left_out} of {counted(len(self.papers), 'paper')} did not fit into the "
                "model's context and were not read"
            )
        yield from self._check(self._whole(text, limit))

    def _whole(self, text: str, limit: int) -> list[Piece]:
        """Split the whole reply; of one that broke off, the last unfinished sentence goes."""
        pieces, self._tail = split(strip_reference_list(text))
        if self._finish.reason == "stop":
            return pieces
        what = self._why_cut(limit)
        if pieces and not is_complete(pieces[-1].text):
            pieces, self._tail = pieces[:-1], ""
        if not pieces and not self._citations.no_answer:
            refused = self._finish.reason in ("refused", "filtered")
            kind = ModelRefusedError if refused else ModelError
            raise kind(f"{self._model.name} gave no whole sentence: {what}")
        self._warnings.append(f"the answer is not complete: {what}")
        return pieces

    def _why_cut(self, limit: int) -> str:
        finish = self._finish
        if finish.reason == "length":
            return f"it ran into its limit of {limit} tokens (ASSISTANT_ANSWER_TOKENS)"
        if finish.reason == "filtered":
            return "a content filter withheld the rest"
        if finish.reason == "refused":
            return f"the model declined to answer ({finish.refusal or 'without a reason'})"
        return finish.detail or ("it was stopped" if finish.reason == "stopped" else "it broke off")

    def _check(self, pieces: Sequence[Piece]) -> Iterator[Event]:
        """Check sentences anew from the first: what more text made of them may have changed."""
        order = self._citations.order
        self._sentences = self._checked(pieces, order, recent=())
        told = list(takewhile(lambda each: each.support != "unsupported", self._sentences))
        _, final, _ = assembled(told, "", self.papers, order, mark=self._mark)
        yield from (SentenceChecked(each.sentence) for each in final[self._told :])
        self._told = max(self._told, len(told))

    def _checked(
        self, pieces: Sequence[Piece], order: list[int], recent: Sequence[int]
    ) -> list[Checked]:
        found: list[Checked] = []
        for piece in pieces:
            found.append(checked(piece, self.papers, order, recent, self._verify, self._span))
            recent = self._rests_on(found[-1], order) or recent
        return found

    def _rests_on(self, sentence: Checked, order: Sequence[int]) -> list[int]:
        return [order[number - 1] for number in sentence.proofs]

    def _corrected(self, wrong: Sequence[Checked]) -> dict[int, str]:
        order = self._citations.order
        model = self._model
        limit = min(self._settings.answer_tokens, model.context_tokens // 2)
        asked, cited = complaints(wrong, self._sources.ids, order)
        others = [place for place in range(len(self.papers)) if place not in cited]
        prompt = load_prompt("repair", self._settings)
        request = self._sources.request(
            prompt,
            budget=model.context_tokens - limit,
            model=model.name,
            places=[*cited, *others],
            values={"sentences": asked},
        )
        self._sent.append(prompt.hash)
        reply = model.complete(
            request.messages, max_tokens=limit, seconds=self._seconds_left(), cancel=self._cancel
        )
        self._usage.append(reply.finish.usage)
        return corrections(reply.text, count=len(wrong))

    def _replace(self, at: int, corrected: str) -> None:
        before = self._sentences[at].before
        if not corrected:
            self._sentences[at : at + 1] = []
            self._warnings.append("a sentence that no source supports was withdrawn")
            return
        citations = self._citation_stream(self._citations.order)
        pieces, _ = split(citations.feed(without_control(corrected)) + citations.finish())
        order = citations.order
        recent = self._rests_on(self._sentences[at - 1], order) if at else ()
        found = self._checked(pieces, order, recent)
        if not found or any(each.support == "unsupported" for each in found):
            return
        self._citations.order[:] = order
        self._unknown += citations.unknown
        self._sentences[at : at + 1] = [replace(found[0], before=before), *found[1:]]

    def _warn(self, kept: Sequence[Checked], has_proofs: bool) -> None:
        unsupported = sum(each.support == "unsupported" for each in self._sentences)
        if unsupported:
            what = "left out" if self._settings.unverified == "drop" else f"marked {self._mark}"
            self._warnings.append(f"sentences that no source supports: {unsupported}, {what}")
        if kept and not has_proofs and not self._citations.no_answer:
            self._warnings.append("the answer cites no source")
        unknown = self._unknown + self._citations.unknown
        if unknown:
            self._warnings.append(f"citations of sources that do not exist: {unknown}, removed")

    def _span(self, place: int) -> tuple[int, int]:
        passage = self._best[place].passage
        return passage.start, passage.end

    def _citation_stream(self, order: Sequence[int] = ()) -> CitationStream:
        return CitationStream(self._sources.ids, aliases=self._sources.aliases, order=order)

    def _seconds_left(self) -> float:
        return max(0.001, self._deadline - time.monotonic())


def _remembered(verify: Verify) -> Verify:
    """Check the same sentence against the same papers once only."""
    known: dict[tuple[str, tuple[str, ...]], Verdict] = {}

    def ask(sentence: str, papers: Sequence[Paper]) -> Verdict:
        key = (sentence, tuple(paper.id for paper in papers))
        if key not in known:
            known[key] = verify(sentence, papers)
        return known[key]

    return ask
