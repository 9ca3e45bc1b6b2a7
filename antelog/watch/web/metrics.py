"""Metrics of the board and of alerts for Prometheus, such as `antelog_open_answers{query="Malf"} 12.0`.

Counters start at 0 when the page begins to read its feed; Prometheus handles such resets.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from antelog.watch.alerts.outbox import WAITING
from antelog.watch.board.board import Board
from antelog.watch.board.input_status import Inputs

Samples = Iterable[tuple[Mapping[str, str], float]]


def metrics(board: Board, alerts: Mapping[str, Mapping[str, int]]) -> bytes:
    """Writes all metrics that have values; `alerts` has the letters of each receiver by outcome."""
    every = (*_of_answers(board), *_of_inputs(board.inputs), *_of_alerts(alerts))
    return generate_latest(_Collected([each for each in every if each.samples]))


class _Collected(list[Metric], Collector):
    def collect(self) -> list[Metric]:
        return self


def _of_answers(board: Board) -> Iterator[Metric]:
    by_query = (({"query": query}, count) for query, count in board.open_by_query.items())
    changes = sorted(board.changes.items())
    if board.tick is not None:
        yield _gauge("antelog_tick", "The tick that is reached.", [({}, board.tick)])
    yield _gauge("antelog_open_answers", "Answers that are open.", by_query)
    if seen := board.inputs.status.get("seen"):
        documentation = "Values that variables under `not` only have answers for."
        yield _gauge("antelog_seen_values", documentation, [({}, seen)])
    yield _counter(
        "antelog_changes",
        "Changes of answers.",
        (({"query": query, "change": change}, count) for (query, change), count in changes),
    )


def _of_inputs(inputs: Inputs) -> Iterator[Metric]:
    now, known = time.time(), [({"input": each.name}, each) for each in inputs.each()]
    rejects = (
        ({**name, "reason": reason}, count)
        for name, each in known
        for reason, count in sorted(each.rejects.items())
    )
    heard = ((name, each.pulse.heard) for name, each in known)
    silent = (
        (name, each.pulse.silent_for(now) is not None) for name, each in known if each.pulse.gap is not None
    )
    read = [(name, each.pulse) for name, each in known if each.pulse.unit]
    slots = ((name, inputs.slots(each.name)) for name, each in known)
    yield _counter("antelog_facts", "Facts that came.", ((name, each.facts) for name, each in known))
    yield _counter("antelog_rejects", "Rows that were set aside.", rejects)
    yield _gauge(
        "antelog_holding_input",
        "Whether an input holds time back.",
        ((name, each.name == inputs.holding) for name, each in known),
    )
    yield _gauge(
        "antelog_seconds_since_fact",
        "Seconds since facts came last.",
        ((name, round(now - at, 3)) for name, at in heard if at is not None),
    )
    yield _gauge("antelog_silent_input", "Whether no fact came for longer than expected.", silent)
    yield _gauge(
        "antelog_unread",
        "Rows or bytes of an input's source that are still to be read.",
        (({**name, "unit": each.unit}, each.unread) for name, each in read),
    )
    yield _gauge(
        "antelog_behind_seconds",
        "For how long some of these have been there, at most.",
        ((name, each.behind) for name, each in read),
    )
    yield _gauge(
        "antelog_silent_slots",
        "Slots of which no fact came for longer than expected.",
        ((name, each.silent) for name, each in slots if each is not None),
    )


def _of_alerts(alerts: Mapping[str, Mapping[str, int]]) -> Iterator[Metric]:
    outcomes = (
        ({"to": to, "outcome": outcome}, count)
        for to, counts in alerts.items()
        for outcome, count in counts.items()
        if outcome != WAITING
    )
    waiting = (({"to": to}, counts.get(WAITING, 0)) for to, counts in alerts.items())
    yield _counter("antelog_alerts", "Alerts by what became of them.", outcomes)
    yield _gauge("antelog_alerts_waiting", "Alerts that are still to be sent.", waiting)


def _gauge(name: str, documentation: str, samples: Samples) -> Metric:
    family = GaugeMetricFamily(name, documentation)
    for labels, value in samples:
        family.add_sample(name, dict(labels), value)
    return family


def _counter(name: str, documentation: str, samples: Samples) -> Metric:
    family = CounterMetricFamily(name, documentation)
    for labels, value in samples:
        family.add_sample(f"{name}_total", dict(labels), value)
    return family
