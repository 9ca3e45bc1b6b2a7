"""antelog/run/store/feed.py: a store and a folder are written and read alike."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from antelog.errors import OutputError
from antelog.run.store.feed import FeedReader, FolderFeed, StoredFeed, StoredFeedAt, is_folder_feed
from antelog.run.store.store import Store


class Made:
    """A feed in a store or in a folder: its writer, and readers as other processes have them."""

    def __init__(self, folder: Path, stack: ExitStack, kind: str) -> None:
        self.path, self._stack, self._kind = folder / "feed", stack, kind

    def writer(self, **limits: int) -> StoredFeed | FolderFeed:
        if self._kind == "folder":
            return FolderFeed(self.path, **limits)
        store = Store.open(self.path, temporary=True)
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
    store = Store.open(tmp_path / "s", temporary=True)
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
    path, reader = tmp_path / "s", FeedReader(StoredFeedAt(tmp_path / "s"))
    for round_ in range(2):
        store = Store.open(path, temporary=True)
        store.feed.begin({})
        store.feed.append([_line(round_)])
        assert _ticks(reader.read()) == [round_]
        store.close()
        for each in tmp_path.iterdir():
            each.unlink()


def test_readers_hold_no_transaction(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "s")
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
    writer = FolderFeed(folder)
    writer.begin({})
    reader = FeedReader(FolderFeed(folder))
    reader.read()
    with (folder / "00000000.jsonl").open("ab") as file:
        file.write(b'{"tick": 2')
        file.flush()
        assert reader.read() == []
        file.write(b', "change": "confirmed"}\n')
    assert _ticks(reader.read()) == [2]


def _folder(folder: Path) -> Callable[..., FolderFeed]:
    def begun(*ticks: int) -> FolderFeed:
        writer = FolderFeed(folder)
        writer.begin({})
        writer.append([_line(tick) for tick in ticks])
        return writer

    return begun


def test_a_new_writer_leaves_nothing_of_the_one_before(tmp_path: Path) -> None:
    begun, reader = _folder(tmp_path), FeedReader(FolderFeed(tmp_path))
    begun(1)
    reader.read()
    begun(7)
    assert [path.name for path in tmp_path.iterdir()] == ["00000001.jsonl"]
    assert _ticks(reader.read()) == [7]


def test_a_folder_that_was_removed_is_read_from_its_new_beginning(tmp_path: Path) -> None:
    begun, reader = _folder(tmp_path), FeedReader(FolderFeed(tmp_path))
    begun(1).begin({})
    reader.read()
    for path in tmp_path.iterdir():
        path.unlink()
    assert reader.read() == []
    begun(2)
    assert _ticks(reader.read()) == [2]


def test_only_the_owner_can_read_a_folder(tmp_path: Path) -> None:
    _folder(tmp_path / "feed")(1)
    assert stat.S_IMODE((tmp_path / "feed").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "feed" / "00000000.jsonl").stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="file/feed: cannot be written: Not a directory"):
        FolderFeed(tmp_path / "file" / "feed").begin({})


def test_which_folders_are_feeds(tmp_path: Path) -> None:
    (tmp_path / "part-0.jsonl").touch()
    assert not is_folder_feed(tmp_path)
    _folder(tmp_path)(1)
    assert is_folder_feed(tmp_path)


@pytest.mark.parametrize("number", ["00000000", "00000009"])
def test_links_in_a_folder_are_neither_read_nor_written(tmp_path: Path, number: str) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "feed"
    secret.write_text(_line(77) + "\n")
    folder.mkdir()
    (folder / f"{number}.jsonl").symlink_to(secret)
    (folder / "00000003.jsonl").symlink_to(tmp_path / "nowhere")
    assert FeedReader(FolderFeed(folder)).read() == []
    writer = FolderFeed(folder)
    writer.begin({"tick": -1})
    writer.append([_line(1)])
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
