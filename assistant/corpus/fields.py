"""Which field of a record is the title, which the abstract: told by what fields are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from assistant.errors import InputError

__all__ = ["FIELDS", "checked_mapping", "flat", "plan", "under"]

FIELDS = ("id", "title", "abstract", "authors", "venue", "year", "url", "keywords")
"""What can be mapped: the fields of a paper."""

# The surest name first. A short summary ("TL;DR") is no abstract.
_CALLED = {
    "id": "id paperid uid forum noteid openreviewid arxivid corpusid doi accessionnumber eid pmid "
    "citekey citationkey bibkey key",
    "title": "title papertitle articletitle documenttitle primarytitle maintitle displayname name",
    "abstract": "abstract abstracttext abstractnote paperabstract abstracts notesabstract "
    "abstractinvertedindex summary description",
    "authors": "authorsparsed authors author authornames authorlist authorfullnames firstauthors "
    "authorships creators creator",
    "venue": "venue booktitle journal journalname journaltitle containertitle publicationtitle "
    "sourcetitle conference conferencename publicationvenue secondarytitle proceedings "
    "alternatetitle3",
    "year": "year pubyear publicationyear yearpublished",
    "date": "date publicationdate publisheddate datepublished dateissued pubdate published issued "
    "pdate versions updatedate",
    "url": "url urls paperurl link site htmlurl landingpage absurl",
    "pdf": "pdfurl pdflink openaccesspdf pdf",
    "keywords": "keywords keyword authorkeywords tags manualtags subjects subject categories "
    "fieldsofstudy",
    "doi": "doi",
    "arxiv": "arxiv arxivid eprint",
    "forum": "forum",
    "bibtex": "bibtex",
}
_FIELDS_OF: dict[str, list[tuple[str, int]]] = {}
for _field, _names in _CALLED.items():
    for _rank, _name in enumerate(_names.split()):
        _FIELDS_OF.setdefault(_name, []).append((_field, _rank))
_AROUND = re.compile(r"^(?:content|_source|dc|dcterms|prism)[.:]|\.value$", re.IGNORECASE)
_WRAPPERS = ("content", "_source")
_PLACES = ("primarylocation", "hostvenue")
"""Where OpenAlex says in which journal a paper stands, and at which address."""


def checked_mapping(mapping: Mapping[str, str] | None) -> dict[str, str]:
    """Take what a person says their fields are called.

    Args:
        mapping: a paper's field to the name it has in the files.

    Raises:
        InputError: a paper has no such field, or a name is empty.
    """
    given = dict(mapping or {})
    for field, name in given.items():
        if field not in FIELDS:
            raise InputError(f"a paper has no field {field!r}; it has: {', '.join(FIELDS)}")
        if not name.strip():
            raise InputError(f"say which field of the files is the {field}: {field}=NAME")
    return given


def plan(keys: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Tell which keys may hold which field of a paper.

    Args:
        keys: a record's keys.

    Returns:
        Field to keys, the surest first; besides `FIELDS` also `date`, `pdf`, `doi`,
        `arxiv`, `forum`, `bibtex`.
    """
    return _plan(tuple(keys))


def under(name: str, keys: Iterable[str]) -> str | None:
    """Find the key a person means, minding case only where it must be minded.

    Args:
        name: as the person wrote it.
        keys: a record's keys.
    """
    keys = list(keys)
    if name in keys:
        return name
    return next((key for key in keys if key.strip().casefold() == name.strip().casefold()), None)


def flat(record: Mapping[str, object]) -> Mapping[str, object]:
    """Lift what exports wrap: OpenReview's `content`, Semantic Scholar's `externalIds`, and such.

    Args:
        record: as it was read.
    """
    lifted: dict[str, object] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            if key in _WRAPPERS:
                lifted |= {str(inner): plain for inner, plain in value.items()}
            elif _folded(key) == "externalids":
                lifted |= {
                    inner: plain
                    for inner, plain in value.items()
                    if _folded(inner) in ("doi", "arxiv")
                }
            elif _folded(key) in _PLACES:
                lifted |= {
                    "venue": value.get("source"),
                    "landing_page": value.get("landing_page_url"),
                }
    return {**record, **lifted} if lifted else record


@lru_cache(maxsize=1024)
def _plan(keys: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[tuple[int, str]]] = {}
    for key in keys:
        for field, rank in _FIELDS_OF.get(_folded(key), ()):
            found.setdefault(field, []).append((rank, key))
    chosen = {field: [key for _, key in sorted(keys)] for field, keys in found.items()}
    # A description may be anything; where there is an abstract, or a summary, it is not that.
    abstracts = chosen.get("abstract", [])
    if len(abstracts) > 1:
        chosen["abstract"] = [
            key for key in abstracts if _folded(key) != "description"
        ] or abstracts
    return {field: tuple(keys) for field, keys in chosen.items()}


@lru_cache(maxsize=4096)
def _folded(key: str) -> str:
    bare = _AROUND.sub("", key.strip())
    return "".join(char for char in bare.casefold() if char.isalnum())
