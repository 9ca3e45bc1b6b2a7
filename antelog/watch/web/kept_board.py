"""A board that is kept in a file beside its feed, with the position in the feed that it is good for.

    kept = KeptBoard(path, reader)
    kept.board()               the board, with the reader behind it; None if there is none for this feed
    await kept.keep(board)     now and then: when to read on from the last one would take a while

What is kept is good only for the feed it is of: it has a checksum of the last records that were read.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from antelog.errors import AntelogError, OutputError
from antelog.run.store import FeedReader
from antelog.watch.board.board import Board
from antelog.watch.board.saved_board import restored, saved
from antelog.writing import replacing

_SHORTEST = 1.5
"""CPU seconds of work that a page that is started again may repeat, at least."""
_SHARE = 5
"""To keep boards takes at most one part in so many of the work."""
_VERSION = b"antelog board 1\n"
_LENGTH = 8


class _Good(msgspec.Struct, array_like=True):
    """The position before the last records, how many these are, their checksum, the position after them."""

    before: int
    count: int
    checksum: bytes
    position: int


class KeptBoard:
    """The file with a board of a feed."""

    def __init__(self, path: Path, reader: FeedReader) -> None:
        self._path, self._reader = path, reader
        self._before, self._count = 0, 0
        self._work, self._cost = 0.0, 0.0

    def board(self) -> Board | None:
        """The board that was kept of this feed; the reader goes on behind what that knows."""
        try:
            first, *pieces = _pieces_in(self._path.read_bytes())
            good = msgspec.msgpack.decode(first, type=_Good)
            if not good.count or good.checksum != self._checksum(good.before, good.count):
                return None
            board = restored(pieces)
        except (OSError, ValueError, msgspec.MsgspecError, AntelogError):  # none is there, or of another make
            return None
        self._before, self._count, self._reader.position = good.before, good.count, good.position
        return board

    def read(self, before: int, count: int, seconds: float) -> None:
        """Takes note that some records were read behind a position, which took so many CPU seconds."""
        if count:
            self._before, self._count = before, count
        self._work += seconds

    @property
    def due(self) -> bool:
        return self._work > max(_SHORTEST, _SHARE * self._cost)

    async def keep(self, board: Board) -> None:
        """Writes the board, which must not change meanwhile. Where that is not possible, none is kept."""
        began = time.process_time()
        checksum = self._checksum(self._before, self._count)
        good = _Good(self._before, self._count, checksum, self._reader.position)
        pieces = [msgspec.msgpack.encode(good)], saved(board)
        with suppress(OutputError):
            await asyncio.to_thread(self._write, (piece for several in pieces for piece in several))
        self._work, self._cost = 0.0, time.process_time() - began

    def _write(self, pieces: Iterator[bytes]) -> None:
        with replacing(self._path, mode=0o600) as file:  # facts are not for everybody on this machine
            file.write(_VERSION)
            for piece in pieces:
                file.write(len(piece).to_bytes(_LENGTH) + piece)

    def _checksum(self, before: int, count: int) -> bytes:
        records = self._reader.read_again(before, count)
        return blake2b(msgspec.json.encode(records), digest_size=16).digest()


def _pieces_in(content: bytes) -> Sequence[bytes]:
    """The pieces of a file. Raises ValueError if it is not whole."""
    if not content.startswith(_VERSION):
        raise ValueError("another version")
    at, found = len(_VERSION), []
    while at < len(content):
        end = at + _LENGTH + int.from_bytes(content[at : at + _LENGTH])
        if end > len(content):
            raise ValueError("not whole")
        found.append(content[at + _LENGTH : end])
        at = end
    if len(found) < 2:
        raise ValueError("no board")
    return found
