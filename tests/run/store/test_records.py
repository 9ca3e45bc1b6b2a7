"""antelog/run/store/records.py: changes that any pipeline wrote become records of a feed."""

from __future__ import annotations

from datetime import datetime

from antelog.diagnostics import Source
from antelog.run.store import about, change_of, record_of, reject_line, status_line

RECORD = {"tick": 3, "change": "possible", "query": "Malf", "answer": {"X": "wt2"}}


def test_a_row_of_spark_becomes_a_record() -> None:
    row = {**RECORD, "answer": '{"X": "wt2"}', "timestamp": "2024-01-01"}
    assert change_of(row) == RECORD
    assert change_of({**row, "forecast": [{"tick": 4, "chance": 0.5}]}) == {**RECORD, "forecast": [[4, 0.5]]}


def test_lines_of_a_feed_stay_what_they_are() -> None:
    assert record_of(b'{"status": {"tick": 3}}') == {"status": {"tick": 3}}
    assert record_of(b'{"tick": 3, "change": "possible", "query": "Malf", "answer": {"X": "wt2"}}') == RECORD


def test_what_is_no_record() -> None:
    assert change_of({**RECORD, "answer": "[1"}) is None
    assert [record_of(line) for line in (b"", b"{", b"[]", b"\xff", b'{"tick": 3}')] == [None] * 5


def test_what_a_feed_says_beside_changes() -> None:
    assert about(Source("query P(X).", "p.alog"), None) == {
        "program": "query P(X).",
        "path": "p.alog",
        "time": None,
    }
    time = {"origin": "1970-01-01T00:00:00Z", "length_seconds": 600.0}
    assert about(Source("", "p.alog"), 600_000_000)["time"] == time
    status = (record_of(status_line({"tick": 3}).encode()) or {})["status"]
    assert status["tick"] == 3
    assert datetime.fromisoformat(status["at"]).tzinfo is not None
    assert record_of(reject_line({"input": "Temp"}).encode()) == {"reject": {"input": "Temp"}}
