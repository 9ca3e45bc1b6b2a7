"""The state: all that has to be known to go on, in one file that is replaced as a whole.

engine        as `Engine.save` writes it
watch.json    how far each source was read, the clock, counts, how much was written
waiting/0 …   rows that had been read, and whose tick was not over
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from antelog import writing
from antelog.engine import sealed
from antelog.errors import StateError
from antelog.watch.follow.counting import Count
from antelog.watch.follow.waiting import Waiting


class Marks(msgspec.Struct, frozen=True):
    """How far a source was read, and which it was."""

    place: str
    mark: dict[str, Any]


class Known(msgspec.Struct, frozen=True):
    """What the state has beside the engine; `feed` and `output` are where the next line goes."""

    sources: dict[str, Marks] = {}
    highest: dict[str, int] = {}
    counts: dict[str, Count] = {}
    waiting: tuple[tuple[str, str], ...] = ()
    feed: tuple[int, int] | None = None
    output: tuple[str, int] | None = None


class State(msgspec.Struct, frozen=True):
    """A state that was read: the engine's bytes, and the rest."""

    engine: bytes
    known: Known
    waiting: Waiting


def save(path: Path, state: State) -> None:
    """Put a state in place of the one before, once it is on the disk."""
    parts = state.waiting.to_bytes()
    known = msgspec.structs.replace(state.known, waiting=tuple((name, file) for name, file, _ in parts))
    members = {
        "engine": state.engine,
        "watch.json": msgspec.json.encode(known),
        **{f"waiting/{number}": content for number, (_, _, content) in enumerate(parts)},
    }
    writing.write(path, sealed.pack(members), mode=0o600)


def restored(path: Path) -> State | None:
    """The state in a file; None if there is no such file. Raises StateError if it is of no use."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StateError(f"{path}: cannot be read: {error.strerror or error}") from None
    members = sealed.unpack(content, str(path))
    if "watch.json" not in members or "engine" not in members:
        raise StateError(f"{path} is a state, but none of `antelog watch`; give another name")
    try:
        known = msgspec.json.decode(members["watch.json"], type=Known)
        parts = [
            (name, file, members[f"waiting/{number}"]) for number, (name, file) in enumerate(known.waiting)
        ]
        return State(members["engine"], known, Waiting.from_bytes(parts))
    except (msgspec.MsgspecError, pa.ArrowException, LookupError) as error:
        raise StateError(f"{path} is not a state that can be restored: {error}. {sealed.AGAIN}") from None
