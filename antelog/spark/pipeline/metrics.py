"""Metrics of a session's streams, which Spark tells of after each micro-batch, served to Prometheus."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import Metric
from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener

from antelog.errors import UnsupportedError
from antelog.language.moments import Timescale
from antelog.run.metrics import Sample, families, is_counter
from antelog.spark.settings import HOLDING, LOOPBACK, OBSERVED, TICK, ZONE

# Metrics of Spark's sources that count what no batch has read yet.
_UNREAD = {"maxOffsetsBehindLatest": "messages", "numFilesOutstanding": "files"}
_STANDING = {
    "now": "antelog_tick",
    "open": "antelog_open_answers",
    "kept": "antelog_kept_facts",
    "state_bytes": "antelog_state_bytes",
}
_SLOW = ("antelog_held_back_ticks", "antelog_held_back_seconds")  # are about one source at a time
_END = "antelog_tick_age_seconds"


def unread(metrics: Mapping[str, str] | None) -> dict[str, int]:
    """The messages or files that a source of Spark's still has, by these words."""
    return {
        what: int(float(metrics[name])) for name, what in _UNREAD.items() if metrics and metrics.get(name)
    }


def samples_of(progress: Any) -> Iterator[Sample]:
    """The samples of a finished micro-batch, those of counters being what it adds."""
    stream = {"stream": progress.name or str(progress.id)}
    yield "antelog_batches", stream, 1
    yield "antelog_batch_seconds", stream, progress.durationMs.get("triggerExecution", 0) / 1000
    for source in progress.sources:
        labels = {**stream, "source": source.description}
        for unit, count in unread(source.metrics).items():
            yield "antelog_unread", {**labels, "unit": unit}, count
    counts = progress.observedMetrics[OBSERVED].asDict() if OBSERVED in progress.observedMetrics else {}
    if counts.get("kept") is None:  # it had no rows, and all is as before
        return
    yield "antelog_facts", stream, counts["given"]
    yield "antelog_changes", stream, counts["changes"]
    for name, metric in _STANDING.items():
        if counts[name] is not None:
            yield metric, stream, counts[name]
    for name, count in counts.items():
        source, _, what = name.partition(".")
        labels = {**stream, "input": source}
        if what == "held":
            yield "antelog_held_rows", labels, count or 0
        elif what:
            yield "antelog_rejects", {**labels, "reason": what}, count or 0
    if counts[HOLDING]:
        labels = {**stream, "source": counts[HOLDING]}
        yield "antelog_held_back_ticks", labels, counts["behind"]
        if counts[TICK] is not None:
            yield "antelog_held_back_seconds", labels, counts["behind"] * counts[TICK] / 1e6
    if counts[TICK] is not None and counts["now"] is not None:
        yield _END, stream, Timescale(counts[TICK], counts[ZONE]).begin(counts["now"] + 1) / 1e6


class StreamMetrics(StreamingQueryListener):
    """Keeps what streams say of their micro-batches; its methods have Spark's names, or Prometheus'."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._known: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802 - Spark's name
        self._names[str(event.id)] = event.name or str(event.id)
        self._take("antelog_running", {"stream": self._names[str(event.id)]}, 1)

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802 - likewise
        found = list(samples_of(event.progress))
        for name, key in [*self._known]:
            if name in _SLOW and found[0][1].items() <= key:
                del self._known[name, key]
        for sample in found:
            self._take(*sample)

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802 - likewise
        name = str(event.id)  # it may have been started before it was listened to
        self._take("antelog_running", {"stream": self._names.get(name, name)}, 0)

    def collect(self) -> list[Metric]:
        now, known = time.time(), [*self._known.items()]  # a copy, as Spark calls from another thread
        return families((name, dict(key), now - at if name == _END else at) for (name, key), at in known)

    def _take(self, name: str, labels: dict[str, str], value: float) -> None:
        key = name, frozenset(labels.items())
        self._known[key] = value + (self._known.get(key, 0) if is_counter(name) else 0)


def serve_metrics(spark: SparkSession, port: int = 9464, *, host: str = LOOPBACK) -> str:
    """Serves metrics of the session's streams to Prometheus; returns the address. Raises UnsupportedError."""
    registry, listener = CollectorRegistry(), StreamMetrics()
    registry.register(listener)
    try:
        server, _ = start_http_server(port, host, registry)
    except OSError as error:
        raise UnsupportedError(f"no metrics can be served at {host}:{port}: {error.strerror}") from None
    spark.streams.addListener(listener)
    return f"http://{host}:{server.server_port}/metrics"
