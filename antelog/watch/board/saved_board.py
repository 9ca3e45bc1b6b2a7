"""A board in bytes, so that a page that is started again goes on from what it knew.

    pieces = list(saved(board))        some bytes each; the board may go on once the first is made
    restored(pieces)                   the board; ValueError if they are none

Answers come in pieces of some hundreds, for there may be 100,000. Nothing in it is code.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import msgspec
from msgspec import Struct

from antelog.errors import StateError
from antelog.forecast.scores.scores import from_dict, to_dict
from antelog.run.store import about, source_of
from antelog.watch.board.answer_positions import FeedPiece
from antelog.watch.board.board import Board, FeedProgram
from antelog.watch.board.flow import FlowMoment
from antelog.watch.board.tracked_answer import TrackedAnswer

_AT_ONCE = 500
"""Answers in a piece."""

_Counts = dict[tuple[str, str], int]


class _SavedTrust(Struct, array_like=True):
    """The scores; `waiting` has the ids of answers in place of these."""

    sums: dict[str, Any]
    waiting: list[tuple[int, int, str]]
    latest: dict[str, int]
    taken: int
    scored: int
    first: int | None
    now: int


class _SavedInputs(Struct, array_like=True):
    """The status of inputs."""

    status: dict[str, Any]
    seconds: list[tuple[float, dict[str, int]]]
    rejects: list[dict[str, Any]]


class _SavedLines(Struct, array_like=True):
    """The ids of answers, how many changes there were, and where their lines are."""

    open: list[str]
    decided: list[str]
    changes: _Counts
    flow: list[tuple[float, _Counts]]
    pieces: list[FeedPiece]
    at: int


class _SavedBoard(Struct, array_like=True):
    """All of a board but its answers."""

    head: dict[str, Any]
    tick: int | None
    version: int
    damaged: int
    lines: _SavedLines
    inputs: _SavedInputs
    trust: _SavedTrust
    rules_changed: dict[str, Any] | None


_encoded = msgspec.msgpack.Encoder().encode
_BOARD = msgspec.msgpack.Decoder(_SavedBoard)
_ANSWERS = msgspec.msgpack.Decoder(list[TrackedAnswer])


def saved(board: Board) -> Iterator[bytes]:
    """The pieces of a board. Its answers must not change until the last one is made."""
    trust = board.trust
    trust.scores()  # then all that was scored is in the sums
    waiting = {answer.id: answer for _, _, answer in trust.waiting}
    answers = list({**waiting, **board.decided, **board.open}.values())
    sums = {name: to_dict(each) for name, each in trust.sums.items()}
    numbers = [(tick, number, answer.id) for tick, number, answer in trust.waiting]
    positions, inputs = board.positions, board.inputs
    found = _SavedBoard(
        {**about(board.head.source, None), "sees": board.sees},
        board.tick,
        board.version,
        board.damaged,
        _SavedLines(
            list(board.open),
            list(board.decided),
            dict(board.changes),
            [(each.at, dict(each.changes)) for each in board.flow.moments],
            list(positions.kept),
            positions.at,
        ),
        _SavedInputs(
            dict(inputs.status),
            [(at, dict(counts)) for at, counts in inputs.seconds],
            [dict(each) for each in inputs.rejects],
        ),
        _SavedTrust(sums, numbers, dict(trust.latest), trust.taken, trust.scored, trust.first, trust.now),
        None if board.rules_changed is None else dict(board.rules_changed),
    )
    several = (answers[at : at + _AT_ONCE] for at in range(0, len(answers), _AT_ONCE))
    return chain([_encoded(found)], map(_encoded, several))


def restored(pieces: Iterable[bytes]) -> Board:
    """The board of some pieces. Raises ValueError."""
    first, *rest = pieces
    try:
        found = _BOARD.decode(first)
        answers = {each.id: each for piece in rest for each in _ANSWERS.decode(piece)}
        return _board(found, answers)
    except (msgspec.MsgspecError, LookupError, TypeError, StateError) as error:
        raise ValueError(f"no board: {error}") from None


def _board(found: _SavedBoard, answers: dict[str, TrackedAnswer]) -> Board:
    board = Board(FeedProgram(source_of(found.head)), found.tick, found.version)
    board.damaged, board.rules_changed, board.sees = found.damaged, found.rules_changed, found.head["sees"]
    lines, inputs = found.lines, found.inputs
    board.open = {name: answers[name] for name in lines.open}
    board.decided = OrderedDict((name, answers[name]) for name in lines.decided)
    board.decided_size = sum(each.size for each in board.decided.values())
    board.changes = Counter(lines.changes)
    board.inputs.status = inputs.status
    board.inputs.seconds.extend(inputs.seconds)
    board.inputs.rejects.extend(inputs.rejects)
    trust, kept = board.trust, found.trust
    trust.ask(board.head.alerts)
    trust.sums = {name: from_dict(each) for name, each in kept.sums.items()}
    trust.waiting = [(tick, number, answers[name]) for tick, number, name in kept.waiting]
    trust.latest, trust.taken, trust.scored = kept.latest, kept.taken, kept.scored
    trust.first, trust.now = kept.first, kept.now
    board.flow.moments.extend(FlowMoment(at, changes) for at, changes in lines.flow)
    positions = board.positions
    positions.kept, positions.at = deque(lines.pieces), lines.at
    positions.lines = sum(each.lines for each in lines.pieces)
    return board
