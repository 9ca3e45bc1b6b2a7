"""antelog/run/store/feed.py: changes that any pipeline wrote become records of a feed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import antelog
from antelog.diagnostics import Source
from antelog.lines import line_of
from antelog.run.store.feed import about, record_of, reject_line, source_of, status_line
from tests.lines import lines_of

RECORD: dict[str, Any] = {"tick": 3, "change": "possible", "query": "Malf", "answer": {"X": "wt2"}}


def test_a_row_of_spark_becomes_a_record() -> None:
    row = {**RECORD, "answer": '{"X": "wt2"}'}
    assert line_of(row) == dict(RECORD)
    row["forecast"] = [{"tick": 4, "chance": 0.5}]
    assert line_of(row) == {**RECORD, "forecast": [[4, 0.5]]}


def test_so_far_is_an_object_as_in_lines() -> None:
    rules = (
        "Often(X, T) :- Visit(X, N, T), count(M : Visit(X, M, T..T+2)) >= 3,"
        " avg(V : Paid(X, V, T+1..T+2)) > 1."
    )
    facts = [("Visit", ("ann", number, 0), 0) for number in (1, 2)]
    program = f"input Visit(x, n, time). input Paid(x, v: number, time).\n{rules}\nquery Often(X, T)."
    (line,) = lines_of(program, facts, 0)
    engine = antelog.Engine(antelog.parse(program))
    (row,) = engine.advance(0, {"Visit": [values for _, values, _ in facts]})["Often"].to_pylist()
    record = line_of({**RECORD, "answer": '{"X": "ann"}', "explanations": row["explanations"]})
    assert record is not None
    assert record["explanations"] == line["explanations"]
    assert [*line["explanations"][0]["so_far"].values()] == [None, 2]
    assert line_of(record) == record


def test_times_of_a_row_of_spark_stand_where_lines_have_them() -> None:
    time, text = datetime(2026, 3, 30, 2, 50, tzinfo=UTC), "2026-03-30T02:50:00+00:00"
    silent = {"change": "rejected", "tick": 3}
    names = ("time", "T_time", "if_silent_time", "decided_by_time")
    row = {**RECORD, "answer": '{"T": 3}', "if_silent": silent, "decided_by": 3}
    assert line_of(row | dict.fromkeys(names, time)) == row | {
        "answer": {"T": 3},
        "time": text,
        "times": {"T": text},
        "if_silent": {**silent, "time": text},
        "decided_by_time": text,
    }


def test_lines_of_a_feed_stay_what_they_are() -> None:
    assert record_of(b'{"status": {"tick": 3}}') == {"status": {"tick": 3}}
    assert record_of(b'{"tick": 3, "change": "possible", "query": "Malf", "answer": {"X": "wt2"}}') == RECORD


def test_what_is_no_record() -> None:
    assert line_of({**RECORD, "answer": "[1"}) is None
    assert [record_of(line) for line in (b"", b"{", b"[]", b"\xff", b'{"tick": 3}')] == [None] * 5


def test_what_a_feed_says_beside_changes() -> None:
    assert about(Source("query P(X).", "p.alog"), None) == {
        "program": "query P(X).",
        "path": "p.alog",
        "time": None,
    }
    time = {"origin": "1970-01-01T00:00:00Z", "length_seconds": 600.0}
    assert about(Source("", "p.alog"), 600_000_000)["time"] == time
    whole = Source("query P(X).", "p.alog", (Source("limit a = 1.", "q.alog"),), {"a": 2})
    assert source_of(about(whole, None)) == whole
    assert source_of({}) == Source("", "")
    status = (record_of(status_line({"tick": 3}).encode()) or {})["status"]
    assert status["tick"] == 3
    assert datetime.fromisoformat(status["at"]).tzinfo is not None
    assert record_of(reject_line({"input": "Temp"}).encode()) == {"reject": {"input": "Temp"}}
