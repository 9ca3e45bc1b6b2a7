"""Facts that are posted: checked, and in the inbox of the store before anybody is told.

    POST /facts/Temp  [{"device": "wt2", "level": "high", "time": 7}]   ->  {"accepted": 1}

What is in a fact is looked at when it is read; here it only has to be an object.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from antelog.run.store import post
from antelog.watch.feed.segments import inbox


class NoFactsError(ValueError):
    """What was posted is no list of objects, or there is no such input."""


def posted(store: Path, name: str, body: bytes) -> int:
    """How many facts were put into the inbox of an input. They are on the disk when this returns."""
    try:
        given = msgspec.json.decode(body, type=list[dict[str, msgspec.Raw]] | dict[str, msgspec.Raw])
        facts = [_plain(each) for each in (given if isinstance(given, list) else [given])]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NoFactsError(f"facts are a JSON object, or a list of them: {error}") from None
    if not (_post_to_folder if store.is_dir() else post)(
        store, name, facts
    ):  # nobody would read what was acknowledged
        raise NoFactsError(f"facts of {name[:50]} do not come by HTTP; give --input {name[:50]}=http:")
    return len(facts)


def _post_to_folder(folder: Path, name: str, facts: list[bytes]) -> bool:
    path = inbox(folder, name)
    if not name.isidentifier() or not path.exists():
        return False
    with path.open("ab") as file:
        file.write(b"".join(fact + b"\n" for fact in facts))
        file.flush()
        os.fsync(file.fileno())
    return True


def _plain(fact: dict[str, msgspec.Raw]) -> bytes:
    """A fact on one line, whatever white space it came with."""
    return msgspec.json.encode({name: msgspec.json.decode(value) for name, value in fact.items()})
