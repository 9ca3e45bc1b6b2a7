"""The board at a tick in the past: the last snapshot before it, and the records of the feed since then.

17:00 snapshot ── records ── 17:40 snapshot ── records ── 17:52 the moment that is asked for
"""

from __future__ import annotations

import time
import zlib
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from threading import Lock

import msgspec

from antelog.run.store.feed import Feed, FeedReader, Record, StoredFeedAt, is_record
from antelog.watch.board.board import Board, FeedPieces
from antelog.watch.board.saved_board import restored, saved
from antelog.watch.board.tracked_answer import TrackedAnswer

_AT_ONCE = 1_000  # records that are read at once
_REPEATED, _SHARE = 0.4, 8  # CPU seconds of work that may be repeated, and snapshots take an eighth of it
_KEPT_SIZE = 48_000_000  # bytes of snapshots that are kept
_BOARDS = 3  # boards of the past that are kept as they are, the latest
_PIECES = msgspec.msgpack.Decoder(list[bytes])


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A board as it was at a tick, packed or as it is, and its place: so many records behind a position."""

    tick: int
    position: int
    records: int
    packed: bytes = b""
    board: Board | None = None


_BEGIN = Snapshot(-1, 0, 0)


@dataclass(eq=False)
class Past:
    """Snapshots of a board that follows a feed, and boards that were made of them."""

    live: Board
    feed: Feed
    snapshots: list[Snapshot] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._boards: list[Snapshot] = []
        self._lock = Lock()
        self._work, self._cost = 0.0, 0.0

    @cached_property
    def first(self) -> int | None:
        """The first tick of which the feed tells, when it is asked for first."""
        ticks = map(_reached, self.reader(0).read(_AT_ONCE))
        return next((tick for tick in ticks if tick >= 0), None)

    def copied(self) -> Past:
        """The same past, with boards of its own, which nobody else moves on."""
        return Past(self.live, self.feed, self.snapshots)

    def take(self, board: Board, records: Sequence[Record], position: int, start: int = 0) -> None:
        """Folds records behind a position into a board, and keeps a snapshot on the way if one is due."""
        began = time.thread_time()
        cut = start
        if self._work > max(_REPEATED, _SHARE * self._cost) or not self.snapshots:
            cut = max(start, _end_of_tick(records))
        board.take(records[start:cut])
        if cut > start:
            self._keep(board, position, cut)
        board.take(records[cut:])
        self._work += time.thread_time() - began

    def _keep(self, board: Board, position: int, records: int) -> None:
        """Keeps a board at the end of a tick; of too many snapshots the one that is missed least goes."""
        began, kept = time.thread_time(), self.snapshots
        if board is self.live and any(each.position > position for each in kept):
            kept.clear()  # the feed was begun anew
        if board.tick is not None and board.tick not in {each.tick for each in kept}:
            pieces = msgspec.msgpack.encode([*saved(board, whole=False)])
            found = Snapshot(board.tick, position, records, zlib.compress(pieces, 1))
            insort(kept, found, key=lambda each: each.tick)
        while len(kept) > 2 and sum(len(each.packed) for each in kept) > _KEPT_SIZE:
            now, three = kept[-1].tick + 1, zip(kept, kept[1:], kept[2:], strict=False)
            gaps = [(after.tick - before.tick) / (now - each.tick) for before, each, after in three]
            del kept[1 + gaps.index(min(gaps))]
        self._work, self._cost = 0.0, time.thread_time() - began

    def at(self, tick: int) -> Board:
        """Makes the board as it was at a tick; of one before the first, as it was first."""
        with self._lock:
            place = self._nearest(tick)
            if place.board is not None:
                self._boards.remove(place)
            board = place.board or (self._unpacked(place) if place.packed else Board())
            found = place if place.board and place.tick == tick else self._advanced(board, place, tick)
            self._boards = [*self._boards[1 - _BOARDS :], found]
            return board

    def _nearest(self, tick: int) -> Snapshot:
        """The last snapshot up to a tick, best one whose board is there; else the begin of the feed."""
        before = [each for each in (*self.snapshots, *self._boards) if each.tick <= tick]
        return max(before, key=lambda each: (each.tick, each.board is not None), default=_BEGIN)

    def _unpacked(self, found: Snapshot) -> Board:
        first, *rest = _PIECES.decode(zlib.decompress(found.packed))
        decided: dict[str, TrackedAnswer] = {}
        for each in chain([*self.live.returned], [*self.live.decided.values()]):
            if each.now.tick <= found.tick:
                decided[each.id] = each
        return restored(first, rest, sorted(decided.values(), key=lambda each: each.now.tick))

    def _advanced(self, board: Board, place: Snapshot, tick: int) -> Snapshot:
        """Folds records into a board up to the first one of a later tick: they are in the order of ticks."""
        board.pieces = FeedPieces()
        reader, position, taken = self.reader(place.position), place.position, place.records
        while records := reader.read(_AT_ONCE):
            numbers = range(taken, len(records))
            later = (at for at in numbers if _reached(records[at]) > tick and (at or board.version))
            end = next(later, len(records))
            self.take(board, records[:end], position, taken)
            taken = end
            if end < len(records):
                break
            position, taken = reader.position, 0
        board.pieces = self.live.pieces
        board.tables.update()
        return Snapshot(tick, position, taken, board=board)

    def reader(self, position: int = 0) -> FeedReader:
        feed = self.feed  # which a thread of its own cannot use, if it is a database
        return FeedReader(StoredFeedAt(feed.path) if isinstance(feed, StoredFeedAt) else feed, position)


def _reached(record: Record) -> int:
    """The tick of a line, a status or a head; -1 if it has none."""
    if not is_record(record):
        return -1
    found = record if "change" in record else record.get("status") or record.get("head") or {}
    tick = found.get("tick")
    return -1 if tick is None else tick


def _end_of_tick(records: Sequence[Record]) -> int:
    """The number of records up to the last end of a tick; 0 if none is seen to end."""
    ends = (at for at in range(len(records), 0, -1) if _ends(records[at - 1], records[at : at + 1]))
    return next(ends, 0)


def _ends(record: Record, then: Sequence[Record]) -> bool:
    return "status" in record or any(-1 < _reached(record) < _reached(each) for each in then)
