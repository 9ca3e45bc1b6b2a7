"""antelog/watch/feed/records.py: changes that any pipeline wrote become records of a feed."""

from __future__ import annotations

from antelog.watch.feed.records import change_of, record_of

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
