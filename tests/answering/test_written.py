"""Written answers: every sentence checked, repaired once, marked or dropped."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any

import pytest

from assistant.answering.answer import Sentence
from assistant.answering.drafts import is_complete, split
from assistant.answering.events import Event, SentenceChecked, Status, Token
from assistant.answering.model_errors import ModelRefusedError
from assistant.answering.models import ChatModel
from assistant.answering.prompts import load_prompt
from assistant.answering.tokens import count_message_tokens
from assistant.answering.written import UNVERIFIED, Written, write_answer
from assistant.corpus.paper import Paper, Passage
from assistant.errors import InputError, ModelError
from assistant.retrieval.evidence import Evidence
from assistant.settings import Settings
from tests.answering.conftest import plain_verify
from tests.scripted_server import (
    CUT,
    DONE,
    Connection,
    Pause,
    Reply,
    Request,
    ScriptedServer,
    chunk,
    events,
    fail,
    say,
    words,
)

MakeModel = Callable[..., ChatModel]
MakeSettings = Callable[..., Settings]

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


@pytest.fixture
def write(make_model: MakeModel, make_settings: MakeSettings) -> Callable[..., Any]:
    def run(
        papers: Sequence[Paper] = PAPERS,
        history: Sequence[dict[str, str]] = (),
        question: str = "What does RelayCaching do?",
        **given: Any,
    ) -> tuple[list[Event], Written]:
        model, settings = make_model(**given), make_settings(**given)
        return finish(
            write_answer(question, evidence(*papers), history, settings, model, plain_verify)
        )

    return run


Write = Callable[..., tuple[list[Event], Written]]


def test_an_answer_with_its_proofs(
    server: ScriptedServer, write: Write, make_settings: MakeSettings
) -> None:
    server.reply(
        citing("RelayCaching reuses caches [{0}]. SparseInfer runs 1.8 times faster [{1}].")
    )
    read, written = write()
    assert written.text == (
        "RelayCaching reuses caches [1]. SparseInfer runs 1.8 times faster [2]."
    )
    assert [(proof.number, proof.paper.id, proof.support) for proof in written.citations] == [
        (1, "relay", "supported"),
        (2, "sparse", "supported"),
    ]
    for proof in written.citations:
        assert proof.paper.abstract[proof.start : proof.end] == proof.quote
    assert written.citations[0].quote == "It reuses caches between agents."
    assert written.papers == (RELAY, SPARSE)
    assert [sentence.verdict for sentence in written.sentences] == ["supported"] * 2
    assert written.usage == {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    assert written.prompt_hashes == (load_prompt("answer", make_settings()).hash,)
    assert written.model == "openai:test-model"
    assert (written.warnings, written.cut, written.no_answer) == ((), False, False)
    told = [event.sentence for event in read if isinstance(event, SentenceChecked)]
    assert told == list(written.sentences)
    shown = "".join(event.text for event in read if isinstance(event, Token))
    assert shown == written.text
    assert read[0] == Status("writing", "3 abstracts, openai:test-model")


def test_a_sentence_is_told_before_the_next_one_is_whole(
    server: ScriptedServer, write: Write
) -> None:
    server.reply(citing("RelayCaching reuses caches [{0}]. SAIM merges experts [{2}]."))
    read, _ = write()
    first = next(at for at, event in enumerate(read) if isinstance(event, SentenceChecked))
    last = max(at for at, event in enumerate(read) if isinstance(event, Token))
    assert first < last


def test_a_paper_found_twice_is_one_source(server: ScriptedServer, write: Write) -> None:
    # CIT-05
    server.reply(citing("RelayCaching reuses caches [{0}]. SAIM merges experts [{2}]."))
    _, written = write(papers=[RELAY, RELAY, SPARSE, SAIM])
    assert len(ids_in(server.chats[0])) == 3
    assert written.papers == (RELAY, SAIM)


def test_a_model_that_numbers_the_sources_itself(server: ScriptedServer, write: Write) -> None:
    server.reply(say("SparseInfer predicts core neurons [2]. SAIM merges experts. [3]"))
    _, written = write()
    assert written.text == "SparseInfer predicts core neurons [1]. SAIM merges experts [2]."
    assert written.papers == (SPARSE, SAIM)


# --- what is not supported

LIE = "RelayCaching reuses caches [{0}]. RelayCaching reaches 50 times lower latency [{0}]."


def test_an_unsupported_sentence_is_sent_back_once(server: ScriptedServer, write: Write) -> None:
    server.reply(
        citing(f"{LIE} SAIM destroys everything [{{2}}].", usage=(100, 20)),
        citing(
            "1: RelayCaching reaches 4.7 times lower latency [{0}].\n2: SAIM merges experts [{1}].",
            usage=(50, 10),
        ),
    )
    read, written = write()
    assert written.text == (
        "RelayCaching reuses caches [1]. RelayCaching reaches 4.7 times lower latency [1]. "
        "SAIM merges experts [2]."
    )
    assert {sentence.verdict for sentence in written.sentences} == {"supported"}
    assert written.usage == {"prompt_tokens": 150, "completion_tokens": 30, "total_tokens": 180}
    assert len(server.chats) == 2
    assert len(written.prompt_hashes) == 2
    sent_back = server.chats[1].prompt
    assert "1: RelayCaching reaches 50 times lower latency." in sent_back
    assert "not in the source: 50" in sent_back
    assert "2: SAIM destroys everything." in sent_back
    told = [event.sentence for event in read if isinstance(event, SentenceChecked)]
    assert told == list(written.sentences)
    assert Status("checking", "sentences sent back: 2") in read


@pytest.mark.parametrize(
    ("question", "mark"),
    [
        ("Was macht RelayCaching mit den Caches?", "(nicht belegt)"),
        ("¿Qué hace RelayCaching con las cachés?", "(sin verificar)"),
        ("Que fait RelayCaching avec les caches ?", "(non vérifié)"),
        ("RelayCaching 做什么？", "（未经证实）"),
    ],
)
def test_the_mark_is_in_the_questions_language(
    question: str, mark: str, server: ScriptedServer, write: Write
) -> None:
    server.reply(citing(LIE), citing("1: RelayCaching reaches 60 times lower latency [{0}]."))
    _, written = write(question=question)
    assert written.text.endswith(f"50 times lower latency {mark}.")
    assert written.sentences[1].text.endswith(f"{mark}.")


def test_still_unsupported_is_marked_and_cites_nothing(
    server: ScriptedServer, write: Write
) -> None:
    server.reply(citing(LIE), citing("1: RelayCaching reaches 60 times lower latency [{0}]."))
    _, written = write()
    assert written.text == (
        f"RelayCaching reuses caches [1]. RelayCaching reaches 50 times lower latency {UNVERIFIED}."
    )
    assert written.sentences[1] == Sentence(
        f"RelayCaching reaches 50 times lower latency {UNVERIFIED}.",
        "unsupported",
        (),
        "not in the source: 50",
    )
    assert [proof.support for proof in written.citations] == ["supported"]
    assert written.warnings == (f"sentences that no source supports: 1, marked {UNVERIFIED}",)
    assert len(server.chats) == 2


def test_still_unsupported_is_dropped(server: ScriptedServer, write: Write) -> None:
    server.reply(
        citing(f"- {LIE}\n- SAIM conquers the universe [{{2}}].\n- SAIM merges experts [{{2}}]."),
        say("no idea"),
    )
    _, written = write(unverified="drop")
    assert written.text == "- RelayCaching reuses caches [1].\n- SAIM merges experts [2]."
    assert written.warnings == ("sentences that no source supports: 2, left out",)


def test_numbers_follow_the_order_that_is_left(server: ScriptedServer, write: Write) -> None:
    server.reply(
        citing("SAIM conquers the universe [{2}]. RelayCaching reuses caches [{0}]."), say("?")
    )
    _, written = write(unverified="drop")
    assert written.text == "RelayCaching reuses caches [1]."
    assert [(proof.number, proof.paper.id) for proof in written.citations] == [(1, "relay")]


def test_a_withdrawn_sentence_goes(server: ScriptedServer, write: Write) -> None:
    server.reply(citing(LIE), say("1: DELETE"))
    _, written = write()
    assert written.text == "RelayCaching reuses caches [1]."
    assert written.warnings == ("a sentence that no source supports was withdrawn",)


def test_nothing_left_is_an_error(server: ScriptedServer, write: Write) -> None:
    server.reply(citing("SAIM conquers the universe [{2}]."), say("1: DELETE"))
    with pytest.raises(ModelError, match="nothing that the sources support"):
        write()


def test_a_repair_that_fails_is_told(server: ScriptedServer, write: Write) -> None:
    server.reply(citing(LIE), fail(500, "boom"))
    _, written = write()
    assert UNVERIFIED in written.text
    assert "could not be corrected" in written.warnings[0]


def test_a_claim_without_citation_gets_the_source_that_says_it(
    server: ScriptedServer, write: Write
) -> None:
    server.reply(citing("RelayCaching reuses caches. SAIM merges experts [{2}]."))
    _, written = write()
    assert written.text == "RelayCaching reuses caches [1]. SAIM merges experts [2]."
    assert written.papers == (RELAY, SAIM)


def test_a_sentence_that_names_nothing_speaks_of_the_paper_before(
    server: ScriptedServer, write: Write
) -> None:
    server.reply(
        citing(
            "RelayCaching reuses caches [{0}]. It reaches 4.7 times lower latency. "
            "It runs 1.8 times faster."
        ),
        say("?"),
    )
    _, written = write()
    assert written.text == (
        "RelayCaching reuses caches [1]. It reaches 4.7 times lower latency [1]. "
        f"It runs 1.8 times faster {UNVERIFIED}."
    )


def test_a_first_sentence_that_names_nothing_may_speak_of_the_best_source_alone(
    server: ScriptedServer, write: Write
) -> None:
    server.reply(citing("It reaches 4.7 times lower latency."))
    _, written = write()
    assert written.text == "It reaches 4.7 times lower latency [1]."
    assert written.papers == (RELAY,)
    server.reply(citing("It runs 1.8 times faster."), say("?"))
    _, written = write()
    assert written.text == f"It runs 1.8 times faster {UNVERIFIED}."


def test_a_mark_alone_is_no_sentence(server: ScriptedServer, write: Write) -> None:
    server.reply(citing("- [{1}]\n- RelayCaching reuses caches [{0}]."))
    read, written = write()
    told = [event.sentence.text for event in read if isinstance(event, SentenceChecked)]
    assert [sentence.text for sentence in written.sentences] == told
    assert all(any(map(str.isalpha, text)) for text in told)
    assert RELAY in written.papers


def test_an_answer_that_cites_nothing_is_shown_with_a_note(
    server: ScriptedServer, write: Write
) -> None:
    # CIT-06
    server.reply(say("RelayCaching conquers the universe."), say("?"))
    _, written = write()
    assert written.text == f"RelayCaching conquers the universe {UNVERIFIED}."
    assert written.citations == ()
    assert "the answer cites no source" in written.warnings


def test_a_citation_that_proves_nothing_is_taken_out(server: ScriptedServer, write: Write) -> None:
    server.reply(citing("SparseInfer predicts core neurons [{1}][{2}]."))
    _, written = write()
    assert written.text == "SparseInfer predicts core neurons [1]."
    assert written.papers == (SPARSE,)


def test_invented_ids_are_counted(server: ScriptedServer, write: Write) -> None:
    server.reply(citing("RelayCaching reuses caches [{0}, S9f9f]. SAIM merges experts [17]."))
    _, written = write()
    assert written.text == "RelayCaching reuses caches [1]. SAIM merges experts [2]."
    assert written.unknown_citations == 2
    assert written.warnings == ("citations of sources that do not exist: 2, removed",)


def test_a_list_of_references_is_not_shown(server: ScriptedServer, write: Write) -> None:
    server.reply(citing("RelayCaching reuses caches [{0}].\n\nReferences:\n[{0}] RelayCaching"))
    _, written = write()
    assert written.text == "RelayCaching reuses caches [1]."


# --- no answer


def test_the_sources_do_not_answer(server: ScriptedServer, write: Write) -> None:
    server.reply(say("[no-answer] No abstract names a GPU."))
    _, written = write()
    assert written.no_answer
    assert written.text == "No abstract names a GPU."
    assert written.warnings == ()


def test_the_mark_alone_still_says_something(server: ScriptedServer, write: Write) -> None:
    server.reply(say("[no-answer]"))
    _, written = write()
    assert written.no_answer
    assert written.text == "The abstracts in this collection do not answer this question."


def test_a_model_is_not_asked_to_answer_from_nothing(
    make_model: MakeModel, make_settings: MakeSettings, server: ScriptedServer
) -> None:
    # RET-07
    writing = write_answer("q", [], [], make_settings(), make_model(), plain_verify)
    with pytest.raises(ValueError, match="at least one source"):
        next(writing)
    assert server.requests == []


# --- replies that break off


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ([chunk("RelayCaching reuses caches [1]. It reaches"), CUT], "ended the reply early"),
        ([chunk("RelayCaching reuses caches [1]. It reaches"), chunk(finish="length")], "limit"),
        (
            [chunk("RelayCaching reuses caches [1]."), chunk(finish="content_filter"), DONE],
            "filter",
        ),
        (
            [chunk("RelayCaching reuses caches [1]. It"), chunk(refusal="No."), DONE],
            "declined to answer (No.)",
        ),
        ([chunk("RelayCaching reuses caches [1]. It"), Pause(20)], "fell silent"),
    ],
)
def test_what_was_whole_is_kept(
    reply: list[Any], told: str, server: ScriptedServer, write: Write
) -> None:
    # LLM-05
    server.reply(events(reply))
    _, written = write(stall_timeout=0.7)
    assert written.text == "RelayCaching reuses caches [1]."
    assert written.cut
    assert len(written.warnings) == 1
    assert told in written.warnings[0]


SAID = ["RelayCaching ", "reuses ", "caches ", "[1]", ". ", "SAIM ", "merges ", "experts ", "[3]."]


@pytest.mark.parametrize("length", range(1, len(SAID) + 1))
def test_a_reply_cut_at_each_event(length: int, server: ScriptedServer, write: Write) -> None:
    server.reply(events([*map(chunk, SAID[:length]), CUT]))
    if length < 5:
        with pytest.raises(ModelError, match="no whole sentence"):
            write()
        return
    _, written = write()
    whole = "RelayCaching reuses caches [1]."
    assert written.text == (whole if length < len(SAID) else f"{whole} SAIM merges experts [2].")
    assert written.cut
    assert "not complete" in written.warnings[0]


@pytest.mark.parametrize(
    "reply",
    [
        [chunk(content=None, refusal="I can't help."), chunk(finish="stop"), DONE],
        [chunk(content=None), chunk(finish="content_filter"), DONE],
    ],
)
def test_a_refusal_is_an_error_of_its_own(
    reply: list[Any], server: ScriptedServer, write: Write
) -> None:
    server.reply(events(reply))
    with pytest.raises(ModelRefusedError):
        write()


def test_a_failure_before_the_first_word(server: ScriptedServer, write: Write) -> None:
    server.reply(fail(401, "no"))
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        write()


def test_a_stopped_answer_keeps_what_was_whole(
    server: ScriptedServer, make_model: MakeModel, make_settings: MakeSettings
) -> None:
    # GUI-05
    server.reply(
        events([chunk("RelayCaching reuses caches [1]. It "), chunk("reaches"), Pause(20)])
    )
    cancel = threading.Event()
    writing = write_answer(
        "q", evidence(), [], make_settings(), make_model(), plain_verify, cancel=cancel
    )

    def stop_at_the_last_word() -> Generator[Event, None, Written]:
        while True:
            try:
                event = next(writing)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            if isinstance(event, Token) and "reaches" in event.text:
                cancel.set()
            yield event

    _, written = finish(stop_at_the_last_word())
    assert written.text == "RelayCaching reuses caches [1]."
    assert written.warnings == ("the answer is not complete: it was stopped",)
    assert server.wait_for_drop()


def test_closing_the_answer_closes_the_connection(
    server: ScriptedServer, make_model: MakeModel, make_settings: MakeSettings
) -> None:
    server.reply(say(*["word "] * 200, pause=0.05))
    writing = write_answer("q", evidence(), [], make_settings(), make_model(), plain_verify)
    for _ in range(4):
        next(writing)
    writing.close()
    assert server.wait_for_drop()


# --- thoughts


def test_thoughts_are_neither_shown_nor_cited(server: ScriptedServer, write: Write) -> None:
    # LLM-08
    server.reply(say("<", "thi", "nk>maybe [9]", "</think>", "RelayCaching reuses caches [1]."))
    read, written = write()
    assert written.text == "RelayCaching reuses caches [1]."
    assert written.unknown_citations == 0
    assert "maybe" not in "".join(event.text for event in read if isinstance(event, Token))


def test_thoughts_whose_opening_tag_is_swallowed(server: ScriptedServer, write: Write) -> None:
    server.reply(
        say("Maybe [9]. Or not [2]. Yes.", "\n</think>\n", "RelayCaching reuses caches [1].")
    )
    _, written = write()
    assert written.text == "RelayCaching reuses caches [1]."
    assert written.papers == (RELAY,)
    assert written.unknown_citations == 0


# --- what is sent


def test_every_request_stays_below_the_window(server: ScriptedServer, write: Write) -> None:
    # TOK-03
    def strict(request: Request, connection: Connection) -> None:
        if count_message_tokens(request.messages) + request.body["max_tokens"] > 4_096:
            fail(400, "maximum context length is 4096 tokens")(request, connection)
        else:
            citing("RelayCaching reuses caches [{0}].")(request, connection)

    server.reply(strict)
    history: list[dict[str, str]] = []
    for turn in range(60):
        history.append({"role": "user", "content": f"question {turn} " + "word " * 100})
        history.append({"role": "assistant", "content": f"answer {turn} " + "word " * 100})
        if turn % 12 == 11:
            write(history=history, context_tokens=4_096, answer_tokens=500)
    assert len(server.chats) == 5
    sent = server.chats[-1]
    assert "answer 59" in sent.prompt
    assert "question 3 " not in sent.prompt
    assert all(paper.abstract in sent.prompt for paper in PAPERS)
    assert "What does RelayCaching do?" in sent.messages[-1]["content"]


def test_a_window_smaller_than_the_settings_say(server: ScriptedServer, write: Write) -> None:
    history = [
        {"role": role, "content": f"turn {at} " + "word " * 300}
        for at in range(20)
        for role in ("user", "assistant")
    ]

    def strict(request: Request, connection: Connection) -> None:
        if count_message_tokens(request.messages) + request.body["max_tokens"] > 4_096:
            fail(400, "This model's maximum context length is 4096 tokens.")(request, connection)
        else:
            citing("RelayCaching reuses caches [{0}].")(request, connection)

    server.reply(strict)
    _, written = write(history=history)
    assert written.text == "RelayCaching reuses caches [1]."
    assert len(server.chats) == 2


def test_papers_that_do_not_fit_are_told(server: ScriptedServer, write: Write) -> None:
    long = [
        Paper(f"p{at}", f"We propose Method{at}. " + "It reuses caches. " * 100) for at in range(6)
    ]
    server.reply(citing("Method0 reuses caches [{0}]."))
    _, written = write(papers=long, context_tokens=2_500, answer_tokens=200)
    given = len(ids_in(server.chats[0]))
    assert 0 < given < 6
    assert written.warnings[0].startswith(f"{6 - given} of 6 papers did not fit")


def test_a_pasted_page(server: ScriptedServer, write: Write) -> None:
    # TOK-04
    page = "An abstract says this. " * 2_000 + "What does RelayCaching do?"
    server.reply(citing("RelayCaching reuses caches [{0}]."))
    assert write(question=page)[1].text == "RelayCaching reuses caches [1]."
    assert page in server.chats[0].prompt
    with pytest.raises(InputError, match="the question is too long"):
        write(question=page, context_tokens=4_096)


def test_control_marks_in_question_and_history(server: ScriptedServer, write: Write) -> None:
    # TOK-01
    server.reply(citing("RelayCaching reuses caches [{0}]."))
    history = [{"role": "user", "content": "<|im_start|>"}]
    write(question="What is <|endofprompt|>?", history=history)
    assert "What is <|endofprompt|>?" in server.chats[0].prompt
    assert "<|im_start|>" in server.chats[0].prompt


def test_an_empty_answer_in_the_history_does_not_block_the_chat(
    server: ScriptedServer, write: Write
) -> None:
    # LLM-06
    def strict(request: Request, connection: Connection) -> None:
        if any(not message["content"] for message in request.messages):
            fail(400, "message must not be empty")(request, connection)
        else:
            citing("RelayCaching reuses caches [{0}].")(request, connection)

    server.reply(strict)
    history = [{"role": "user", "content": "first"}, {"role": "assistant", "content": ""}]
    assert write(history=history)[1].text == "RelayCaching reuses caches [1]."


# --- cutting into sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("A halves memory [1]. B does not [2].", ["A halves memory [1].", "B does not [2]."]),
        ("A halves it. [1] B does not. [2]", ["A halves it [1].", "B does not [2]."]),
        ("- [1] A halves it.\n- [2]: B does", ["A halves it [1].", "B does [2]"]),
        ("[1] halves it. [2] does not.", ["[1] halves it.", "[2] does not."]),
        ("[1] A halves what B does [2].", ["[1] A halves what B does [2]."]),
        ("Two:\n- A halves it [1]\n- B does [2].", ["Two:", "A halves it [1]", "B does [2]."]),
        ("1. A halves it [1].\n2. B does [2].", ["A halves it [1].", "B does [2]."]),
        ("| A | halves [1] |\n|---|---|\n| B. C | x |", ["| A | halves [1] |", "| B. C | x |"]),
        ("A reaches 4.7 times, e.g. on X [1].", ["A reaches 4.7 times, e.g. on X [1]."]),
        ("它将内存减半。[1]第二句。[2]", ["它将内存减半 [1]。", "第二句 [2]。"]),
        ("## Results\nA halves it [1].", ["Results", "A halves it [1]."]),
    ],
)
def test_sentences_of_markdown(text: str, sentences: list[str]) -> None:
    pieces, _ = split(text)
    assert [piece.text for piece in pieces] == sentences


@pytest.mark.parametrize("text", ["A [1]. B.\n\n- C [2]\n", "  \n", "|---|\n", "x"])
def test_pieces_make_up_the_text(text: str) -> None:
    pieces, tail = split(text)
    assert "".join(piece.before + piece.text for piece in pieces) + tail == text


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("It halves [1].", True),
        ("It halves. [1]", True),
        ("It halves [1]", False),
        ("减半[1]。", True),
    ],
)
def test_whole_sentences(text: str, whole: bool) -> None:
    assert is_complete(text) is whole
