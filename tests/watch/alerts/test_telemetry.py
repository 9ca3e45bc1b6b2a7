"""A collector of OpenTelemetry gets all that was decided and the metrics of the page, if it was away, too."""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import DEVNULL
from typing import Any, cast

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from antelog.language.moments import Timescale
from antelog.lines import LogLine
from antelog.watch.alerts import telemetry
from antelog.watch.alerts.alert import AlertQuery, AlertSetup
from antelog.watch.alerts.telemetry import Collector
from tests.cli.trying import antelog
from tests.docs.pages import ROOT
from tests.processes import started, until

RULES = """\
tick 10 minutes.
input Temp(device, level, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).
query Malf(X, T) critical alert 60% "turbine {X} fails".
chance Temp(_, high, _) = 50%, again 80%.
"""
# wt2 fails, wt4 does not.
READINGS = """\
device,level,time,arrival
wt2,high,0,0
wt4,high,0,0
wt2,high,1,1
wt4,high,1,1
wt2,high,2,2
wt4,low,9,9
"""


@dataclass
class Receiver:
    """The requests that came, and the statuses to answer with, else 200."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    got: list[tuple[str, bytes, str | None]] = field(default_factory=list)
    refused: int = 0

    def of(self, path: str) -> list[bytes]:
        return [body for each, body, _ in self.got if each == path]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The attributes of all log records, with their `body`, `severity` and `time`."""
        found = []
        for body in self.of("/v1/logs"):
            for resource in ExportLogsServiceRequest.FromString(body).resource_logs:
                named = plain(resource.resource.attributes)
                assert named["service.name"] == "antelog"
                for record in (each for scope in resource.scope_logs for each in scope.log_records):
                    more = {"body": record.body.string_value, "severity": record.severity_number}
                    found.append({**plain(record.attributes), **more, "time": record.time_unix_nano})
        return found

    @property
    def metrics(self) -> dict[tuple[str, str], float]:
        """The last points: by the metric, and its labels in one text."""
        (*_, last) = self.of("/v1/metrics")
        found = {}
        for resource in ExportMetricsServiceRequest.FromString(last).resource_metrics:
            for metric in (each for scope in resource.scope_metrics for each in scope.metrics):
                points = (metric.sum if metric.HasField("sum") else metric.gauge).data_points
                for point in points:
                    labels = " ".join(str(value) for value in plain(point.attributes).values())
                    found[metric.name, labels] = point.as_double
        return found


def plain(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}


@contextmanager
def receiving(port: int = 0) -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = found.answers.pop(0) if found.answers else 200
            found.refused += status != 200
            if status == 200:
                found.got.append((self.path, body, self.headers["Authorization"]))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found.url = f"http://127.0.0.1:{server.server_port}"
        yield found
        server.shutdown()


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """A command that follows a few readings to their end, with a state; a collector has a second."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20s3cret")
    Path("rules.alog").write_text(RULES)
    Path("temp.csv").write_text(READINGS)
    return ("watch", "rules.alog", "--input", "Temp=temp.csv", "--once", "--no-page", "--state", "r.state")


def decided(lines: str) -> Counter[tuple[Any, ...]]:
    wanted = [json.loads(each) for each in lines.splitlines()]
    kinds = ("confirmed", "rejected", "likely", "unlikely")
    return Counter(
        (each["change"], each["tick"], each["answer"]["X"], each["answer"]["T"])
        for each in wanted
        if each["change"] in kinds
    )


def told(records: list[dict[str, Any]]) -> Counter[tuple[Any, ...]]:
    names = ("change", "tick", "answer.X", "answer.T")
    return Counter(tuple(each[f"antelog.{name}"] for name in names) for each in records)


def test_decided_answers_alerts_and_metrics_arrive(watched: tuple[str, ...]) -> None:
    with receiving() as receiver:
        done = antelog(*watched, "--otlp", receiver.url)
    assert done.exit_code == 0, done.stderr
    records = receiver.records
    assert told(records) == decided(done.stdout)
    assert {each["antelog.change"] for each in records} >= {"confirmed", "rejected", "likely"}
    confirmed = next(each for each in records if each["antelog.change"] == "confirmed")
    assert confirmed["body"].startswith("turbine wt2 fails: confirmed")
    assert (confirmed["antelog.query"], confirmed["antelog.severity"]) == ("Malf", "critical")
    assert confirmed["severity"] == 17  # ERROR
    likely = next(each for each in records if each["antelog.change"] == "likely")
    assert 0.6 <= likely["antelog.chance"] <= 1
    metrics = receiver.metrics
    changes = Counter(json.loads(each)["change"] for each in done.stdout.splitlines())
    for change, count in changes.items():
        assert metrics["antelog_changes", f"Malf {change}"] == count
    assert metrics["antelog_facts", "Temp"] == len(READINGS.splitlines()) - 1
    assert metrics["antelog_open_answers", "Malf"] == 0
    assert {token for *_, token in receiver.got} == {"Bearer s3cret"}
    assert "s3cret" not in done.output


def test_an_input_that_falls_silent_is_a_record(watched: tuple[str, ...]) -> None:
    Path("rules.alog").write_text(RULES.replace("10 minutes", "1 s").replace("delay 1.", "every 1 s."))
    Path("temp.csv").write_text(f"device,level,time\nwt2,high,{datetime.now(UTC).isoformat()}\n")
    command = [sys.executable, "-m", "antelog", *watched[:4], "--no-page", "--otlp"]
    with receiving() as receiver, started([*command, receiver.url], stdout=DEVNULL) as process:
        (record,) = until(lambda: [r for r in receiver.records if r["antelog.change"] == "silent"], process)
    assert (record["body"].partition(" since")[0], record["severity"]) == ("no fact of Temp", 13)  # WARN


def test_a_collector_that_is_away_loses_nothing_and_is_said_once(
    watched: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    with receiving() as receiver:
        free = receiver.url  # which is closed now
    done = antelog(*watched, "--otlp", free)
    assert done.exit_code == 0, done.stderr
    said = capfd.readouterr().err  # of the process that sends
    assert said.count("does not take what is sent: it is away or busy. It is tried again") == 1
    assert "with a --state the next start sends them" in said
    assert "s3cret" not in done.output + said
    with receiving() as receiver:
        again = antelog(*watched, "--otlp", receiver.url)
        assert again.exit_code == 0, again.stderr
        assert told(receiver.records) == decided(done.stdout)
        third = antelog(*watched, "--otlp", receiver.url)
        assert third.exit_code == 0, third.stderr
        assert told(receiver.records) == decided(done.stdout), "nothing is sent again"


def collector(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Collector:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    for name in ("_AGAIN", "_GRACE"):
        monkeypatch.setattr(telemetry, name, 0.05)
    query = AlertQuery("Q", ("X", "T"), {}, "confirmed", "warning")
    return Collector(AlertSetup((), (query,), "rules.alog", Timescale(600_000_000), otlp=f"{receiver.url}/"))


def line(**more: Any) -> LogLine:
    found = {"tick": 3, "change": "confirmed", "query": "Q", "answer": {"X": None, "T": 2}, **more}
    return cast("LogLine", found)


def test_what_a_collector_refuses_is_left_out_and_what_it_cannot_take_now_is_sent_again(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with receiving() as receiver:
        made = collector(receiver, monkeypatch)
        receiver.answers = [401, 401, 400]
        assert made.send([line(), line(change="possible")], lambda: False)
        assert receiver.records == []
        said = capfd.readouterr().err
        assert (
            said.count(f"{receiver.url}/ does not take what is sent: it answers 401. It is tried again") == 1
        )
        assert "1 records are left out: the collector refuses them with 400" in said
        assert made.send([line(tick=2_800_000)], lambda: False)
        assert "takes what is sent again" in capfd.readouterr().err
        (one,) = receiver.records
        assert (one["antelog.tick"], one["antelog.answer.T"], one["severity"]) == (2_800_000, 2, 13)
        assert one["time"] == 2_800_000 * 600 * 10**9
        assert "antelog.answer.X" not in one
        assert "antelog.chance" not in one


def test_at_the_end_it_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as receiver:
        made = collector(receiver, monkeypatch)
        receiver.answers = [401] * 1000
        assert not made.send([line()], lambda: True)
        assert until(lambda: receiver.refused) >= 1


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("localhost:4318", "is not the address of a page"),
        ("http://me:s3cret@localhost:4318", "is not the address of a page"),
    ],
)
def test_a_wrong_address_is_said_before_the_start(watched: tuple[str, ...], address: str, said: str) -> None:
    done = antelog(*watched, "--otlp", address)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert "s3cret" not in done.stderr


def test_the_page_says_what_is_sent() -> None:
    """Each attribute of a record, and each metric of a page, is on the page about it."""
    text = (ROOT / "docs" / "opentelemetry.md").read_text("utf-8")
    for name in telemetry.attributes(line(chance=0.5, decided_by=4, lost=["P(a, 1)"]), "info"):
        assert f"`{name}`".replace(".T`", ".X`") in text
