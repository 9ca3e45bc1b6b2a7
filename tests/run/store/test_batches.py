"""antelog/run/store/feed.py: each batch is written once, and every segment begins with what is open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from antelog.run.store.feed import BatchFeed, FeedReader, FolderFeed

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
