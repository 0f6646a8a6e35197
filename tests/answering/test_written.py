"""Written answers: every sentence checked, repaired once, marked or dropped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.answering.answer import Sentence
from assistant.answering.events import SentenceChecked, Status, Token
from assistant.answering.prompts import load_prompt
from assistant.answering.written import UNVERIFIED, write_answer
from assistant.errors import ModelError
from assistant.settings import Settings
from tests.answering.conftest import MakeModel, plain_verify
from tests.answering.writing_papers import (
    RELAY,
    SAIM,
    SPARSE,
    Write,
    citing,
    ids_in,
)
from tests.scripted_server import (
    ScriptedServer,
    fail,
    say,
)


def test_an_answer_with_its_proofs(
    server: ScriptedServer, write: Write, make_settings: Callable[..., Settings]
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
    make_model: MakeModel, make_settings: Callable[..., Settings], server: ScriptedServer
) -> None:
    # RET-07
    writing = write_answer("q", [], [], make_settings(), make_model(), plain_verify)
    with pytest.raises(ValueError, match="at least one source"):
        next(writing)
    assert server.requests == []
