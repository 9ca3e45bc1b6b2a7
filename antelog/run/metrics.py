"""Metrics of pages and of streams, as Prometheus reads them: `antelog_open_answers{query="Malf"} 12.0`."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

Sample = tuple[str, dict[str, str], float]  # the metric, its labels, and its value
METRICS: dict[str, tuple[type[CounterMetricFamily] | type[GaugeMetricFamily], str]] = {
    "antelog_tick": (GaugeMetricFamily, "The tick that is reached."),
    "antelog_open_answers": (GaugeMetricFamily, "Answers that are open."),
    "antelog_seen_values": (GaugeMetricFamily, "Values that variables under `not` only have answers for."),
    "antelog_changes": (CounterMetricFamily, "Changes of answers."),
    "antelog_facts": (CounterMetricFamily, "Facts that came."),
    "antelog_rejects": (CounterMetricFamily, "Rows that were set aside."),
    "antelog_holding_input": (GaugeMetricFamily, "Whether an input holds time back."),
    "antelog_held_back_ticks": (GaugeMetricFamily, "By how many ticks others are ahead of what holds time."),
    "antelog_seconds_since_fact": (GaugeMetricFamily, "Seconds since facts came last."),
    "antelog_silent_input": (GaugeMetricFamily, "Whether no fact came for longer than expected."),
    "antelog_unread": (GaugeMetricFamily, "Rows or bytes of an input's source that are still to be read."),
    "antelog_behind_seconds": (GaugeMetricFamily, "For how long some of these have been there, at most."),
    "antelog_silent_slots": (GaugeMetricFamily, "Slots of which no fact came for longer than expected."),
    "antelog_alerts": (CounterMetricFamily, "Alerts by what became of them."),
    "antelog_alerts_waiting": (GaugeMetricFamily, "Alerts that are still to be sent."),
    # Streams on Spark have these, and some of those above.
    "antelog_running": (GaugeMetricFamily, "Whether a stream runs."),
    "antelog_batches": (CounterMetricFamily, "Micro-batches that are done."),
    "antelog_batch_seconds": (GaugeMetricFamily, "Seconds that the last micro-batch took."),
    "antelog_held_rows": (GaugeMetricFamily, "Rows of an input whose tick is not finished."),
    "antelog_held_back_seconds": (GaugeMetricFamily, "By how much others are ahead of what holds time."),
    "antelog_tick_age_seconds": (GaugeMetricFamily, "Seconds since the last finished tick ended."),
    "antelog_kept_facts": (GaugeMetricFamily, "Facts in the state."),
    "antelog_state_bytes": (GaugeMetricFamily, "The size of the state."),
}


def is_counter(name: str) -> bool:
    return METRICS[name][0] is CounterMetricFamily


def families(samples: Iterable[Sample]) -> list[Metric]:
    """The metrics that have samples, with their words."""
    found = {name: family(name, text) for name, (family, text) in METRICS.items()}
    for name, labels, value in samples:
        found[name].add_sample(f"{name}_total" if is_counter(name) else name, labels, value)
    return [each for each in found.values() if each.samples]


def text_of(samples: Iterable[Sample]) -> bytes:
    """Writes samples as a page of metrics."""
    registry: Any = SimpleNamespace(collect=lambda: families(samples))
    return generate_latest(registry)
