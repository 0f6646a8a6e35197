"""What the assistant is to other programs: the words for its tools, and what serving them needs."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from assistant.errors import InputError

__all__ = ["ASK", "SEARCH", "require_mcp"]

ASK = (
    "Answer a question from the collection of paper abstracts. The text cites with [n]; each "
    "citation holds the words of the abstract that prove its sentence, and whether they were "
    "verified. abstained means that the collection does not answer the question."
)
SEARCH = (
    "Rank the papers of the collection for words or a question, best first, each with a "
    "calibrated relevance from 0 to 1 and the sentence that shows why."
)


def require_mcp() -> None:
    """Check that tools can be served.

    Raises:
        InputError: the package for it is missing, or of a release that works otherwise.
    """
    try:
        found = version("mcp")
    except PackageNotFoundError:
        raise InputError('MCP tools need the mcp package: pip install "ask-papers[mcp]"') from None
    if int(found.split(".")[0]) >= 2:
        raise InputError(f'MCP tools need mcp below 2, not {found}: pip install "ask-papers[mcp]"')
