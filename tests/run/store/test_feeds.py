"""antelog/run/store/feed.py: stores and folders are written and read alike; batches and records on Spark."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import antelog
from antelog.diagnostics import Source
from antelog.errors import OutputError
from antelog.lines import line_of
from antelog.run.store.feed import (
    BatchFeed,
    FeedReader,
    FolderFeed,
    StoredFeed,
    StoredFeedAt,
    about,
    is_folder_feed,
    record_of,
    reject_line,
    source_of,
    status_line,
)
from antelog.run.store.store import Store
from tests.lines import lines_of


class Made:
    """A feed in a store or in a folder: its writer, and readers as other processes have them."""

    def __init__(self, folder: Path, stack: ExitStack, kind: str) -> None:
        self.path, self._stack, self._kind = folder / "feed", stack, kind

    def writer(self, **limits: int) -> StoredFeed | FolderFeed:
        if self._kind == "folder":
            return FolderFeed(self.path, **limits)
        store = Store(self.path, temporary=True)
        self._stack.callback(store.close)
        return StoredFeed(store._database, **limits) if limits else store.feed

    def reader(self, position: int = 0) -> FeedReader:
        kind = FolderFeed if self._kind == "folder" else StoredFeedAt
        return FeedReader(kind(self.path), position)

    def begun(self, *ticks: int) -> StoredFeed | FolderFeed:
        writer = self.writer()
        writer.begin({"tick": -1})
        writer.append([_line(tick) for tick in ticks])
        return writer


@pytest.fixture(params=["store", "folder"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Made]:
    with ExitStack() as stack:
        yield Made(tmp_path, stack, request.param)


def _line(tick: int) -> str:
    return f'{{"tick": {tick}, "change": "confirmed"}}'


def _ticks(records: list[dict[str, object]]) -> list[object]:
    return [record["tick"] for record in records if "tick" in record]


def test_what_is_written_is_read_in_order(made: Made) -> None:
    writer, reader = made.begun(1, 2), made.reader()
    first, *changes = reader.read(2)
    assert first == {"head": {"tick": -1, "open": []}}
    assert _ticks(changes) == [1]
    assert _ticks(reader.read(10)) == [2]
    assert reader.read() == []
    writer.append([_line(3)])
    assert _ticks(reader.read()) == [3]


@pytest.mark.parametrize("limit", [1, 7, 999, 1000, 5000])
def test_portions_make_the_whole(made: Made, limit: int) -> None:
    writer = made.begun(*range(2_500))
    writer.append([_line(2_500)])
    reader, found = made.reader(), []
    while records := reader.read(limit):
        assert len(records) <= limit
        found += _ticks(records)
    assert found == list(range(2_501))


def test_a_head_has_all_that_is_open(made: Made) -> None:
    writer = made.writer()
    writer.begin({"program": 'a "b"', "tick": 7}, ['{"query": "Malf"}', '{"query": "ä"}'])
    (record,) = made.reader().read()
    assert record == {
        "head": {"program": 'a "b"', "tick": 7, "open": [{"query": "Malf"}, {"query": "ä"}]}
    }  # fmt: skip


def test_lines_come_after_a_head(made: Made) -> None:
    writer = made.writer()
    assert writer.full
    with pytest.raises(ValueError, match="begins with a head"):
        writer.append([_line(1)])
    writer.begin({})
    assert not writer.full


def test_a_reader_goes_on_from_a_position_that_was_kept(made: Made) -> None:
    writer, reader = made.begun(1), made.reader()
    reader.read()
    writer.append([_line(2)])
    assert _ticks(made.reader(reader.position).read()) == [2]


def test_there_may_be_no_feed_yet(made: Made) -> None:
    reader = made.reader()
    assert reader.read() == []
    made.begun(1)
    assert _ticks(reader.read()) == [1]


def test_the_oldest_lines_go_and_a_slow_reader_goes_on_with_what_is_there(made: Made) -> None:
    writer = made.writer(largest=200, kept=400)
    slow, fast = made.reader(), made.reader()
    reported: list[object] = []
    for tick in range(50):
        if writer.full:
            writer.begin({"told": tick})
        writer.append([_line(tick)])
        reported += _ticks(fast.read())
        if tick == 0:
            slow.read()
    assert reported == list(range(50))
    found = slow.read()
    assert "head" in found[0]
    assert 1 < len(found) < 25
    assert _ticks(found) == list(range(50 - len(_ticks(found)), 50))


def test_a_line_that_is_damaged_is_counted(made: Made) -> None:
    made.begun(1).append(["\0\0", _line(2)])
    reader = made.reader()
    assert _ticks(reader.read()) == [1, 2]
    assert reader.damaged == 1


# ---- a store ----


def test_old_lines_go_but_for_the_last_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    now = [1_000_000.0]
    monkeypatch.setattr("antelog.run.store.feed.time.time", lambda: now[0])
    store = Store(tmp_path / "s", temporary=True)
    request.addfinalizer(store.close)
    for day in range(12):
        assert store.feed.full
        store.feed.begin({})
        store.feed.append([_line(day)])
        now[0] += 24 * 3600
    assert _ticks(FeedReader(StoredFeedAt(store.path)).read()) == list(range(4, 12))
    now[0] += 30 * 24 * 3600
    assert _ticks(FeedReader(StoredFeedAt(store.path)).read()) == list(range(4, 12))
    store.feed.begin({})
    assert len(FeedReader(StoredFeedAt(store.path)).read()) == 1


def test_a_store_that_is_replaced_is_read_from_its_beginning(tmp_path: Path) -> None:
    path, feed = tmp_path / "s", StoredFeedAt(tmp_path / "s")
    reader = FeedReader(feed)
    for round_ in range(2):
        store = Store(path, temporary=True)
        store.feed.begin({})
        store.feed.append([_line(round_)])
        feed.extent()  # as the sender of alerts asks before it reads
        assert _ticks(reader.read()) == [round_]
        store.close()
        for each in tmp_path.iterdir():
            each.unlink()


def test_readers_hold_no_transaction(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    store.feed.begin({})
    reader = FeedReader(StoredFeedAt(tmp_path / "s"))
    for number in range(300):
        with store.transaction():
            store.feed.append([f'{{"tick": {number}, "long": "{"x" * 200_000}"}}'])
        reader.read(1)
    assert (tmp_path / "s-wal").stat().st_size < 30_000_000
    store.close()


# ---- a folder ----


def test_half_a_line_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "feed"
    _begun(folder)
    reader = FeedReader(FolderFeed(folder))
    reader.read()
    with (folder / "00000000.jsonl").open("ab") as file:
        file.write(b'{"tick": 2')
        file.flush()
        assert reader.read() == []
        file.write(b', "change": "confirmed"}\n')
    assert _ticks(reader.read()) == [2]


def _begun(folder: Path, *ticks: int) -> FolderFeed:
    writer = FolderFeed(folder)
    writer.begin({})
    writer.append([_line(tick) for tick in ticks])
    return writer


def test_a_new_writer_leaves_nothing_of_the_one_before(tmp_path: Path) -> None:
    reader = FeedReader(FolderFeed(tmp_path))
    _begun(tmp_path, 1)
    reader.read()
    _begun(tmp_path, 7)
    assert [path.name for path in tmp_path.iterdir()] == ["00000001.jsonl"]
    assert _ticks(reader.read()) == [7]


def test_a_folder_that_was_removed_is_read_from_its_new_beginning(tmp_path: Path) -> None:
    reader = FeedReader(FolderFeed(tmp_path))
    _begun(tmp_path, 1).begin({})
    reader.read()
    for path in tmp_path.iterdir():
        path.unlink()
    assert reader.read() == []
    _begun(tmp_path, 2)
    assert _ticks(reader.read()) == [2]


def test_only_the_owner_can_read_a_folder(tmp_path: Path) -> None:
    _begun(tmp_path / "feed", 1)
    assert stat.S_IMODE((tmp_path / "feed").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "feed" / "00000000.jsonl").stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="file/feed: cannot be written: Not a directory"):
        FolderFeed(tmp_path / "file" / "feed").begin({})


def test_which_folders_are_feeds(tmp_path: Path) -> None:
    (tmp_path / "part-0.jsonl").touch()
    assert not is_folder_feed(tmp_path)
    _begun(tmp_path, 1)
    assert is_folder_feed(tmp_path)


@pytest.mark.parametrize("number", ["00000000", "00000009"])
def test_links_in_a_folder_are_neither_read_nor_written(tmp_path: Path, number: str) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "feed"
    secret.write_text(_line(77) + "\n")
    folder.mkdir()
    (folder / f"{number}.jsonl").symlink_to(secret)
    (folder / "00000003.jsonl").symlink_to(tmp_path / "nowhere")
    assert FeedReader(FolderFeed(folder)).read() == []
    _begun(folder, 1)
    assert _ticks(FeedReader(FolderFeed(folder)).read()) == [1]
    assert secret.read_text() == _line(77) + "\n"


def test_a_link_in_place_of_a_segment_is_not_written(tmp_path: Path) -> None:
    secret, writer = tmp_path / "secret", FolderFeed(tmp_path / "feed")
    secret.write_text("")
    writer.begin({"tick": -1})
    (segment,) = (tmp_path / "feed").iterdir()
    segment.unlink()
    segment.symlink_to(secret)
    with pytest.raises(OutputError, match=r"00000000\.jsonl: cannot be written: Too many levels of symbolic"):
        writer.append([_line(1)])
    assert secret.read_text() == ""


# ---- batches: each is written once, and every segment begins with what is open ----


ABOUT = {"program": "query Malf(X, T).", "path": "malf.alog", "time": None}


def change(kind: str, x: str, tick: int) -> str:
    return json.dumps({"tick": tick, "change": kind, "query": "Malf", "answer": {"X": x, "T": 0}})


def write(feed: BatchFeed, number: int | None, *lines: str) -> None:
    feed.write(number, lines, {"tick": number, "inputs": {}})


def read(folder: Path) -> list[dict[str, Any]]:
    return FeedReader(FolderFeed(folder)).read()


def open_in(folder: Path) -> set[str]:
    (head,) = (record["head"] for record in read(folder) if "head" in record)
    return {line["answer"]["X"] for line in head["open"]}


def test_a_batch_is_its_lines_and_how_things_stand_then(tmp_path: Path) -> None:
    write(BatchFeed(FolderFeed(tmp_path), ABOUT), 3, change("possible", "a", 3), change("possible", "b", 3))
    head, first, second, status = read(tmp_path)
    assert head["head"]["path"] == "malf.alog"
    assert [first["answer"]["X"], second["answer"]["X"]] == ["a", "b"]
    assert status["status"]["tick"] == 3
    assert status["status"]["open"] == {"Malf": 2}


def test_a_batch_that_comes_again_is_written_once(tmp_path: Path) -> None:
    feed = BatchFeed(FolderFeed(tmp_path), ABOUT)
    for number in (0, 0, 1, 0):
        write(feed, number, change("revised", "a", number))
    assert [record["tick"] for record in read(tmp_path) if "change" in record] == [0, 1]
    write(BatchFeed(FolderFeed(tmp_path), ABOUT), 1, change("revised", "a", 1))
    assert not [record for record in read(tmp_path) if "change" in record]


def test_who_goes_on_knows_what_is_open(tmp_path: Path) -> None:
    feed = BatchFeed(FolderFeed(tmp_path), ABOUT)
    write(feed, 0, *(change("possible", x, 0) for x in "abcd"))
    write(feed, 1, change("confirmed", "a", 1), change("rejected", "b", 1), change("rejected", "c", 1))
    again = BatchFeed(FolderFeed(tmp_path), ABOUT)
    assert open_in(tmp_path) == {"d"}
    write(again, 2, change("possible", "e", 2))
    BatchFeed(FolderFeed(tmp_path), ABOUT)
    assert open_in(tmp_path) == {"d", "e"}


def test_half_a_batch_is_forgotten_and_comes_again(tmp_path: Path) -> None:
    feed = BatchFeed(FolderFeed(tmp_path), ABOUT)
    write(feed, 0, change("possible", "a", 0))
    feed.feed.append([change("possible", "half", 1)])
    again = BatchFeed(FolderFeed(tmp_path), ABOUT)
    assert open_in(tmp_path) == {"a"}
    write(again, 1, change("possible", "half", 1), change("possible", "b", 1))
    BatchFeed(FolderFeed(tmp_path), ABOUT)
    assert open_in(tmp_path) == {"a", "half", "b"}


def test_what_is_read_once_has_no_number(tmp_path: Path) -> None:
    feed = BatchFeed(FolderFeed(tmp_path), ABOUT)
    write(feed, None, change("possible", "a", 0))
    assert [record["status"]["tick"] for record in read(tmp_path) if "status" in record] == [None]


# ---- records ----


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
