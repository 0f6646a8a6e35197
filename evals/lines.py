"""YAML whose values remember the line they stand on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from assistant.errors import InputError

__all__ = ["Lines", "read_yaml"]

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Where each value of a file stands.

    Args:
        path: the file.
        numbers: line by place, such as `("cases", 3, "facts")`.
    """

    path: Path
    numbers: dict[Place, int]

    def where(self, place: Place) -> str:
        """Give `file:line` of a value, or of what it would stand in.

        Args:
            place: keys and positions from the top.
        """
        while place not in self.numbers and place:
            place = place[:-1]
        return f"{self.path.name}:{self.numbers.get(place, 1)}"


def read_yaml(path: Path) -> tuple[Any, Lines]:
    """Read a YAML file; every scalar stays the text that was written.

    Args:
        path: the file.

    Raises:
        InputError: it cannot be read, is no YAML, or names a key twice.
    """
    numbers: dict[Place, int] = {(): 1}
    lines = Lines(path, numbers)
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else 1
        problem = error.problem or "it cannot be parsed"
        raise InputError(
            f"{path.name}:{line}: is no YAML ({problem}): mend the indentation or put the text "
            "in quotes"
        ) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(
            f"{path.name}:1: cannot be read as YAML ({error}): save as UTF-8"
        ) from None
    return (None if root is None else _value(root, (), lines)), lines


def _value(node: yaml.Node, place: Place, lines: Lines) -> Any:
    lines.numbers.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return [_value(each, (*place, i), lines) for i, each in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        made: dict[str, Any] = {}
        for key, value in node.value:
            name = str(key.value)
            line = key.start_mark.line + 1
            if name in made:
                raise InputError(
                    f"{lines.path.name}:{line}: the key {name!r} stands here twice: remove one"
                )
            lines.numbers[*place, name] = line
            made[name] = _value(value, (*place, name), lines)
        return made
    return str(node.value)
