"""The bytes of a text file: decompressed, and in an encoding that is found from all of them."""

import bz2
import codecs
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from heldout.data.reading import Reading
from heldout.errors import HeldoutError

PIECE = 1 << 20
COMPRESSIONS = {
    ".gz": "gzip",
    ".zst": "zstd",
    ".zstd": "zstd",
    ".xz": "xz",
    ".bz2": "bz2",
    ".zip": "zip",
}
"""Endings of compressed files."""
MAGIC = {
    b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz", b"BZh": "bz2", b"PK\x03\x04": "zip",
}  # fmt: skip
BOMS = {
    codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
"""Marks at the beginning of a file; those of UTF-32 before those of UTF-16, which they begin with."""
CUT_OFF = (EOFError, zlib.error, lzma.LZMAError, OSError, pa.ArrowInvalid)
"""What reading a damaged compressed file raises."""


@dataclass(frozen=True)
class TextBytes:
    """A text file: how it is compressed and encoded, and a way to open it again and again.

    Parameters
    ----------
    path
        The file.
    compression, encoding
        What was found; no compression: None.
    raw
        Opens the decompressed bytes.
    """

    path: Path
    compression: str | None
    encoding: str
    raw: Callable[[], Any]

    def open(self) -> Any:
        """Open the text as a stream of UTF-8 for pyarrow."""
        stream = self.raw()
        plain = stream if isinstance(stream, pa.NativeFile) else pa.PythonFile(stream, "r")
        if self.encoding in ("utf-8", "utf-8-sig"):
            return plain
        return pa.transcoding_input_stream(plain, self.encoding, "utf-8")


def text_bytes(path: Path, reading: Reading, whole: bool, hint: str | None = None) -> TextBytes:
    """Look at all bytes of a text file once.

    Parameters
    ----------
    path
        The file.
    reading
        What the config fixes.
    whole
        Whether all of the file may be held in memory.
    hint
        The encoding of another file of the same kind, for a file that is not UTF-8.

    Returns
    -------
    TextBytes
        The compression and the encoding.

    Raises
    ------
    HeldoutError
        If the file is damaged, no text, or not in the encoding of the config.
    """
    compression = _compression(path)
    raw = _opener(path, compression)
    with damage_explained(path, compression):
        if compression and whole:
            with raw() as stream:
                content = pa.py_buffer(stream.read())
            raw = lambda: pa.BufferReader(content)  # noqa: E731
        encoding = _encoding(path, raw, reading.encoding, hint)
    return TextBytes(path, compression, encoding, raw)


@contextmanager
def damage_explained(path: Path, compression: str | None) -> Iterator[None]:
    """Say of a compressed file that it is damaged."""
    try:
        yield
    except gzip.BadGzipFile:
        raise HeldoutError(f"data: '{path}' ends in .gz and is not gzip-compressed") from None
    except CUT_OFF as error:
        if compression is None:
            raise
        raise HeldoutError(
            f"data: '{path}' is cut off or damaged (the {compression} stream has no proper end: {error})"
        ) from None


def _compression(path: Path) -> str | None:
    """By the first bytes, and by the ending, which must not say otherwise."""
    with path.open("rb") as file:
        start = file.read(6)
    found = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
    said = COMPRESSIONS.get(path.suffix.lower())
    if said and found != said:
        what = f"{found}-compressed" if found else f"not {said}-compressed"
        raise HeldoutError(f"data: '{path}' ends in {path.suffix} and is {what}")
    return found


def _opener(path: Path, compression: str | None) -> Callable[[], Any]:
    openers: dict[str | None, Callable[[], Any]] = {
        None: lambda: pa.OSFile(str(path)),
        "gzip": partial(gzip.open, path, "rb"),
        "bz2": partial(bz2.open, path, "rb"),
        "xz": partial(lzma.open, path, "rb"),
        "zstd": lambda: pa.input_stream(str(path), compression="zstd"),
        "zip": lambda: _only_member(path),
    }
    return openers[compression]


def _only_member(path: Path) -> Any:
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise HeldoutError(f"data: '{path}' is no whole zip file: {error}") from None
    members = [
        one for one in archive.infolist() if not one.is_dir() and "__MACOSX" not in one.filename
    ]
    if len(members) != 1:
        names = ", ".join(one.filename for one in members[:5]) or "none"
        raise HeldoutError(
            f"data: '{path}' must hold one file, found {len(members)} ({names}); unpack it"
        )
    if members[0].flag_bits & 1:
        raise HeldoutError(f"data: '{path}' is protected by a password; unpack it")
    return archive.open(members[0])


def _encoding(path: Path, raw: Callable[[], Any], fixed: str | None, hint: str | None) -> str:
    with raw() as stream:
        start = bytes(stream.read(4096))
    marked = next((name for bom, name in BOMS.items() if start.startswith(bom)), None)
    if fixed is not None:
        name = _known(fixed)
        if name in ("utf-8", "utf_8") and marked == "utf-8-sig":
            name = marked
        _check_whole(path, raw, name, f"is not {fixed}", "set another encoding")
        return name
    name = marked or _without_bom(start)
    if name != "utf-8":
        _check_whole(path, raw, name, f"is not {name}", "set encoding")
        return name
    if _check_whole(path, raw, name, None, ""):
        return name
    return _single_bytes(raw, hint)


def _known(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise HeldoutError(
            f"encoding: unknown '{encoding}'; known are utf-8, utf-16, cp1252, latin-1 and others of Python"
        ) from None


def _without_bom(start: bytes) -> str:
    """UTF-16 without a mark has a zero in every other byte, where texts are mostly Latin."""
    even, odd = start[0::2].count(0), start[1::2].count(0)
    if max(even, odd) > len(start) / 5 and min(even, odd) <= len(start) / 50:
        return "utf-16-le" if odd > even else "utf-16-be"
    return "utf-8"


def _check_whole(
    path: Path, raw: Callable[[], Any], encoding: str, problem: str | None, advice: str
) -> bool:
    """Decode all of a file. Where it cannot be: False, or, with a problem in words, an error."""
    decoder = codecs.getincrementaldecoder(encoding)()
    lines, ascii_based = 1, encoding in ("utf-8", "utf-8-sig")
    pending = False
    for piece in _pieces(raw):
        if ascii_based and not pending and piece.isascii() and b"\0" not in piece:
            lines += piece.count(b"\n")
            continue
        try:
            text = decoder.decode(piece)
        except UnicodeDecodeError as error:
            if problem is None:
                return False
            line = lines + piece[: error.start].count(b"\n")
            raise HeldoutError(f"data: '{path}' {problem} (line {line}); {advice}") from None
        if "\0" in text:
            line = lines + text[: text.index("\0")].count("\n")
            raise HeldoutError(
                f"data: '{path}' has a NUL byte in line {line}: not a text file, or damaged; "
                "set encoding if it is a text in an encoding of its own"
            )
        lines += text.count("\n")
        pending = bool(decoder.getstate()[0])
    if pending and problem is None:
        return False
    if pending:
        raise HeldoutError(f"data: '{path}' {problem} (the last character is cut off); {advice}")
    return True


def _single_bytes(raw: Callable[[], Any], hint: str | None) -> str:
    """One of the encodings in which every character is a byte; which one cannot be known."""
    high = set[int]()
    for piece in _pieces(raw):
        high |= set(piece.translate(None, bytes(range(128))))
    if hint is not None and hint not in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        return hint
    undefined = {0x81, 0x8D, 0x8F, 0x90, 0x9D}
    windows = any(0x80 <= byte < 0xA0 for byte in high) and not high & undefined
    return "cp1252" if windows else "latin-1"


def _pieces(raw: Callable[[], Any]) -> Iterator[bytes]:
    with raw() as stream:
        while piece := stream.read(PIECE):
            yield bytes(piece)
