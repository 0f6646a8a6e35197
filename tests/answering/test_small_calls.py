"""A judge's lines as models write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from assistant.answering.models import ChatModel
from assistant.answering.small_calls import Opinion, judge
from assistant.corpus.paper import Paper
from assistant.settings import Settings
from tests.answering.conftest import judging, sources_in
from tests.scripted_server import Connection, Request, ScriptedServer, say

MakeModel = Callable[..., ChatModel]


MakeSettings = Callable[..., Settings]


def first_sentence(text: str) -> str:
    return text.splitlines()[-1].split(". ")[0]


def said_yes(name: str, text: str) -> str:
    return f'{name}: yes "{first_sentence(text)}"'


def opinions(
    reply: str, server: ScriptedServer, model: ChatModel, settings: Settings
) -> Sequence[Opinion | None]:
    def filled(request: Request, connection: Connection) -> None:
        names = list(sources_in(request))
        say(reply.format(*names))(request, connection)

    server.reply(filled)
    papers = [Paper(f"p{at}", f"We propose Method{at} for caches.") for at in range(2)]
    found = judge("Which?", papers, settings, model).opinions
    return [found.get(paper.id) for paper in papers]


@pytest.mark.parametrize(
    ("reply", "first"),
    [
        ('{0}: yes "We propose it"\n{1}: no', Opinion("yes", "We propose it")),
        ("- **{0}**: Yes — “We propose it”\n{1}: no", Opinion("yes", "We propose it")),
        ("[{0}]: partial: We propose it\n[{1}] no", Opinion("partly", "We propose it")),
        ('{0}: yes\n"We propose\nit"\n{1}: no', Opinion("yes", "We propose\nit")),
        ('S9f9f: no\n{0}: yes "A "b" c"\n{0}: no\n{1}: no', Opinion("yes", 'A "b" c')),
        ("I say no to {0}.\n{1}: no", None),
    ],
)
def test_a_judges_lines_are_read_tolerantly(
    reply: str,
    first: Opinion | None,
    server: ScriptedServer,
    make_model: MakeModel,
    make_settings: MakeSettings,
) -> None:
    found = opinions(reply, server, make_model(), make_settings())
    assert list(found) == [first, Opinion("no")]


def test_more_papers_than_a_window_holds_are_shown_in_more_calls(
    server: ScriptedServer, make_model: MakeModel, make_settings: MakeSettings
) -> None:
    server.reply(judging(said_yes))
    papers = [Paper(f"p{at}", f"We propose Method{at}. " + "It runs. " * 40) for at in range(40)]
    small = make_settings(context_tokens=2_000)
    found = judge("Which?", papers, small, make_model(context_tokens=2_000))
    assert set(found.opinions) == {paper.id for paper in papers}
    assert len(server.chats) == len(found.usage) > 1
