"""The metrics of a stream: those of its board, and of its alerts. Counters start at 0 with the board."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from antelog.run.metrics import Sample
from antelog.watch.alerts.outbox import WAITING
from antelog.watch.board.board import Board
from antelog.watch.board.input_status import Inputs


def samples(board: Board, alerts: Mapping[str, Mapping[str, int]]) -> Iterator[Sample]:
    """All metrics that have values; `alerts` has the letters of each receiver by outcome."""
    yield from _of_answers(board)
    yield from _of_inputs(board.inputs)
    yield from _of_alerts(alerts)


def _of_answers(board: Board) -> Iterator[Sample]:
    if board.tick is not None:
        yield "antelog_tick", {}, board.tick
    for query, count in board.open_by_query.items():
        yield "antelog_open_answers", {"query": query}, count
    if seen := board.inputs.status.get("seen"):
        yield "antelog_seen_values", {}, seen
    for (query, change), count in sorted(board.changes.items()):
        yield "antelog_changes", {"query": query, "change": change}, count


def _of_inputs(inputs: Inputs) -> Iterator[Sample]:
    now = time.time()
    for each in inputs.each():
        labels, pulse, slots = {"input": each.name}, each.pulse, inputs.slots(each.name)
        yield "antelog_facts", labels, each.facts
        for reason, count in sorted(each.rejects.items()):
            yield "antelog_rejects", {**labels, "reason": reason}, count
        yield "antelog_holding_input", labels, each.name == inputs.holding
        if each.name == inputs.holding and inputs.held is not None and inputs.held.ticks is not None:
            yield "antelog_held_back_ticks", {**labels, "source": inputs.held.source}, inputs.held.ticks
        if pulse.heard is not None:
            yield "antelog_seconds_since_fact", labels, round(now - pulse.heard, 3)
        if pulse.gap is not None:
            yield "antelog_silent_input", labels, pulse.silent_for(now) is not None
        if pulse.unit:
            yield "antelog_unread", {**labels, "unit": pulse.unit}, pulse.unread
            yield "antelog_behind_seconds", labels, pulse.behind
        if slots is not None:
            yield "antelog_silent_slots", labels, slots.silent


def _of_alerts(alerts: Mapping[str, Mapping[str, int]]) -> Iterator[Sample]:
    for to, counts in alerts.items():
        for outcome, count in counts.items():
            if outcome != WAITING:
                yield "antelog_alerts", {"to": to, "outcome": outcome}, count
        yield "antelog_alerts_waiting", {"to": to}, counts.get(WAITING, 0)
