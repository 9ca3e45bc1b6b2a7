"""Sealed bytes: a line with the kind, the version and a digest of all that follows, then the content.

    antelog state 0008 sha256 5d41402abc4b2a76b9719d911017c592…    the line; 8 is the version of the format
    PK…                                                            a zip archive of the members

It shows damage, and is not a signature: restore states from places you trust only.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING

from antelog.errors import StateError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

VERSIONS = {"state": 10, "model": 7, "store": 4, "savepoint": 1}
"""The version of each format, which increases whenever one of the version before can no longer be read."""

_MOVING = "`antelog state export` of the antelog that wrote it makes a folder, which this one can import"
_REMEDIES = {
    "model": "learn it again with `antelog learn`",
    "savepoint": "import it with an antelog that is not older than the one that wrote it",
}

MOST = 2 * 2**30  # the bytes a state may unpack to by default
AGAIN = "Use an older copy, or start anew and replay the facts"  # the remedy for a state that is of no use

_LINE = re.compile(rb"antelog (state|model) (\d{4}) sha256 ([0-9a-f]{64})\n")
_LENGTH = len(b"antelog state 0000 sha256 \n") + 64


def other_version(name: str, kind: str, found: object) -> StateError:
    """The error about a file or folder of another version than this antelog reads, and what to do."""
    return StateError(
        f"{name} is a {kind} of version {found}, but this antelog reads version {VERSIONS[kind]}; "
        f"{_REMEDIES.get(kind, _MOVING)}"
    )


def _line(content: ReadableBuffer, kind: str) -> bytes:
    digest = hashlib.sha256(content).hexdigest()
    return f"antelog {kind} {VERSIONS[kind]:04} sha256 {digest}\n".encode()


def seal(content: bytes) -> bytes:
    return _line(content, "state") + content


def is_sealed(content: bytes) -> bool:
    """Whether bytes begin with the line of any version."""
    return _LINE.match(content[:_LENGTH]) is not None


def unseal(content: bytes, name: str, kind: str = "state") -> memoryview:
    """The content after the line. Raises StateError, with this name for the bytes, if it was changed."""
    digest = digest_in(content, name, kind)
    rest = memoryview(content)[_LENGTH:]
    if hashlib.sha256(rest).hexdigest().encode() != digest:
        raise StateError(f"{name} is damaged: it was changed after it was written. {AGAIN}")
    return rest


def digest_in(content: bytes, name: str, kind: str = "state") -> bytes:
    """The digest in the line at the beginning of bytes. Raises StateError if there is none."""
    line = _LINE.match(content[:_LENGTH])
    if line is None or line[1].decode() != kind:
        raise StateError(f"{name} is not a {kind} that antelog wrote")
    if int(line[2]) != VERSIONS[kind]:
        raise other_version(name, kind, int(line[2]))
    return line[3]


def pack(members: Mapping[str, bytes], kind: str = "state") -> bytes:
    """Packs named pieces of bytes into a sealed archive."""
    sink = io.BytesIO()
    sink.write(bytes(_LENGTH))
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with sink.getbuffer() as written:
        written[:_LENGTH] = _line(written[_LENGTH:], kind)
    return sink.getvalue()


def unpack(content: bytes, name: str, most: int = MOST, kind: str = "state") -> dict[str, bytes]:
    """The pieces of a sealed archive. Raises StateError if it is damaged, or unpacks to over `most` bytes."""
    unseal(content, name, kind)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(member.file_size for member in archive.infolist())
            if size > most:
                raise too_large(name, size, most)
            return {member: archive.read(member) for member in archive.namelist()}
    except zipfile.BadZipFile as error:
        raise StateError(f"{name} is damaged: its archive cannot be read: {error}. {AGAIN}") from None


def too_large(name: str, size: int, most: int) -> StateError:
    return StateError(
        f"{name} takes {size:,} bytes, more than the {most:,} allowed; "
        f"if that is right, allow more: `max_bytes={size}`"
    )
