"""Metrics of pages and of streams, as Prometheus reads them: `antelog_open_answers{query="Malf"} 12.0`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

Sample = tuple[str, dict[str, str], float]  # the metric, its labels, and its value
_FAMILIES = {"gauge": GaugeMetricFamily, "counter": CounterMetricFamily}
_METRICS: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("metrics.toml").read_text(encoding="utf-8")
)


def is_counter(name: str) -> bool:
    return "counter" in _METRICS[name]


def words_of() -> dict[str, str]:
    """All metrics, each with what it counts or measures."""
    return {name: text for name, each in _METRICS.items() for text in each.values()}


def families(samples: Iterable[Sample]) -> list[Metric]:
    """The metrics that have samples, with their words."""
    found = {
        name: _FAMILIES[kind](name, text) for name, each in _METRICS.items() for kind, text in each.items()
    }
    for name, labels, value in samples:
        found[name].add_sample(f"{name}_total" if is_counter(name) else name, labels, value)
    return [each for each in found.values() if each.samples]


def text_of(samples: Iterable[Sample]) -> bytes:
    """Writes samples as a page of metrics."""
    registry: Any = SimpleNamespace(collect=lambda: families(samples))
    return generate_latest(registry)
