"""Metrics for Prometheus, of the board and of the alerts that were sent.

    antelog_open_answers{query="Malf"} 12.0

Counters start at 0 when the page begins to read its feed; Prometheus handles such resets.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from antelog.watch.alerts.outbox import WAITING
from antelog.watch.board.board import Board
from antelog.watch.web.live_board import summary

Labels = Mapping[str, str]


def metrics(board: Board, alerts: Mapping[str, Mapping[str, int]]) -> bytes:
    """All metrics in the text format; `alerts` has the letters of each receiver by outcome."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(board, alerts))
    return generate_latest(registry)


@dataclass(frozen=True, eq=False)
class _Collector(Collector):
    board: Board
    alerts: Mapping[str, Mapping[str, int]]

    def collect(self) -> Iterator[Metric]:
        """The metrics that have values."""
        return (
            each for each in (*self._of_answers(), *self._of_inputs(), *self._of_alerts()) if each.samples
        )

    def _of_answers(self) -> Iterator[Metric]:
        board = self.board
        if board.tick is not None:
            yield GaugeMetricFamily("antelog_tick", "The tick that is reached.", board.tick)
        yield _gauge(
            "antelog_open_answers", "Answers that are open.",
            (({"query": query}, count) for query, count in summary(board)["open"].items()),
        )  # fmt: skip
        if seen := board.inputs.status.get("seen"):
            documentation = "Values that variables under `not` only have answers for."
            yield GaugeMetricFamily("antelog_seen_values", documentation, seen)
        yield _counter(
            "antelog_changes", "Changes of answers.",
            (
                ({"query": query, "change": change}, count)
                for (query, change), count in sorted(board.changes.items())
            ),
        )  # fmt: skip

    def _of_inputs(self) -> Iterator[Metric]:
        inputs = self.board.inputs
        known = list(inputs.each())
        yield _counter(
            "antelog_facts", "Facts that came.", (({"input": each.name}, each.facts) for each in known)
        )
        yield _counter(
            "antelog_rejects", "Rows that were set aside.",
            (
                ({"input": each.name, "reason": reason}, count)
                for each in known
                for reason, count in sorted(each.rejects.items())
            ),
        )  # fmt: skip
        yield _gauge(
            "antelog_holding_input", "Whether an input holds time back.",
            (({"input": each.name}, int(each.name == inputs.holding)) for each in known),
        )  # fmt: skip

        now = time.time()
        yield _gauge(
            "antelog_seconds_since_fact", "Seconds since facts came last.",
            (
                ({"input": each.name}, round(now - each.pulse.heard, 3))
                for each in known
                if each.pulse.heard is not None
            ),
        )  # fmt: skip
        yield _gauge(
            "antelog_silent_input", "Whether no fact came for longer than expected.",
            (
                ({"input": each.name}, int(each.pulse.silent_for(now) is not None))
                for each in known
                if each.pulse.gap is not None
            ),
        )  # fmt: skip
        read = [each for each in known if each.pulse.unit]
        yield _gauge(
            "antelog_unread", "Rows or bytes of an input's source that are still to be read.",
            (({"input": each.name, "unit": each.pulse.unit}, each.pulse.unread) for each in read),
        )  # fmt: skip
        yield _gauge(
            "antelog_behind_seconds", "For how long some of these have been there, at most.",
            (({"input": each.name}, each.pulse.behind) for each in read),
        )  # fmt: skip

        slots = [(each.name, found) for each in known if (found := inputs.slots(each.name)) is not None]
        yield _gauge(
            "antelog_silent_slots", "Slots of which no fact came for longer than expected.",
            (({"input": name}, found.silent) for name, found in slots),
        )  # fmt: skip

    def _of_alerts(self) -> Iterator[Metric]:
        yield _counter(
            "antelog_alerts", "Alerts by what became of them.",
            (
                ({"to": to, "outcome": outcome}, count)
                for to, counts in self.alerts.items()
                for outcome, count in counts.items()
                if outcome != WAITING
            ),
        )  # fmt: skip
        yield _gauge(
            "antelog_alerts_waiting", "Alerts that are still to be sent.",
            (({"to": to}, counts.get(WAITING, 0)) for to, counts in self.alerts.items()),
        )  # fmt: skip


def _gauge(name: str, documentation: str, values: Iterable[tuple[Labels, float]]) -> Metric:
    return _filled(GaugeMetricFamily(name, documentation), values)


def _counter(name: str, documentation: str, values: Iterable[tuple[Labels, int]]) -> Metric:
    return _filled(CounterMetricFamily(name, documentation), values)


def _filled(family: Metric, values: Iterable[tuple[Labels, float]]) -> Metric:
    suffix = "_total" if family.type == "counter" else ""
    for labels, value in values:
        family.add_sample(f"{family.name}{suffix}", dict(labels), value)
    return family
