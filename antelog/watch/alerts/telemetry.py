"""Decided answers, alerts and metrics for a collector of OpenTelemetry, by OTLP over HTTP.

    feed ── board ──▶ metrics, every ten seconds
      ├── status ──▶ log records of inputs that fall silent
      └── changes ──▶ log records; the position behind them is stored once the collector has them

What a collector does not take is sent again; meanwhile the feed keeps what comes.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import requests
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, MetricExportResult
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from antelog.answers import ENDS
from antelog.engine.step.wording import LOST
from antelog.forecast.columns import LIKELY, UNLIKELY
from antelog.lines import LogLine, is_change
from antelog.run.metrics import Sample, is_counter, words_of
from antelog.run.store.feed import FeedReader, StoredFeedAt
from antelog.run.values import SILENT
from antelog.watch.alerts.alert import HEARD, AlertSetup
from antelog.watch.alerts.groups import SilentInputs
from antelog.watch.alerts.letters import DEFAULT, ChangeTexts, alert_template
from antelog.watch.alerts.outbox import counts_in, opened
from antelog.watch.alerts.samples import samples
from antelog.watch.alerts.sending import POLL, REFUSALS, say
from antelog.watch.board.board import Board

_KINDS = frozenset({*ENDS, LIKELY, UNLIKELY, SILENT, HEARD})
_SEVERITIES = {"critical": SeverityNumber.ERROR, "warning": SeverityNumber.WARN}  # of others it is INFO
_SCOPE = InstrumentationScope("antelog")
_AT_ONCE = 500  # records of the feed that are read, and sent, at a time
_EVERY = 10.0  # seconds between two exports of metrics
_AGAIN = 2.0  # seconds after which what failed is sent again; the library tries for some time before it fails
_GRACE = 8.0  # seconds for what waits once the stream has ended


def export(setup: AlertSetup, ending: Callable[[], bool]) -> None:
    """Exports until `ending`, and then what is left, if the collector takes it."""
    store, board, measured = Path(setup.store), Board(), float("-inf")
    collector, feed, silent = Collector(setup), StoredFeedAt(store), SilentInputs((), time.time())
    with opened(store) as outbox:
        reader = FeedReader(feed, outbox.exported or 0)
        while True:
            was_ending = ending()
            if reader.position and feed.extent()[0] > reader.position:
                say("telemetry: some changes are left out: the feed had no room for them any more")
            records = reader.read(_AT_ONCE)
            board.take(records)
            changes = silent.changes(records, time.time(), more=len(records) == _AT_ONCE)
            if not collector.send(chain(filter(is_change, records), changes), ending):
                say("telemetry: the collector lacks some changes; with a --state the next start sends them")
                return
            if records:
                outbox.export_to(reader.position)
            ended = was_ending and not records
            if ended or time.monotonic() > measured + _EVERY:
                collector.measure(samples(board, counts_in(store)))
                measured = time.monotonic()
            if ended:
                return
            time.sleep(0 if records else POLL)


class Collector:
    """A collector that gets log records and metrics; that it is away is said once, and that it is back."""

    def __init__(self, setup: AlertSetup) -> None:
        self._setup, self._away, self._statuses = setup, False, list[int]()
        self._texts = ChangeTexts({each.name: each for each in setup.queries}, setup.timescale)
        self._template = alert_template(DEFAULT, setup.queries)
        # The library logs what went wrong in words that may quote anything; only the status is told.
        logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
        logging.getLogger("opentelemetry").propagate = False
        session, address = requests.Session(), setup.otlp.rstrip("/")
        session.hooks["response"].append(lambda found, **_: self._statuses.append(found.status_code))
        self._logs = OTLPLogExporter(f"{address}/v1/logs", session=session)
        self._metrics = OTLPMetricExporter(f"{address}/v1/metrics", session=session)
        known = Resource({"service.name": "antelog", "antelog.program": setup.program})
        self._resource, self._reader = known.merge(OTELResourceDetector().detect()), InMemoryMetricReader()
        self._observed: dict[str, list[Observation]] = {}
        meter = MeterProvider([self._reader], self._resource, shutdown_on_exit=False).get_meter("antelog")
        for name, text in words_of().items():
            make = meter.create_observable_counter if is_counter(name) else meter.create_observable_gauge
            make(name, [partial(self._observations, name)], description=text)

    def send(self, changes: Iterable[LogLine], ending: Callable[[], bool]) -> bool:
        """Sends changes until the collector has them; False if it has not, some time after the end."""
        until, batch = float("inf"), [self._record(line) for line in changes if line["change"] in _KINDS]
        while batch:
            self._statuses.clear()
            taken = self._logs.export(batch) is LogRecordExportResult.SUCCESS
            refused = not taken and self._statuses[-1:] and self._statuses[-1] in REFUSALS
            if refused:
                said = f"records are left out: the collector refuses them with {self._statuses[-1]}"
                say(f"telemetry: {len(batch)} {said}")
            if refused or self._heard(taken):
                break
            if ending():
                until = min(until, time.monotonic() + _GRACE)
            if time.monotonic() > until:
                return False
            time.sleep(_AGAIN)
        return True

    def _record(self, line: LogLine) -> ReadableLogRecord:
        severity, timescale, at = self._texts.query(line).severity, self._setup.timescale, None
        if timescale is not None and line["tick"] in timescale.ticks:
            at = int(timescale.time(line["tick"]).timestamp() * 1_000_000) * 1_000
        found = LogRecord(
            timestamp=at,
            observed_timestamp=time.time_ns(),
            severity_number=_SEVERITIES.get(severity, SeverityNumber.INFO),
            severity_text=severity,
            body=self._template.filled(self._texts.of(line, "")),
            attributes=attributes(line, severity),
            event_name="antelog.change",
        )
        return ReadableLogRecord(found, self._resource, _SCOPE)

    def measure(self, found: Iterable[Sample]) -> None:
        """Sends metrics; those that the collector does not take are followed by newer ones."""
        self._observed.clear()
        for name, labels, value in found:
            self._observed.setdefault(name, []).append(Observation(float(value), labels))
        data = self._reader.get_metrics_data()
        if data is not None:
            self._statuses.clear()
            self._heard(self._metrics.export(data) is MetricExportResult.SUCCESS)

    def _observations(self, name: str, _: CallbackOptions) -> Iterable[Observation]:
        return self._observed.get(name, ())

    def _heard(self, taken: bool) -> bool:
        """Says that the collector takes nothing any more, or does again."""
        if taken and self._away:
            say("telemetry: the collector takes what is sent again")
        elif not taken and not self._away:
            why = f"it answers {self._statuses[-1]}" if self._statuses else "it is away or busy"
            say(f"telemetry: {self._setup.otlp} does not take what is sent: {why}. It is tried again")
        self._away = not taken
        return taken


def attributes(line: LogLine, severity: str) -> Mapping[str, Any]:
    """The attributes of a change: a value that is open is left out."""
    found = {
        "antelog.query": line["query"],
        "antelog.change": line["change"],
        "antelog.tick": line["tick"],
        "antelog.severity": severity,
        "antelog.chance": line.get("chance"),
        "antelog.decided_by": line.get("decided_by"),
        "antelog.lost": line.get(LOST),
        **{f"antelog.answer.{name}": value for name, value in line["answer"].items()},
    }
    return {name: value for name, value in found.items() if value is not None}
