"""Metrics of the board and of alerts for Prometheus, such as `antelog_open_answers{query="Malf"} 12.0`.

Counters start at 0 when the page begins to read its feed; Prometheus handles such resets.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from antelog.watch.alerts.outbox import WAITING
from antelog.watch.board.board import Board
from antelog.watch.board.input_status import Inputs

Sample = tuple[str, dict[str, str], float]  # the metric, its labels, and its value
_METRICS: dict[str, tuple[type[CounterMetricFamily] | type[GaugeMetricFamily], str]] = {
    "antelog_tick": (GaugeMetricFamily, "The tick that is reached."),
    "antelog_open_answers": (GaugeMetricFamily, "Answers that are open."),
    "antelog_seen_values": (GaugeMetricFamily, "Values that variables under `not` only have answers for."),
    "antelog_changes": (CounterMetricFamily, "Changes of answers."),
    "antelog_facts": (CounterMetricFamily, "Facts that came."),
    "antelog_rejects": (CounterMetricFamily, "Rows that were set aside."),
    "antelog_holding_input": (GaugeMetricFamily, "Whether an input holds time back."),
    "antelog_seconds_since_fact": (GaugeMetricFamily, "Seconds since facts came last."),
    "antelog_silent_input": (GaugeMetricFamily, "Whether no fact came for longer than expected."),
    "antelog_unread": (GaugeMetricFamily, "Rows or bytes of an input's source that are still to be read."),
    "antelog_behind_seconds": (GaugeMetricFamily, "For how long some of these have been there, at most."),
    "antelog_silent_slots": (GaugeMetricFamily, "Slots of which no fact came for longer than expected."),
    "antelog_alerts": (CounterMetricFamily, "Alerts by what became of them."),
    "antelog_alerts_waiting": (GaugeMetricFamily, "Alerts that are still to be sent."),
}


class _Collected(list[Metric], Collector):
    def collect(self) -> list[Metric]:
        return self


def metrics(board: Board, alerts: Mapping[str, Mapping[str, int]]) -> bytes:
    """Writes all metrics that have values; `alerts` has the letters of each receiver by outcome."""
    found = {name: family(name, text) for name, (family, text) in _METRICS.items()}
    for name, labels, value in (*_of_answers(board), *_of_inputs(board.inputs), *_of_alerts(alerts)):
        metric = found[name]
        metric.add_sample(f"{name}_total" if metric.type == "counter" else name, labels, value)
    return generate_latest(_Collected(each for each in found.values() if each.samples))


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
