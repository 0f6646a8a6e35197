"""What can go wrong, as the person in front of it can act on it."""

from __future__ import annotations

__all__ = [
    "AssistantError",
    "IndexBusyError",
    "IndexDamagedError",
    "InputError",
    "ModelError",
    "RemovalError",
    "ServerError",
    "SettingsError",
    "StoppedError",
]


class AssistantError(Exception):
    """Any failure this package reports; its text is one line that says what to do.

    Args:
        message: what happened and the step that mends it, in one line.
    """

    exit_code = 1

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class SettingsError(AssistantError):
    """A setting is unknown, malformed, or contradicts another one."""

    exit_code = 2


class InputError(AssistantError):
    """A question, file or record that cannot be used as it is."""

    exit_code = 2


class IndexBusyError(AssistantError):
    """Another process is writing to this collection."""

    exit_code = 3


class IndexDamagedError(AssistantError):
    """The index cannot be read and could not be rebuilt from the catalogue."""

    exit_code = 3


class _RetryableError(AssistantError):
    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class ModelError(_RetryableError):
    """The language model or the remote embedder did not give a usable reply.

    Args:
        message: what happened and the step that mends it, in one line.
        retryable: whether the same call may succeed later without a change.
    """

    exit_code = 4


class RemovalError(AssistantError):
    """A sync would have taken out many papers, and nobody said that this is meant.

    Args:
        lost: what would have gone, in words.
        asked: a person read this and said no: no step is told for what they do not want.
    """

    def __init__(self, lost: object, *, asked: bool = False) -> None:
        step = (
            "; if they are meant to go, run the same command with --yes (in Python: "
            "confirm=lambda removal: True)"
        )
        super().__init__("nothing was changed" if asked else f"{lost}: nothing was changed{step}")


class StoppedError(AssistantError):
    """A person stopped the work; the message says what is kept."""

    exit_code = 130


class ServerError(_RetryableError):
    """The Chroma server that `CHROMA_URL` names did not do what it was asked to.

    Args:
        message: what happened and the step that mends it, in one line.
        retryable: whether the same call may succeed later without a change.
    """

    exit_code = 3
