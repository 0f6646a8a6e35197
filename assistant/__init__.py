"""Ask a collection of paper abstracts; every sentence of the answer is proven by a citation.

>>> from assistant import ask
>>> answer = ask("which papers study KV caches?")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assistant.answering.answer import Answer, Citation
    from assistant.api import Assistant, ask
    from assistant.corpus.paper import Paper
    from assistant.errors import AssistantError
    from assistant.settings import Settings, load_settings

__all__ = [
    "Answer",
    "Assistant",
    "AssistantError",
    "Citation",
    "Paper",
    "Settings",
    "ask",
    "load_settings",
]

_HOMES = {
    "Answer": "assistant.answering.answer",
    "Assistant": "assistant.api",
    "AssistantError": "assistant.errors",
    "Citation": "assistant.answering.answer",
    "Paper": "assistant.corpus.paper",
    "Settings": "assistant.settings",
    "ask": "assistant.api",
    "load_settings": "assistant.settings",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - what it returns depends on the name
    # Loaded on first use: importing the package must cost next to nothing.
    if name not in _HOMES:
        raise AttributeError(f"module 'assistant' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
