"""The files of a feed, and places in them.

00000007.jsonl    the segment 7; those before it are older
Position(7, 120)  the 120th byte of it; what was read lies before, what comes lies behind
inbox/Temp.jsonl  facts for the input Temp that came by HTTP
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_DIGITS = 8


@dataclass(frozen=True, order=True)
class Position:
    """A place in a feed: a segment, and how many bytes of it lie before the place."""

    segment: int
    offset: int


def segment_path(folder: Path, segment: int) -> Path:
    return folder / f"{segment:0{_DIGITS}}.jsonl"


def segments_in(folder: Path) -> list[int]:
    """The segments that are there, the oldest first; none if there is no such folder."""
    names = [path.stem for path in folder.glob("*.jsonl")]
    return sorted(int(name) for name in names if name.isdecimal() and len(name) >= _DIGITS)


def inbox(folder: Path, name: str) -> Path:
    """Where facts for an input go that come by HTTP: JSON lines, each whole and on the disk."""
    return folder / "inbox" / f"{name}.jsonl"
