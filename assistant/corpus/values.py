"""Values as files hold them, made plain: text that is none, years, addresses, ids."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from html.parser import HTMLParser

from assistant.corpus.paper import text_hash

__all__ = [
    "LONGEST_LINE",
    "arxiv_id",
    "doi_of",
    "is_nothing",
    "one_line",
    "paper_id",
    "text_of",
    "unwrapped",
    "web_address",
    "without_markup",
    "year_of",
]

_NOTHING = frozenset(
    "none|null|nil|nan|na|n/a|n.a|#n/a|<na>|undefined|missing|tba|tbd|abstract|no abstract|"
    "no abstract available|no abstract provided|no abstract is available|no abstract found|"
    "abstract not available|abstract unavailable|abstract not provided|not available|"
    "not provided|not applicable".split("|")
)
_LONGEST_NOTHING = 60
LONGEST_LINE = 2_000
"""Characters of a title at most."""

_LONGEST_ID = 128
_LONGEST_ADDRESS = 2_000
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_YEARS = range(1500, 2100)
_LONGEST_DATE = 200
_COMPACT_DATES = range(15_000_101, 21_000_000)
_SECONDS = range(10**8, 4 * 10**9)
_MILLISECONDS = range(10**11, 4 * 10**12)
_ADDRESS = re.compile(r"https?://[^\s\x00-\x20\x7f<>\"]+", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:^|arxiv\s*:\s*|arxiv\.org/(?:abs|pdf)/)(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})"
    r"(?:v\d+)?(?:\.pdf)?$",
    re.IGNORECASE,
)
_DOI = re.compile(r"10\.\d{4,9}/[^\s\x00-\x20\x7f]+$")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_MARKUP = re.compile(
    r"<(?P<tag>(?:jats:)?(?:p|div|abstract|sec|title|span|html|body|section|article|b|i|em|strong)|"
    r"jats:[a-z-]+)(?:\s[^<>]*)?>.*</(?:jats:)?[a-z-]+\s*>",
    re.IGNORECASE | re.DOTALL,
)
_BLOCKS = frozenset("p div sec title abstract br li list list-item section article".split())
_HEADING = re.compile(r"^(?:abstract|summary)\s*[:.]?\n", re.IGNORECASE)


def is_nothing(text: str) -> bool:
    """Tell whether a value only says that there is none, such as `N/A`, `nan` or `None`.

    Args:
        text: the whole value.
    """
    if len(text) > _LONGEST_NOTHING:
        return not text.strip()
    word = text.strip().casefold()
    return word in _NOTHING or word.strip("[](){}.,;:!?\"'-–—_* \t\n") in _NOTHING | {""}


def unwrapped(value: object) -> object:
    """Take a value out of what exports put around it: `{"value": …}`, a list of one.

    Args:
        value: as it was read.
    """
    for _ in range(3):
        if isinstance(value, str):
            break
        if isinstance(value, Mapping) and (inner := _inside(value)) is not None:
            value = inner
        elif isinstance(value, list) and len(value) == 1:
            value = value[0]
        else:
            break
    return value


def _inside(value: Mapping[object, object]) -> object:
    for key in ("value", "name", "text", "#text", "url", "date-parts", "display_name"):
        if key in value:
            return value[key]
    return None


def text_of(value: object) -> str | None:
    """Return a value's text without the blanks around it; None where it says nothing.

    Args:
        value: text, a number, a list of paragraphs, wrapped or not, or OpenAlex's index of words.
    """
    if isinstance(value, Mapping) and (spoken := _in_order(value)) is not None:
        value = spoken
    elif not isinstance(value, str):
        value = _as_text(unwrapped(value))
    if value is None:
        return None
    text = value.strip()
    return None if is_nothing(text) else text


def _in_order(index: Mapping[object, object]) -> str | None:
    """Put the words of an index `{word: [places]}` in order, as OpenAlex keeps abstracts."""
    words: dict[int, str] = {}
    for word, places in index.items():
        if not isinstance(places, list) or not isinstance(word, str):
            return None
        for place in places:
            if type(place) is not int:
                return None
            words[place] = word
    return " ".join(words[place] for place in sorted(words)) if words else None


def _as_text(value: object) -> str | None:
    if isinstance(value, list):
        parts = [part for part in value if isinstance(part, str)]
        return "\n".join(parts) if len(parts) == len(value) else None
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, int | float):
        return _number(value)
    return value if isinstance(value, str) else None


def _number(value: float) -> str:
    if isinstance(value, int):
        # Python will not write an endless number, and no field of a paper is one.
        return str(value) if value.bit_length() <= 256 else ""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else str(value)


def one_line(value: object, longest: int = LONGEST_LINE) -> str | None:
    """Return a value's text on one line, without control characters; None for none.

    Args:
        value: text, wrapped or not; of a list the first entry counts.
        longest: a text of more characters is none.
    """
    value = unwrapped(value)
    text = text_of(value[0] if isinstance(value, list) and value else value)
    if text is None or len(text) > longest:
        return None
    return " ".join((text if text.isprintable() else _CONTROL.sub(" ", text)).split()) or None


def year_of(value: object) -> int | None:
    """Find the year in a year, a date or a time stamp.

    Args:
        value: such as 2025, `"2025-07-01"`, `[[2025, 7]]` or milliseconds since 1970.
    """
    for _ in range(4):
        if isinstance(value, int):
            break
        value = unwrapped(value)
        if isinstance(value, list) and value:
            value = value[0]
        elif isinstance(value, Mapping):
            value = value.get("created")
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 20:
        value = int(value)
    if isinstance(value, str):
        found = _YEAR.search(value[:_LONGEST_DATE])
        return int(found[0]) if found else None
    if isinstance(value, float) and math.isfinite(value):
        value = int(value)
    return _year_of_number(value) if isinstance(value, int) else None


def _year_of_number(number: int) -> int | None:
    if number in _COMPACT_DATES:
        number //= 10_000
    elif number in _SECONDS:
        number = datetime.fromtimestamp(number, UTC).year
    elif number in _MILLISECONDS:
        number = datetime.fromtimestamp(number // 1000, UTC).year
    return number if number in _YEARS else None


def web_address(value: object) -> str | None:
    """Return the first address of the web in a value; nothing else is a link.

    Args:
        value: text or a list of texts.
    """
    value = unwrapped(value)
    if isinstance(value, list):
        value = next((text for text in map(unwrapped, value) if _is_address(text)), None)
    match = _ADDRESS.search(value) if isinstance(value, str) and _is_address(value) else None
    return match[0] if match and len(match[0]) <= _LONGEST_ADDRESS else None


def _is_address(value: object) -> bool:
    return isinstance(value, str) and "://" in value and _ADDRESS.search(value) is not None


def arxiv_id(value: object) -> str | None:
    """Return the arXiv number in a value, without its version.

    Args:
        value: such as `2507.01234v2`, `arXiv:2507.01234` or an address at arXiv.
    """
    text = text_of(value)
    found = _ARXIV.search(text) if text and len(text) < _LONGEST_ID else None
    return found[1] if found else None


def doi_of(value: object) -> str | None:
    """Return the DOI in a value, without the resolver's address.

    Args:
        value: such as `10.1000/x` or `https://doi.org/10.1000/x`.
    """
    text = text_of(value)
    found = _DOI.search(text) if text and len(text) < _LONGEST_ADDRESS else None
    return found[0] if found else None


def paper_id(value: object) -> str | None:
    """Return a record's own id: one line of at most 128 characters.

    Args:
        value: text or a number.
    """
    text = one_line(value)
    if text is None or len(text) <= _LONGEST_ID:
        return text
    return f"{text[: _LONGEST_ID - 17]}-{text_hash(text)[:16]}"


def without_markup(text: str) -> str:
    """Take the tags out of an abstract that is HTML or JATS as a whole; leave any other alone.

    Args:
        text: the abstract as it was read.
    """
    if not text.startswith("<") or not _MARKUP.fullmatch(text):
        return text
    parser = _Text()
    parser.feed(text)
    parser.close()
    lines = (line.strip() for line in "".join(parser.parts).split("\n"))
    return _HEADING.sub("", "\n".join(line for line in lines if line))


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        self._break(tag)

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def _break(self, tag: str) -> None:
        if _local(tag) in _BLOCKS and self.parts and not self.parts[-1].endswith("\n"):
            self.parts.append("\n")


@lru_cache(maxsize=256)
def _local(tag: str) -> str:
    return tag.rpartition(":")[2]
