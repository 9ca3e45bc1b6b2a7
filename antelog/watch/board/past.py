"""The board at a tick in the past: the last snapshot before it, and the records of the feed since then."""

from __future__ import annotations

import zlib
from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from threading import Lock
from typing import Any

import msgspec

from antelog.run.store.feed import Feed, FeedReader, StoredFeedAt, is_record
from antelog.watch.board.board import Board, FeedPieces
from antelog.watch.board.saved_board import Snapshot, restored, saved

_AT_ONCE = 1_000  # records that are read at once
_APART, _FOR_EACH = 10_000, 1  # records between two snapshots, at least, and for each open answer in them
_KEPT_SIZE = 48_000_000  # bytes of snapshots that are kept
_BOARDS = 3  # boards of the past that are kept as they are, the latest


class Past:
    """Snapshots of a board that follows a feed, and boards that were made of them."""

    def __init__(self, live: Board, feed: Feed, snapshots: Iterable[Snapshot] = ()) -> None:
        self._live, self._feed = live, feed
        self.snapshots, self._boards = [*snapshots], dict[Snapshot, Board]()
        self._lock = Lock()

    @cached_property
    def first(self) -> int | None:
        """The first tick that the feed had when it was asked for first."""
        ticks = map(reached, self._reader(0).read(_AT_ONCE))
        return next((tick for tick in ticks if tick >= 0), None)

    def take(self, board: Board, records: Sequence[Mapping[str, Any]], position: int, taken: int = 0) -> None:
        """Folds records behind a position into a board, but for those taken; keeps it now and then."""
        tick, apart = board.tick, max(_APART, _FOR_EACH * len(board.open))
        near = (each for each in self.snapshots if tick is not None and each.tick <= tick)
        if tick is not None and not any(board.version < each.version + apart for each in near):
            later = (at for at in range(taken, len(records)) if reached(records[at]) > tick)
            if (end := next(later, None)) is not None:
                board.take(records[taken:end])
                self._keep(board, tick, position, end)
                taken = end
        board.take(records[taken:])

    def _keep(self, board: Board, tick: int, position: int, records: int) -> None:
        """Keeps a board as it is at the end of a tick; of too many snapshots, others go."""
        kept, bare = self.snapshots, copy(board)
        bare.decided, bare.pieces = type(board.decided)(), FeedPieces()  # which boards have in common
        packed = zlib.compress(msgspec.msgpack.encode([*saved(bare)]), 1)
        if board is self._live and any(each.position > position for each in kept):
            kept.clear()  # the feed was begun anew
        insort(kept, Snapshot(tick, board.version, position, records, packed), key=lambda each: each.tick)
        while len(kept) > 2 and sum(len(each.packed) for each in kept) > _KEPT_SIZE:
            del kept[min(range(1, len(kept) - 1), key=lambda at: kept[at + 1].tick - kept[at - 1].tick)]

    def at(self, tick: int) -> Board:
        """Makes the board as it was at a tick; of one before the first, as it was first."""
        with self._lock:
            before = [each for each in (*self.snapshots, *self._boards) if each.tick <= tick]
            nearest = max(
                before, key=lambda each: (each.tick, not each.packed), default=Snapshot(-1, 0, 0, 0)
            )
            board = self._boards.pop(nearest, None) or self._unpacked(nearest)
            self._boards[self._advanced(nearest, board, tick)] = board
            if len(self._boards) > _BOARDS:
                del self._boards[next(iter(self._boards))]
            return board

    def _unpacked(self, found: Snapshot) -> Board:
        """Makes the board of a snapshot, with what is decided now and was decided then."""
        if not found.packed:
            return Board()
        first, *rest = msgspec.msgpack.decode(zlib.decompress(found.packed), type=list[bytes])
        board = restored(first, rest)
        every = [*self._live.returned, *self._live.decided.values()]
        then = sorted((each for each in every if each.now.tick <= found.tick), key=lambda each: each.now.tick)
        board.decided.update((each.id, each) for each in then if each.id not in board.open)
        board.decided_size = sum(each.size for each in board.decided.values())
        return board

    def _advanced(self, place: Snapshot, board: Board, tick: int) -> Snapshot:
        """Folds records into a board up to the first one of a later tick: they are in the order of ticks."""
        board.pieces = FeedPieces()
        reader, position, taken = self._reader(place.position), place.position, place.records
        while records := reader.read(_AT_ONCE):
            numbers = range(taken, len(records))
            later = (at for at in numbers if reached(records[at]) > tick and (at or board.version))
            end = next(later, len(records))
            self.take(board, records[:end], position, taken)
            if end < len(records):
                taken = end
                break
            position, taken = reader.position, 0
        board.pieces, board.groups = self._live.pieces, self._live.groups
        board.tables.update()
        return Snapshot(tick, board.version, position, taken)

    def _reader(self, position: int) -> FeedReader:
        feed = self._feed  # which a thread of its own cannot use, if it is a database
        return FeedReader(StoredFeedAt(feed.path) if isinstance(feed, StoredFeedAt) else feed, position)


def reached(record: Mapping[str, Any]) -> int:
    """The tick of a line, a status or a head; -1 if it has none."""
    found = record if "change" in record else record.get("status") or record.get("head") or {}
    tick = found.get("tick") if is_record(record) else None
    return -1 if tick is None else tick
