"""The command line: `assistant ask`, `search`, `sync`, `papers`, `remove`, `doctor`, `chat`."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; an error a person can act on is one line on standard error."""
    from assistant.cli.application import app
    from assistant.errors import AssistantError

    try:
        app()
    except AssistantError as error:
        print(f"assistant: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("assistant: stopped", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read the output has seen enough, as `assistant papers | head` does.
        sys.stderr.close()
        sys.exit(0)
