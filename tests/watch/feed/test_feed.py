"""antelog/watch/feed/{segments,writer,reader}.py: what is written is read, once, whatever happens between."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from antelog.errors import OutputError
from antelog.watch.feed.reader import FeedReader
from antelog.watch.feed.segments import Position, inbox, segments_in
from antelog.watch.feed.writer import FeedWriter


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "turbines.feed"


def _line(tick: int) -> str:
    return f'{{"tick": {tick}, "change": "confirmed"}}'


def _ticks(records: list[dict[str, object]]) -> list[object]:
    return [record["tick"] for record in records if "tick" in record]


def _heads(records: list[dict[str, object]]) -> list[object]:
    return [record["head"] for record in records if "head" in record]


def _begun(folder: Path, *ticks: int, largest: int = 1 << 20) -> FeedWriter:
    writer = FeedWriter(folder, largest=largest)
    writer.head({"tick": -1})
    writer.write([_line(tick) for tick in ticks])
    return writer


def test_what_is_written_is_read_in_order(folder: Path) -> None:
    writer, reader = _begun(folder, 1, 2), FeedReader(folder)
    first, *changes = reader.read(2)
    assert first == {"head": {"segment": 0, "tick": -1, "open": []}}
    assert _ticks(changes) == [1]
    assert _ticks(reader.read(10)) == [2]
    assert reader.read() == []
    writer.write([_line(3)])
    assert _ticks(reader.read()) == [3]
    assert reader.position == writer.position


def test_a_head_has_all_that_is_open(folder: Path) -> None:
    writer = FeedWriter(folder)
    writer.head({"program": 'a "b"', "tick": 7}, ['{"query": "Malf"}', '{"query": "ä"}'])
    (record,) = FeedReader(folder).read()
    assert record == {
        "head": {
            "segment": 0, "program": 'a "b"', "tick": 7, "open": [{"query": "Malf"}, {"query": "ä"}]
        }
    }  # fmt: skip


def test_a_reader_goes_on_from_a_position_that_was_kept(folder: Path) -> None:
    writer, reader = _begun(folder, 1), FeedReader(folder)
    reader.read()
    kept = reader.position
    writer.write([_line(2)])
    assert _ticks(FeedReader(folder, kept).read()) == [2]


def test_a_line_that_is_not_whole_is_not_read(folder: Path) -> None:
    _begun(folder, 1)
    reader = FeedReader(folder)
    reader.read()
    with (folder / "00000000.jsonl").open("ab") as file:
        file.write(b'{"tick": 2')
        file.flush()
        assert reader.read() == []
        file.write(b', "change": "confirmed"}\n')
    assert _ticks(reader.read()) == [2]


def test_a_line_that_is_damaged_is_counted(folder: Path) -> None:
    _begun(folder, 1).write(["\0\0", _line(2)])
    reader = FeedReader(folder)
    assert _ticks(reader.read()) == [1, 2]
    assert reader.damaged == 1


def test_there_may_be_no_feed_yet(folder: Path) -> None:
    reader = FeedReader(folder)
    assert reader.read() == []
    _begun(folder, 1)
    assert _ticks(reader.read()) == [1]


def test_segments_follow_one_another_and_the_oldest_go(folder: Path) -> None:
    writer = FeedWriter(folder, largest=200, kept=2)
    slow = FeedReader(folder)
    fast, told = FeedReader(folder), []
    for tick in range(50):
        if writer.full:
            writer.head({"tick": tick})
        writer.write([_line(tick)])
        told += _ticks(fast.read())
        if tick == 0:
            slow.read()
    assert told == list(range(50))
    there = segments_in(folder)
    assert 1 <= len(there) <= 3
    assert there[0] > 0
    found = slow.read()
    # It was left behind, and goes on with the oldest that is there, whose head says what is open.
    assert "head" in found[0]
    assert _ticks(found) == list(range(50 - len(_ticks(found)), 50))


def test_what_was_written_after_the_last_state_is_cut_off(folder: Path) -> None:
    writer, ahead, behind = _begun(folder, 1, 2), FeedReader(folder), FeedReader(folder)
    behind.read(2)
    saved = writer.position
    writer.write([_line(3)])
    writer.head({"tick": 3})
    writer.write([_line(4)])
    assert _ticks(ahead.read()) == [1, 2, 3, 4]
    again = FeedWriter.resume(folder, saved)
    assert ahead.read() == []
    again.head({"tick": 2})
    again.write([_line(3), _line(4), _line(5)])
    # A reader that was ahead is told again what it may have forgotten; one behind finds each line once.
    assert _ticks(ahead.read()) == [3, 4, 5]
    assert _ticks(behind.read()) == [2, 3, 4, 5]
    assert segments_in(folder) == [0, 2]
    assert ahead.position == behind.position == again.position


def test_a_writer_that_begins_anew_leaves_nothing_of_the_one_before(folder: Path) -> None:
    _begun(folder, 1)
    reader = FeedReader(folder)
    reader.read()
    _begun(folder, 7)
    found = reader.read()
    assert [head["segment"] for head in _heads(found) if isinstance(head, dict)] == [1]
    assert _ticks(found) == [7]
    assert segments_in(folder) == [1]


def test_a_feed_that_was_removed_is_read_from_its_new_beginning(folder: Path) -> None:
    writer, reader = _begun(folder, 1), FeedReader(folder)
    writer.head({"tick": 1})
    reader.read()
    for path in folder.iterdir():
        path.unlink()
    assert reader.read() == []
    _begun(folder, 2)
    assert _ticks(reader.read()) == [2]


def test_only_the_owner_can_read_it(folder: Path) -> None:
    _begun(folder, 1)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "00000000.jsonl").stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="file/feed: cannot be written: Not a directory"):
        FeedWriter(tmp_path / "file" / "feed")


def test_the_inbox_of_an_input_is_beside_the_segments(folder: Path) -> None:
    path = inbox(folder, "Temp")
    assert path == folder / "inbox" / "Temp.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()
    assert segments_in(folder) == []
    assert Position(1, 5) < Position(2, 0)
