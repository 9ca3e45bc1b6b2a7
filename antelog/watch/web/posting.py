"""Facts that are posted: checked, put into the inbox of their input, and on the disk before anybody is told.

    POST /facts/Temp  [{"device": "wt2", "level": "high", "time": 7}]   ->  {"accepted": 1}

The follower reads the inbox as it reads any file that grows. What is in a fact is its business; here it only
has to be an object.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from antelog.watch.feed.segments import inbox

_NAME = re.compile(r"[^\W\d_]\w{0,199}")


class NoFactsError(ValueError):
    """What was posted is no list of objects, or there is no such input."""


def posted(folder: Path, name: str, body: bytes) -> int:
    """How many facts were put into the inbox of an input. They are on the disk when this returns."""
    if not _NAME.fullmatch(name):
        raise NoFactsError(f"there is no input {name[:50]}")
    if not inbox(folder, name).exists():  # nobody would read what was acknowledged
        raise NoFactsError(f"facts of {name} do not come by HTTP; give --input {name}=http:")
    try:
        given = msgspec.json.decode(body, type=list[dict[str, msgspec.Raw]] | dict[str, msgspec.Raw])
        facts = [_plain(each) for each in (given if isinstance(given, list) else [given])]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NoFactsError(f"facts are a JSON object, or a list of them: {error}") from None
    if facts:
        _append(inbox(folder, name), b"".join(msgspec.json.encode(each) + b"\n" for each in facts))
    return len(facts)


def _plain(fact: dict[str, msgspec.Raw]) -> dict[str, object]:
    """Read anew, so that each is on one line whatever white space it came with."""
    return {name: msgspec.json.decode(value) for name, value in fact.items()}


def _append(path: Path, lines: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        size = os.fstat(file).st_size
        try:
            rest = memoryview(lines)
            while rest:
                rest = rest[os.write(file, rest) :]
            os.fsync(file)
        except OSError:
            os.ftruncate(file, size)  # half a fact would spoil the next one
            raise
    finally:
        os.close(file)
