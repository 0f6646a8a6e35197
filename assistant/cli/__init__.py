"""The command line: `assistant ask`, `search`, `sync`, `papers`, `remove`, `doctor`, `chat`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer.exceptions import TyperException

__all__ = ["main"]

_STOPPED = 130
_SHARED = ("--collection", "--data-dir", "--log-level")


def main() -> None:
    """Run the command line; an error a person can act on is one line on standard error."""
    from typer.exceptions import Abort, TyperException

    from assistant.cli.application import app
    from assistant.cli.printing import escape_what_cannot_be_printed, tell
    from assistant.errors import AssistantError

    escape_what_cannot_be_printed()
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except AssistantError as error:
        tell(f"assistant: {error}")
        sys.exit(error.exit_code)
    except TyperException as error:
        tell(f"assistant: {_usage(error)}")
        sys.exit(error.exit_code)
    except (Abort, KeyboardInterrupt):
        code = _STOPPED
    if code == _STOPPED:
        tell("assistant: stopped")
    sys.exit(code if isinstance(code, int) else 0)


def _usage(error: TyperException) -> str:
    """Say what was wrong with a call, and where the right one stands."""
    from assistant.cli.application import COMMANDS

    said = error.format_message().strip().rstrip(".")
    command = next((word for word in sys.argv[1:] if word in COMMANDS), None)
    shared = next((name for name in _SHARED if said.lower() == f"no such option: {name}"), None)
    if shared is not None:
        place = f"assistant {shared} … {command or 'COMMAND'} …"
        return f"{shared} stands before the command: `{place}`"
    asked = f"assistant {command}" if command else "assistant"
    return f"{said[:1].lower()}{said[1:]}: see `{asked} --help`"
