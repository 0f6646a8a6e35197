"""Writes `.env.example`: every setting, what it is for, and its default, all commented out.

Usage: `python -m tools.env_example`
"""

from __future__ import annotations

import textwrap
from pathlib import Path

from pydantic import AliasChoices
from pydantic.fields import FieldInfo

from assistant.settings import ENV_PREFIX, Settings

TARGET = Path(__file__).parent.parent / ".env.example"

_HEAD = """\
# Copy this file to .env and take the # away from what you want to change.
# As it stands it changes nothing. A flag wins over the environment, the environment over .env.
#
# With a key or an address of a server set, a chat model writes the answers;
# ASSISTANT_MODEL=none keeps them keyless, in sentences of the abstracts, all the same.
"""
# What a default depends on, where it is not one value for everybody.
_DEFAULT_WORDS = {"data_dir": "ask-papers in the user's data folder"}


def env_example() -> str:
    """Write out every setting as a commented line of an environment file.

    Returns:
        The text of `.env.example`.
    """
    entries = [_entry(name, field) for name, field in Settings.model_fields.items()]
    return "\n".join([_HEAD, *entries])


def variable(name: str, field: FieldInfo) -> str:
    """Name the environment variable of a setting.

    Args:
        name: the field's name in `Settings`.
        field: the field.
    """
    alias = field.validation_alias
    return str(alias.choices[0]) if isinstance(alias, AliasChoices) else ENV_PREFIX + name.upper()


def _entry(name: str, field: FieldInfo) -> str:
    value = _written(field)
    default = _DEFAULT_WORDS.get(name) or value or "unset"
    text = f"{(field.description or '').rstrip('.')}. Default: {default}."
    comment = textwrap.indent(textwrap.fill(text, 98, break_on_hyphens=False), "# ")
    return f"{comment}\n#{variable(name, field)}={value}\n"


def _written(field: FieldInfo) -> str:
    if field.default_factory or field.default is None:
        return ""
    return f"{field.default:g}" if isinstance(field.default, float) else str(field.default)


if __name__ == "__main__":
    TARGET.write_text(env_example(), encoding="utf-8")
