"""What the page and the alerts read: records come out of a feed, in the order in which they were written.

    reader = FeedReader(folder)
    reader.read(1000)      the next 1000 records, or as many as there are: heads, changes, states of inputs
    reader.position        to be kept, and given to the reader that goes on

A head (`{"head": …}`) has everything that is open. A reader that finds one forgets what it thought was open.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from antelog.watch.feed.segments import Position, segment_path, segments_in

_DECODER = msgspec.json.Decoder(dict[str, Any])


class FeedReader:
    """Reads a feed from a position on, or else from its oldest segment on.

    If its segment is gone, since it was slow or the follower began anew, it goes on with the oldest that is
    newer. `damaged` counts lines that are none, as a disk may leave behind that failed.
    """

    def __init__(self, folder: Path, position: Position | None = None) -> None:
        self.folder = folder
        self.damaged = 0
        self._position = position

    @property
    def position(self) -> Position:
        """Behind all that was read."""
        return self._position or Position(0, 0)

    def read(self, limit: int = 10_000) -> list[dict[str, Any]]:
        """The next records, at most so many; none if there is nothing new."""
        records: list[dict[str, Any]] = []
        while len(records) < limit:
            # Looked for first: what is written to a segment is complete once there is one after it.
            after = self._after()
            self._read_segment(records, limit)
            if len(records) < limit:
                if after is None:
                    break
                self._position = Position(after, 0)
        return records

    def _after(self) -> int | None:
        """The segment to go on with when this one is read."""
        there = segments_in(self.folder)
        if self._position is None:
            return there[0] if there else None
        newer = [segment for segment in there if segment > self._position.segment]
        if newer:
            return newer[0]
        # A feed was removed and begun anew: then numbers are small again.
        return there[0] if there and self._position.segment not in there else None

    def _read_segment(self, records: list[dict[str, Any]], limit: int) -> None:
        if self._position is None:
            return
        segment, offset = self._position.segment, self._position.offset
        try:
            with segment_path(self.folder, segment).open("rb") as file:
                file.seek(offset)
                while len(records) < limit and (line := file.readline()).endswith(b"\n"):
                    offset += len(line)
                    self._take(line, records)
        except FileNotFoundError:
            return
        self._position = Position(segment, offset)

    def _take(self, line: bytes, records: list[dict[str, Any]]) -> None:
        try:
            records.append(_DECODER.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError):
            self.damaged += 1
