"""antelog/run/store/inbox.py: acts of people, when they end, and posted facts until a state has them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from antelog.errors import StateError
from antelog.run.store import inbox
from antelog.run.store.database import opened
from antelog.run.store.inbox import Act, Acts, post
from antelog.run.store.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Store(tmp_path / "state").close()
    return tmp_path / "state"


@pytest.fixture
def kept(path: Path) -> Iterator[Acts]:
    with closing(opened(path)) as database:
        yield Acts(database)


ANN = Act("wt2", "acknowledged", "ann", 100.0, answers=("a", "b"))


def test_an_acknowledgement_ends_with_the_last_of_its_answers(path: Path, kept: Acts) -> None:
    inbox.add_act(path, ANN)
    assert kept.hushed("wt2", 200.0)
    assert not kept.hushed("wt4", 200.0)
    kept.settle(["a", "of another group"])
    assert inbox.current_acts(path, 200.0) == [Act("wt2", "acknowledged", "ann", 100.0, answers=("b",))]
    kept.settle(["b"])
    assert inbox.current_acts(path, 200.0) == []
    assert not kept.hushed("wt2", 200.0)


def test_a_snooze_ends_by_the_clock(path: Path, kept: Acts) -> None:
    inbox.add_act(path, Act("wt2", "snoozed", "ann", 100.0, until=400.0))
    kept.settle(["a"])
    assert kept.hushed("wt2", 399.0)
    assert not kept.hushed("wt2", 400.0)
    assert inbox.current_acts(path, 400.0) == []


def test_a_note_hushes_nothing(path: Path, kept: Acts) -> None:
    inbox.add_act(path, Act("wt2", "noted", "ann", 100.0, note="the crane comes at noon"))
    inbox.add_act(path, Act("wt2", "noted", "bob", 101.0, note="it is here"))
    assert not kept.hushed("wt2", 102.0)
    assert [(each.who, each.note) for each in kept.current(102.0)] == [
        ("ann", "the crane comes at noon"),
        ("bob", "it is here"),
    ]


def test_the_latest_of_a_kind_counts_and_may_be_withdrawn(path: Path, kept: Acts) -> None:
    inbox.add_act(path, ANN)
    inbox.add_act(path, Act("wt2", "acknowledged", "bob", 150.0, answers=("c",)))
    kept.settle(["a", "b"])
    assert [each.who for each in kept.current(200.0)] == ["bob"]
    inbox.withdraw_act(path, "wt2", "acknowledged")
    assert kept.current(200.0) == []


def test_only_the_latest_are_kept(kept: Acts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "MOST_NOTES", 2)
    monkeypatch.setattr(inbox, "MOST_ACTS", 3)
    for at in range(4):
        kept.add(Act("wt2", "noted", "ann", float(at)))
    assert [each.at for each in kept.current(9.0)] == [2.0, 3.0]
    for at in range(4, 6):
        kept.add(Act(f"wt{at}", "snoozed", "ann", float(at), until=99.0))
    assert [each.at for each in kept.current(9.0)] == [3.0, 4.0, 5.0]


# ---- posted facts ----


def test_facts_are_read_by_line_and_forgotten(path: Path) -> None:
    with closing(Store(path)) as store:
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
    with closing(Store(path)) as store:
        store.inbox.accept("Temp")
        assert post(path, "Temp", [b"4"])
        assert store.inbox.read("Temp", 0, 10) == [(4, b"4")]


def test_an_input_that_takes_none(path: Path) -> None:
    assert not post(path, "Temp", [b"1"])


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="is not a store"):
        post(tmp_path / "s", "Temp", [b"1"])
