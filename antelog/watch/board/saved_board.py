"""A board in a file beside its feed, so that a restarted page goes on from it; nothing in it is code."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, TypedDict

import msgspec

from antelog.errors import AntelogError, OutputError
from antelog.forecast.scores.scores import from_dict, to_dict
from antelog.run.store.feed import FeedReader, about, source_of
from antelog.watch.board.board import Board, FeedPiece, FeedPieces
from antelog.watch.board.feed_program import FeedProgram
from antelog.watch.board.tracked_answer import TrackedAnswer
from antelog.writing import replacing

_AT_ONCE = 500  # answers in a piece
_SHORTEST = 1.5  # CPU seconds of work that a page that is started again may repeat
_SHARE = 5  # keeping boards takes at most one fifth of the work
_VERSION = b"antelog board 3\n"
_LENGTH = 8


class _Saved(TypedDict):
    """All of a board but its answers, of which it has the ids."""

    head: dict[str, Any]
    tick: int | None
    numbers: tuple[int, int]
    rules_changed: dict[str, Any] | None
    open: list[str]
    decided: list[str]
    changes: dict[tuple[str, str], int]
    flow: list[tuple[float, dict[tuple[str, str], int]]]
    pieces: list[FeedPiece]
    at: int
    status: dict[str, Any]
    rates: list[tuple[float, dict[str, int]]]
    rejects: list[dict[str, Any]]
    sums: dict[str, Any]
    waiting: list[tuple[int, int, str]]
    latest: dict[str, int]
    scored: tuple[int, int, int | None, int]


_encoded = msgspec.msgpack.Encoder().encode
_SAVED = msgspec.msgpack.Decoder(_Saved)
_ANSWERS = msgspec.msgpack.Decoder(list[TrackedAnswer])
# The position before the last records, their number, their checksum, the position after them, and the
# number of snapshots.
_GOOD = msgspec.msgpack.Decoder(tuple[int, int, bytes, int, int])


class Snapshot(msgspec.Struct, frozen=True, array_like=True):
    """A packed board as it was at a tick, and its place: so many records behind a position; see `past.py`."""

    tick: int
    version: int
    position: int
    records: int
    packed: bytes = b""


def saved(board: Board) -> Iterator[bytes]:
    """Yields the pieces of a board, whose answers must not change until the last one is made."""
    trust, inputs = board.trust, board.inputs
    trust.scores()  # puts all that was scored into the sums
    waiting = {answer.id: answer for _, _, answer in trust.waiting}
    answers = list({**waiting, **board.decided, **board.open}.values())
    found: _Saved = {
        "head": {**about(board.head.source, None), "sees": board.sees, "groups": board.groups},
        "tick": board.tick,
        "numbers": (board.version, board.damaged),
        "rules_changed": None if board.rules_changed is None else dict(board.rules_changed),
        "open": [*board.open],
        "decided": [*board.decided],
        "changes": dict(board.changes),
        "flow": [(at, dict(counts)) for at, counts in board.flow.moments],
        "pieces": [*board.pieces.kept],
        "at": board.pieces.at,
        "status": dict(inputs.status),
        "rates": [(at, dict(counts)) for at, counts in inputs.rates.moments],
        "rejects": [dict(each) for each in inputs.rejects],
        "sums": {name: to_dict(each) for name, each in trust.sums.items()},
        "waiting": [(tick, number, answer.id) for tick, number, answer in trust.waiting],
        "latest": dict(trust.latest),
        "scored": (trust.taken, trust.scored, trust.first, trust.now),
    }
    several = (answers[at : at + _AT_ONCE] for at in range(0, len(answers), _AT_ONCE))
    return chain([_encoded(found)], map(_encoded, several))


def restored(first: bytes, rest: Iterable[bytes]) -> Board:
    found = _SAVED.decode(first)
    answers = {each.id: each for piece in rest for each in _ANSWERS.decode(piece)}
    board = Board(FeedProgram(source_of(found["head"])), found["tick"])
    board.sees, board.rules_changed = found["head"]["sees"], found["rules_changed"]
    board.groups = found["head"].get("groups", {})
    board.version, board.damaged = found["numbers"]
    board.open.update((name, answers[name]) for name in found["open"])
    board.decided.update((name, answers[name]) for name in found["decided"])
    board.decided_size = sum(each.size for each in board.decided.values())
    board.changes = Counter(found["changes"])
    board.flow.moments.extend(found["flow"])
    board.pieces = FeedPieces(found["pieces"], found["at"])
    board.inputs.status = found["status"]
    board.inputs.rates.moments.extend(found["rates"])
    board.inputs.rejects.extend(found["rejects"])
    trust = board.trust
    trust.ask(board.head.alerts)
    trust.sums = {name: from_dict(each) for name, each in found["sums"].items()}
    trust.waiting = [(tick, number, answers[name]) for tick, number, name in found["waiting"]]
    trust.latest = found["latest"]
    trust.taken, trust.scored, trust.first, trust.now = found["scored"]
    return board


class KeptBoard:
    def __init__(self, path: Path, reader: FeedReader) -> None:
        self._path, self._reader = path, reader
        self._before, self._count = 0, 0
        self._work, self._cost = 0.0, 0.0
        self.snapshots: Sequence[Snapshot] = ()

    def board(self) -> Board | None:
        """Reads the board, and moves the reader behind it; None if there is none of this feed."""
        try:
            good, *pieces = _pieces_in(self._path.read_bytes())
            before, count, checksum, position, number = _GOOD.decode(good)
            if not count or checksum != self._checksum(before, count):
                return None
            board = restored(pieces[number], pieces[number + 1 :])
            self.snapshots = [msgspec.msgpack.decode(each, type=Snapshot) for each in pieces[:number]]
        # None is there, or one of another make.
        except (OSError, ValueError, LookupError, TypeError, msgspec.MsgspecError, AntelogError):
            return None
        self._before, self._count, self._reader.position = before, count, position
        return board

    def read(self, before: int, count: int, seconds: float) -> None:
        """Notes that records behind a position were read, and the CPU seconds that this took."""
        if count:
            self._before, self._count = before, count
        self._work += seconds

    @property
    def due(self) -> bool:
        """Whether it would take a while to read on from the last board that was kept."""
        return self._work > max(_SHORTEST, _SHARE * self._cost)

    async def keep(self, board: Board, snapshots: Sequence[Snapshot] = ()) -> None:
        """Writes the board, which must not change meanwhile; keeps none where that is not possible."""
        began = time.process_time()
        checksum = self._checksum(self._before, self._count)
        good = (self._before, self._count, checksum, self._reader.position, len(snapshots))
        with suppress(OutputError):
            await asyncio.to_thread(self._write, chain(map(_encoded, (good, *snapshots)), saved(board)))
        self._work, self._cost = 0.0, time.process_time() - began

    def _write(self, pieces: Iterable[bytes]) -> None:
        with replacing(self._path, mode=0o600) as file:  # facts are not for everybody on this machine
            file.write(_VERSION)
            for piece in pieces:
                file.write(len(piece).to_bytes(_LENGTH) + piece)

    def _checksum(self, before: int, count: int) -> bytes:
        records = self._reader.read_again(before, count)
        return blake2b(msgspec.json.encode(records), digest_size=16).digest()


def _pieces_in(content: bytes) -> Sequence[bytes]:
    """Splits the content of a file into its pieces. Raises ValueError if it is not whole."""
    if not content.startswith(_VERSION):
        raise ValueError("another version")
    at, found = len(_VERSION), []
    while at < len(content):
        end = at + _LENGTH + int.from_bytes(content[at : at + _LENGTH])
        if end > len(content):
            raise ValueError("not whole")
        found.append(content[at + _LENGTH : end])
        at = end
    return found
