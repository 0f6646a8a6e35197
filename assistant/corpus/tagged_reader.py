"""Tagged exports beside RIS: PubMed's (`AB  - …`) and the Web of Science's (`AB …`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assistant.corpus.inputs import Input
from assistant.corpus.reading import row_reader
from assistant.corpus.records import Row

__all__ = ["read_tagged"]

_LINE = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}- (.*)|([A-Z][A-Z0-9])(?: (.*))?$")
_LONGEST = 1 << 20
_BEGINS = ("PMID", "PT")
_ENDS = ("ER", "EF")
_PERSONS = ("FAU", "AF", "AU")
# https://www.nlm.nih.gov/bsd/mms/medlineelements.html and Web of Science's field tags; where a
# name stands in full and short, the full ones come first.
_FIELDS = {
    "id": ("PMID", "UT"),
    "title": ("TI",),
    "abstract": ("AB",),
    "authors": _PERSONS,
    "journal": ("JT", "SO", "TA"),
    "date": ("PY", "DP"),
    "doi": ("DI", "LID", "AID"),
    "keywords": ("DE",),
}
_DOI = re.compile(r"^(10\.\S+)(?: \[doi\])?$")


@row_reader(".nbib", ".ciw")
def read_tagged(source: Input, mapping: Mapping[str, str]) -> Iterator[Row]:  # noqa: ARG001
    """Find the records of one file of PubMed or of the Web of Science.

    Args:
        source: the file.
        mapping: not needed: fields have names of the format.

    Returns:
        Its records.

    Raises:
        BrokenInputError: it cannot be read to its end.
    """
    start, length = 0, 0
    tags: dict[str, list[str]] = {}
    values: list[str] | None = None
    for number, line in source.lines():
        found = _LINE.match(line)
        tag = (found[1] or found[3]) if found else ""
        if tag in (*_BEGINS, *_ENDS) and start:
            yield Row(start, _fields(tags))
            start, values = 0, None
        if tag in _BEGINS:
            start, length, tags = number, 0, {}
        length += len(line)
        if not start or length > _LONGEST:
            continue
        if found:
            values = tags.setdefault(tag, [])
            values.append((found[2] or found[4] or "").strip())
        elif values and line[:1].isspace() and line.strip():
            # A value is wrapped; but each line of the Web of Science's authors is one author.
            if "PMID" not in tags and any(tags.get(tag) is values for tag in _PERSONS):
                values.append(line.strip())
            else:
                values[-1] = f"{values[-1]} {line.strip()}"
    if start:
        yield Row(start, _fields(tags))


def _fields(tags: Mapping[str, list[str]]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name, called in _FIELDS.items():
        for tag in called:
            if not (values := [value for value in tags.get(tag, ()) if value]):
                continue
            if name == "doi":
                values = [doi[1] for value in values if (doi := _DOI.match(value))]
            if values:
                fields[name] = values if name == "authors" else values[0]
                break
    if pmid := tags.get("PMID"):
        # The star marks what a paper is mainly about.
        fields["keywords"] = [word.lstrip("*") for word in tags.get("OT", ())]
        fields["url"] = f"https://pubmed.ncbi.nlm.nih.gov/{pmid[0]}/"
    return fields
