"""What is read: a file, a compressed file or standard input, as text, line by line.

Bytes become text here and nowhere else. UTF-8 is tried first, UTF-16 is known by its mark or its
zero bytes, and a line that is no UTF-8 is taken as Windows-1252 where it then reads like a Western
language. A byte that stays unknown becomes a lone surrogate, by which its record is known later.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, cast

from assistant.errors import InputError

__all__ = ["STANDARD_INPUT", "BrokenInputError", "Input", "standard_input", "unreadable"]

STANDARD_INPUT = "standard input"
_HEAD = 1 << 18
_LONGEST_LINE = 1 << 23
_GZIP = b"\x1f\x8b"
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DAMAGED = "is damaged or cut off here"
_NO_TEXT = {
    b"%PDF-": "a PDF: give the abstracts as text",
    b"PK\x03\x04": "a ZIP archive or an Office file: unpack it, or save the table as CSV",
    b"\xd0\xcf\x11\xe0": "an Office file: save the table as CSV",
    b"SQLite format 3\x00": "a database: export the table as CSV",
    b"PAR1": "a Parquet file: export the table as CSV or JSON Lines",
    b"BZh": "compressed with bzip2: unpack it, or use gzip",
    b"\xfd7zXZ": "compressed with xz: unpack it, or use gzip",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: unpack it, or use gzip",
    b"\x89PNG": "a picture",
    b"GIF8": "a picture",
    b"\xff\xd8\xff": "a picture",
}
_UNKNOWN_BYTE = re.compile("[\udc80-\udcff]")
_UNKNOWN_SHARE = 0.1
_UTF8_PIECE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_NO_WESTERN = re.compile(
    "[À-ÿŠšŽžŒœŸƒ]{3}|[a-zß-ÿ][À-ÖØ-ÞŠŽŒŸ]|[^ -~\tÀ-ÿŠšŽžŒœŸ\u00a0"
    "‚„“”‘’‹›«»–—…•†‡€£¥§©®™°±²³¹µ¶·º¿¡¼½¾×÷´`^~]"
)
_WESTERN_SHARE = 0.25


class BrokenInputError(Exception):
    """The rest of a file cannot be read; what came before it stands.

    Args:
        reason: why, for the person.
        place: the line at which it broke; 0 where no line is known.
    """

    def __init__(self, reason: str, place: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


class Input:
    """One thing to read; it can be opened more than once.

    Args:
        path: the file.
        name: what its records say they come from; None: the file's name.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = path
        self.name = path.name if name is None else name

    @property
    def suffix(self) -> str:
        """The ending that names the format, without `.gz`, in small letters."""
        return Path(self._unpacked_name).suffix.lower()

    @property
    def stem(self) -> str:
        """The name without its endings."""
        return Path(self._unpacked_name).stem

    @property
    def _unpacked_name(self) -> str:
        return self.name[:-3] if self.name.lower().endswith(".gz") else self.name

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open it as bytes, unpacked.

        Raises:
            OSError: it cannot be opened.
        """
        with self.path.open("rb") as file:
            packed = file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            if packed:
                with gzip.open(file) as unpacked:
                    yield cast("IO[bytes]", unpacked)
            else:
                yield file

    @cached_property
    def head(self) -> bytes:
        """The first bytes, unpacked; fewer where the rest is broken."""
        with self.open() as file:
            taken = b""
            try:
                # In small steps: what comes before a fault is kept.
                while len(taken) < _HEAD and (more := file.read(1 << 12)):
                    taken += more
            except _DAMAGE:
                return taken  # The reader meets the same fault, and tells at which line.
            return taken

    @cached_property
    def encoding(self) -> str:
        """The name of the codec its bytes are read with."""
        head = self.head
        for mark, name in _MARKS:
            if head.startswith(mark):
                return name
        even, odd = head[0:4096:2].count(0), head[1:4096:2].count(0)
        half = len(head[:4096]) // 2
        if half > 1 and odd > half * 0.4 and even < half * 0.1:
            return "utf-16-le"
        if half > 1 and even > half * 0.4 and odd < half * 0.1:
            return "utf-16-be"
        return "utf-8"

    @cached_property
    def head_text(self) -> str:
        """The first characters as they will be read, unknown bytes as lone surrogates."""
        with self._text(io.BytesIO(self.head)) as text:
            return "\n".join(line for _, line in _numbered(text))

    def no_text(self) -> str | None:
        """Say what it is where it holds no text at all, else None."""
        for mark, what in _NO_TEXT.items():
            if self.head.startswith(mark):
                return what
        unknown = len(_UNKNOWN_BYTE.findall(self.head_text))
        if unknown > len(self.head_text) * _UNKNOWN_SHARE:
            return "no text: its bytes are neither UTF-8, UTF-16 nor Windows-1252"
        return None

    def lines(self) -> Iterator[tuple[int, str]]:
        """Give its lines without their ends, numbered from 1.

        Raises:
            BrokenInputError: it cannot be read to its end.
        """
        number = 0
        try:
            with self.open() as file, self._text(file) as text:
                for number, line in _numbered(text):
                    yield number, line
        except _DAMAGE:
            raise BrokenInputError(_DAMAGED, number + 1) from None
        except OSError as error:
            if number == 0:
                raise
            raise BrokenInputError(unreadable(error), number + 1) from error

    def pieces(self, size: int) -> Iterator[str]:
        """Give its text in pieces, for a format in which lines mean nothing.

        Args:
            size: characters at most.

        Raises:
            BrokenInputError: it cannot be read to its end.
        """
        # Not by a text reader's `read`, which would lose with a fault what came before it.
        decoder = io.IncrementalNewlineDecoder(
            codecs.getincrementaldecoder(self.encoding)(self._errors), translate=True
        )
        more = True
        try:
            with self.open() as file:
                while more:
                    raw = cast("io.BufferedReader", file).read1(size)
                    more = bool(raw)
                    piece = decoder.decode(raw, final=not more)
                    if piece:
                        yield piece if piece.isascii() else _mended(piece)
        except _DAMAGE:
            raise BrokenInputError(_DAMAGED) from None

    def _text(self, file: IO[bytes]) -> io.TextIOWrapper:
        return io.TextIOWrapper(file, encoding=self.encoding, errors=self._errors)

    @property
    def _errors(self) -> str:
        return "surrogateescape" if self.encoding.startswith("utf-8") else "replace"


@contextmanager
def standard_input() -> Iterator[Input]:
    """Keep what standard input holds in a file, as long as it is read.

    Raises:
        InputError: there is no standard input, or it cannot be read.
    """
    if sys.stdin is None:
        raise InputError("there is no standard input to read; name a file instead of -")
    with tempfile.TemporaryDirectory(prefix="ask-papers-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "input"
        try:
            with path.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        except (OSError, ValueError) as error:
            raise InputError(f"standard input cannot be read: {error}") from error
        yield Input(path, STANDARD_INPUT)


def unreadable(error: OSError) -> str:
    """Say in a few words why the system would not read something.

    Args:
        error: what it raised.
    """
    return f"cannot be read: {error.strerror or error}"


def _numbered(text: io.TextIOWrapper) -> Iterator[tuple[int, str]]:
    number = 0
    while line := text.readline(_LONGEST_LINE):
        number += 1
        whole = line.endswith("\n")
        while not whole and (rest := text.readline(_LONGEST_LINE)):
            # No record is that long: its beginning is enough to say so.
            whole = rest.endswith("\n")
        line = line.removesuffix("\n")
        yield number, line if line.isascii() else _mended(line)


def _mended(line: str) -> str:
    """Read a line that is no UTF-8 as Windows-1252, where that gives words."""
    if not _UNKNOWN_BYTE.search(line):
        return line
    raw = line.encode("utf-8", "surrogateescape")
    if _UTF8_PIECE.search(raw):
        return line
    try:
        western = raw.decode("cp1252")
    except UnicodeDecodeError:
        return line
    strange = sum(not char.isascii() for char in western)
    if strange > len(western) * _WESTERN_SHARE or _NO_WESTERN.search(western):
        return line
    return western
