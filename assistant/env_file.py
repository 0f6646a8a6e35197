"""The file `.env` of the working folder, read so that no line of it is passed over in silence."""

from __future__ import annotations

from pathlib import Path

from assistant.errors import SettingsError

__all__ = ["env_file"]

_OURS = ("ASSISTANT_", "CHROMA_", "OPENAI_")


def env_file() -> dict[str, str]:
    """Read the names and values of `.env`; empty where there is none.

    Raises:
        SettingsError: a line is no NAME=value, or the file cannot be read.
    """
    path = Path(".env")
    if not path.is_file():
        return {}
    from dotenv.parser import parse_stream

    found: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8-sig") as file:
            for line in parse_stream(file):
                text = line.original.string
                if line.key is not None and line.value is not None:
                    found[line.key] = line.value
                elif line.error or (line.key and not _is_of_a_shell(text)):
                    blank = text[: len(text) - len(text.lstrip())].count("\n")
                    # What stands there is not repeated: it may be a key.
                    raise SettingsError(
                        f".env, line {line.original.line + blank}: this is no NAME=value; write it "
                        "so, or begin the line with # to leave it out"
                    )
    except UnicodeDecodeError as error:
        raise SettingsError(f".env is not UTF-8 at byte {error.start}: save it as UTF-8") from error
    except OSError as error:
        raise SettingsError(f".env cannot be read ({error}): see that you may read it") from error
    return found


def _is_of_a_shell(line: str) -> bool:
    """`export NAME` says nothing to this program, and is no slip of the pen."""
    words = line.split()
    return words[:1] == ["export"] and not words[-1].startswith(_OURS)
