"""antelog/run/store/inbox.py: a fact that was acknowledged is there until a state has it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from antelog.errors import StateError
from antelog.run.store.inbox import post
from antelog.run.store.store import Store


def test_facts_are_read_by_line_and_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with closing(Store.open(path)) as store:
        store.inbox.accept("Temp")
        store.inbox.accept("Ack")
        assert post(path, "Temp", [b"1", b"2"])
        assert post(path, "Ack", [b"other"])
        assert post(path, "Temp", [b"3"])
        assert store.inbox.read("Temp", 0, 10) == [(1, b"1"), (2, b"2"), (3, b"3")]
        assert store.inbox.read("Temp", 1, 1) == [(2, b"2")]
        store.inbox.forget("Temp", 3)
        assert store.inbox.read("Temp", 0, 10) == []
        assert store.inbox.read("Ack", 0, 10) == [(1, b"other")]
    with closing(Store.open(path)) as store:
        store.inbox.accept("Temp")
        assert post(path, "Temp", [b"4"])
        assert store.inbox.read("Temp", 0, 10) == [(4, b"4")]


def test_an_input_that_takes_none(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with closing(Store.open(path)):
        assert not post(path, "Temp", [b"1"])


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="is not a store"):
        post(tmp_path / "s", "Temp", [b"1"])
